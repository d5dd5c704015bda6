package runtime

// Range is the keys from Start up to but not including Stop. Without a Stop it reaches to the end of the table.
type Range struct {
	Start []byte
	Stop  []byte
}

// successor is the first key behind a key.
func successor(key []byte) []byte {
	return append(append([]byte{}, key...), 0)
}

// prefixEnd is the first key behind all keys with a prefix; nil if there is none.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := append([]byte{}, prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}
