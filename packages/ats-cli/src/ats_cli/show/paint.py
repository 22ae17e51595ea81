"""From lines to text: plain, or by rich where the answer goes to a terminal."""

import os
from collections.abc import Iterable, Mapping
from typing import TextIO

from ats_cli.show.lines import Line


def paint(lines: Iterable[Line], answer: TextIO, environ: Mapping[str, str]) -> str:
    """The text of an answer.

    A terminal gets lines that wrap at words, in colour unless `NO_COLOR` is set or it is a dumb one. Anything else
    gets each line whole, in colour only if `FORCE_COLOR` asks for it. `NO_COLOR` wins.
    """
    terminal = answer.isatty()
    colour = _coloured(terminal, environ)
    if not (terminal or colour):
        return "".join(f"{_plain(line)}\n" for line in lines)
    from ats_cli.show.rich_paint import painted

    return painted(lines, _columns(answer, environ) if terminal else None, colour=colour)


def _coloured(terminal: bool, environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR"):
        return False
    forced = environ.get("FORCE_COLOR", "0").lower() not in ("", "0", "false")
    return forced or (terminal and environ.get("TERM") != "dumb")


def _plain(line: Line) -> str:
    return (line.lead + "".join(span.text for span in line.spans)).rstrip()


def _columns(answer: TextIO, environ: Mapping[str, str]) -> int:
    chosen = environ.get("COLUMNS", "")
    if chosen.isdecimal() and int(chosen):
        return int(chosen)
    try:
        return os.get_terminal_size(answer.fileno()).columns or 80
    except OSError:
        return 80
