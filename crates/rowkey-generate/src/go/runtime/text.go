package runtime

// isUTF8 is utf8.Valid, quicker for text of ASCII alone, of which it looks at eight bytes at a time.
func isUTF8(text []byte) bool {
	if n := len(text); n >= 8 {
		seen := binary.LittleEndian.Uint64(text[n-8:])
		for rest := text; len(rest) > 8; rest = rest[8:] {
			seen |= binary.LittleEndian.Uint64(rest)
		}
		if seen&0x8080808080808080 == 0 {
			return true
		}
	}
	return utf8.Valid(text)
}

// reverse turns the characters behind at around.
func reverse(dst []byte, at int) {
	text := dst[at:]
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		turn(text[i : i+size])
		i += size
	}
	turn(text)
}

func turn(bytes []byte) {
	for i, j := 0, len(bytes)-1; i < j; i, j = i+1, j-1 {
		bytes[i], bytes[j] = bytes[j], bytes[i]
	}
}

// reversed is a text with its characters turned around.
func reversed(text string) string {
	bytes := []byte(text)
	reverse(bytes, 0)
	return string(bytes)
}

// subStr keeps the characters behind at from the first up to but not including the second place.
func subStr(dst []byte, at, from, to int) ([]byte, *Error) {
	first, last, count := -1, -1, 0
	for i := at; i <= len(dst); i++ {
		if i < len(dst) && dst[i]&0xC0 == 0x80 {
			continue
		}
		if count == from {
			first = i
		}
		if count == to {
			last = i
			break
		}
		count++
	}
	if last < 0 {
		return dst, problem(KindTooFewCharacters, "%q has fewer than %d characters", dst[at:], to)
	}
	return dst[:at+copy(dst[at:], dst[first:last])], nil
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// upper maps each character behind at to upper case.
func upper(dst []byte, at int) []byte {
	text := dst[at:]
	if isASCII(text) {
		for i, b := range text {
			if 'a' <= b && b <= 'z' {
				text[i] = b - 32
			}
		}
		return dst
	}
	return mapCase(dst, at, upperRanges, upperSpecial)
}

// lowerEach maps each character behind at to lower case, each by itself.
func lowerEach(dst []byte, at int) []byte {
	text := dst[at:]
	if isASCII(text) {
		for i, b := range text {
			if 'A' <= b && b <= 'Z' {
				text[i] = b + 32
			}
		}
		return dst
	}
	return mapCase(dst, at, lowerRanges, lowerSpecial)
}

// A caseRange is a stretch of characters, each step apart from the one before, whose other case lies delta further on.
type caseRange struct {
	first, last, step, delta rune
}

func mapCase(dst []byte, at int, ranges []caseRange, special map[rune]string) []byte {
	text := string(dst[at:])
	dst = dst[:at]
	for _, r := range text {
		if mapped, ok := special[r]; ok {
			dst = append(dst, mapped...)
			continue
		}
		i := sort.Search(len(ranges), func(i int) bool { return ranges[i].last >= r })
		if i < len(ranges) && ranges[i].first <= r && (r-ranges[i].first)%ranges[i].step == 0 {
			r += ranges[i].delta
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// lower maps the text behind at to lower case; a sigma that ends a word becomes ς.
func lower(dst []byte, at int) []byte {
	if isASCII(dst[at:]) || !bytes.ContainsRune(dst[at:], 'Σ') {
		return lowerEach(dst, at)
	}
	text := string(dst[at:])
	dst = dst[:at]
	for i, r := range text {
		if r == 'Σ' {
			if hasCasedEnd(text[:i]) && !hasCasedStart(text[i+len("Σ"):]) {
				dst = append(dst, "ς"...)
			} else {
				dst = append(dst, "σ"...)
			}
			continue
		}
		from := len(dst)
		dst = lowerEach(utf8.AppendRune(dst, r), from)
	}
	return dst
}

// hasCasedEnd says whether a letter with a case ends the text, apart from marks that do not count.
func hasCasedEnd(text string) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeLastRuneInString(text)
		if !isIn(r, caseIgnorable) {
			return isIn(r, cased)
		}
		text = text[:len(text)-size]
	}
	return false
}

// hasCasedStart says whether a letter with a case begins the text, apart from marks that do not count.
func hasCasedStart(text string) bool {
	for _, r := range text {
		if !isIn(r, caseIgnorable) {
			return isIn(r, cased)
		}
	}
	return false
}

func isIn(r rune, ranges [][2]rune) bool {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i][1] >= r })
	return i < len(ranges) && ranges[i][0] <= r
}

func checkPad(text []byte, end int, pad byte, width int) *Error {
	if len(text) > width {
		return problem(KindTooLongToPad, "%q has %d bytes and cannot be padded to %d", text, len(text), width)
	}
	if len(text) > 0 && text[end] == pad {
		return problem(KindPadInText, "%q already has the pad character %q at the padded end", text, pad)
	}
	return nil
}

// lpad fills the text behind at up to a width, at its left side.
func lpad(dst []byte, at int, pad byte, width int) ([]byte, *Error) {
	length := len(dst) - at
	if problem := checkPad(dst[at:], 0, pad, width); problem != nil {
		return dst, problem
	}
	for i := length; i < width; i++ {
		dst = append(dst, pad)
	}
	copy(dst[at+width-length:], dst[at:at+length])
	for i := at; i < at+width-length; i++ {
		dst[i] = pad
	}
	return dst, nil
}

// rpad fills the text behind at up to a width, at its right side.
func rpad(dst []byte, at int, pad byte, width int) ([]byte, *Error) {
	length := len(dst) - at
	if problem := checkPad(dst[at:], length-1, pad, width); problem != nil {
		return dst, problem
	}
	for i := length; i < width; i++ {
		dst = append(dst, pad)
	}
	return dst, nil
}

// dateOf is the date and time of day of milliseconds since 1970, in UTC, in the years 0001 to 9999.
func dateOf(millis int64) (time.Time, *Error) {
	if millis < -62_135_596_800_000 || millis > 253_402_300_799_999 {
		return time.Time{}, problem(KindDateRange, "the time %d ms is not in the years 0001 to 9999", millis)
	}
	return time.UnixMilli(millis).UTC(), nil
}

// millisOf is a wide number of milliseconds; one past all dates stays so.
func millisOf(number *big.Int) int64 {
	if number.IsInt64() {
		return number.Int64()
	}
	return math.MaxInt64
}

// escapeZeros writes the text behind at with its zeros as 00 FF, and its end mark.
func escapeZeros(dst []byte, at int) []byte {
	if bytes.IndexByte(dst[at:], 0) >= 0 {
		text := bytes.ReplaceAll(dst[at:], []byte{0x00}, []byte{0x00, 0xFF})
		dst = append(dst[:at], text...)
	}
	return append(dst, 0x00, 0x01)
}
