def _ordered_int(value: Optional[int], width: int, field: str) -> bytes:
    header = {1: b"\x29", 2: b"\x2a", 4: b"\x2b", 8: b"\x2c"}[width]
    return header + _signed(value, width, field)


def _ordered_f64(value: Optional[float], field: str) -> bytes:
    number = _float(value, field)
    if math.isnan(number):
        raise _not_a_number(field)
    if number == 0.0 and math.copysign(1.0, number) < 0.0:
        raise _negative_zero(field)
    return b"\x31" + _sortable_f64(number)


def _ordered_f32(value: Optional[float], field: str) -> bytes:
    number = _single(value, field)
    if number == 0.0 and math.copysign(1.0, number) < 0.0:
        raise _negative_zero(field)
    return b"\x30" + _sortable_f32(number)


def _negative_zero(field: str) -> RowKeyError:
    problem = "-0.0 equals 0.0 but would sort before it; write 0.0"
    return RowKeyError("negative_zero", field, -0.0, problem)


def _ordered_text(text: bytes, field: str) -> bytes:
    if 0 in text:
        problem = f"{text!r} has a zero byte, where HBase's ordered text would end"
        raise RowKeyError("zero_byte", field, text, problem)
    return b"\x34" + text + b"\x00"


def _ordered_bytes(data: bytes) -> bytes:
    """HBase's blob-var: seven bits a byte, the top bit says that another follows."""
    groups = bytearray(b"\x37")
    for at in range(0, len(data), 7):
        chunk = data[at : at + 7]
        bits = int.from_bytes(chunk.ljust(7, b"\x00"), "big")
        for group in range(len(chunk) + 1):
            groups.append(bits >> (49 - 7 * group) & 0x7F | 0x80)
    if data:
        groups[-1] &= 0x7F
    else:
        groups.append(0)
    return bytes(groups)


def _numeric_parts(
    value: Union[decimal.Decimal, int, None], field: str
) -> Tuple[int, int]:
    """A whole number that does not end in zero, and its power of ten."""
    if value is None:
        raise _null(field)
    if isinstance(value, int):
        value = decimal.Decimal(value)
    if not isinstance(value, decimal.Decimal):
        raise _wrong_kind(value, "a decimal.Decimal", field)
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise _wrong_kind(value, "a finite number", field)
    text = "".join(map(str, digits)).lstrip("0")
    significant = text.rstrip("0")
    exponent += len(text) - len(significant)
    if not _is_numeric(significant, exponent):
        needed = "of at most 31 digits within 6144 places of the point"
        raise _wrong_kind(value, needed, field)
    return int(("-" if sign else "") + (significant or "0")), exponent


def _is_numeric(digits: str, exponent: int) -> bool:
    """Whether HBase keeps the number without rounding it."""
    reach = -6144 <= exponent and exponent + len(digits) <= 6144
    return not digits or (len(digits) <= 31 and reach)


def _varuint(number: int) -> bytes:
    """A small whole number as bytes that sort like it."""
    if number <= 240:
        return bytes((number,))
    if number <= 2287:
        high, low = divmod(number - 240, 256)
        return bytes((241 + high, low))
    return b"\xf9" + (number - 2288).to_bytes(2, "big")


def _ordered_numeric(value: Union[decimal.Decimal, int, None], field: str) -> bytes:
    """HBase's `Numeric`: a header, a power of 100, and two digits a byte."""
    coefficient, exponent = _numeric_parts(value, field)
    if coefficient == 0:
        return b"\x15"
    digits = len(str(abs(coefficient))) + exponent
    power = (digits + 1) // 2
    pairs = power - exponent // 2
    text = str(abs(coefficient)) + ("0" if exponent % 2 else "")
    text = text.zfill(2 * pairs)
    data = bytearray()
    if digits <= 0:
        data += b"\x16" + _complement(_varuint(-power))
    elif power <= 10:
        data.append(0x17 + power)
    else:
        data += b"\x22" + _varuint(power)
    data += bytes(2 * int(text[at : at + 2]) + 1 for at in range(0, 2 * pairs, 2))
    data[-1] -= 1
    if coefficient < 0:
        return bytes((0x2A - data[0],)) + _complement(bytes(data[1:]))
    return bytes(data)


def _read_header(data: bytes, at: int, header: int, part: str) -> Optional[int]:
    """The place behind the header of a value; None for null, which is 05."""
    if at >= len(data):
        raise _ends_inside(data, at, 1, part)
    if data[at] == 5:
        return None
    if data[at] != header:
        problem = f"byte {at} is {data[at]:02x}, where {header:02x} or 05 is needed"
        raise RowKeyError("wrong_header", part, data, problem)
    return at + 1


def _read_ordered_int(
    data: bytes, at: int, width: int, part: str
) -> Tuple[Optional[int], int]:
    header = {1: 0x29, 2: 0x2A, 4: 0x2B, 8: 0x2C}[width]
    start = _read_header(data, at, header, part)
    if start is None:
        return None, at + 1
    return _read_signed(data, start, width, part)


def _read_ordered_f64(data: bytes, at: int, part: str) -> Tuple[Optional[float], int]:
    start = _read_header(data, at, 0x31, part)
    if start is None:
        return None, at + 1
    number = _from_sortable(_take(data, start, 8, part))
    return _ordered_float(number, part), start + 8


