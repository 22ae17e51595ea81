"""What is shown while something takes its time: a spinner or a bar on a terminal, lines in a log."""

from typing import Any

import pytest
from ats_cli.show.pace import EVERY, Pace, ProgressLines
from ats_cli.show.units import counted, duration, size


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("arguments", [["find", "release"], ["cache", "sync"], ["projects"]])
def test_a_quick_command_shows_nothing_on_a_terminal(ats: Any, arguments: list[str]) -> None:
    assert ats.on_terminal(80, *arguments, stream="stderr") == ""


@pytest.mark.parametrize("arguments", [["find", "release"], ["find", "release", "--json"], ["cache", "sync"]])
def test_a_slow_fetch_shows_a_spinner_and_wipes_it(ats: Any, arguments: list[str]) -> None:
    gate = ats.config.parent / "gate"

    def open_gate(received: bytes) -> None:
        if b"fetching the corpus" in received:
            gate.touch()

    text = ats.on_terminal(80, *arguments, stream="stderr", watch=open_gate, TOY="waits", TOY_GATE=str(gate))
    assert "fetching the corpus" in text
    assert text.endswith("\x1b[2K"), "the line is wiped"
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h"), "the cursor is back"


def test_a_pipe_gets_no_spinner_however_slow_the_fetch(ats: Any) -> None:
    ended = ats("find", "release", TOY="slow")
    assert (ended.code, ended.err) == (0, "")
    ats.environ["TOY"] = "slow"
    assert not {module for module in ats.modules("find", "release", "--fresh") if module.startswith("rich")}


def test_nothing_moves_on_a_dumb_terminal(ats: Any) -> None:
    assert ats.on_terminal(80, "cache", "sync", stream="stderr", TOY="slow", TERM="dumb") == ""


def test_pace_in_words() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace(64, 1000) == "64 of 1000 (6 %)"
    clock.now += 2
    assert pace(132, 1000) == "132 of 1000 (13 %), 34/s, 26 s left"
    clock.now += 98
    assert pace(164, 1000) == "164 of 1000 (16 %), 1.0/s, 14 min left"
    assert pace(1000, 1000) == "1000 of 1000 (100 %), 9.4/s"
    assert Pace(clock)(0, 0) == "0 of 0 (0 %)"


def test_lines_come_each_tenth_and_every_few_seconds() -> None:
    clock, lines = Clock(), list[str]()
    progress = ProgressLines("embedding", lines.append, clock)
    for done in range(1, 101):
        progress(done, 100)
    assert [line.split()[1] for line in lines] == ["10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]
    lines.clear()
    progress = ProgressLines("embedding", lines.append, clock)
    for done in range(1, 10):
        clock.now += EVERY / 2
        progress(done, 1000)
    assert [line.split()[1] for line in lines] == ["2", "4", "6", "8"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(-5, "0 s"), (0.4, "0 s"), (119, "119 s"), (120, "2 min"), (7300, "2 h"), (864_000, "10 d")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (3_400_000_000, "3.4 GB"),
    ],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_counted() -> None:
    assert [counted(count, "task") for count in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
