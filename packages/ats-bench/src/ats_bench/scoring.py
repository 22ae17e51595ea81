"""What a run says about each method: means with intervals, by tag, beside what could not be judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ats_bench.metrics import MEASURES, Values, first_gold, measure
from ats_bench.questions import Question
from ats_bench.runs import Row, Run
from ats_bench.stats import SEED, bootstrap_interval, holm, randomisation_p

VERDICTS = ("strong", "moderate", "weak", "none")
ALPHA = 0.05


class Group(NamedTuple):
    """Means over `n` questions and their 95 % intervals, by measure; both empty where `n` is 0."""

    n: int
    means: Mapping[str, float]
    ci95: Mapping[str, tuple[float, float]]


class Coverage(NamedTuple):
    """What became of a method's questions; the parts sum to `questions`. Only `scored` ones are in the means.

    `unwinnable`: no gold task is in the corpus, or each is done and so never shown. `ineligible`: neither gold nor
    `no_answer`. `degraded`: the answer came without all that should have voted, or not at all (`failed` of them).
    `missing`: the run was cut off. `no_answer` are scored apart. Beside the sum: `partial` questions lack some of
    their gold, `unreadable` lines were no questions.
    """

    questions: int
    scored: int
    no_answer: int
    unwinnable: int
    ineligible: int
    degraded: int
    missing: int
    failed: int
    partial: int
    unreadable: int

    @property
    def clean(self) -> bool:
        """Whether every question that was asked could be judged."""
        return not (self.unwinnable or self.ineligible or self.degraded or self.missing or self.unreadable)


class NoAnswer(NamedTuple):
    """The questions that no task answers: how often each verdict, of `n`. `sure`: strong or moderate, with interval."""

    n: int
    verdicts: Mapping[str, int]
    sure: float | None
    ci95: tuple[float, float] | None


class Latency(NamedTuple):
    """Milliseconds in process of every call, ascending."""

    sample: npt.NDArray[np.float64]

    def quantile(self, share: float) -> float | None:
        return float(np.quantile(self.sample, share)) if len(self.sample) else None


class MethodScore(NamedTuple):
    """One method. `values` are the measures of each scored question, by its id; `curve[k-1]` the share of them with a
    gold item among the first k."""

    name: str
    overall: Group
    by_tag: Mapping[str, Group]
    coverage: Coverage
    no_answer: NoAnswer
    latency: Latency
    values: Mapping[str, Values]
    curve: Sequence[float]


class Contrast(NamedTuple):
    """One method against another over the `n` questions that both answered healthily: mean of the differences.

    `p_holm` is corrected for all contrasts of the report; None: no question in common.
    """

    method: str
    against: str
    measure: str
    n: int
    difference: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None

    @property
    def shown(self) -> bool:
        return self.p_holm is not None and self.p_holm < ALPHA


class Scores(NamedTuple):
    """A whole run, scored. `winnable` holds the gold that each scored question may still find, by question id."""

    run: Run
    methods: Mapping[str, MethodScore]
    contrasts: Sequence[Contrast]
    winnable: Mapping[str, frozenset[str]]
    measure: str
    seed: int


def score_run(run: Run, *, measure: str = "mrr", seed: int = SEED) -> Scores:
    """Score a run.

    :param measure: the one by which methods are compared with the first.
    """
    winnable = winnable_gold(run)
    methods = {name: _score_method(run, name, winnable, seed) for name in run.header.methods}
    first, *others = methods.values()
    contrasts = contrast_all([(first, other) for other in others], measure, seed)
    return Scores(run, methods, contrasts, winnable, measure, seed)


def winnable_gold(run: Run) -> dict[str, frozenset[str]]:
    """For each question that can be won, the gold that the corpus has and a search may show."""
    known = run.header.gold
    golds = {
        question.id: frozenset(task for task in question.gold_task_ids if known.get(task) == "open")
        for question in run.questions
        if question.gold_task_ids
    }
    return {question: gold for question, gold in golds.items() if gold}


def contrast_all(pairs: Iterable[tuple[MethodScore, MethodScore]], measure: str, seed: int) -> list[Contrast]:
    """Each pair's second against its first, with p-values corrected for all of them."""
    bare = [_contrast(first, second, measure, seed) for first, second in pairs]
    tested = [place for place, contrast in enumerate(bare) if contrast.p is not None]
    corrected = holm([bare[place].p or 0.0 for place in tested])
    for place, p_value in zip(tested, corrected, strict=True):
        bare[place] = bare[place]._replace(p_holm=p_value)
    return bare


