"""Pieces of HTML: everything that comes from outside goes through `text()`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

COLOURS = 10
"""Colours that the style sheet has for methods."""


def text(words: str) -> str:
    """Words of others: escaped, control characters made visible, and unable to turn the direction of what follows."""
    return f"<bdi>{attribute(words)}</bdi>"


def attribute(words: str) -> str:
    """Words of others within an attribute: escaped, control characters made visible."""
    return escape("".join(mark if mark.isprintable() else "\ufffd" for mark in " ".join(words.split())))


def colour(place: int) -> str:
    return f"var(--c{place % COLOURS})"


def key(place: int) -> str:
    """The patch of a method's colour that stands before its name."""
    return f'<span class="key" style="background:{colour(place)}"></span>'


def named(place: int, name: str) -> str:
    """A method's name with its patch, on one line."""
    return f'<span class="name">{key(place)}{text(name)}</span>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of ready cells; one that begins with `<td` is taken as it is."""
    body = "".join(
        f"<tr>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>{body}</tbody></table>"


def percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"
