

def get(connection: Any, key: bytes) -> Optional[rows.Record]:
    """The row of a key, if it is there."""
    cells = connection.table(rows.TABLE).row(key)
    return rows.decode_row(key, cells) if cells else None


def scan(
    connection: Any, start: bytes, stop: bytes, reverse: bool = False
) -> Iterator[Tuple[bytes, rows.Record]]:
    """The rows from a key up to but not including another; b"" is no end.

    In reverse they come from the last to the first, over the same range.
    """
    table = connection.table(rows.TABLE)
    if not reverse:
        found = table.scan(row_start=start or None, row_stop=stop or None)
        for key, cells in found:
            yield key, rows.decode_row(key, cells)
        return
    # It begins with its start and ends before its stop, so both ends are looked at.
    before = start[:-1] or None
    for key, cells in table.scan(row_start=stop or None, row_stop=before, reverse=True):
        if key < start:
            return
        if not stop or key < stop:
            yield key, rows.decode_row(key, cells)
