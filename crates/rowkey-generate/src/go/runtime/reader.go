package runtime

// A reader takes a key apart from left to right; behind its first error it does nothing.
type reader struct {
	key []byte
	at  int
	err *Error
}

func newReader(key []byte) *reader {
	r := &reader{key: key}
	if len(key) == 0 {
		r.err = problem(KindEmptyKey, "the key is empty; a row key has at least one byte")
	}
	return r
}

func (r *reader) fail(kind Kind, part, reason string, values ...any) {
	if r.err == nil {
		about := fmt.Sprintf(" at byte %d of key %q; was it written by another schema?", r.at, r.key)
		r.err = problem(kind, reason, values...)
		r.err.Reason += about
		r.err.Part, r.err.Offset = part, r.at
	}
}

// impossible refuses a part that no record gives.
func (r *reader) impossible(part string) {
	r.fail(KindImpossible, part, "no record gives this")
}

func (r *reader) rest() []byte {
	if r.err != nil {
		return nil
	}
	return r.key[r.at:]
}

// literal goes past fixed bytes.
func (r *reader) literal(literal string) {
	if r.err != nil {
		return
	}
	if len(r.key)-r.at < len(literal) || string(r.key[r.at:r.at+len(literal)]) != literal {
		r.fail(KindNoLiteral, "", "there is no %q", literal)
		return
	}
	r.at += len(literal)
}

// take goes past a number of bytes; nil if there are fewer.
func (r *reader) take(count int, part string) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.key)-r.at < count {
		r.fail(KindTooShort, part, "it needs %d bytes but %d remain", count, len(r.key)-r.at)
		return nil
	}
	r.at += count
	return r.key[r.at-count : r.at]
}

// until goes up to the literal that ends a text.
func (r *reader) until(literal string) []byte {
	if r.err != nil {
		return nil
	}
	length := bytes.Index(r.key[r.at:], []byte(literal))
	if length < 0 {
		r.fail(KindNoLiteral, "", "there is no %q", literal)
		return nil
	}
	r.at += length
	return r.key[r.at-length : r.at]
}

// untilEnd goes to the end of the key.
func (r *reader) untilEnd() []byte {
	if r.err != nil {
		return nil
	}
	rest := r.key[r.at:]
	r.at = len(r.key)
	return rest
}

// hasValue takes the mark of a part that may be null.
func (r *reader) hasValue(null byte, part string) bool {
	if r.err != nil {
		return false
	}
	if r.at == len(r.key) {
		r.fail(KindTooShort, part, "the key ends before its null mark")
		return false
	}
	mark := r.key[r.at]
	if mark != 0x01 && mark != null {
		r.fail(KindNotANullMark, part, "%02x is no null mark", mark)
		return false
	}
	r.at++
	return mark == 0x01
}

func (r *reader) uint8(part string) uint8 {
	if bytes := r.take(1, part); bytes != nil {
		return bytes[0]
	}
	return 0
}

func (r *reader) uint16(part string) uint16 {
	if bytes := r.take(2, part); bytes != nil {
		return binary.BigEndian.Uint16(bytes)
	}
	return 0
}

func (r *reader) uint32(part string) uint32 {
	if bytes := r.take(4, part); bytes != nil {
		return binary.BigEndian.Uint32(bytes)
	}
	return 0
}

func (r *reader) uint64(part string) uint64 {
	if bytes := r.take(8, part); bytes != nil {
		return binary.BigEndian.Uint64(bytes)
	}
	return 0
}

func (r *reader) bool(flip byte, part string) bool {
	bytes := r.take(1, part)
	if bytes == nil {
		return false
	}
	if bytes[0]^flip > 1 {
		r.at--
		r.fail(KindNotABool, part, "a bool is 00 or 01, not %02x", bytes[0]^flip)
		return false
	}
	return bytes[0]^flip == 1
}

func (r *reader) float64(flip uint64, part string) float64 {
	return r.float(fromSortable64(r.uint64(part)^flip), 8, part)
}

func (r *reader) float32(flip uint32, part string) float32 {
	return float32(r.float(float64(fromSortable32(r.uint32(part)^flip)), 4, part))
}

func (r *reader) float(number float64, width int, part string) float64 {
	if r.err == nil && (math.IsNaN(number) || number == 0 && math.Signbit(number)) {
		r.at -= width
		r.fail(KindOddFloat, part, "the bytes are NaN or -0.0, which rowkey does not write")
	}
	return number
}

