"""What one look at something found."""

from typing import NamedTuple

OK, WARNING, PROBLEM = "ok", "warning", "problem"


class Check(NamedTuple):
    """`status` is `OK`, `WARNING` (works, but not as it should) or `PROBLEM`; `hint` is the line that mends it."""

    name: str
    status: str
    message: str
    hint: str | None = None


def fine(name: str, message: str) -> Check:
    """Nothing is amiss."""
    return Check(name, OK, message)


def warning(name: str, message: str, hint: str) -> Check:
    """Something is not as it should be, and works all the same."""
    return Check(name, WARNING, message, hint)


def problem(name: str, message: str, hint: str) -> Check:
    """Something does not work."""
    return Check(name, PROBLEM, message, hint)
