"""The branches of others: the store's own search, and what adapter and plugins bring."""

from __future__ import annotations

from collections.abc import Iterable

from ats_core.deadline import Deadline
from ats_core.errors import AtsError, ContractError
from ats_core.fanout import Job, describe
from ats_core.hookspecs import Branch
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote, foreign_vote

NATIVE = "native"

RESERVED = frozenset({"hybrid", "dense", "sparse", "keyword", "id", NATIVE})
"""Names of core's own branches."""


def native_job(question: Question, adapter: Adapter) -> Job[Vote]:
    """The store's own search."""

    def run(deadline: Deadline) -> Vote:
        ranking = adapter.search_by_query(question.text, question.candidates, deadline)
        try:
            return foreign_vote(question, ranking)
        except ContractError as error:
            raise ContractError(f"{adapter.label}: search_by_query broke its contract: {error.message}") from error

    return Job(NATIVE, run)


def custom_job(question: Question, branch: Branch) -> Job[Vote]:
    """A branch of the adapter's or of a plugin's own."""

    def run(deadline: Deadline) -> Vote:
        return foreign_vote(question, branch.run(question.text, question.corpus, deadline))

    return Job(branch.name, run)


def custom_branches(plugins: Iterable[Plugin], warnings: list[str]) -> list[Branch]:
    """The branches of adapter and plugins, in order; what cannot be had, or has a taken name, becomes a warning."""
    taken = set(RESERVED)
    result: list[Branch] = []
    for plugin in plugins:
        try:
            branches = plugin.branches() if "branches" in plugin.implemented else []
        except AtsError as error:
            warnings.append(f"no branches from {plugin.label}: {describe(error)}")
            continue
        for branch in branches:
            if branch.name in taken:
                warnings.append(f"branch {branch.name} of {plugin.label} is refused: the name is taken")
                continue
            taken.add(branch.name)
            result.append(branch)
    return result
