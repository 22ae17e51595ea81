"""Spans of time and numbers of bytes, in the unit in which people read them."""


def duration(seconds: float) -> str:
    """A span of time in one unit, never negative: `12 s`, `3 min`, `30 h`, `4 d`."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def size(count: int) -> str:
    """A number of bytes: `812 B`, `1.2 kB`, `3.4 GB`."""
    if count < 1000:
        return f"{count} B"
    amount = count / 1000
    for unit in ("kB", "MB"):
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def counted(count: int, noun: str) -> str:
    """A number and its noun: `1 task`, `2 tasks`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
