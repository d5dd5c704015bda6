package runtime

// Decimal is an exact decimal number in its plain form, such as -12.5, with at most 31 significant digits.
type Decimal string

// A decimal is digits, of which neither the first nor the last is a zero, times a power of ten. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

const (
	maxDecimalDigits = 31
	maxDecimalPlaces = 6144
)

// newDecimal is the number of digits times a power of ten.
func newDecimal(negative bool, digits string, exponent int) (decimal, *Error) {
	digits = strings.TrimLeft(digits, "0")
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	switch {
	case significant == "":
		return decimal{}, nil
	case len(significant) > maxDecimalDigits:
		return decimal{}, problem(KindOutOfRange, "the number has %d significant digits, and a numeric keeps %d", len(significant), maxDecimalDigits)
	case exponent < -maxDecimalPlaces || exponent+len(significant) < -maxDecimalPlaces ||
		exponent > maxDecimalPlaces || exponent+len(significant) > maxDecimalPlaces:
		return decimal{}, problem(KindOutOfRange, "a digit of the number stands more than %d places from the point", maxDecimalPlaces)
	}
	return decimal{negative, significant, exponent}, nil
}

// parseDecimal reads digits with an optional minus, point and exponent of ten.
func parseDecimal(text string) (decimal, *Error) {
	unsigned := strings.TrimPrefix(text, "-")
	power := "0"
	if at := strings.IndexAny(unsigned, "eE"); at >= 0 {
		unsigned, power = unsigned[:at], unsigned[at+1:]
	}
	whole, fraction, hasPoint := strings.Cut(unsigned, ".")
	if !hasPoint {
		fraction = "0"
	}
	sign := strings.HasPrefix(power, "-") || strings.HasPrefix(power, "+")
	if !isDigits(whole) || !isDigits(fraction) || !isDigits(power) && !(sign && isDigits(power[1:])) {
		return decimal{}, problem(KindWrongKind, "%q is not a decimal number; write it as -12.5 or 1.25e-7", text)
	}
	if strings.Trim(whole+fraction, "0") == "" {
		return decimal{}, nil
	}
	exponent, err := strconv.Atoi(power)
	if err != nil || exponent > 1<<30 || exponent < -1<<30 {
		return decimal{}, problem(KindWrongKind, "a digit of the number stands more than %d places from the point", maxDecimalPlaces)
	}
	number, refused := newDecimal(text[0] == '-', whole+fraction, exponent-len(fraction))
	if refused != nil {
		refused.Kind = KindWrongKind
	}
	return number, refused
}

// compareDecimals compares two numbers; one that is none is compared as 0, and refused when it is encoded.
func compareDecimals(a, b Decimal) int {
	first, _ := parseDecimal(string(a))
	second, _ := parseDecimal(string(b))
	return bytes.Compare(first.appendOrdered(nil), second.appendOrdered(nil))
}

