

def scan_merged(
    connection: Any, start: bytes = b"", stop: bytes = b"", reverse: bool = False
) -> Iterator[Tuple[bytes, rows.Record]]:
    """The rows of all buckets in the order of what follows the bucket.

    `start` and `stop` are without the bucket; b"" is the beginning or end of each.
    """
    scans = []
    for bucket in rows.BUCKETS:
        end = bucket + stop if stop else _behind(bucket)
        scans.append(scan(connection, bucket + start, end, reverse))
    return rows.merge(scans, reverse)


def _behind(prefix: bytes) -> bytes:
    """The first key behind all that begin so; b"" if there is none."""
    short = prefix.rstrip(b"\xff")
    return short[:-1] + bytes((short[-1] + 1,)) if short else b""