def _read_ordered_f32(data: bytes, at: int, part: str) -> Tuple[Optional[float], int]:
    start = _read_header(data, at, 0x30, part)
    if start is None:
        return None, at + 1
    number = _from_sortable(_take(data, start, 4, part))
    return _ordered_float(number, part), start + 4


def _ordered_float(number: float, part: str) -> float:
    if math.isnan(number) or (number == 0.0 and math.copysign(1.0, number) < 0.0):
        raise _odd_float(number, part)
    return number


def _read_ordered_text(data: bytes, at: int, part: str) -> Tuple[Optional[str], int]:
    start = _read_header(data, at, 0x34, part)
    if start is None:
        return None, at + 1
    end = data.find(b"\x00", start)
    if end < 0:
        raise RowKeyError("no_end", part, data, "the ordered text has no end mark")
    return _from_utf8(data[start:end], part), end + 1


def _read_ordered_bytes(data: bytes, at: int, part: str) -> Tuple[Optional[bytes], int]:
    start = _read_header(data, at, 0x37, part)
    if start is None:
        return None, at + 1
    end = next((end for end in range(start, len(data)) if data[end] < 0x80), None)
    if end is None:
        raise RowKeyError("no_end", part, data, "the ordered bytes have no end mark")
    groups = data[start : end + 1]
    value = bytearray()
    for nth in range(0, len(groups), 8):
        chunk = groups[nth : nth + 8]
        bits = 0
        for group in chunk:
            bits = bits << 7 | group & 0x7F
        seven = (bits << 7 * (8 - len(chunk))).to_bytes(7, "big")
        if any(seven[len(chunk) - 1 :]) or (len(chunk) == 1 and len(groups) > 1):
            raise _not_canonical(data, end, part)
        value += seven[: len(chunk) - 1]
    return bytes(value), end + 1


def _not_canonical(data: bytes, at: int, part: str) -> RowKeyError:
    problem = f"byte {at} is {data[at]:02x}, which HBase does not write there"
    return RowKeyError("not_canonical", part, data, problem)


def _byte(data: bytes, at: int, part: str) -> int:
    if at >= len(data):
        raise _ends_inside(data, at, 1, part)
    return data[at]


def _read_varuint(data: bytes, at: int, part: str) -> Tuple[int, int]:
    first = _byte(data, at, part)
    if first <= 240:
        return first, at + 1
    if first <= 248:
        second = _byte(data, at + 1, part)
        if first == 241 and second == 0:
            raise _not_canonical(data, at, part)
        return 240 + 256 * (first - 241) + second, at + 2
    if first == 249:
        second = _byte(data, at + 1, part)
        number = 2288 + 256 * second + _byte(data, at + 2, part)
        if number < 1 << 16:
            return number, at + 3
    raise _too_long_numeric(data, part)


def _too_long_numeric(data: bytes, part: str) -> RowKeyError:
    problem = "more than 31 digits, or one more than 6144 places from the point"
    return RowKeyError("out_of_range", part, data, problem)


def _read_ordered_numeric(
    data: bytes, at: int, part: str
) -> Tuple[Optional[decimal.Decimal], int]:
    header = _byte(data, at, part)
    if header == 0x05:
        return None, at + 1
    if header == 0x15:
        return decimal.Decimal(0), at + 1
    negative = header < 0x15
    size = (0x2A - header) & 0xFF if negative else header
    if size == 0x23 or (size == 0x26 and not negative):
        raise _odd_float(math.inf, part)
    if size == 0x17:
        raise _not_canonical(data, at, part)
    if not 0x16 <= size <= 0x22:
        problem = f"byte {at} is {header:02x}, with which no numeric begins"
        raise RowKeyError("wrong_header", part, data, problem)
    flipped = _complement(data)
    plain, other = (flipped, data) if negative else (data, flipped)
    start, at = at, at + 1
    if size == 0x16:
        power, at = _read_varuint(other, at, part)
        power = -power
    elif size == 0x22:
        power, at = _read_varuint(plain, at, part)
        if power <= 10:
            raise _not_canonical(data, start + 1, part)
    else:
        power = size - 0x17
    digits = pairs = 0
    while True:
        byte = _byte(plain, at, part)
        pair, last = byte >> 1, not byte & 1
        if pair > 99 or pairs == 16 or (pair == 0 and (pairs == 0 or last)):
            raise _not_canonical(data, at, part)
        digits = digits * 100 + pair
        pairs += 1
        at += 1
        if last:
            break
    text = str(digits).rstrip("0")
    exponent = 2 * (power - pairs) + len(str(digits)) - len(text)
    if not _is_numeric(text, exponent):
        raise _too_long_numeric(data, part)
    number = tuple(map(int, text)) + (0,) * max(exponent, 0)
    return decimal.Decimal((int(negative), number, min(exponent, 0))), at


def _read_ordered_whole(data: bytes, at: int, part: str) -> Tuple[Optional[int], int]:
    """As a number of a field of whole ones."""
    number, at = _read_ordered_numeric(data, at, part)
    if number is None:
        return None, at
    if number.as_tuple().exponent != 0 or abs(number) >= 1 << 127:
        raise _impossible(number, part)
    return int(number), at
