

def scan_merged(
    connection: Any, start: bytes = b"", stop: bytes = b"", reverse: bool = False
) -> Iterator[Tuple[bytes, rows.Record]]:
    """The rows of all buckets in the order of what follows the bucket.

    `start` and `stop` are without the bucket; b"" is the beginning or end of each.
    """
    ranges = rows.fan_out(start, stop)
    scans = [scan(connection, first, end, reverse) for first, end in ranges]
    return rows.merge(scans, reverse)
