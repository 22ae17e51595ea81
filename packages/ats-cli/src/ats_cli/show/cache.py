"""What is kept on disk, as lines."""

from collections.abc import Iterator

from ats_core.cache.inventory import CopyStatus
from ats_core.maintenance import CacheStatus
from ats_core.vectors.inventory import SpaceStatus

from ats_cli.copies import own_copy
from ats_cli.show.hits import failed
from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, line
from ats_cli.show.table import table
from ats_cli.show.units import counted, duration, size
from ats_cli.show.width import padded

_LABELS = 9
"""Columns of the labels."""

_LONGEST_WORD = 24
"""Characters of a scope's word that are shown: enough to tell hashes apart."""


def cache_lines(status: CacheStatus, now: float) -> Iterator[Line]:
    """This adapter's copy, index and vectors, a fact a line; then a table of all other copies.

    :param now: the time, in seconds since the epoch.
    """
    own = own_copy(status)
    yield _fact("adapter", status.adapter)
    yield _fact("scope", short_scope(status.scope))
    yield _fact("file", str(status.path) if status.path else "none, the cache is disabled")
    if own is not None:
        yield from _copy_facts(own, now)
    yield _fact("index", _index(own))
    yield from [_fact("vectors", _space(space)) for space in status.vectors] or [_fact("vectors", "none")]
    yield _fact("next", status.outlook)
    others = [copy for copy in status.copies if copy is not own]
    if others:
        yield line("")
        heads = ["other copies", "scope", "tasks", "age", "size", "file"]
        yield from table(heads, [_row(copy, now) for copy in others], right=(2, 3, 4))


def short_scope(scope: str) -> str:
    """A scope as people need it: long words, which are hashes, cut; paths stay whole, as they differ at their ends."""
    return " ".join(_short(word) for word in scope.replace("\0", " ").split())


def _short(word: str) -> str:
    is_path = "/" in word or "\\" in word
    return word if is_path or len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_WORD - 1]}…"


def _fact(label: str, value: str) -> Line:
    return line(padded(label, _LABELS), one_line(value))


def _copy_facts(copy: CopyStatus, now: float) -> Iterator[Line]:
    if copy.header is None:
        yield line(padded("damaged", _LABELS), Span(one_line(copy.problem or "cannot be read"), "bad"))
    else:
        yield _fact("age", duration(now - copy.header.fetched_at))
    yield _fact("size", size(copy.size))
    if copy.header is not None:
        yield _fact("tasks", ", ".join([str(copy.header.count), *failed(copy.header.failed)]))


def _index(copy: CopyStatus | None) -> str:
    if copy is None:
        return "none"
    return "absent" if copy.index_size is None else f"present, {size(copy.index_size)}"


def _space(space: SpaceStatus) -> str:
    damaged = f", {counted(space.damaged, 'file')} damaged" if space.damaged else ""
    return f"{space.vectors} in {space.space}, {counted(space.files, 'file')}, {size(space.size)}{damaged}"


def _row(copy: CopyStatus, now: float) -> list[str]:
    header = copy.header
    if header is None:
        return ["-", "-", "-", "-", size(copy.size), f"{copy.path.name} (damaged: {copy.problem or 'cannot be read'})"]
    age = duration(now - header.fetched_at)
    return [header.adapter, short_scope(header.scope), str(header.count), age, size(copy.size), copy.path.name]
