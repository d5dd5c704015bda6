_T = TypeVar("_T")


class IndexEntry(NamedTuple):
    """A row of an index table: what to put there."""

    table: str
    key: bytes
    #: by family and qualifier
    cells: Dict[bytes, bytes]


def _entry(
    table: str,
    key: bytes,
    mark: bytes,
    cells: Mapping[bytes, bytes],
    columns: Sequence[bytes],
    time: int,
    cell_time: int,
) -> IndexEntry:
    """An entry that its row has to confirm, with copies of columns."""
    copies = {column: cells[column] for column in columns if column in cells}
    stamp = struct.pack(">qq", time, cell_time) + secrets.token_bytes(8)
    there = bytes(column in cells for column in columns)
    return IndexEntry(table, key, {mark: b"P" + stamp + there, **copies})


def _column_f64(value: Optional[float], field: str) -> bytes:
    return struct.pack(">d", _float(value, field))


def _column_f32(value: Optional[float], field: str) -> bytes:
    return struct.pack(">f", _single(value, field))


def _column_bool(value: Optional[bool], field: str) -> bytes:
    return b"\xff" if _bool(value, field) == b"\x01" else b"\x00"


def _numeric_text(value: Union[decimal.Decimal, int, None], field: str) -> bytes:
    """Digits with a minus and a point where they are needed."""
    coefficient, exponent = _numeric_parts(value, field)
    digits = str(abs(coefficient)) + "0" * max(exponent, 0)
    if exponent < 0:
        digits = digits.zfill(1 - exponent)
        digits = digits[:exponent] + "." + digits[exponent:]
    return (("-" if coefficient < 0 else "") + digits).encode()


def _sized(data: bytes, width: int, field: str) -> bytes:
    """A cell of a fixed width."""
    if len(data) != width:
        problem = f"the column has {len(data)} bytes, not {width}"
        raise RowKeyError("wrong_length", field, data, problem)
    return data


def _from_unsigned(data: bytes, width: int, field: str) -> int:
    return int.from_bytes(_sized(data, width, field), "big")


def _from_twos(data: bytes, width: int, field: str) -> int:
    return int.from_bytes(_sized(data, width, field), "big", signed=True)


def _from_float(data: bytes, width: int, field: str) -> float:
    form = ">d" if width == 8 else ">f"
    number: float = struct.unpack(form, _sized(data, width, field))[0]
    return number


def _from_bool(data: bytes, field: str) -> bool:
    return _sized(data, 1, field) != b"\x00"


def _from_uuid(data: bytes, field: str) -> uuid.UUID:
    return uuid.UUID(bytes=_sized(data, 16, field))


def _from_ipv4(data: bytes, field: str) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(_sized(data, 4, field))


def _from_ipv6(data: bytes, field: str) -> ipaddress.IPv6Address:
    return ipaddress.IPv6Address(_sized(data, 16, field))


def _from_numeric(data: bytes, field: str) -> decimal.Decimal:
    text = _from_utf8(data, field)
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text, re.ASCII):
        raise _wrong_kind(text, "a decimal number", field)
    number = decimal.Decimal(text)
    _numeric_parts(number, field)
    return number


def check_fingerprint(attribute: Optional[bytes]) -> None:
    """Compares the attribute ROWKEY_FINGERPRINT of a live table with this code's.

    Raises RowKeyError if the table's keys are ordered in another way, or if nothing
    says how: writing by this code would then mix two kinds of keys.
    """
    if attribute != FINGERPRINT.encode():
        problem = f"the table has {attribute!r}, this code {FINGERPRINT!r}"
        raise RowKeyError("fingerprint", "ROWKEY_FINGERPRINT", attribute, problem)
