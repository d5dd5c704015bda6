_PACK_U8 = struct.Struct(">B").pack


_PACK_U16 = struct.Struct(">H").pack


_PACK_U32 = struct.Struct(">I").pack


_PACK_U64 = struct.Struct(">Q").pack


_PACK_I16 = struct.Struct(">h").pack


_PACK_I32 = struct.Struct(">i").pack


_PACK_I64 = struct.Struct(">q").pack


_COMPLEMENT = bytes(range(255, -1, -1))


def _complement(data: bytes) -> bytes:
    """Every byte turned over, so that large values sort first."""
    return data.translate(_COMPLEMENT)


def _whole(value: Optional[int], low: int, high: int, field: str) -> int:
    """A whole number within bounds."""
    if value is None:
        raise _null(field)
    try:
        number = operator.index(value)
    except TypeError:
        raise _wrong_kind(value, "a whole number", field) from None
    if not low <= number <= high:
        problem = f"{number} is not within {low} to {high}"
        raise RowKeyError("out_of_range", field, number, problem)
    return number


def _unsigned(value: Optional[int], width: int, field: str) -> bytes:
    return _whole(value, 0, (1 << 8 * width) - 1, field).to_bytes(width, "big")


def _signed(value: Optional[int], width: int, field: str) -> bytes:
    """Counted from the smallest number, so that negative numbers sort first."""
    half = 1 << (8 * width - 1)
    return (_whole(value, -half, half - 1, field) + half).to_bytes(width, "big")


def _twos(value: Optional[int], width: int, field: str) -> bytes:
    """Two's complement, as HBase's `Bytes.toBytes` writes it."""
    half = 1 << (8 * width - 1)
    number = _whole(value, -half, half - 1, field)
    return number.to_bytes(width, "big", signed=True)


def _seconds(value: Optional[int], field: str) -> bytes:
    """A time in milliseconds as whole seconds since 1970."""
    millis = _whole(value, -(1 << 63), (1 << 63) - 1, field)
    seconds, rest = divmod(millis, 1000)
    if rest or not 0 <= seconds < 1 << 32:
        problem = (
            f"{millis} ms is not a whole number of seconds from 0 to {(1 << 32) - 1}"
        )
        raise RowKeyError("not_whole_seconds", field, millis, problem)
    return seconds.to_bytes(4, "big")


def _decimal(value: Optional[int], width: int, field: str) -> bytes:
    """So many digits."""
    return b"%0*d" % (width, _whole(value, 0, 10**width - 1, field))


def _bool(value: Optional[bool], field: str) -> bytes:
    if value is None:
        raise _null(field)
    if value is True:
        return b"\x01"
    if value is False:
        return b"\x00"
    raise _wrong_kind(value, "True or False", field)


def _float(value: Optional[float], field: str) -> float:
    if value is None:
        raise _null(field)
    if isinstance(value, bool) or not isinstance(value, (float, int)):
        raise _wrong_kind(value, "a floating-point number", field)
    return float(value)


