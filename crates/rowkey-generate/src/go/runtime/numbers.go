package runtime

// complement turns the bytes behind at into their complement.
func complement(dst []byte, at int) []byte {
	for i := at; i < len(dst); i++ {
		dst[i] = ^dst[i]
	}
	return dst
}

// floorDiv divides by a positive number and rounds down, also below zero.
func floorDiv(value, by int64) int64 {
	quotient := value / by
	if value%by < 0 {
		quotient--
	}
	return quotient
}

// floorMod is the remainder of a division that rounds down; it is never negative.
func floorMod(value, by int64) int64 {
	rest := value % by
	if rest < 0 {
		rest += by
	}
	return rest
}

// bigOf is a number as a wide one.
func bigOf[N int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](number N) *big.Int {
	if number < 0 {
		return big.NewInt(int64(number))
	}
	return new(big.Int).SetUint64(uint64(number))
}

// bigText is the wide number of a text of digits; it is used for constants only.
func bigText(digits string) *big.Int {
	number, _ := new(big.Int).SetString(digits, 10)
	return number
}

// isWithin says whether min <= number <= max.
func isWithin(number, min, max *big.Int) bool {
	return number.Cmp(min) >= 0 && number.Cmp(max) <= 0
}

// fits128 says whether 128 bits with a sign hold the number.
func fits128(number *big.Int) bool {
	if number.Sign() < 0 {
		return new(big.Int).Not(number).BitLen() <= 127
	}
	return number.BitLen() <= 127
}

// appendDecimal adds a number that is not negative in decimal digits, with zeros before them up to a width.
func appendDecimal(dst []byte, number uint64, width int) []byte {
	at := len(dst)
	for i := 0; i < width; i++ {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= at; i-- {
		dst[i] = byte('0' + number%10)
		number /= 10
	}
	return dst
}

// appendBigDecimal is appendDecimal for wide numbers.
func appendBigDecimal(dst []byte, number *big.Int, width int) []byte {
	digits := number.Text(10)
	for i := len(digits); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// sortable64 has the bits of a number, changed so that they sort as numbers do.
func sortable64(number float64) uint64 {
	if number == 0 {
		return 1 << 63
	}
	bits := math.Float64bits(number)
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}

// sortable32 is sortable64 for 32 bits.
func sortable32(number float32) uint32 {
	if number == 0 {
		return 1 << 31
	}
	bits := math.Float32bits(number)
	return bits ^ (uint32(int32(bits)>>31) | 1<<31)
}

// checkFloat refuses NaN, which has no place in any order.
func checkFloat(number float64) *Error {
	if math.IsNaN(number) {
		return problem(KindNotANumber, "NaN has no place in any order; leave the record out")
	}
	return nil
}

// checkSingle refuses NaN, and what 32 bits would change.
func checkSingle(number float64) *Error {
	if float64(float32(number)) != number && !math.IsNaN(number) {
		return problem(KindNotExact, "%v is not exact in 32 bits", number)
	}
	return checkFloat(number)
}

// checkOrderedFloat refuses -0 too, which HBase would sort before 0.
func checkOrderedFloat(number float64) *Error {
	if number == 0 && math.Signbit(number) {
		return problem(KindNegativeZero, "-0.0 equals 0.0, but HBase would sort it before; write 0.0")
	}
	return checkFloat(number)
}

// checkSeconds refuses a time that is not a whole number of seconds of 32 bits.
func checkSeconds(millis int64) *Error {
	if millis%1000 != 0 || millis < 0 || millis/1000 > math.MaxUint32 {
		return problem(KindNotWholeSeconds, "the time %d ms is not a whole number of seconds from 0 to %d", millis, uint32(math.MaxUint32))
	}
	return nil
}

// checkWidth refuses a text of another length than fixed(n).
func checkWidth(dst []byte, at, width int) *Error {
	if len(dst)-at != width {
		return problem(KindWrongLength, "%q has %d bytes where fixed(%d) needs exactly %d", dst[at:], len(dst)-at, width, width)
	}
	return nil
}

// boolByte is 1 for true and 0 for false.
func boolByte(value bool) byte {
	if value {
		return 1
	}
	return 0
}

// drawBelow is a number below a count from the caller's generator.
func drawBelow(draw func(count int) int, count int) (int64, *Error) {
	if draw == nil {
		return 0, problem(KindNoGenerator, "it is random, and there is no generator")
	}
	drawn := draw(count)
	if drawn < 0 || drawn >= count {
		return 0, problem(KindOutOfRange, "the generator gave %d, which is not below %d", drawn, count)
	}
	return int64(drawn), nil
}

// parseInteger reads a number exactly as it is printed.
func parseInteger(text string) (int64, bool) {
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil && strconv.FormatInt(number, 10) == text
}

// parseBig is parseInteger for wide numbers.
func parseBig(text string) (*big.Int, bool) {
	number, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) > 40 || number.Text(10) != text {
		return new(big.Int), false
	}
	return number, true
}

// parseDigits reads a number of at most so many digits, with zeros before them or not.
func parseDigits(text string, width int) (*big.Int, bool) {
	digits := strings.TrimPrefix(text, "-")
	if !isDigits(digits) {
		return new(big.Int), false
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return new(big.Int), true
	}
	return bigText("0" + digits[:min(len(digits), width)]), len(digits) <= width && text[0] != '-'
}
