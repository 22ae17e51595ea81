"""Texts as vectors: folded words, parts of words and CJK pairs, hashed into dimensions."""

from __future__ import annotations

import math
import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_INSTRUCTION = re.compile(
    r"search_query: |search_document: |query: |task: [^|]*\| query: |title: none \| text: |title: (?=[^|]*\| text: )"
    r"|Represent this sentence for searching relevant passages: |Instruct: [^\n]*\nQuery: ?"
)


def embed(text: str, dimension: int, model: str) -> list[float]:
    """The vector as a model gives it, before it is normalised; never all zeros.

    Alike texts have a high cosine. Each `model` (a name and a digest) has the same dimensions in an order of its own:
    the vectors of two models have nothing to do with each other, and their cosines within each are the same. An
    instruction such as `search_query: ` has little weight, but some.
    """
    places = _places(model, dimension)
    vector = [0.0] * dimension
    for feature, weight in _features(text).items():
        code = crc32(feature.encode(errors="surrogatepass"))
        vector[places[(code >> 1) % dimension]] += weight if code & 1 else -weight
    return vector


def normalised(vector: list[float]) -> list[float]:
    """Divided by its length; 7 decimals, about what a 32-bit float keeps."""
    length = max(math.hypot(*vector), 1e-12)
    return [round(number / length, 7) for number in vector]


@lru_cache(maxsize=64)
def _places(model: str, dimension: int) -> list[int]:
    places = list(range(dimension))
    random.Random(model).shuffle(places)
    return places


def _features(text: str) -> dict[str, float]:
    instruction = _INSTRUCTION.match(text)
    # Every text has something in common with every other, so that none has a zero vector.
    weights: defaultdict[str, float] = defaultdict(float, {"a text": 0.1})
    if instruction:
        weights[instruction.group()] = 0.1
        text = text[instruction.end() :]
        if instruction.group() == "title: ":
            text = text.replace(" | text: ", " ", 1)
    for word, times in Counter(_words(text)).items():
        for feature, weight in _parts(word):
            weights[feature] += weight * (1 + math.log(times))
    return weights


def _words(text: str) -> Iterator[str]:
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(mark))
    # NFKD takes Hangul syllables apart.
    return (word.group() for word in _WORD.finditer(unicodedata.normalize("NFC", plain)))


@lru_cache(maxsize=50_000)
def _parts(word: str) -> tuple[tuple[str, float], ...]:
    """The features of a word and their weights. A short word weighs little: it is likely `the` or `of`."""
    if re.match(f"[{_CJK}]", word):
        pairs = [word[at : at + 2] for at in range(len(word) - 1)]
        return (*((pair, 1.0) for pair in pairs), *((character, 0.5) for character in word))
    weight = 0.3 if len(word) <= 3 else 1.0
    framed = f"<{word}>"
    trigrams = [framed[at : at + 3] for at in range(len(framed) - 2)]
    return ((word, weight), *((f"3 {trigram}", 0.6 * weight / math.sqrt(len(trigrams))) for trigram in trigrams))
