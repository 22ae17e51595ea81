"""Synthetic tasks, the same bytes every time, and questions over them.

Words follow Zipf's law with Mandelbrot's offset, as those of natural text do, so that a few postings are long and most
are short. Of every fifty tasks 41 are in Latin script and three each in Cyrillic, Chinese and Japanese.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

SEED = 7
PROJECTS = 40
LATIN, CYRILLIC, CHINESE, JAPANESE = "latin", "cyrillic", "chinese", "japanese"
MARKER = "zzrefreshed"
"""A word of changed bodies alone."""

EACH = 20
"""Questions of each kind."""

CHANGED_EVERY = 100
_CYCLE = 50
_ELSEWHERE = {
    **dict.fromkeys((5, 22, 39), CYRILLIC),
    **dict.fromkeys((11, 28, 45), CHINESE),
    **dict.fromkeys((17, 34, 48), JAPANESE),
}
_EXPONENT, _OFFSET = 1.07, 2.7
_BODY_BYTES = (400, 1600)
_FIRST_DAY = date(2024, 1, 1)


class Asked(NamedTuple):
    """A question, of a kind that costs in a way of its own."""

    kind: str
    query: str
    project: str | None = None


class Vocabulary:
    """The words of a script by falling frequency, and how a text of them is put together."""

    def __init__(self, words: Sequence[str], *, gap: str, comma: str, sentence: int) -> None:
        self.words = words
        self._gap, self._comma, self._sentence = gap, comma, sentence
        weights = (np.arange(len(words)) + 1 + _OFFSET) ** -_EXPONENT
        self._cumulated = np.cumsum(weights) / weights.sum()
        self.word_bytes = float(np.dot(weights / weights.sum(), [len((word + gap).encode()) for word in words]))

    def text(self, random: np.random.RandomState, count: int) -> str:
        drawn = np.searchsorted(self._cumulated, random.random_sample(count)).clip(max=len(self.words) - 1)
        words = [self.words[rank] for rank in drawn]
        parts = (self._gap.join(words[at : at + self._sentence]) for at in range(0, count, self._sentence))
        return self._comma.join(parts)


def vocabularies() -> dict[str, Vocabulary]:
    """Made-up words: 100,000 Latin, 30,000 Cyrillic, 20,000 each of Chinese and Japanese."""
    latin = _syllables("bcdfghjklmnprstvz", "aeiouéü")
    cyrillic = _syllables("бвгдзклмнпрст", "аеиоуя")
    han = [chr(0x4E00 + 7 * place) for place in range(2000)]
    kana = [chr(code) for code in range(0x304B, 0x3082)]
    katakana = [chr(code) for code in range(0x30AB, 0x30E2)]

    def japanese(rank: int) -> str:
        if rank % 3 == 0:
            return "".join(_digits(rank + len(katakana) ** 2, katakana))
        return han[rank * 13 % 2000] + "".join(_digits(rank, kana))

    return {
        LATIN: Vocabulary(_spelt(100_000, latin), gap=" ", comma=". ", sentence=12),
        CYRILLIC: Vocabulary(_spelt(30_000, cyrillic), gap=" ", comma=". ", sentence=12),
        CHINESE: Vocabulary(
            [han[rank % 2000] + han[(rank * 31 + rank // 2000) % 2000] for rank in range(20_000)],
            gap="",
            comma="，",
            sentence=6,
        ),
        JAPANESE: Vocabulary([japanese(rank) for rank in range(20_000)], gap="", comma="、", sentence=5),
    }


def script_of(place: int) -> str:
    """The script of the task at this place of the corpus."""
    return _ELSEWHERE.get(place % _CYCLE, LATIN)


def project_of(number: int) -> str:
    return f"p{number:02d}"


def write_corpus(path: Path, size: int, body_kb: int = 1) -> None:
    """A JSONL file of so many tasks, bodies of about so many KB; a smaller corpus is the beginning of a larger one."""
    words, random, encoder = vocabularies(), np.random.RandomState(SEED), msgspec.json.Encoder()
    with path.open("wb") as file:
        for place in range(size):
            file.write(encoder.encode(_task(place, words[script_of(place)], random, body_kb)) + b"\n")


def change_corpus(path: Path, body_kb: int = 1) -> int:
    """Rewrite the file with other bodies for one task in a hundred; how many these were."""
    words, random, changed = vocabularies(), np.random.RandomState(SEED + 1), 0
    beside = path.with_suffix(".new")
    with path.open("rb") as before, beside.open("wb") as after:
        for place, line in enumerate(before):
            kept = line
            if place % CHANGED_EVERY == 0:
                task = msgspec.json.decode(line)
                task["content"] = f"{_body(words[script_of(place)], random, body_kb)} {MARKER}"
                kept, changed = msgspec.json.encode(task) + b"\n", changed + 1
            after.write(kept)
    os.replace(beside, path)
    return changed


def plain_question(path: Path, size: int) -> Asked:
    """Three words of a title in the middle of the corpus: what people ask most."""
    (task,) = _tasks_at(path, [_nearest(size // 2, size, (LATIN,))]).values()
    return Asked("plain", " ".join(task["title"].split()[:3]))


def questions(path: Path, size: int) -> list[Asked]:
    """Twenty each of five kinds: a rare word, common words, twenty words of a body, within a project, Chinese and
    Japanese. All but the common words come from tasks spread over the corpus."""
    words = vocabularies()[LATIN].words
    rank = {word: place for place, word in enumerate(words)}
    spread = [number * size // EACH for number in range(EACH)]
    latin = [_nearest(place, size, (LATIN,)) for place in spread]
    asian = [_nearest(place, size, (CHINESE, JAPANESE)) for place in spread]
    tasks = _tasks_at(path, [*latin, *asian])
    asked: list[Asked] = []
    for number in range(EACH):
        task, other = tasks[latin[number]], tasks[asian[number]]
        body = task["content"].replace(".", "").split()
        asked += (
            Asked("rare", max(body, key=lambda word: rank.get(word, -1))),
            Asked("common", " ".join(words[number : number + 60 : 30] if number % 2 else words[number : number + 1])),
            Asked("long", " ".join(body[number : number + 20])),
            Asked("project", " ".join(task["title"].split()[:3]), task["projectId"]),
            Asked("cjk", other["content"][3 * number : 3 * number + 5]),
        )
    return asked


def _task(place: int, words: Vocabulary, random: np.random.RandomState, body_kb: int) -> dict[str, Any]:
    project, tag, tags, due, modified, done = (int(number) for number in random.randint(0, 12_000, 6))
    modified_day = _FIRST_DAY + timedelta(days=modified % 700)
    return {
        "id": f"t{place:06d}",
        "title": words.text(random, int(random.randint(4, 9))),
        "content": _body(words, random, body_kb),
        "projectId": project_of(project % PROJECTS),
        "projectName": f"Project {project % PROJECTS:02d}",
        "tags": [f"tag{(tag + step) % 25:02d}" for step in range(tags % 4)],
        "dueDate": None if due % 3 else f"{modified_day + timedelta(days=due % 90)}T09:00:00.000+0000",
        "modifiedTime": f"{modified_day}T12:00:00.000+0000",
        "status": "done" if done % 20 == 0 else "open",
    }


def _body(words: Vocabulary, random: np.random.RandomState, body_kb: int) -> str:
    return words.text(random, max(30, int(body_kb * random.randint(*_BODY_BYTES) / words.word_bytes)))


def _tasks_at(path: Path, places: Sequence[int]) -> dict[int, dict[str, Any]]:
    wanted = set(places)
    with path.open("rb") as file:
        lines = enumerate(islice(file, max(wanted) + 1))
        return {place: msgspec.json.decode(line) for place, line in lines if place in wanted}


def _nearest(place: int, size: int, scripts: Sequence[str]) -> int:
    """The first task from a place on that is in one of these scripts, else the last one before it."""
    onwards: Iterator[int] = (at for at in range(place, size) if script_of(at) in scripts)
    found = next(onwards, None)
    return found if found is not None else next(at for at in range(place, -1, -1) if script_of(at) in scripts)


def _syllables(consonants: str, vowels: str) -> list[str]:
    return [consonant + vowel for vowel in vowels for consonant in consonants]


def _spelt(count: int, syllables: Sequence[str]) -> list[str]:
    """Words of two syllables and more, the frequent ones shorter."""
    return ["".join(_digits(rank + len(syllables), syllables)) for rank in range(count)]


def _digits(number: int, signs: Sequence[str]) -> Iterator[str]:
    """A number written in these signs, the last digit first."""
    while True:
        number, digit = divmod(number, len(signs))
        yield signs[digit]
        if not number:
            return
