def merge(
    scans: Iterable[Iterable[Tuple[bytes, _T]]], reverse: bool = False
) -> Iterator[Tuple[bytes, _T]]:
    """The rows of scans of several buckets in the order of what follows the bucket.

    Each scan gives rows as (key, anything) in the order of its keys; with `reverse`,
    from the last to the first. It reads on as rows are taken, and a row costs
    O(log n) comparisons for n scans.
    """
    return heapq.merge(*scans, key=lambda row: row[0][BUCKET_END:], reverse=reverse)
