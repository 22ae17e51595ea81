"""A text that must not be seen: a token, a key, a password."""

from __future__ import annotations


class Secret:
    """Holds a secret so that neither `repr` nor `str`, nor a format string, nor a traceback shows it.

    `value` is the text itself: read it where it is sent, and nowhere else.
    """

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)
