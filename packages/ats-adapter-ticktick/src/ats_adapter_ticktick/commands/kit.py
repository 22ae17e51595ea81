"""What the commands are made with: a typer app each, JSON and rows for the answer, silence for others."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import msgspec
import typer
from ats_core.text.fold import clean
from ats_core.text.graphemes import clusters, columns

Json = Annotated[bool, typer.Option("--json", help="Write one JSON document, errors included.")]

_LIVE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")


def command_app() -> typer.Typer:
    """A typer app for one command: plain help, no completion of its own."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """While code of others runs, what it prints goes to stderr: stdout is the answer's."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def write_json(document: Any) -> None:
    """The answer as one line of JSON, in which nothing is live for a terminal, and half a surrogate pair is U+FFFD."""
    text = msgspec.json.encode(_clean(document)).decode()
    sys.stdout.write(_LIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


def write_rows(rows: Iterable[Sequence[str]]) -> None:
    """The answer as columns, each but the last as wide as its longest text is shown."""
    cells = [[inert(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row[:-1], widths, strict=False)]
        sys.stdout.write("  ".join([*padded, row[-1]]).rstrip() + "\n")


def warn(message: str) -> None:
    """One line on stderr; a reader that is gone harms nobody."""
    with contextlib.suppress(OSError, ValueError):
        print(f"ats: warning: {inert(message)}", file=sys.stderr, flush=True)


def counted(count: int, noun: str) -> str:
    """A number and its noun: `1 task`, `2 tasks`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def inert(text: str) -> str:
    """Text of others in one line, its control and bidi characters as visible escapes."""
    return _LIVE.sub(_escaped, _BREAKS.sub(" ", text))


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case list() | tuple():
            return [_clean(item) for item in value]
        case dict():
            return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _width(text: str) -> int:
    return sum(map(columns, clusters(text)))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
