"""A BEIR folder to a corpus of the memory adapter and a question file.

BEIR (Thakur et al. 2021, "BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models")
holds `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`) and `qrels/<split>.tsv` (`query-id`,
`corpus-id`, `score`, with a header). Either JSONL file may be compressed (`.gz`). A score above 0 is gold: grades are
not kept. The corpus is never held in memory.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from ats_core.errors import UsageError

from ats_bench.new_file import refuse_occupied, write_new
from ats_bench.questions import Question, encode_question

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
QUESTIONS = "questions.jsonl"
ORIGIN = "beir"

_BOM = b"\xef\xbb\xbf"
_MOST_NAMED = 3
T = TypeVar("T")


class Imported(NamedTuple):
    """What was written, and `warnings` about what could not be taken over."""

    corpus: Path
    questions: Path
    tasks: int
    asked: int
    warnings: list[str]


class _Trouble:
    """Lines that could not be read: the first by number, the rest counted."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def add(self, path: Path, number: int, reason: str) -> None:
        self._lines.setdefault(path.name, []).append(f"{path.name} line {number} {reason}")

    def warnings(self) -> list[str]:
        found = []
        for name, lines in self._lines.items():
            found += [f"{line}; skipped" for line in lines[:_MOST_NAMED]]
            if len(lines) > _MOST_NAMED:
                found.append(f"{len(lines) - _MOST_NAMED} more lines of {name} skipped")
        return found


def import_beir(folder: Path, out: Path, splits: Sequence[str] = ()) -> Imported:
    """Write `corpus.jsonl` and `questions.jsonl` into a folder that is new or empty.

    A question carries the names of its splits as tags. Queries that no qrels judge are left out.

    :param splits: the qrels to take (`test` for `qrels/test.tsv`); none: all.
    :raises UsageError: `folder` is no such set, or `out` is not empty.
    """
    refuse_occupied(out)
    trouble = _Trouble()
    corpus, queries = _existing(folder / CORPUS), _existing(folder / QUERIES)
    judged: dict[str, dict[str, list[str]]] = {}
    for path in _qrels(folder, splits):
        for query, document in _judgments(path, trouble):
            judged.setdefault(query, {}).setdefault(path.stem, []).append(document)
    questions = list(_questions(queries, judged, trouble))
    if not questions:
        raise UsageError(f"{folder} has no query with a relevant document", hint="is it a BEIR folder?")
    wanted = {gold for question in questions for gold in question.gold_task_ids}
    written = _Written(wanted)
    write_new(out / CORPUS, written.lines(corpus, folder.resolve().name, trouble))
    write_new(out / QUESTIONS, (f"{encode_question(question).decode()}\n" for question in questions))
    warnings = trouble.warnings()
    unknown = len(judged) - len({question.id for question in questions})
    if unknown:
        warnings.append(f"{unknown} judged queries have no text in {queries.name}, and are left out")
    if written.missing:
        warnings.append(f"{len(written.missing)} relevant documents are not in {corpus.name}")
    return Imported(out / CORPUS, out / QUESTIONS, written.tasks, len(questions), warnings)


class _Written:
    """Tasks on their way into a file; `missing` are the wanted ids that have not come by."""

    def __init__(self, wanted: set[str]) -> None:
        self.missing = wanted
        self.tasks = 0

    def lines(self, corpus: Path, project: str, trouble: _Trouble) -> Iterator[str]:
        for document in _records(corpus, trouble, _document):
            self.tasks += 1
            self.missing.discard(document["id"])
            task = {**document, "projectId": project, "projectName": project}
            yield msgspec.json.encode(task).decode() + "\n"


def _document(record: Mapping[str, Any]) -> dict[str, str]:
    return {"id": _id(record), "title": _text(record, "title"), "content": _text(record, "text")}


def _questions(
    queries: Path, judged: Mapping[str, Mapping[str, Sequence[str]]], trouble: _Trouble
) -> Iterator[Question]:
    seen: set[str] = set()
    for query, text in _records(queries, trouble, lambda record: (_id(record), _text(record, "text").strip())):
        if query in judged and query not in seen and text:
            seen.add(query)
            gold = dict.fromkeys(document for documents in judged[query].values() for document in documents)
            yield Question(id=query, question=text, gold_task_ids=tuple(gold), tags=tuple(judged[query]), origin=ORIGIN)


def _judgments(path: Path, trouble: _Trouble) -> Iterator[tuple[str, str]]:
    """(query, document) of each line whose score is above 0; also of TREC's four columns."""
    for number, line in _lines(path):
        columns = [column.strip() for column in line.decode("utf-8", "replace").split("\t")]
        if len(columns) not in (3, 4) or not columns[0] or not columns[-2]:
            trouble.add(path, number, "has not three columns with tabs between them")
            continue
        query, document, score = columns[0], *columns[-2:]
        try:
            relevant = float(score) > 0
        except ValueError:
            if number > 1:  # the first is the header
                trouble.add(path, number, "has no number as its score")
            continue
        if relevant:
            yield query, document


def _qrels(folder: Path, splits: Iterable[str]) -> list[Path]:
    found = {path.stem: path for path in sorted((folder / QRELS).glob("*.tsv"))}
    if not found:
        raise UsageError(f"{folder / QRELS} holds no .tsv file", hint="give the folder of a BEIR set")
    unknown = [split for split in splits if split not in found]
    if unknown:
        raise UsageError(f"{folder} has no split {unknown[0]!r}", hint=f"it has: {', '.join(found)}")
    return [found[split] for split in dict.fromkeys(splits)] or list(found.values())


def _existing(path: Path) -> Path:
    for place in (path, path.with_name(f"{path.name}.gz")):
        if place.is_file():
            return place
    raise UsageError(f"there is no {path}", hint="give the folder of a BEIR set")


def _records(path: Path, trouble: _Trouble, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(dict[str, Any])
    for number, line in _lines(path):
        try:
            yield read(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            trouble.add(path, number, "is no JSON object")
        except ValueError as error:
            trouble.add(path, number, str(error))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.removeprefix(_BOM) if number == 1 else line
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from error


def _id(record: Mapping[str, Any]) -> str:
    value = record.get("_id", record.get("id"))
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        raise ValueError("has no _id")
    return str(value).strip()


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
