def _take(data: bytes, at: int, width: int, part: str) -> bytes:
    """The bytes of a part of a fixed width."""
    if at + width > len(data):
        raise _ends_inside(data, at, width, part)
    return data[at : at + width]


def _read_unsigned(data: bytes, at: int, width: int, part: str) -> Tuple[int, int]:
    return int.from_bytes(_take(data, at, width, part), "big"), at + width


def _read_signed(data: bytes, at: int, width: int, part: str) -> Tuple[int, int]:
    number = int.from_bytes(_take(data, at, width, part), "big")
    return number - (1 << (8 * width - 1)), at + width


def _read_twos(data: bytes, at: int, width: int, part: str) -> Tuple[int, int]:
    raw = _take(data, at, width, part)
    return int.from_bytes(raw, "big", signed=True), at + width


def _read_seconds(data: bytes, at: int, part: str) -> Tuple[int, int]:
    return int.from_bytes(_take(data, at, 4, part), "big") * 1000, at + 4


def _read_decimal(data: bytes, at: int, width: int, part: str) -> Tuple[int, int]:
    digits = _take(data, at, width, part)
    if not digits.isdigit():
        problem = f"{digits!r} is not all digits"
        raise RowKeyError("not_a_digit", part, digits, problem)
    return int(digits), at + width


def _read_bool(data: bytes, at: int, part: str) -> Tuple[bool, int]:
    byte = _take(data, at, 1, part)[0]
    if byte > 1:
        problem = f"a bool is 00 or 01, not {byte:02x}"
        raise RowKeyError("not_a_bool", part, byte, problem)
    return byte == 1, at + 1


def _from_sortable(data: bytes) -> float:
    """A floating-point number of 4 or 8 bytes."""
    width = len(data)
    bits = int.from_bytes(data, "big")
    sign = 1 << (8 * width - 1)
    bits ^= sign if bits & sign else (1 << 8 * width) - 1
    number: float = struct.unpack(
        ">d" if width == 8 else ">f", bits.to_bytes(width, "big")
    )[0]
    return number


def _read_float(data: bytes, at: int, width: int, part: str) -> Tuple[float, int]:
    number = _from_sortable(_take(data, at, width, part))
    if math.isnan(number) or (number == 0.0 and math.copysign(1.0, number) < 0.0):
        raise _odd_float(number, part)
    return number, at + width


def _odd_float(number: float, part: str) -> RowKeyError:
    problem = f"the bytes are {number}, which no key has"
    return RowKeyError("odd_float", part, number, problem)


def _of_single(number: float, part: str) -> float:
    """A number that a field of 32 bits can have."""
    if not _is_single(number):
        raise _impossible(number, part)
    return number


def _of_width(value: str, width: int, part: str) -> str:
    """A text that a field of so many bytes can have."""
    if len(value.encode()) != width:
        raise _impossible(value, part)
    return value


def _of_seconds(millis: int, part: str) -> int:
    """A time that a field of whole seconds can have."""
    if millis % 1000 or not 0 <= millis < 1000 << 32:
        raise _impossible(millis, part)
    return millis


def _without_zeros(value: str, part: str) -> str:
    """A text that a field without zero bytes can have."""
    if "\x00" in value:
        raise _impossible(value, part)
    return value


def _skip(key: bytes, at: int, literal: bytes) -> int:
    """The place behind a literal."""
    if not key.startswith(literal, at):
        raise _no_literal(key, at, literal)
    return at + len(literal)


def _read_text(data: bytes, at: int, end: int, part: str) -> Tuple[str, int]:
    return _from_utf8(data[at:end], part), end


def _read_fixed(data: bytes, at: int, width: int, part: str) -> Tuple[bytes, int]:
    return _take(data, at, width, part), at + width


def _read_fixed_text(data: bytes, at: int, width: int, part: str) -> Tuple[str, int]:
    return _from_utf8(_take(data, at, width, part), part), at + width


