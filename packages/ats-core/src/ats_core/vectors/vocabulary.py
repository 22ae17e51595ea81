"""A tokenizer cut down to a text: a question needs a hundred of its 32,000 tokens, and loading all takes 50 ms.

Byte-pair encoding (Sennrich, Haddow and Birch 2016, "Neural machine translation of rare words with subword units")
joins neighbours, so each token that it makes of a text is a piece of that text. Without the tokens and merges that are
none, the same text gives the same tokens.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ats_core.index.layout import Buffer, DamagedError, pack, unpack
from ats_core.index.texts import SEPARATOR, TextsBuilder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY_VERSION = 1
_BYTE_TOKENS = frozenset(f"<0x{byte:02X}>" for byte in range(256))
"""What characters without a token fall back to; they are no pieces of a text, and stay in every cut."""


class Vocabulary:
    """The tokens and merges of a tokenizer, in a form that is read without parsing it.

    `source` is what `pack_vocabulary` was told that they are of.

    :raises DamagedError: not such a buffer, or of another version.
    """

    def __init__(self, buffer: Buffer) -> None:
        header, sections, _ = unpack(buffer)
        if header.meta.get("version") != VOCABULARY_VERSION:
            raise DamagedError("another version of the vocabulary")
        self.source = header.meta.get("source")
        try:
            self._frame: dict[str, Any] = msgspec.json.decode(sections["frame"])
            self._tokens = bytes(sections["tokens"]).split(SEPARATOR)[:-1]
            self._ids = sections["ids"].cast("I")
            self._merges = sections["merges"].cast("I")
            self._merges_starts = sections["merges_starts"].cast("I")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError("a section is missing or has the wrong size") from error
        self._normalizer: Any = None

    def tokenizer(self, texts: Iterable[str]) -> Tokenizer:
        """A tokenizer that encodes these texts as the whole one does, and no others."""
        if self._normalizer is None:
            self._normalizer = _load(self._frame).normalizer
        normalised = (self._normalizer.normalize_str(text) if self._normalizer else text for text in texts)
        places = sorted({place for text in normalised for place in self._pieces(text.encode("utf-8", "replace"))})
        model = self._frame["model"]
        tokens = {self._tokens[place].decode(): self._ids[place] for place in places}
        merges = sorted(merge for place in places for merge in self._merges_of(place))
        cut = {"vocab": model["vocab"] | tokens, "merges": [merge for _, merge in merges]}
        return _load(self._frame | {"model": model | cut})

    def _pieces(self, text: bytes) -> Iterable[int]:
        """The place of each token that is a piece of the text."""
        tokens = self._tokens
        for start in range(len(text)):
            place = 0
            for end in range(start + 1, len(text) + 1):
                piece = text[start:end]
                place = bisect_left(tokens, piece, place)
                if place == len(tokens) or not tokens[place].startswith(piece):
                    break
                if tokens[place] == piece:
                    yield place

    def _merges_of(self, place: int) -> Iterable[tuple[int, str]]:
        """The merges that make a token, each with its rank."""
        token = self._tokens[place]
        for at in range(2 * self._merges_starts[place], 2 * self._merges_starts[place + 1], 2):
            rank, length = self._merges[at], self._merges[at + 1]
            yield rank, f"{token[:length].decode()} {token[length:].decode()}"


def pack_vocabulary(document: bytes, source: str) -> bytes:
    """The bytes that `Vocabulary` reads, from a tokenizer as its library saves it.

    :raises ValueError: it cannot be cut: it is no byte-pair encoding over whole texts.
    """
    frame: dict[str, Any] = msgspec.json.decode(document)
    model: dict[str, Any] = frame["model"]
    if model["type"] != "BPE" or any(frame.get(name) for name in ("pre_tokenizer", "truncation", "padding")):
        raise ValueError("not a tokenizer that can be cut")
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix") or model.get("ignore_merges"):
        raise ValueError("not a model that can be cut")
    vocabulary: dict[str, int] = model["vocab"]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    if any(len(pair) != 2 or any(" " in part for part in pair) for pair in pairs):
        raise ValueError("a merge of it cannot be written")
    always = _BYTE_TOKENS | {model.get("unk_token")} | {token["content"] for token in frame.get("added_tokens", ())}
    frame["model"] = model | {"vocab": {token: vocabulary[token] for token in vocabulary if token in always}}
    frame["model"]["merges"] = []
    return pack(
        {"frame": msgspec.json.encode(frame), **_token_sections(vocabulary, pairs)},
        {"version": VOCABULARY_VERSION, "source": source},
    )


def _token_sections(vocabulary: dict[str, int], pairs: Sequence[Sequence[str]]) -> dict[str, Buffer]:
    """`tokens`, ascending, with their `ids`; for each its merges, with `merges_starts`: rank, and bytes to the left."""
    ordered = sorted((token.encode(), token_id) for token, token_id in vocabulary.items())
    makers: dict[bytes, list[int]] = {}
    for rank, (left, right) in enumerate(pairs):
        makers.setdefault((left + right).encode(), []).extend((rank, len(left.encode())))
    tokens, merges, starts = TextsBuilder("tokens"), array("I"), array("I", [0])
    for token, _ in ordered:
        tokens.add_encoded(token)
        merges.extend(makers.get(token, ()))
        starts.append(len(merges) // 2)
    return {
        "tokens": tokens.sections()["tokens"],
        "ids": array("I", [token_id for _, token_id in ordered]).tobytes(),
        "merges": merges.tobytes(),
        "merges_starts": starts.tobytes(),
    }


def _load(document: dict[str, Any]) -> Tokenizer:
    from tokenizers import Tokenizer

    return Tokenizer.from_str(msgspec.json.encode(document).decode())
