"""Columns that line up by display width."""

from collections.abc import Sequence

from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, line
from ats_cli.show.width import padded, width


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, indent: str = "", right: Sequence[int] = ()
) -> list[Line]:
    """A head line and a line a row. Only the last column, which holds the longest texts, may wrap.

    :param right: numbers of the columns that are aligned at the right.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    columns = [max(width(cell) for cell in column) for column in zip(heads, *cells, strict=True)]

    def laid(row: Sequence[str]) -> tuple[str, str]:
        fields = [
            " " * (columns[number] - width(cell)) + cell if number in right else padded(cell, columns[number])
            for number, cell in enumerate(row)
        ]
        return indent + "".join(f"{field}  " for field in fields[:-1]), fields[-1].rstrip()

    lead, last = laid(heads)
    head = line(indent, Span(f"{lead}{last}"[len(indent) :], "faint"))
    return [head, *(line(lead, last) for lead, last in map(laid, cells))]