func isDigits(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// decimalOfInteger is a whole number of digits with an optional minus as a decimal.
func decimalOfInteger(text string) (decimal, *Error) {
	number, refused := newDecimal(text[0] == '-', strings.TrimPrefix(text, "-"), 0)
	if refused != nil {
		refused.Kind = KindWrongKind
	}
	return number, refused
}

// String is the plain form.
func (d decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	before := len(d.digits) + d.exponent
	switch {
	case d.digits == "":
		return "0"
	case d.exponent >= 0:
		return sign + d.digits + strings.Repeat("0", d.exponent)
	case before <= 0:
		return sign + "0." + strings.Repeat("0", -before) + d.digits
	}
	return sign + d.digits[:before] + "." + d.digits[before:]
}

// integer is the text of a whole number; false if it is none, or none of 38 digits.
func (d decimal) integer() (string, bool) {
	if d.exponent < 0 || len(d.digits)+d.exponent > 38 {
		return "", false
	}
	return d.String(), true
}

// appendOrdered adds the bytes of HBase's OrderedBytes.
func (d decimal) appendOrdered(dst []byte) []byte {
	if d.digits == "" {
		return append(dst, 0x15)
	}
	at := len(dst)
	// The power of 100, and the digits in pairs that end at an even place.
	before := len(d.digits) + d.exponent
	power := int(floorDiv(int64(before+1), 2))
	digits := d.digits
	if floorMod(int64(d.exponent), 2) == 1 {
		digits += "0"
	}
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	switch {
	case before <= 0:
		dst = append(dst, 0x16)
		dst = complement(appendVarUint(dst, -power), at+1)
	case power <= 10:
		dst = append(dst, byte(0x17+power))
	default:
		dst = appendVarUint(append(dst, 0x22), power)
	}
	for i := 0; i < len(digits); i += 2 {
		dst = append(dst, ((digits[i]-'0')*10+digits[i+1]-'0')*2+1)
	}
	dst[len(dst)-1]--
	if d.negative {
		dst[at] = 0x2A - dst[at]
		complement(dst, at+1)
	}
	return dst
}

// appendVarUint adds a small number as bytes that sort like it.
func appendVarUint(dst []byte, number int) []byte {
	switch {
	case number <= 240:
		return append(dst, byte(number))
	case number <= 2287:
		return append(dst, byte(241+(number-240)/256), byte((number-240)%256))
	}
	return append(dst, 249, byte((number-2288)>>8), byte(number-2288))
}

// orderedDecimal takes a number in HBase's OrderedBytes; false if it is null, or none.
func (r *reader) orderedDecimal(flip byte, part string) (decimal, bool) {
	if r.err != nil {
		return decimal{}, false
	}
	start := r.at
	number, isNull, problem := r.readDecimal(flip)
	if problem != nil {
		r.at = start
		r.fail(problem.Kind, part, "%s", problem.Reason)
	}
	return number, problem == nil && !isNull
}

func (r *reader) readDecimal(flip byte) (number decimal, isNull bool, err *Error) {
	next := func() (byte, *Error) {
		if r.at == len(r.key) {
			return 0, problem(KindTooShort, "the key ends inside a number")
		}
		r.at++
		return r.key[r.at-1] ^ flip, nil
	}
	notCanonical := func(b byte) (decimal, bool, *Error) {
		return decimal{}, false, problem(KindNotCanonical, "%02x is no byte that HBase writes there", b)
	}
	header, err := next()
	if err != nil || header == orderedNull || header == 0x15 {
		return decimal{}, header == orderedNull, err
	}
	magnitude, negative := header, header < 0x15
	if negative {
		magnitude = 0x2A - header
		flip = ^flip
	}
	power := 0
	switch {
	case magnitude == 0x16:
		flip = ^flip
		power, err = readVarUint(next)
		flip = ^flip
		power = -power
	case magnitude == 0x22:
		if power, err = readVarUint(next); err == nil && power <= 10 {
			return notCanonical(byte(power))
		}
	case magnitude == 0x17:
		return notCanonical(header)
	case 0x18 <= magnitude && magnitude < 0x22:
		power = int(magnitude) - 0x17
	case magnitude == 0x23, magnitude == 0x26 && !negative:
		err = problem(KindOddFloat, "the bytes are HBase's NaN or infinity")
	default:
		err = problem(KindWrongHeader, "a numeric cannot start with %02x", header)
	}
	if err != nil {
		return decimal{}, false, err
	}
	digits := []byte(nil)
	for {
		b, err := next()
		if err != nil {
			return decimal{}, false, err
		}
		pair, isLast := b/2, b%2 == 0
		// No zero pair at either end, and no pair that the precision does not reach.
		if pair > 99 || len(digits) == 32 || pair == 0 && (len(digits) == 0 || isLast) {
			return notCanonical(b)
		}
		digits = append(digits, '0'+pair/10, '0'+pair%10)
		if isLast {
			break
		}
	}
	number, err = newDecimal(negative, string(digits), 2*power-len(digits))
	return number, false, err
}

func readVarUint(next func() (byte, *Error)) (int, *Error) {
	first, err := next()
	if err != nil || first <= 240 {
		return int(first), err
	}
	if first > 249 {
		return 0, problem(KindOutOfRange, "a digit of the number stands more than %d places from the point", maxDecimalPlaces)
	}
	second, err := next()
	if err != nil || first <= 248 {
		if err == nil && first == 241 && second == 0 {
			err = problem(KindNotCanonical, "%02x is no byte that HBase writes there", first)
		}
		return 240 + 256*(int(first)-241) + int(second), err
	}
	third, err := next()
	number := int(second)<<8 + int(third) + 2288
	if err == nil && number > math.MaxUint16 {
		err = problem(KindOutOfRange, "a digit of the number stands more than %d places from the point", maxDecimalPlaces)
	}
	return number, err
}
