"""Another account, host, file or adapter within the time to live is never served what is not its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ats_core import Engine
from reliability.harness import Ats

ANN: dict[str, Any] = {
    "account": "ann",
    "tasks": [{"id": "a1", "title": "secret of ann"}, {"id": "s", "title": "shared words"}],
}
BOB = {"account": "bob", "tasks": [{"id": "b1", "title": "secret of bob"}, {"id": "s", "title": "shared words"}]}
EU = {**BOB, "account": "ann@eu"}


@pytest.mark.parametrize("other", [BOB, EU])
def test_another_account_or_host_sees_its_own_tasks_and_going_back_costs_no_fetch(
    ats: Ats, other: dict[str, Any]
) -> None:
    for plan, own, fetches in ((ANN, "a1", 1), (other, "b1", 2), (ANN, "a1", 2), (other, "b1", 2)):
        ats.plan(**plan)
        assert ats.find("secret").ids == [own]
        assert len(ats.asked("fetch")) == fetches


def test_another_adapter_with_the_same_account_and_ids(ats: Ats) -> None:
    ats.plan(**ANN)
    assert ats.find("secret").ids == ["a1"]
    ats.plan(**{**BOB, "account": "ann"})
    assert ats.find("secret", ATS_ADAPTER="faulty-other").ids == ["b1"]
    assert ats.find("secret").ids == ["a1"]
    assert ats.find("secret", ATS_ADAPTER="faulty-other").ids == ["b1"]
    assert len(ats.asked("fetch")) == 2


def test_another_file_of_the_memory_adapter(ats: Ats, tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.json").write_text(json.dumps([{"id": name, "title": f"secret of {name}"}]))
    for name in ("ann", "bob", "ann"):
        found = ats.find("secret", ATS_ADAPTER="memory", ATS_MEMORY_FILE=str(tmp_path / f"{name}.json"))
        assert found.ids == [name]
    assert found.answer["corpus"]["fromCache"]


def test_no_account_is_served_anothers_vectors(ats: Ats) -> None:
    for plan, calls in ((ANN, 1), (BOB, 2), (ANN, 2), (BOB, 2)):
        ats.plan(space="s", **plan)
        assert "s" in ats.find("shared words").ids
        assert len(ats.asked("embed document")) == calls, "each account's own texts, once"


def test_no_account_is_served_anothers_marks_of_refused_texts(ats: Ats, open_engine: Callable[..., Engine]) -> None:
    refused = {"id": "r", "title": "REFUSED words"}

    def unusable(account: dict[str, Any], space: str, embed: str) -> object:
        ats.plan(**{**account, "tasks": [*account["tasks"], refused]}, space=space, embed=embed)
        return open_engine().state.sync().counts["unusable"]

    assert unusable(ANN, "s", "refuses") == 1
    assert unusable(BOB, "s", "well") == 0
    asked = len(ats.asked("embed document"))
    assert unusable(ANN, "s", "well") == 1
    assert len(ats.asked("embed document")) == asked, "not asked again until its text or the space changes"
    assert unusable(ANN, "s2", "well") == 0


def test_clearing_one_account_leaves_the_other(ats: Ats) -> None:
    for plan in (ANN, BOB):
        ats.plan(**plan)
        ats.find("secret")
    assert ats("cache", "clear").code == 0
    ats.plan(**ANN)
    assert ats.find("secret").answer["corpus"]["fromCache"]
    ats.plan(**BOB)
    assert not ats.find("secret").answer["corpus"]["fromCache"]
