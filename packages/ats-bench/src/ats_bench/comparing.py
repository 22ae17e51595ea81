"""Two runs side by side: what differs in their making, and what differs in their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ats_core.errors import UsageError

from ats_bench.questions import Question
from ats_bench.runs import Header, Run
from ats_bench.scoring import Contrast, MethodScore, Scores, contrast_all, score_run
from ats_bench.stats import SEED


class Move(NamedTuple):
    """A question whose value changed, by one method."""

    method: str
    question: Question
    before: float
    after: float


class Comparison(NamedTuple):
    """`after` against `before`, by method. `differences` are those of the making, a line each."""

    before: Scores
    after: Scores
    differences: list[str]
    contrasts: list[Contrast]
    moves: list[Move]
    measure: str


def compare_runs(
    before: Run, after: Run, *, measure: str = "mrr", seed: int = SEED, anyway: bool = False
) -> Comparison:
    """Compare two runs over the questions that both asked in the same words and with the same gold.

    :param anyway: compare also where the corpora differ.
    :raises UsageError: the corpora differ, or no method or question is common to both.
    """
    if before.header.corpus.fingerprint != after.header.corpus.fingerprint and not anyway:
        raise UsageError(
            f"the runs asked different corpora: {_corpus(before.header)} and {_corpus(after.header)}",
            hint="to compare them all the same: --anyway",
        )
    methods = [method for method in before.header.methods if method in after.header.methods]
    if not methods:
        raise UsageError("the runs have no method in common")
    known = {question.id: question for question in before.questions}
    common = {question.id for question in after.questions if _same(known.get(question.id), question)}
    if not common:
        raise UsageError("the runs have no question in common")
    scores = [score_run(run, measure=measure, seed=seed) for run in (before, after)]
    pairs = [(_only(scores[0].methods[method], common), _only(scores[1].methods[method], common)) for method in methods]
    return Comparison(
        before=scores[0],
        after=scores[1],
        differences=list(_differences(before, after, common)),
        contrasts=contrast_all(pairs, measure, seed),
        moves=list(_moves(pairs, after.questions, measure)),
        measure=measure,
    )


def _corpus(header: Header) -> str:
    return f"{header.corpus.fingerprint[:12]} ({header.adapter}, {header.corpus.size} tasks)"


def _same(before: Question | None, after: Question) -> bool:
    return (
        before is not None
        and before.question == after.question
        and set(before.gold_task_ids) == set(after.gold_task_ids)
    )


def _only(method: MethodScore, questions: set[str]) -> MethodScore:
    return method._replace(values={name: values for name, values in method.values.items() if name in questions})


def _differences(before: Run, after: Run, common: set[str]) -> Iterator[str]:
    old, new = before.header, after.header
    if old.corpus.fingerprint != new.corpus.fingerprint:
        yield f"corpus: {_corpus(old)}, then {_corpus(new)}"
    if old.questions.digest != new.questions.digest:
        yield (
            f"questions: {len(common)} are the same, {len(before.questions) - len(common)} of the first run and"
            f" {len(after.questions) - len(common)} of the second are left out"
        )
    plain = (("adapter", old.adapter, new.adapter), ("top", old.top, new.top), ("jobs", old.jobs, new.jobs))
    for name, left, right in plain:
        if left != right:
            yield f"{name}: {left}, then {right}"
    tables = (
        ("version of", old.versions, new.versions),
        ("setting", old.settings, new.settings),
        ("embedding space of", old.spaces, new.spaces),
    )
    for kind, first, second in tables:
        for key in dict.fromkeys([*first, *second]):
            if first.get(key) != second.get(key):
                yield f"{kind} {key}: {_shown(first.get(key))}, then {_shown(second.get(key))}"
    for mark, methods in (("first", old.methods), ("second", new.methods)):
        other = new.methods if mark == "first" else old.methods
        alone = [method for method in methods if method not in other]
        if alone:
            yield f"only in the {mark} run: {', '.join(alone)}"
    for mark, run in (("first", before), ("second", after)):
        degraded = sum(row.degraded for row in run.rows.values())
        if degraded:
            yield f"{degraded} answers of the {mark} run are degraded, and left out"
        if run.missing > 0:
            yield f"{run.missing} answers of the {mark} run are missing"


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def _moves(pairs: list[tuple[MethodScore, MethodScore]], questions: list[Question], measure: str) -> Iterator[Move]:
    from ats_bench.metrics import MEASURES

    column = MEASURES.index(measure)
    for before, after in pairs:
        for question in questions:
            if question.id in before.values and question.id in after.values:
                old, new = float(before.values[question.id][column]), float(after.values[question.id][column])
                if old != new:
                    yield Move(after.name, question, old, new)
