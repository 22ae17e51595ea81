"""How many columns a text takes on a terminal."""

from unicodedata import category, east_asian_width


def width(text: str) -> int:
    """Columns: 2 for wide and full-width characters, 0 for combining marks and invisible format characters, else 1."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def padded(text: str, columns: int) -> str:
    """The text with blanks after it, up to a number of columns."""
    return text + " " * (columns - width(text))


def _columns(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1