def _sortable_f64(number: float) -> bytes:
    """All bits of a negative number are turned over, and the sign of the others."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number))
    mask = 0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else 0x8000_0000_0000_0000
    return struct.pack(">Q", bits ^ mask)


def _sortable_f32(number: float) -> bytes:
    """As of 64 bits."""
    (bits,) = struct.unpack(">I", struct.pack(">f", number))
    return struct.pack(">I", bits ^ (0xFFFF_FFFF if bits >> 31 else 0x8000_0000))


def _f64(value: Optional[float], field: str) -> bytes:
    number = _float(value, field)
    if math.isnan(number):
        raise _not_a_number(field)
    # -0.0 and 0.0 are one number.
    return _sortable_f64(number + 0.0)


def _f32(value: Optional[float], field: str) -> bytes:
    return _sortable_f32(_single(value, field) + 0.0)


def _single(value: Optional[float], field: str) -> float:
    """A number that 32 bits hold exactly."""
    number = _float(value, field)
    if math.isnan(number):
        raise _not_a_number(field)
    if not _is_single(number):
        problem = f"{number!r} is not exact in 32 bits"
        raise RowKeyError("not_exact", field, number, problem)
    return number


def _is_single(number: float) -> bool:
    try:
        narrow: float = struct.unpack(">f", struct.pack(">f", number))[0]
    except OverflowError:
        return False
    return narrow == number


def _not_a_number(field: str) -> RowKeyError:
    problem = "NaN has no place in any order; leave the record out"
    return RowKeyError("not_a_number", field, math.nan, problem)


def _text(value: Optional[str], field: str) -> bytes:
    """UTF-8."""
    if value is None:
        raise _null(field)
    if not isinstance(value, str):
        raise _wrong_kind(value, "text", field)
    try:
        return value.encode()
    except UnicodeEncodeError:
        problem = f"{value!r} has half of a surrogate pair, which UTF-8 has not"
        raise RowKeyError("not_utf8", field, value, problem) from None


def _bytes(value: Optional[bytes], field: str) -> bytes:
    if value is None:
        raise _null(field)
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise _wrong_kind(value, "bytes", field)
    return bytes(value)


def _fixed(data: bytes, width: int, field: str) -> bytes:
    """Bytes of one length only."""
    if len(data) != width:
        problem = f"{data!r} has {len(data)} bytes where {width} are needed"
        raise RowKeyError("wrong_length", field, data, problem)
    return data


def _uuid(value: Optional[uuid.UUID], field: str) -> bytes:
    if value is None:
        raise _null(field)
    if not isinstance(value, uuid.UUID):
        raise _wrong_kind(value, "a uuid.UUID", field)
    return value.bytes


def _ipv4(value: Optional[ipaddress.IPv4Address], field: str) -> bytes:
    if value is None:
        raise _null(field)
    if not isinstance(value, ipaddress.IPv4Address):
        raise _wrong_kind(value, "an ipaddress.IPv4Address", field)
    return value.packed


def _ipv6(value: Optional[ipaddress.IPv6Address], field: str) -> bytes:
    if value is None:
        raise _null(field)
    if not isinstance(value, ipaddress.IPv6Address):
        raise _wrong_kind(value, "an ipaddress.IPv6Address", field)
    return value.packed


def _escaped(text: bytes) -> bytes:
    """Zeros are written 00 FF, and 00 01 ends the text."""
    return text.replace(b"\x00", b"\x00\xff") + b"\x00\x01"


def _ended(text: bytes, end: bytes, part: str) -> bytes:
    """Text that the first place of the following literal ends."""
    if (text + end).find(end) != len(text):
        problem = f"{text!r} contains {end!r}, which ends it in the key"
        raise RowKeyError("delimiter_inside", part, text, problem)
    return text


def _wide(number: int, part: str) -> int:
    """A result of arithmetic, which has 128 bits in all languages."""
    if not -(1 << 127) <= number < 1 << 127:
        problem = f"the arithmetic overflows 128 bits: {number}"
        raise RowKeyError("overflow", part, number, problem)
    return number


def _from_long_max(number: int, part: str) -> int:
    """`Long.MAX_VALUE - x`, which is not negative for any time since 1970."""
    if not 0 <= number <= (1 << 63) - 1:
        problem = f"Long.MAX_VALUE - {number} is not within 0 and Long.MAX_VALUE"
        raise RowKeyError("reverse_range", part, number, problem)
    return (1 << 63) - 1 - number


def _remainder(number: int, by: int) -> int:
    """Java's, which has the sign of the number."""
    return number % by if number >= 0 else -(-number % by)


def _checked_key(key: bytes) -> bytes:
    """HBase takes keys of 1 to 32,767 bytes."""
    if not key:
        raise _empty_key()
    if len(key) > 32767:
        problem = f"the key of this record has {len(key)} bytes; the limit is 32767"
        raise RowKeyError("key_too_long", "", key, problem)
    return key


def _required(value: Optional[_T], field: str) -> _T:
    """A value that is there; the field or part that is named needs it."""
    if value is None:
        raise _null(field)
    return value


def _unless_none(value: object, data: Callable[[], bytes]) -> bytes:
    """What a hash hashes of a value: no bytes of None."""
    return b"" if value is None else data()


def _draw(draw: Callable[[int], int], count: int, part: str) -> int:
    """A random number below a count, from the caller's generator."""
    return _whole(draw(count), 0, count - 1, part)
