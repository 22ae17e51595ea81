"""Painting by rich. It and `show.rich_live` alone import it; only a terminal (or `FORCE_COLOR`) brings them in."""

from collections.abc import Iterable
from io import StringIO

from rich.console import Console
from rich.text import Text

from ats_cli.show.lines import Line

STYLES = {
    "": "",
    "number": "cyan",
    "title": "bold",
    "match": "bold yellow",
    "place": "green",
    "tag": "magenta",
    "due": "yellow",
    "faint": "bright_black",
    "head": "underline",
    "bad": "red",
}
_NARROWEST = 24
"""Columns that the text beside a lead needs; where there are fewer, it wraps below the lead."""

_HANG = 4


def painted(lines: Iterable[Line], columns: int | None, *, colour: bool) -> str:
    """Text in the eight colours that every terminal has; without `colour`, free of escapes.

    :param columns: wrap at this width, the rest of a line indented under its lead; None: never wrap.
    """
    console = Console(
        file=StringIO(),
        force_terminal=True,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=columns or _NARROWEST,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        for line in lines:
            for row in _rows(line, console, columns):
                console.print(row, soft_wrap=True, markup=False, highlight=False, emoji=False)
    return capture.get()


def _rows(line: Line, console: Console, columns: int | None) -> list[Text]:
    lead, text = Text.assemble((line.lead, STYLES["number"])), _text(line)
    if columns is None or lead.cell_len + text.cell_len <= columns:
        return [lead + text]
    if columns - lead.cell_len < _NARROWEST:
        lead, text = Text(), lead + text
        hang = _HANG
    else:
        hang = lead.cell_len
    rows = text.wrap(console, max(columns - hang, _NARROWEST))
    for row in rows:
        row.rstrip()
    return [(Text(" " * hang) if number else lead) + row for number, row in enumerate(rows)]


def _text(line: Line) -> Text:
    return Text.assemble(*((span.text, STYLES[span.style]) for span in line.spans))
