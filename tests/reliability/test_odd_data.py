"""Data that stores really hold: nothing raises, and all of it is found."""

from __future__ import annotations

import os
import sys

import pytest
from reliability.harness import Ats

NULS = "a\x00b\x00\x00 number1x"


@pytest.mark.parametrize("space", [None, "s"])
def test_lone_surrogates_everywhere(ats: Ats, space: str | None) -> None:
    odd = {"id": "i\ud83d", "title": "plan \ud83d number1x", "content": "\udcff body \ud800", "tags": ["\udc00"]}
    ats.plan(tasks=[odd], account="ann\udfff", space=space)
    for _ in range(2):
        found = ats.find("number1x", ATS_ADAPTER="faulty-bulk")
        assert found.ids == ["i\ufffd"]
        assert not found.answer["degraded"]
    assert ats("find", "number1x", LC_ALL="C", PYTHONIOENCODING="cp1252").code == 0


def test_bytes_that_are_no_text_in_the_words(ats: Ats) -> None:
    process = ats.start("find", "--json", os.fsdecode(b"\xff number1x"))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert b'"query":"\xef\xbf\xbd number1x"' in out
    assert ats.log_lines()[-1]["query"] == "\ufffd number1x"


def test_nuls_everywhere(ats: Ats) -> None:
    ats.plan(tasks=[{"id": "n\x00", "title": NULS, "content": NULS, "tags": ["\x00"]}], space="s", account="a\x00b")
    for _ in range(2):
        assert ats.find("number1x").ids == ["n\x00"]
    assert ats("find", "number1x").code == 0


def test_a_body_of_5_mb(ats: Ats) -> None:
    body = "filler text and more " * 250_000 + "needle"
    ats.plan(tasks=[{"id": "big", "title": "large", "content": body}, {"id": "t1", "title": "small"}], space="s")
    for _ in range(2):
        found = ats.find("needle")
        assert found.ids[0] == "big"
        assert len(found.out) < 20_000
    assert ats("get", "big").code == 0


def test_a_hundred_thousand_tasks_in_one_fetch(ats: Ats) -> None:
    ats.plan(tasks=100_000)
    found = ats.find("number99999x", ATS_ADAPTER="faulty-bulk")
    assert (found.ids, found.answer["corpus"]["size"]) == (["t99999"], 100_000)
    warm = ats.find("number54321x", ATS_ADAPTER="faulty-bulk")
    assert (warm.ids, warm.answer["corpus"]["fromCache"]) == (["t54321"], True)
    assert sys.getsizeof(warm.out) < 20_000
