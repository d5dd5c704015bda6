class KeyRange(NamedTuple):
    """The keys from `start` on and before `stop`; without a stop (b"") up to the last."""

    start: bytes
    stop: bytes


class Group(NamedTuple):
    """Ranges that are read at the same time.

    Their rows, merged by their keys from the byte `merge_from` on, are in order.
    """

    ranges: List[KeyRange]
    merge_from: int


class Ranges(NamedTuple):
    """What a query reads: one group after another, each from its last row if `reverse`."""

    groups: List[Group]
    reverse: bool
    #: at most so many rows
    limit: Optional[int]


#: where a range begins and ends behind the prefix of its keys
_End = Tuple[bytes, Optional[bytes]]


#: the start without bytes that only spread rows, start, stop, length of the prefix
_Piece = Tuple[bytes, bytes, bytes, int]


def _prefix_end(prefix: bytes) -> Optional[bytes]:
    """The first key behind all that begin so."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _longest(key: bytes) -> bytes:
    """A bound longer than keys can be, as one that they can have."""
    return key if len(key) <= 32767 else key[:32767] + b"\x00"


def _between(
    first: Optional[Tuple[bytes, bool]],
    last: Optional[Tuple[bytes, bool]],
    whole_key: bool,
    area: _End,
) -> List[_End]:
    """What lies between two values, each given with whether it belongs to that."""
    start, stop = area
    if first is not None:
        value, inclusive = first
        if inclusive:
            start = max(start, value)
        elif whole_key:
            start = max(start, value + b"\x00")
        else:
            behind = _prefix_end(value)
            if behind is None:
                return []
            start = max(start, behind)
    if last is not None:
        value, inclusive = last
        end: Optional[bytes] = value
        if inclusive:
            end = value + b"\x00" if whole_key else _prefix_end(value)
        if end is not None:
            stop = end if stop is None else min(stop, end)
    return [(start, stop)] if stop is None or start < stop else []


def _add_ranges(
    pieces: List[_Piece], prefix: bytes, rank: bytes, ends: List[_End]
) -> None:
    """The ranges of a prefix; `rank` is it without bytes that only spread rows."""
    for start, stop in ends:
        first = _longest(prefix + start)
        last = _prefix_end(prefix) if stop is None else _longest(prefix + stop)
        if last is None or max(first, b"\x00") < last:
            pieces.append((rank + start, first, last or b"", len(prefix)))


def _ranges(
    pieces: List[_Piece], reverse: bool, limit: Optional[int], rows: bool = False
) -> Ranges:
    """Ranges in order; those of one rank are read at the same time, but for single rows."""
    groups: List[Group] = []
    before = None
    for rank, start, stop, fixed in sorted(set(pieces)):
        if rank != before or rows:
            groups.append(Group([], fixed))
        groups[-1].ranges.append(KeyRange(start, stop))
        before = rank
    if reverse:
        groups.reverse()
    return Ranges(groups, reverse, limit)
