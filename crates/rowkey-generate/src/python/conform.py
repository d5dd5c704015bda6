

class Table(NamedTuple):
    """What answers for a table."""

    module: Any
    encode: Any
    decode: Any
    #: by name: the attribute, what reads a text, and what prints one
    fields: Dict[str, Tuple[str, Any, Any]]
    #: the fields that come back from a key
    back: List[str]
    takes_draws: bool
    #: by name: the function, and what reads its parameters
    queries: Dict[str, Tuple[Any, List[Any]]]


def _bool(text: str) -> bool:
    return text == "true"


def _print_bool(value: bool) -> str:
    return "true" if value else "false"


def _single(text: str) -> float:
    """The nearest number of 32 bits."""
    number: float = struct.unpack(">f", struct.pack(">f", float(text)))[0]
    return number


def _numeric(value: Any) -> str:
    return format(value, "f")


def answer(line: str) -> str:
    """The answer to a request, both as JSON."""
    request = json.loads(line)
    name = request.get("table")
    table = TABLES[name] if name else next(iter(TABLES.values()))
    try:
        result = _answer(table, request)
    except table.module.RowKeyError as error:
        result = {"error": error.kind, "at": error.field or None}
    return json.dumps({"id": request.get("id"), **result})


def _answer(table: Table, request: Dict[str, Any]) -> Dict[str, Any]:
    if request["op"] == "encode":
        given: Dict[str, Any] = {name: None for name, _, _ in table.fields.values()}
        for field, text in request["record"].items():
            attribute, read, _ = table.fields[field]
            given[attribute] = None if text is None else read(text)
        record = table.module.Record(**given)
        if not table.takes_draws:
            return {"key": table.encode(record).hex()}
        draws = iter(request.get("draws") or [])
        return {"key": table.encode(record, lambda count: next(draws, 0)).hex()}
    if request["op"] == "decode":
        record = table.decode(bytes.fromhex(request["key"]))
        found: Dict[str, Optional[str]] = {}
        for field in table.back:
            attribute, _, show = table.fields[field]
            value = getattr(record, attribute)
            found[field] = None if value is None else show(value)
        return {"record": found}
    if request["op"] == "ranges":
        function, readers = table.queries[request["query"]]
        given_texts = zip(readers, request["parameters"])
        ranges = function(*(read(text) for read, text in given_texts))
        every = [own for group in ranges.groups for own in group.ranges]
        pairs = [[own.start.hex(), own.stop.hex()] for own in every]
        return {"ranges": pairs, "reverse": ranges.reverse}
    return {"error": "unknown_op", "at": request["op"]}
