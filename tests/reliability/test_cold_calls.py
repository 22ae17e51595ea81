"""Many processes at once over one cache."""

from __future__ import annotations

from reliability.harness import Ats, Ended, ended

CALLS = 40


def each_with_its_own_query(ats: Ats, count: int, *words: str, **variables: str) -> list[Ended]:
    """`count` calls at once; the n-th asks for task n, and has to find it."""
    processes = [ats.start("find", "--json", *words, f"number{n}x", **variables) for n in range(count)]
    results = [ended(process) for process in processes]
    for number, result in enumerate(results):
        assert result.code == 0, result
        assert result.answer["query"] == f"number{number}x"
        assert result.ids == [f"t{number}"]
    return results


def test_forty_cold_calls_make_one_fetch_and_each_has_its_own_answer(ats: Ats) -> None:
    ats.plan(tasks=CALLS, fetch_seconds=0.5)
    results = each_with_its_own_query(ats, CALLS)
    assert ats.asked("fetch") == ["fetch"]
    assert not any(result.answer["degraded"] or result.err for result in results)
    lines = ats.log_lines()
    assert sorted(line["query"] for line in lines) == sorted(f"number{n}x" for n in range(CALLS))
    assert len({line["pid"] for line in lines}) == CALLS
    assert all(line["error"] is None and line["resultCount"] == 1 for line in lines)


def test_twenty_calls_at_an_expired_copy_make_one_fetch(ats: Ats) -> None:
    ats.plan(tasks=20)
    ats.find("number1x")
    ats.plan(tasks=20, fetch_seconds=0.3)
    each_with_its_own_query(ats, 20, TEST_CLOCK_SHIFT="600")
    assert ats.asked("fetch") == ["fetch"] * 2


def test_twenty_calls_at_a_store_that_is_down_ask_it_once(ats: Ats) -> None:
    ats.plan(tasks=20)
    ats.find("number1x")
    ats.plan(tasks=20, fetch_seconds=0.3, fetch_error="HTTP 503")
    for result in each_with_its_own_query(ats, 20, TEST_CLOCK_SHIFT="600"):
        assert (result.answer["degraded"], result.answer["corpus"]["stale"]) == (True, True)
        assert "HTTP 503" in result.answer["warnings"][0]
    assert ats.asked("fetch") == ["fetch"] * 2


def test_ten_cold_calls_at_a_store_that_is_down_do_not_queue_up_to_ask_it(ats: Ats) -> None:
    ats.plan(fetch_seconds=2, fetch_error="HTTP 503")
    processes = [ats.start("find", "--json", "number1x") for _ in range(10)]
    for result in map(ended, processes):
        assert result.code == 1
        assert "HTTP 503" in result.answer["error"]["message"]
    assert len(ats.asked("fetch")) <= 2, "on a busy machine one may begin after the first has failed"
