package runtime

// orderedNull is the byte of null in HBase's OrderedBytes.
const orderedNull = 0x05

// orderedText ends the text behind at with a zero, and refuses one inside. Its header is there already.
func orderedText(dst []byte, at int) ([]byte, *Error) {
	if zero := bytes.IndexByte(dst[at:], 0); zero >= 0 {
		return dst, problem(KindZeroByte, "the text has a zero byte at %d, where HBase's ordered text would end", zero)
	}
	return append(dst, 0x00), nil
}

// orderedBytes writes the bytes behind at as HBase's blob-var: seven bits a byte, each but the last with its top bit set.
func orderedBytes(dst []byte, at int) []byte {
	data := append([]byte(nil), dst[at:]...)
	dst = dst[:at]
	bits, count := uint16(0), 0
	for _, b := range data {
		bits, count = bits<<8|uint16(b), count+8
		for count >= 7 {
			count -= 7
			dst = append(dst, byte(bits>>count)|0x80)
		}
	}
	if count > 0 {
		dst = append(dst, byte(bits<<(7-count))|0x80)
	}
	if len(data) == 0 {
		return append(dst, 0x00)
	}
	dst[len(dst)-1] &= 0x7F
	return dst
}

// orderedHeader takes the first byte of an ordered value; false if it is null, or another.
func (r *reader) orderedHeader(header, flip byte, part string) bool {
	bytes := r.take(1, part)
	if bytes == nil {
		return false
	}
	found := bytes[0] ^ flip
	if found != header && found != orderedNull {
		r.at--
		r.fail(KindWrongHeader, part, "an ordered value of this type starts with %02x or, if null, with 05, and not with %02x", header, found)
	}
	return found == header
}

func (r *reader) orderedFloat64(flip uint64, part string) float64 {
	return r.orderedFloat(fromSortable64(r.uint64(part)^flip), 9, part)
}

func (r *reader) orderedFloat32(flip uint32, part string) float32 {
	return float32(r.orderedFloat(float64(fromSortable32(r.uint32(part)^flip)), 5, part))
}

func (r *reader) orderedFloat(number float64, width int, part string) float64 {
	if r.err != nil {
		return 0
	}
	if math.IsNaN(number) {
		r.at -= width
		r.fail(KindOddFloat, part, "the bytes are HBase's NaN")
	} else if number == 0 && math.Signbit(number) {
		r.at -= width
		r.fail(KindOddFloat, part, "the bytes are -0.0")
	}
	return number
}

// orderedText takes a text and its end.
func (r *reader) orderedText(flip byte, part string) string {
	if r.err != nil {
		return ""
	}
	length := bytes.IndexByte(r.key[r.at:], flip)
	if length < 0 {
		r.at--
		r.fail(KindNoEnd, part, "the ordered text has no end mark")
		return ""
	}
	text := r.text(r.take(length, part), flip, part)
	r.take(1, part)
	return text
}

// orderedBytes takes HBase's blob-var.
func (r *reader) orderedBytes(flip byte, part string) []byte {
	if r.err != nil {
		return nil
	}
	data := []byte{}
	bits, count := uint16(0), 0
	for at := r.at; at < len(r.key); at++ {
		group := r.key[at] ^ flip
		bits, count = bits<<7|uint16(group&0x7F), count+7
		isWhole := count >= 8
		if isWhole {
			count -= 8
			data = append(data, byte(bits>>count))
		}
		if group&0x80 != 0 {
			continue
		}
		// What fills up the last group is zero, and a group that adds nothing is that of no bytes.
		if bits&(1<<count-1) != 0 || !isWhole && at > r.at {
			r.fail(KindNotCanonical, part, "the last group is %02x, which HBase does not write there", group)
			return nil
		}
		r.at = at + 1
		return data
	}
	r.at--
	r.fail(KindNoEnd, part, "the ordered bytes have no end mark")
	return nil
}