def group_of(values: Values, seed: int) -> Group:
    """Means and intervals over questions; `values` is `(questions, measures)`."""
    if not len(values):
        return Group(0, {}, {})
    low, high = bootstrap_interval(values, seed=seed)
    means = values.mean(axis=0)
    return Group(
        len(values),
        {name: float(means[place]) for place, name in enumerate(MEASURES)},
        {name: (float(low[place]), float(high[place])) for place, name in enumerate(MEASURES)},
    )


def _score_method(run: Run, name: str, winnable: Mapping[str, frozenset[str]], seed: int) -> MethodScore:
    rows = {question.id: run.rows.get((question.id, name)) for question in run.questions}
    healthy = {question: row for question, row in rows.items() if row is not None and not row.degraded}
    scored = [question for question in run.questions if question.id in winnable and question.id in healthy]
    rankings = [healthy[question.id].ids for question in scored]
    golds = [winnable[question.id] for question in scored]
    table = measure(rankings, golds) if scored else np.empty((0, len(MEASURES)))
    ranks = [first_gold(ranking, gold) for ranking, gold in zip(rankings, golds, strict=True)]
    tags = dict.fromkeys(tag for question in run.questions for tag in question.tags if question.gold_task_ids)
    return MethodScore(
        name=name,
        overall=group_of(table, seed),
        by_tag={tag: group_of(table[[tag in question.tags for question in scored]], seed) for tag in tags},
        coverage=_coverage(run, rows, winnable),
        no_answer=_no_answer(
            [healthy[question.id] for question in run.questions if _asks_nothing(question, healthy)], seed
        ),
        latency=Latency(np.sort([ms for row in healthy.values() for ms in row.ms])),
        values={question.id: row for question, row in zip(scored, table, strict=True)},
        curve=_curve(ranks, run.header.top),
    )


def _asks_nothing(question: Question, healthy: Mapping[str, Row]) -> bool:
    return question.no_answer and question.id in healthy


def _curve(ranks: Sequence[int | None], top: int) -> list[float]:
    if not ranks:
        return []
    return [sum(rank is not None and rank <= depth for rank in ranks) / len(ranks) for depth in range(1, top + 1)]


def _coverage(run: Run, rows: Mapping[str, Row | None], winnable: Mapping[str, frozenset[str]]) -> Coverage:
    counts = dict.fromkeys(Coverage._fields, 0)
    counts["questions"] = len(run.questions)
    counts["unreadable"] = run.header.questions.unreadable
    for question in run.questions:
        row = rows[question.id]
        gold = winnable.get(question.id)
        if not question.eligible:
            fate = "ineligible"
        elif not question.no_answer and gold is None:
            fate = "unwinnable"
        elif row is None:
            fate = "missing"
        elif row.degraded:
            fate = "degraded"
            counts["failed"] += row.error is not None
        else:
            fate = "no_answer" if question.no_answer else "scored"
        counts[fate] += 1
        counts["partial"] += gold is not None and len(gold) < len(question.gold_task_ids)
    return Coverage(**counts)


def _no_answer(rows: Sequence[Row], seed: int) -> NoAnswer:
    judged = [row.confidence for row in rows if row.confidence is not None]
    verdicts = {verdict: judged.count(verdict) for verdict in VERDICTS}
    if not judged:
        return NoAnswer(0, verdicts, None, None)
    sure = np.array([[verdict in ("strong", "moderate")] for verdict in judged], dtype=np.float64)
    low, high = bootstrap_interval(sure, seed=seed)[:, 0]
    return NoAnswer(len(judged), verdicts, float(sure.mean()), (float(low), float(high)))


def _contrast(first: MethodScore, second: MethodScore, measure: str, seed: int) -> Contrast:
    column = MEASURES.index(measure)
    common = [question for question in first.values if question in second.values]
    if not common:
        return Contrast(second.name, first.name, measure, 0, None, None, None, None)
    differences = np.array([second.values[question][column] - first.values[question][column] for question in common])
    low, high = bootstrap_interval(differences[:, None], seed=seed)[:, 0]
    return Contrast(
        second.name,
        first.name,
        measure,
        len(common),
        float(differences.mean()),
        (float(low), float(high)),
        randomisation_p(differences, seed=seed),
        None,
    )
