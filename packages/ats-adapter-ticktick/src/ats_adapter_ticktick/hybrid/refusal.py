"""Which text is to blame when a server refuses a batch, and how much of it the server takes.

`ask(texts)` makes one request: a vector for each text, None where the server gave an unusable one. It raises `Refusal`
where the texts may be the reason, and `EmbeddingError` where they cannot be. `vouch()` returns if the server embeds a
harmless text right now, and raises `EmbeddingError` if it does not: no text is blamed while the server is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ats_core import EmbeddingError

from ats_adapter_ticktick.hybrid.length import halved

Vector: TypeAlias = list[float]

_LEAST = 32
"""Characters: a text so short is not refused for its length."""


class Input(NamedTuple):
    """A text, and the form in which it is sent: with the model's prefix, which is never halved."""

    text: str
    form: Callable[[str], str]


class Refusal(Exception):  # noqa: N818 never leaves the embedder
    """A server that is there did not embed some texts; `error` is what to tell people if that is not their fault.

    `final`: the same texts will be refused again. `too_long`: less of them may not.
    """

    def __init__(self, error: EmbeddingError, *, final: bool, too_long: bool) -> None:
        super().__init__(error.message)
        self.error = error
        self.final = final
        self.too_long = too_long


Ask: TypeAlias = Callable[[Sequence[Input]], list[Vector | None]]
Vouch: TypeAlias = Callable[[], None]


def embed_batch(inputs: Sequence[Input], ask: Ask, vouch: Vouch) -> list[Vector | None]:
    """A vector for each text, None for one that the server refuses while it embeds others."""
    try:
        vectors = ask(inputs)
    except Refusal as refusal:
        if len(inputs) == 1:
            return [_blamed(inputs[0], refusal, ask, vouch)]
        middle = len(inputs) // 2
        return embed_batch(inputs[:middle], ask, vouch) + embed_batch(inputs[middle:], ask, vouch)
    if None in vectors:
        vouch()
    return vectors


def _blamed(given: Input, refusal: Refusal, ask: Ask, vouch: Vouch) -> Vector | None:
    vouch()
    vector = _shortened(given, refusal, ask)
    if vector is None:
        vouch()  # again: it may have gone since
    return vector


def _shortened(given: Input, refusal: Refusal, ask: Ask) -> Vector | None:
    """The vector of a text that was refused: of all of it, if the refusal was a mishap, else of as much as is accepted.

    At most one request that repeats the first, and one for each halving.
    """
    if not refusal.final:
        try:
            return ask([given])[0]
        except Refusal as again:
            refusal = again
    while refusal.too_long and len(given.text) >= 2 * _LEAST:
        given = given._replace(text=halved(given.text))
        try:
            return ask([given])[0]
        except Refusal as again:
            refusal = again
    return None
