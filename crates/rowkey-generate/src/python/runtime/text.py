def _letter(letters: str, number: int) -> bytes:
    return letters[number].encode()


def _digits(number: int) -> bytes:
    return b"%d" % number


_CHARACTERS = re.compile(rb"[^\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]+", re.DOTALL)


def _reverse(text: bytes) -> bytes:
    """The characters of UTF-8 from the last to the first."""
    if text.isascii():
        return text[::-1]
    return b"".join(reversed(_CHARACTERS.findall(text)))


def _cut(text: bytes, start: int, stop: int, part: str) -> bytes:
    """The characters from `start` up to but not including `stop`."""
    if text.isascii():
        starts: Sequence[int] = range(len(text) + 1)
    else:
        starts = [at for at, byte in enumerate(text) if byte & 0xC0 != 0x80]
        starts.append(len(text))
    if stop >= len(starts):
        problem = f"{text!r} has fewer than {stop} characters"
        raise RowKeyError("too_few_characters", part, text, problem)
    return text[starts[start] : starts[stop]]


def _pad_left(text: bytes, pad: bytes, width: int, part: str) -> bytes:
    if len(text) > width:
        raise _too_long_to_pad(text, width, part)
    if text.startswith(pad):
        raise _pad_in_text(text, pad, part)
    return text.rjust(width, pad)


def _pad_right(text: bytes, pad: bytes, width: int, part: str) -> bytes:
    if len(text) > width:
        raise _too_long_to_pad(text, width, part)
    if text.endswith(pad):
        raise _pad_in_text(text, pad, part)
    return text.ljust(width, pad)


def _too_long_to_pad(text: bytes, width: int, part: str) -> RowKeyError:
    problem = f"{text!r} has {len(text)} bytes and cannot be padded to {width}"
    return RowKeyError("too_long_to_pad", part, text, problem)


def _pad_in_text(text: bytes, pad: bytes, part: str) -> RowKeyError:
    problem = f"{text!r} has the pad character {pad!r} at the padded end already"
    return RowKeyError("pad_in_text", part, text, problem)


def _code(text: bytes, codes: Dict[bytes, bytes], part: str) -> bytes:
    if text not in codes:
        problem = f"{text!r} has no code; the texts with one are {list(codes)}"
        raise RowKeyError("not_in_code", part, text, problem)
    return codes[text]


def _date(millis: int, pattern: str, part: str) -> bytes:
    """A time in UTC; `pattern` is a format of the parts of a datetime `t`."""
    try:
        t = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=millis)
    except OverflowError:
        problem = f"the time {millis} ms is not in the years 0001 to 9999"
        raise RowKeyError("date_range", part, millis, problem) from None
    return pattern.format(t=t, milli=t.microsecond // 1000).encode()


def _points(ranges: str) -> Set[int]:
    """Code points of ranges `first,last` in hex."""
    points: Set[int] = set()
    for pair in ranges.split():
        first, last = pair.split(",")
        points.update(range(int(first, 16), int(last, 16) + 1))
    return points


def _case_table(runs: str, several: str) -> Dict[int, Union[int, str]]:
    """Code points with what they become: `first,last,step,delta`, and several letters."""
    table: Dict[int, Union[int, str]] = {}
    for run in runs.split():
        first, last, step, delta = (int(number, 16) for number in run.split(","))
        table.update((point, point + delta) for point in range(first, last + 1, step))
    for pair in several.split():
        point, *letters = pair.split(",")
        table[int(point, 16)] = "".join(chr(int(letter, 16)) for letter in letters)
    return table


def _map_case(text: bytes, table: Dict[int, Union[int, str]]) -> bytes:
    """Each character by itself."""
    try:
        characters = text.decode()
    except UnicodeDecodeError as error:
        characters = text[: error.start].decode()
    return characters.translate(table).encode()


def _upper(text: bytes) -> bytes:
    return text.upper() if text.isascii() else _map_case(text, _UPPER)


def _lower_each(text: bytes) -> bytes:
    return text.lower() if text.isascii() else _map_case(text, _LOWER)


def _lower(text: bytes) -> bytes:
    """As Unicode has it: a sigma that ends a word is another letter."""
    if text.isascii():
        return text.lower()
    characters = text.decode("utf-8", "replace")
    if "\u03a3" not in characters:
        return characters.translate(_LOWER).encode()
    pieces = characters.split("\u03a3")
    lower = pieces[0].translate(_LOWER)
    for nth in range(1, len(pieces)):
        before, after = "\u03a3".join(pieces[:nth]), "\u03a3".join(pieces[nth:])
        ends_word = _is_cased(reversed(before)) and not _is_cased(after)
        lower += "\u03c2" if ends_word else "\u03c3"
        lower += pieces[nth].translate(_LOWER)
    return lower.encode()


def _is_cased(characters: Iterable[str]) -> bool:
    """Whether the first of them that Unicode does not ignore has a case."""
    for character in characters:
        if ord(character) not in _CASE_IGNORABLE:
            return ord(character) in _CASED
    return False
