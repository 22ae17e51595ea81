"""Filters over payloads and ids: `must`, `must_not`, `should`, `min_should` and the conditions that hold in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .bodies import fields, natural, required
from .ids import PointId, point_ids
from .payload import Payload, flat_values, steps, values
from .refusal import beyond, malformed

Test = Callable[[PointId, Payload], bool]
"""Whether a point passes."""

_CLAUSES = {"must", "must_not", "should", "min_should"}


def compiled(spec: Any) -> Test:
    """The filter as a function; None lets every point pass.

    :raises Refusal: 400 or 422, it is no filter.
    """
    if spec is None:
        return lambda identifier, payload: True
    if not isinstance(spec, dict) or not spec.keys() <= _CLAUSES:
        raise malformed(f"unknown field in filter {spec!r}")
    must = _conditions(spec.get("must"))
    must_not = _conditions(spec.get("must_not"))
    should = _conditions(spec.get("should"))
    at_least, needed = _min_should(spec.get("min_should"))

    def passes(identifier: PointId, payload: Payload) -> bool:
        return (
            all(test(identifier, payload) for test in must)
            and not any(test(identifier, payload) for test in must_not)
            and (not should or any(test(identifier, payload) for test in should))
            and sum(test(identifier, payload) for test in at_least) >= needed
        )

    return passes


def needed_indexes(spec: Any) -> Iterator[tuple[str, str]]:
    """The fields of a valid filter, each with the type of index that strict mode wants on it."""
    for name, clause in (spec or {}).items():
        listed = clause["conditions"] if name == "min_should" and clause else clause
        for condition in listed if isinstance(listed, list) else [listed] if listed else []:
            if "key" in condition:
                number = any(isinstance(value, int) for value in (condition.get("match") or {}).values())
                yield condition["key"], "integer" if number else "keyword"
            elif "is_empty" in condition or "is_null" in condition:
                yield (condition.get("is_empty") or condition["is_null"])["key"], "keyword"
            else:
                yield from needed_indexes({name: condition[name] for name in _CLAUSES & condition.keys()})


def _conditions(clause: Any) -> list[Test]:
    """A clause is one condition, a list of them, or not there."""
    listed = clause if isinstance(clause, list) else [] if clause is None else [clause]
    return [_condition(spec) for spec in listed]


def _min_should(clause: Any) -> tuple[list[Test], int]:
    if clause is None:
        return [], 0
    given = fields(clause, "conditions", "min_count")
    return _conditions(required(given, "conditions")), natural(given, "min_count", 0)


def _condition(spec: Any) -> Test:
    match spec:
        case {"has_id": ids, **rest} if not rest:
            wanted = frozenset(point_ids(ids))
            return lambda identifier, payload: identifier in wanted
        case {"is_empty": {"key": str(key)}, **rest} if not rest:
            return _emptiness(key)
        case {"is_null": {"key": str(key)}, **rest} if not rest:
            return _nullness(key)
        case {"key": str(key)}:
            return _field(key, {name: value for name, value in spec.items() if name != "key" and value is not None})
        case dict() if spec.keys() <= _CLAUSES:
            return compiled(spec)
        case {"nested": _} | {"has_vector": _} | {"slice": _}:
            raise beyond(f"the condition {spec!r}")
    raise malformed("data did not match any variant of untagged enum Condition")


def _field(key: str, kinds: dict[str, Any]) -> Test:
    """A condition on the values of one field: one of them has to meet it."""
    steps(key)
    match kinds:
        case {"match": spec, **rest} if not rest:
            meets = _match(spec)
        case {"range": spec, **rest} if not rest:
            meets = _range(spec)
        case {"is_empty": bool(wanted), **rest} if not rest:
            empty = _emptiness(key)
            return lambda identifier, payload: empty(identifier, payload) is wanted
        case {"is_null": bool(wanted), **rest} if not rest:
            null = _nullness(key)
            return lambda identifier, payload: null(identifier, payload) is wanted
        case {}:
            raise beyond(f"the condition {kinds!r} on a field")
    return lambda identifier, payload: any(meets(value) for value in flat_values(payload, key))


def _match(spec: Any) -> Callable[[Any], bool]:
    match spec:
        case {"value": str() | int() as wanted, **rest} if not rest:
            return lambda value: _same(value, wanted)
        case {"any": list(wanted), **rest} if not rest:
            return lambda value: any(_same(value, one) for one in wanted)
        case {"except": list(unwanted), **rest} if not rest:
            return lambda value: value is not None and not any(_same(value, one) for one in unwanted)
        case {"text": _} | {"text_any": _} | {"phrase": _} | {"prefix": _} | {"substring": _}:
            raise beyond(f"the match {spec!r}")
    raise malformed("data did not match any variant of untagged enum MatchInterface")


def _same(value: Any, wanted: Any) -> bool:
    """Equal and of one kind: true is not 1, and 1.0 matches no integer."""
    return type(value) is type(wanted) and bool(value == wanted)


def _range(spec: Any) -> Callable[[Any], bool]:
    bounds = {name: bound for name, bound in spec.items() if bound is not None}
    if not bounds.keys() <= {"lt", "lte", "gt", "gte"} or any(isinstance(bound, str) for bound in bounds.values()):
        raise beyond(f"the range {spec!r}")
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "lt": lambda value, bound: value < bound,
        "lte": lambda value, bound: value <= bound,
        "gt": lambda value, bound: value > bound,
        "gte": lambda value, bound: value >= bound,
    }

    def meets(value: Any) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and all(tests[name](value, bound) for name, bound in bounds.items())

    return meets


def _emptiness(key: str) -> Test:
    """Nothing there, or nothing but nulls and empty arrays."""
    return lambda identifier, payload: all(value is None or value == [] for value in values(payload, key))


def _nullness(key: str) -> Test:
    def null(identifier: PointId, payload: Payload) -> bool:
        return any(value is None or (isinstance(value, list) and None in value) for value in values(payload, key))

    return null
