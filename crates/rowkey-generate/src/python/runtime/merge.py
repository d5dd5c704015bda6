def merge(
    scans: Iterable[Iterable[Tuple[bytes, _T]]], reverse: bool = False
) -> Iterator[Tuple[bytes, _T]]:
    """The rows of scans of several buckets in the order of what follows the bucket.

    Each scan gives rows as (key, anything) in the order of its keys; with `reverse`,
    from the last to the first. It reads on as rows are taken, and a row costs
    O(log n) comparisons for n scans.
    """
    return heapq.merge(*scans, key=lambda row: row[0][BUCKET_END:], reverse=reverse)


def fan_out(start: bytes = b"", stop: bytes = b"") -> List[Tuple[bytes, bytes]]:
    """A range in every bucket: its first key, and the first one behind it.

    `start` and `stop` are without the bucket; without a stop, each range goes to the
    end of its bucket. A range that ends with b"" goes to the end of the table.
    """
    return [
        (bucket + start, bucket + stop if stop else _prefix_end(bucket) or b"")
        for bucket in BUCKETS
    ]