func fromSortable64(bits uint64) float64 {
	if bits>>63 == 1 {
		return math.Float64frombits(bits ^ 1<<63)
	}
	return math.Float64frombits(^bits)
}

func fromSortable32(bits uint32) float32 {
	if bits>>31 == 1 {
		return math.Float32frombits(bits ^ 1<<31)
	}
	return math.Float32frombits(^bits)
}

func (r *reader) octets16(flip byte, part string) (octets [16]byte) {
	copy(octets[:], flipped(r.take(16, part), flip))
	return octets
}

func (r *reader) octets4(flip byte, part string) (octets [4]byte) {
	copy(octets[:], flipped(r.take(4, part), flip))
	return octets
}

// digits takes the digits of a decimal.
func (r *reader) digits(width int, flip byte, part string) string {
	digits := flipped(r.take(width, part), flip)
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			r.at -= width
			r.fail(KindNotADigit, part, "a decimal holds digits, not %02x", digit)
			return "0"
		}
	}
	if digits == nil {
		return "0"
	}
	return string(digits)
}

// decimal is digits as a number of at most 18 digits.
func (r *reader) decimal(width int, flip byte, part string) int64 {
	number := int64(0)
	for _, digit := range r.digits(width, flip, part) {
		number = number*10 + int64(digit-'0')
	}
	return number
}

// flipped is the complement of bytes, in other memory; without a flip, the bytes themselves.
func flipped(bytes []byte, flip byte) []byte {
	if flip == 0 || bytes == nil {
		return bytes
	}
	other := make([]byte, len(bytes))
	for i, b := range bytes {
		other[i] = ^b
	}
	return other
}

// isText refuses bytes just taken that are not UTF-8; used is how many bytes of the key they were.
func (r *reader) isText(bytes []byte, used int, part string) bool {
	if r.err == nil && !utf8.Valid(bytes) {
		r.at -= used
		r.fail(KindNotUTF8, part, "the text %q is not UTF-8", bytes)
	}
	return r.err == nil
}

// text is bytes just taken as text.
func (r *reader) text(bytes []byte, flip byte, part string) string {
	plain := flipped(bytes, flip)
	if !r.isText(plain, len(bytes), part) {
		return ""
	}
	return string(plain)
}

// bytes is bytes just taken, copied.
func (r *reader) bytes(bytes []byte, flip byte) []byte {
	if flip != 0 {
		return flipped(bytes, flip)
	}
	return append([]byte{}, bytes...)
}

// escaped takes a text with its zeros written as 00 FF and ended by 00 01.
func (r *reader) escaped(flip byte, part string) string {
	if r.err != nil {
		return ""
	}
	rest, text := r.key[r.at:], []byte(nil)
	for from := 0; ; {
		zero := bytes.IndexByte(rest[from:], flip)
		if zero < 0 || from+zero+1 == len(rest) {
			r.fail(KindNoEnd, part, "the escaped text has no end mark")
			return ""
		}
		zero += from
		piece := flipped(rest[from:zero], flip)
		switch rest[zero+1] ^ flip {
		case 0x01:
			if text != nil {
				piece = append(text, piece...)
			}
			if !r.isText(piece, 0, part) {
				return ""
			}
			r.at += zero + 2
			return string(piece)
		case 0xFF:
			text = append(append(text, piece...), 0)
		default:
			r.fail(KindBadEscape, part, "byte %d of the escaped text is neither an escape nor the end mark", zero)
			return ""
		}
		from = zero + 2
	}
}

// end refuses bytes behind the last part.
func (r *reader) end() {
	if r.err == nil && r.at < len(r.key) {
		r.fail(KindTrailingBytes, "", "the key goes on after its last part")
	}
}

// same refuses a part that is not the one that the record gives.
func (r *reader) same(start, end int, computed []byte, err error, part string) {
	if r.err != nil {
		return
	}
	r.at = start
	if err != nil {
		r.impossible(part)
	} else if !bytes.Equal(r.key[start:end], computed) {
		r.fail(KindWrongPart, part, "it is %q, and %q of this record", r.key[start:end], computed)
	}
}

// differs refuses a field with two values in two parts.
func (r *reader) differs(field string) {
	if r.err == nil {
		r.fail(KindTwoValues, "", "field `%s` has two different values in two parts", field)
		r.err.Field = field
	}
}
