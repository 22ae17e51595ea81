"""What a shell is offered: commands, adapters, projects."""

from typing import Any

import pytest


def offered(ats: Any, *words: str) -> list[str]:
    ended = ats(_ATS_COMPLETE="complete_bash", COMP_WORDS=" ".join(["ats", *words]), COMP_CWORD=str(len(words)))
    assert ended.err == ""
    return [line for line in str(ended.out).splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["notes"], ["notes-find"]),
        (["cache", "cl"], ["clear"]),
        (["find", "--adapter", "toy-"], ["toy-backend", "toy-dense"]),
        (["find", "--project", "O"], ["Ops"]),
        (["tasks", ""], ["Ops", "Home"]),
    ],
)
def test_what_is_half_typed_is_completed(ats: Any, words: list[str], expected: list[str]) -> None:
    ats("find", "release")
    assert offered(ats, *words) == expected


def test_without_a_cached_corpus_no_store_is_asked_for_its_projects(ats: Any) -> None:
    ats.environ["TOY"] = "store down"
    assert offered(ats, "tasks", "") == []
