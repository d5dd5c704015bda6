def _column_float(data: bytes, width: int, field: str) -> float:
    number: float = struct.unpack(
        ">d" if width == 8 else ">f", _column(data, width, field)
    )[0]
    return number


def _column(data: bytes, width: int, field: str) -> bytes:
    """The bytes of a column of a fixed width."""
    if len(data) != width:
        problem = f"the column has {len(data)} bytes, not {width}"
        raise RowKeyError("column_length", field, data, problem)
    return data


def _column_unsigned(data: bytes, width: int, field: str) -> int:
    return int.from_bytes(_column(data, width, field), "big")


def _column_twos(data: bytes, width: int, field: str) -> int:
    return int.from_bytes(_column(data, width, field), "big", signed=True)


def _numeric_text(value: Union[decimal.Decimal, int, None], field: str) -> bytes:
    """Digits with a minus and a point where they are needed."""
    coefficient, exponent = _numeric_parts(value, field)
    digits = str(abs(coefficient)) + "0" * max(exponent, 0)
    if exponent < 0:
        digits = digits.zfill(1 - exponent)
        digits = digits[:exponent] + "." + digits[exponent:]
    return ("-" if coefficient < 0 else "").encode() + digits.encode()


def _column_numeric(data: bytes, field: str) -> decimal.Decimal:
    text = _from_utf8(data, field)
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text, re.ASCII):
        problem = f"{text!r} is not a decimal number"
        raise RowKeyError("not_a_decimal", field, text, problem)
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
