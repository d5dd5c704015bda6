"""Writes Parquet files of every type by pyarrow, and beside each what is in it: write_parquet.py FOLDER COUNT

N.json has the fields, the rows (texts, or null), and whether the file must be refused.
"""
import datetime as dt
import decimal
import json
import random
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

folder, count = sys.argv[1], int(sys.argv[2])


def integers(bits, signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    arrow = getattr(pa, f"{'' if signed else 'u'}int{bits}")()
    name = f"{'i' if signed else 'u'}64"
    return arrow, name, lambda r: r.choice([low, high, 0, 1, r.randint(low, high)]), str


def single(r):
    import struct

    return struct.unpack("f", struct.pack("f", r.uniform(-1e6, 1e6)))[0]


def times(unit, zone, per_second):
    def draw(r):
        second = r.randint(-2_000_000_000, 4_000_000_000)
        milli = r.choice([0, r.randint(0, 999)]) if per_second > 1 else 0
        return second * per_second + milli * (per_second // 1000)

    return pa.timestamp(unit, zone), "timestamp", draw, lambda v: str(v * 1000 // per_second)


def fine(unit, per_second):
    arrow, name, draw, text = times(unit, None, per_second)
    return arrow, name, lambda r: draw(r) + 1, None


def a_decimal(r):
    return decimal.Decimal(r.randint(-(10**17), 10**17)).scaleb(-4)


KINDS = [integers(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
KINDS += [
    (pa.float64(), "f64", lambda r: r.choice([0.0, -0.0, 5e-324, 1.7976931348623157e308, r.uniform(-1e9, 1e9)]), repr),
    (pa.float32(), "f64", single, repr),
    (pa.float32(), "f32", single, repr),
    (pa.bool_(), "bool", lambda r: r.random() < 0.5, lambda v: "true" if v else "false"),
    (pa.string(), "text", lambda r: "".join(r.choice("ab ,;\"\n\té价NA") for _ in range(r.randint(0, 9))), str),
    (pa.large_string(), "text", lambda r: r.choice(["", "x" * 300, "é"]), str),
    (pa.dictionary(pa.int32(), pa.string()), "text", lambda r: r.choice(["one", "two", ""]), str),
    (pa.binary(), "bytes", lambda r: r.randbytes(r.randint(0, 9)), lambda v: v.hex()),
    (pa.binary(16), "uuid", lambda r: uuid.UUID(int=r.getrandbits(128)).bytes, lambda v: str(uuid.UUID(bytes=v))),
    (pa.date32(), "timestamp", lambda r: r.randint(-700_000, 2_900_000), lambda v: str(v * 86_400_000)),
    (pa.decimal128(20, 4), "ordered(numeric)", a_decimal, str),
    (pa.decimal256(40, 4), "ordered(numeric)", a_decimal, str),
    (pa.decimal128(12, 0), "i64", lambda r: decimal.Decimal(r.randint(-(10**11), 10**11)), str),
    (pa.string(), "i64", lambda r: str(r.randint(-(2**63), 2**63 - 1)), str),
    times("s", None, 1),
    times("ms", None, 1000),
    times("ms", "Europe/Berlin", 1000),
    times("us", None, 1_000_000),
    times("us", "UTC", 1_000_000),
    times("ns", None, 1_000_000_000),
]
REFUSED = [
    fine("us", 1_000_000),
    fine("ns", 1_000_000_000),
    (pa.float64(), "f64", lambda r: r.choice([float("nan"), float("inf")]), None),
    (pa.decimal128(12, 2), "i64", lambda r: decimal.Decimal("1.25"), None),
    (pa.time64("us"), "timestamp", lambda r: dt.time(1, 2, 3), None),
    (pa.list_(pa.int32()), "text", lambda r: [1, 2], None),
    (pa.int64(), "timestamp", lambda r: r.randint(1_000_000_000, 2_000_000_000), None),
    (pa.int64(), "u64", lambda r: -r.randint(1, 2**40), None),
    (pa.int64(), "text", lambda r: 7, None),
]

for number in range(count):
    r = random.Random(number)
    kinds = [r.choice(KINDS) for _ in range(r.randint(1, 5))]
    refused = r.random() < 0.15
    if refused:
        kinds[r.randrange(len(kinds))] = r.choice(REFUSED)
    rows = r.randint(1, 40)
    columns, fields, texts = {}, [], []
    for at, (arrow, name, draw, text) in enumerate(kinds):
        nullable = r.random() < 0.4 and text is not None
        values = [None if nullable and r.random() < 0.3 else draw(r) for _ in range(rows)]
        column = f"c{at}"
        columns[column] = pa.array(values, arrow)
        fields.append({"name": column, "type": name, "nullable": nullable})
        texts.append([None if v is None or text is None else text(v) for v in values])
    table = pa.table(columns)
    pq.write_table(
        table,
        f"{folder}/{number}.parquet",
        compression=r.choice(["NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4"]),
        use_dictionary=r.random() < 0.5,
        row_group_size=r.choice([3, 1000]),
        data_page_version=r.choice(["1.0", "2.0"]),
        version=r.choice(["1.0", "2.4", "2.6"]) if not any("ns" in str(k[0]) for k in kinds) else "2.6",
        use_deprecated_int96_timestamps=False,
    )
    rows_out = [list(row) for row in zip(*texts)]
    with open(f"{folder}/{number}.json", "w", encoding="utf-8") as out:
        json.dump({"fields": fields, "rows": rows_out, "refused": refused}, out)