def _from_utf8(data: bytes, part: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = f"the text is not UTF-8 from its byte {error.start} on"
        raise RowKeyError("not_utf8", part, data, problem) from None


def _read_escaped(data: bytes, at: int, part: str) -> Tuple[str, int]:
    """Text up to its end mark, 00 01."""
    text = bytearray()
    while True:
        zero = data.find(b"\x00", at)
        if zero < 0 or zero + 1 == len(data):
            problem = "the escaped text has no end mark"
            raise RowKeyError("no_end", part, data, problem)
        text += data[at:zero]
        if data[zero + 1] == 0x01:
            return _from_utf8(bytes(text), part), zero + 2
        if data[zero + 1] != 0xFF:
            problem = f"byte {zero} is neither an escape nor the end mark"
            raise RowKeyError("bad_escape", part, data, problem)
        text.append(0)
        at = zero + 2


def _find_end(key: bytes, at: int, literal: bytes) -> int:
    """Where a text ends: before the first of the literal that follows it."""
    end = key.find(literal, at)
    if end < 0:
        raise _no_literal(key, at, literal)
    return end


def _read_uuid(data: bytes, at: int, part: str) -> Tuple[uuid.UUID, int]:
    return uuid.UUID(bytes=_take(data, at, 16, part)), at + 16


def _read_ipv4(data: bytes, at: int, part: str) -> Tuple[ipaddress.IPv4Address, int]:
    return ipaddress.IPv4Address(_take(data, at, 4, part)), at + 4


def _read_ipv6(data: bytes, at: int, part: str) -> Tuple[ipaddress.IPv6Address, int]:
    return ipaddress.IPv6Address(_take(data, at, 16, part)), at + 16


def _read_null(key: bytes, at: int, null: int, part: str) -> Tuple[bool, int]:
    """Whether a part is null, by the byte before it: 01 says that a value follows."""
    if at >= len(key):
        raise _ends_inside(key, at, 1, part)
    if key[at] not in (1, null):
        problem = f"byte {at} is {key[at]:02x}, which is no null mark"
        raise RowKeyError("not_a_null_mark", part, key, problem)
    return key[at] == null, at + 1


def _within(number: int, low: int, high: int, part: str) -> int:
    """A number that its field can have."""
    if not low <= number <= high:
        raise _impossible(number, part)
    return number


def _number_of(text: str, part: str) -> int:
    """A number that was written as text."""
    try:
        number = int(text)
    except ValueError:
        raise _impossible(text, part) from None
    if str(number) != text or not -(1 << 127) <= number < 1 << 127:
        raise _impossible(text, part)
    return number


def _digits_of(text: str, width: int, part: str) -> int:
    """A number that was written as digits."""
    digits = text[1:] if text.startswith("-") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 100):
        raise _impossible(text, part)
    return _within(int(text), 0, 10**width - 1, part)


def _source_of(code: str, codes: Dict[bytes, bytes], part: str) -> str:
    """The text of a code."""
    for source, known in codes.items():
        if known == code.encode():
            return source.decode()
    raise _impossible(code, part)


def _same(
    known: Optional[_T], value: Optional[_T], key: bytes, field: str
) -> Optional[_T]:
    """A value that comes back from a second part as well."""
    if known is not None and known != value:
        problem = f"the key {key!r} has two values of the field"
        raise RowKeyError("two_values", field, value, problem)
    return value


def _check_part(
    part: Callable[[Record], bytes], record: Record, found: bytes, label: str
) -> None:
    """A part that is computed from fields must be the one of this record."""
    try:
        expected = part(record)
    except RowKeyError:
        raise _impossible(found, label) from None
    if found != expected:
        raise _wrong_part(found, expected, label)


def _wrong_part(found: bytes, expected: bytes, label: str) -> RowKeyError:
    problem = f"the key has {found!r} where this record's has {expected!r}"
    return RowKeyError("wrong_part", label, found, problem)


def _trailing_bytes(key: bytes, at: int) -> RowKeyError:
    problem = f"the key {key!r} goes on after its last part, from byte {at} on"
    return RowKeyError("trailing_bytes", "", key, problem)
