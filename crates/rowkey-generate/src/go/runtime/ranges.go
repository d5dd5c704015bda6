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

// fanOut is the same range in every bucket.
func fanOut(buckets [][]byte, start, stop []byte) []Range {
	ranges := make([]Range, len(buckets))
	for i, bucket := range buckets {
		ranges[i] = Range{Start: append(append([]byte{}, bucket...), start...), Stop: prefixEnd(bucket)}
		if len(stop) > 0 {
			ranges[i].Stop = append(append([]byte{}, bucket...), stop...)
		}
	}
	return ranges
}
