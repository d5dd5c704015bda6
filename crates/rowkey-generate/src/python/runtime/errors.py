class RowKeyError(ValueError):
    """A record that has no key, a key that no record has, or a cell that no value has.

    `kind` says what is wrong in one word, the same in every language; `field` is the
    field, or the part of the key as the notation writes it; `value` is what was given.
    """

    def __init__(self, kind: str, field: str, value: object, problem: str) -> None:
        super().__init__(f"{field}: {problem}" if field else problem)
        self.kind = kind
        self.field = field
        self.value = value


def _null(field: str) -> RowKeyError:
    problem = "the value is None, and the key needs one"
    return RowKeyError("null", field, None, problem)


def _wrong_kind(value: object, needed: str, field: str) -> RowKeyError:
    problem = f"{value!r} is not {needed}"
    return RowKeyError("wrong_kind", field, value, problem)


def _impossible(value: object, part: str) -> RowKeyError:
    problem = f"no record gives {value!r}; the key was not written by this code"
    return RowKeyError("impossible", part, value, problem)


def _ends_inside(key: bytes, at: int, needed: int, part: str) -> RowKeyError:
    problem = f"the key ends inside the part, at byte {len(key)} of {at + needed}"
    return RowKeyError("too_short", part, key, problem)


def _no_literal(key: bytes, at: int, literal: bytes) -> RowKeyError:
    problem = f"the key {key!r} has no {literal!r} from byte {at} on"
    return RowKeyError("no_literal", "", key, problem)


def _empty_key() -> RowKeyError:
    return RowKeyError("empty_key", "", b"", "a row key has at least one byte")
