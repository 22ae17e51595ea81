"""A row a question: at which rank each method had the answer; opened, what it placed first and why."""

from __future__ import annotations

from collections.abc import Iterator

from ats_bench.metrics import MEASURES, first_gold
from ats_bench.questions import Question
from ats_bench.report.markup import attribute, colour, named, table, text
from ats_bench.runs import Row
from ats_bench.scoring import Scores


def question_rows(scores: Scores) -> str:
    """All questions, those that the first method answers worst on top."""
    return "".join(_details(scores, question) for question in _by_trouble(scores))


def _by_trouble(scores: Scores) -> list[Question]:
    first = next(iter(scores.methods.values()))
    column = MEASURES.index(scores.measure)

    def trouble(question: Question) -> float:
        values = first.values.get(question.id)
        return 2.0 if values is None else float(values[column])

    return sorted(scores.run.questions, key=trouble)


def _details(scores: Scores, question: Question) -> str:
    rows = {name: scores.run.rows.get((question.id, name)) for name in scores.methods}
    ranks = "".join(
        f'<span class="rank {grade}" style="--own:{colour(place)}" title="{attribute(name)}: {meaning}">{shown}</span>'
        for place, (name, row) in enumerate(rows.items())
        for shown, grade, meaning in [_rank(scores, question, row)]
    )
    tags = "".join(f'<span class="tag">{text(tag)}</span>' for tag in question.tags)
    return (
        f"<details><summary><span>{text(question.question)}{tags}</span>"
        f'<span class="ranks">{ranks}</span></summary><div class="inside">{"".join(_inside(scores, question, rows))}'
        f"</div></details>"
    )


def _rank(scores: Scores, question: Question, row: Row | None) -> tuple[str, str, str]:
    """What the badge shows, its colour class, and what it means."""
    if row is None:
        return "?", "flat", "no answer in the run"
    if row.degraded:
        return "!", "flat", "degraded, not scored"
    if question.no_answer:
        sure = row.confidence in ("strong", "moderate")
        return row.confidence or "-", "bad" if sure else "good", "there is no answer; this is how sure it was"
    gold = scores.winnable.get(question.id)
    if gold is None:
        return "-", "flat", "no gold task to be found"
    rank = first_gold(row.ids, gold)
    if rank is None:
        return "–", "bad", f"not among the first {scores.run.header.top}"
    return str(rank), "good" if rank == 1 else "fair" if rank <= 5 else "bad", "rank of the first gold task"


def _inside(scores: Scores, question: Question, rows: dict[str, Row | None]) -> Iterator[str]:
    header = scores.run.header
    if question.no_answer:
        yield "<p>No task answers this.</p>"
    elif not question.eligible:
        yield "<p>It has neither gold nor no_answer, so it was not asked.</p>"
    else:
        golds = (
            text(header.titles[task]) + (" (done, never shown)" if header.gold.get(task) == "done" else "")
            if task in header.titles
            else f"{text(task)} (not in the corpus)"
            for task in question.gold_task_ids
        )
        yield f"<p>Gold: {'; '.join(golds)}</p>"
    alike: dict[tuple[str, str], list[str]] = {}
    for place, (name, row) in enumerate(rows.items()):
        alike.setdefault(_first(row), []).append(named(place, name))
    yield table(["method", "placed first", "why"], [["".join(names), *cells] for cells, names in alike.items()])


def _first(row: Row | None) -> tuple[str, str]:
    if row is None:
        return "", "no answer in the run"
    if row.error is not None:
        return "", f"no answer: {text(row.error)}"
    verdict = f"{row.confidence}: {row.reason}" if row.confidence and row.reason else row.confidence or ""
    warnings = f" Degraded: {text('; '.join(row.warnings))}" if row.degraded else ""
    if row.first is None:
        return "nothing", f'<span class="why">{text(verdict)}{warnings}</span>'
    return text(
        row.first.title
    ), f'{text(", ".join(row.first.sources))} <span class="why">{text(verdict)}{warnings}</span>'
