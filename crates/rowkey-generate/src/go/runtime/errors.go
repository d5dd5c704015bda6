package runtime

// Kind is a reason in one word.
type Kind string

// Reasons for which a record has no key.
const (
	KindNull             Kind = "null"
	KindOutOfRange       Kind = "out_of_range"
	KindWrongLength      Kind = "wrong_length"
	KindNotANumber       Kind = "not_a_number"
	KindNotExact         Kind = "not_exact"
	KindNotWholeSeconds  Kind = "not_whole_seconds"
	KindNegativeZero     Kind = "negative_zero"
	KindZeroByte         Kind = "zero_byte"
	KindReverseRange     Kind = "reverse_range"
	KindOverflow         Kind = "overflow"
	KindNotInCode        Kind = "not_in_code"
	KindTooFewCharacters Kind = "too_few_characters"
	KindTooLongToPad     Kind = "too_long_to_pad"
	KindPadInText        Kind = "pad_in_text"
	KindDateRange        Kind = "date_range"
	KindDelimiterInside  Kind = "delimiter_inside"
	KindEmptyKey         Kind = "empty_key"
	KindKeyTooLong       Kind = "key_too_long"
	KindWrongKind        Kind = "wrong_kind"
	KindNotUTF8          Kind = "not_utf8"
	KindNoGenerator      Kind = "no_generator"
)

// Reasons for which a key has no record, besides.
const (
	KindTooShort         Kind = "too_short"
	KindTrailingBytes    Kind = "trailing_bytes"
	KindNoLiteral        Kind = "no_literal"
	KindNoEnd            Kind = "no_end"
	KindBadEscape        Kind = "bad_escape"
	KindNotABool         Kind = "not_a_bool"
	KindNotADigit        Kind = "not_a_digit"
	KindNotANullMark     Kind = "not_a_null_mark"
	KindOddFloat         Kind = "odd_float"
	KindWrongHeader      Kind = "wrong_header"
	KindNotCanonical     Kind = "not_canonical"
	KindTwoValues        Kind = "two_values"
	KindImpossible       Kind = "impossible"
	KindWrongPart        Kind = "wrong_part"
	KindWrongFingerprint Kind = "wrong_fingerprint"
)

// Error says why a record has no key, or a key no record.
type Error struct {
	// Kind is the reason in one word, the same in every language.
	Kind Kind

	// Field is the name of the field whose value it is about; empty if it is not about one field.
	Field string

	// Part is the part of the key it is about, as the notation has it; empty if it is not about one part.
	Part string

	// Offset is the first byte of the part in the key that was decoded.
	Offset int

	// Reason is the rest of the sentence.
	Reason string
}

func (e *Error) Error() string {
	switch {
	case e.Field != "":
		return "field `" + e.Field + "`: " + e.Reason
	case e.Part != "":
		return "part " + e.Part + ": " + e.Reason
	}
	return e.Reason
}

// ofField and ofPart say what an error is about.
func (e *Error) ofField(name string) error {
	e.Field = name
	return e
}

func (e *Error) ofPart(part string) error {
	e.Part = part
	return e
}

func problem(kind Kind, reason string, values ...any) *Error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(reason, values...)}
}

// maxKeyLength is the number of bytes of the longest row key.
const maxKeyLength = 32767

// finishKey refuses a key without bytes, or with more than HBase takes.
func finishKey(dst []byte, start int) ([]byte, error) {
	// Less than nothing is very much.
	if uint(len(dst)-start-1) >= maxKeyLength {
		return nil, wrongLength(len(dst) - start)
	}
	return dst, nil
}

func wrongLength(length int) error {
	if length == 0 {
		return problem(KindEmptyKey, "the key is empty; a row key has at least one byte")
	}
	return problem(KindKeyTooLong, "the key has %d bytes; a row key has at most %d", length, maxKeyLength)
}

func isNull(field string) error {
	return problem(KindNull, "the value is null, and this part of the key cannot be").ofField(field)
}

func partIsNull(part string) error {
	return problem(KindNull, "the value is null, and this part of the key cannot be").ofPart(part)
}

func outOfRange(value any, ty, min, max string) *Error {
	return problem(KindOutOfRange, "%v does not fit %s, which holds %s to %s", value, ty, min, max)
}

func notUTF8(text string) *Error {
	return problem(KindNotUTF8, "%q is not UTF-8", text)
}

func overflows() *Error {
	return problem(KindOverflow, "the arithmetic overflows 128 bits")
}

func notFromLongMax(value any) *Error {
	return problem(KindReverseRange, "Long.MAX_VALUE - %v is not between 0 and Long.MAX_VALUE", value)
}

func unknownCode(text []byte) *Error {
	return problem(KindNotInCode, "%q has no code", text)
}

func delimiterInside(text []byte, delimiter string) *Error {
	return problem(KindDelimiterInside, "the text %q contains the delimiter %q that ends it in the key", text, delimiter)
}

// refuseDelimiter refuses the text behind at if a reader would find its end, the delimiter, too early.
func refuseDelimiter(dst []byte, at int, delimiter string) *Error {
	length := len(dst) - at
	if bytes.Index(append(dst, delimiter...)[at:], []byte(delimiter)) < length {
		return delimiterInside(dst[at:], delimiter)
	}
	return nil
}
