"""What a view is made of, before anybody decides about colour and width."""

from typing import NamedTuple


class Span(NamedTuple):
    """A piece of text. `style` is a name of `show.rich_paint.STYLES`; the text is harmless already (`show.inert`)."""

    text: str
    style: str = ""


class Line(NamedTuple):
    """One line. Where a terminal is too narrow, the rest goes on under `lead`, indented by its width."""

    lead: str
    spans: tuple[Span, ...] = ()


def line(lead: str, *spans: Span | str) -> Line:
    """A line of spans and of plain strings."""
    return Line(lead, tuple(span if isinstance(span, Span) else Span(span) for span in spans))


def joined(separator: str, spans: list[Span]) -> list[Span]:
    """The spans that are not empty, with a separator between them."""
    kept = [span for span in spans if span.text]
    return [part for span in kept for part in (Span(separator), span)][1:]
