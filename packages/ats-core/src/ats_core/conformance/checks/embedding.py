"""The embedder gives vectors that can be compared, today and tomorrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ats_core.conformance.results import CAPABILITIES, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.deadline import Deadline

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SHAPE = Rule(
    "embeddings-shape",
    "It returns a float32 array of shape (len(texts), d), d the same for both kinds; for no texts, no rows.",
    "return np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)",
)
FINITE = Rule(
    "embeddings-finite",
    "Every number of it is finite, and a text with words in it has a vector that is not all zeros.",
    "raise EmbeddingError for a text that the model refuses, instead of giving NaN or zeros for it",
)
SAME = Rule(
    "embeddings-same",
    "The same text of the same kind has the same vector, alone or in a batch, but for rounding.",
    "turn sampling and dropout off, and pad so that a text's neighbours do not change it",
)
DIFFERENT = Rule(
    "embeddings-different",
    "Different texts have different vectors, in the order in which the texts were given.",
    "return the vectors in the order of the texts, each computed from its own",
)
SPACE = Rule(
    "embedding-space-stable",
    "It is a string that is not empty, changes whenever vectors stop being comparable, and at no other time: not"
    " between two calls, nor between two processes.",
    "build it from the model's name, digest and dimension and the prefixes, and from nothing that changes by itself",
)

TEXTS = ("Renew the passport before the summer", "Roll back a release of the web shop", "Überweisung an 東京 ☕")
_SECONDS = 60.0
_ALIKE = 0.999


def embeddings_are_vectors(subject: Subject) -> Iterator[Finding]:
    """The right shape and type for both kinds, and for no texts at all."""
    widths = set()
    for kind in ("query", "document"):
        for texts in (TEXTS, TEXTS[:1], ()):
            array = _raw(subject, texts, kind)
            shape, dtype = getattr(array, "shape", None), str(getattr(array, "dtype", type(array).__name__))
            said = f"embeddings of {len(texts)} texts ({kind}) gave"
            if shape is None or dtype != "float32":
                yield SHAPE.broken(f"{said} {dtype}, not a float32 array")
            elif shape[:1] != (len(texts),) or (texts and (len(shape) != 2 or not shape[1])):
                yield SHAPE.broken(f"{said} the shape {shape}")
            elif texts:
                widths.add(shape[1])
    if len(widths) > 1:
        yield SHAPE.broken(f"vectors have {' and '.join(map(str, sorted(widths)))} numbers, by kind or by batch")


def embeddings_are_finite(subject: Subject) -> Iterator[Finding]:
    """No NaN, no infinity, no zero vector."""
    import numpy as np

    for kind in ("query", "document"):
        rows = _rows(subject, TEXTS, kind)
        if not np.isfinite(rows).all():
            yield FINITE.broken(f"embeddings ({kind}) holds NaN or infinity")
        elif not rows.any(axis=1).all():
            yield FINITE.broken(f"embeddings ({kind}) gave a zero vector for a text with words")


def embeddings_stay_the_same(subject: Subject) -> Iterator[Finding]:
    """Twice, and alone as in a batch."""
    for kind in ("query", "document"):
        batch, again = _rows(subject, TEXTS, kind), _rows(subject, TEXTS, kind)
        alone = [_rows(subject, [text], kind)[0] for text in TEXTS]
        for text, row, other, single in zip(TEXTS, batch, again, alone, strict=True):
            if _cosine(row, other) < _ALIKE:
                yield SAME.broken(f"two calls gave different vectors for {text!r} ({kind})")
            elif _cosine(row, single) < _ALIKE:
                yield SAME.broken(f"{text!r} ({kind}) has another vector alone than in a batch")


def embeddings_tell_texts_apart(subject: Subject) -> Iterator[Finding]:
    """Each text has its own vector, in its own place."""
    import numpy as np

    for kind in ("query", "document"):
        rows, backwards = _rows(subject, TEXTS, kind), _rows(subject, TEXTS[::-1], kind)[::-1]
        if any(np.array_equal(rows[0], row) for row in rows[1:]):
            yield DIFFERENT.broken(f"embeddings ({kind}) gave one vector for different texts")
        elif any(_cosine(row, other) < _ALIKE for row, other in zip(rows, backwards, strict=True)):
            yield DIFFERENT.broken(f"embeddings ({kind}) of the same texts in another order are not the same vectors")


def the_embedding_space_is_stable(subject: Subject) -> Iterator[Finding]:
    """One name, from this adapter and from another one."""
    adapter = subject.need("embedding_space")
    if not adapter.has("embedding_space"):
        raise Skipped("embedding_space is None here")
    names = [adapter.embedding_space(), adapter.embedding_space(), subject.make().embedding_space()]
    if not names[0].strip():
        yield SPACE.broken("embedding_space is blank")
    if len(set(names)) > 1:
        yield SPACE.broken(
            f"embedding_space was {names[0]!r}, then {next(name for name in names if name != names[0])!r}"
        )


def _raw(subject: Subject, texts: Sequence[str], kind: str) -> Any:
    adapter = subject.need("embeddings")
    if not adapter.has("embedding_space"):
        raise Skipped("embedding_space is None here, so there is no embedder")
    return adapter.embeddings(list(texts), kind, Deadline(_SECONDS))


def _rows(subject: Subject, texts: Sequence[str], kind: str) -> npt.NDArray[np.float64]:
    """The vectors as numbers.

    :raises Skipped: they are none, which is for the first check to say.
    """
    import numpy as np

    try:
        rows = np.asarray(_raw(subject, texts, kind), dtype=np.float64)
    except (TypeError, ValueError):
        raise Skipped("embeddings gave no numbers") from None
    if rows.ndim != 2 or len(rows) != len(texts):
        raise Skipped(f"embeddings gave the shape {rows.shape} for {len(texts)} texts")
    return rows


def _cosine(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """1 for the same direction; 1 too where either has none, for that is another check's to say."""
    import numpy as np

    if one.shape != other.shape:
        return 0.0
    with np.errstate(all="ignore"):
        cosine = float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return cosine if np.isfinite(cosine) else 1.0


CHECKS = (
    Check(CAPABILITIES, embeddings_are_vectors, (SHAPE,)),
    Check(CAPABILITIES, embeddings_are_finite, (FINITE,)),
    Check(CAPABILITIES, embeddings_stay_the_same, (SAME,)),
    Check(CAPABILITIES, embeddings_tell_texts_apart, (DIFFERENT,)),
    Check(CAPABILITIES, the_embedding_space_is_stable, (SPACE,)),
)
