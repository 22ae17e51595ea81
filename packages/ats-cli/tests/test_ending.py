"""How a run ends: exit codes, Ctrl-C, threads that stay behind, bugs."""

import io
import json
import re
import signal
import subprocess
import sys
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("toy", "code", "message"),
    [
        ("no login", 3, "ats: the toy wants a login (run: ats auth login)\n"),
        ("store down", 1, None),
    ],
)
def test_errors_are_one_line_and_a_documented_code(ats: Any, toy: str, code: int, message: str | None) -> None:
    ended = ats("projects", TOY=toy)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.count("\n") == 1
    assert message is None or ended.err == message


def test_every_branch_failed(ats: Any) -> None:
    ended = ats("semantic", "release", "--adapter", "toy-dense")
    assert (ended.code, ended.out) == (4, "")
    assert "the embedder is down" in ended.err
    ended = ats("semantic", "release", "--adapter", "toy-dense", "--json")
    assert (ended.code, ended.json["error"]["type"]) == (4, "AllBranchesFailedError")


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_stuck_branch_does_not_hold_the_process(ats: Any, form: list[str]) -> None:
    # It would wait for ever; the harness' patience is the bound.
    ended = ats("find", "release", "--budget-ms", "1500", *form, TOY="stuck")
    assert ended.code == 0
    if form:
        statuses = {branch["name"]: branch["status"] for branch in ended.json["branches"]}
        assert statuses["stuck"] == "timed out"
        assert ended.json["degraded"] is True
    else:
        assert "stuck timed out" in ended.out
        assert "ats: warning: " in ended.err


def test_a_pool_of_a_plugin_does_not_hold_the_process(ats: Any) -> None:
    ended = ats("find", "release", "--json", TOY="pool")
    assert ended.code == 0
    assert "pool" in ended.json["tasks"][0]["sources"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT as POSIX has it")
@pytest.mark.parametrize("form", [["--json"], []])
def test_ctrl_c_is_130_at_once_and_quiet(ats: Any, form: list[str]) -> None:
    process = ats.start(
        "find", "release", "--budget-ms", "600000", *form,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, environ={"TOY": "stuck"},
        # A test runner in the background may have been started with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr.readline() == b"BRANCH STARTED\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert out.startswith(b'{"error":{"type":"Interrupted"') if form else out == b""


@pytest.mark.parametrize("error", [ValueError("deep"), SystemExit(0), GeneratorExit()])
def test_a_bug_shows_its_traceback(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    from ats_cli.failure import report
    from ats_cli.session import Session
    from ats_cli.stdout import Answer

    for arguments in (["find"], ["find", "--json"]):
        answer = Answer(io.BytesIO())
        session = Session(answer, {}, arguments)
        session.guarded = True
        assert report(session, error) == 1
        assert type(error).__name__ in capsys.readouterr().err
        if session.json:
            assert json.loads(answer.buffer.getvalue())["error"]["type"] == type(error).__name__
        else:
            assert not answer.used


def test_a_plugin_that_leaves_the_process_while_it_is_loaded_is_an_error(ats: Any) -> None:
    ended = ats("find", "release", "--json", TOY="exits")
    assert ended.code == 2, "not the plugin's choice"
    assert "error" in ended.json


def test_a_hook_that_leaves_the_process_costs_only_what_it_was_asked_for(ats: Any) -> None:
    ended = ats("find", "release", "--json", TOY="exits late")
    assert ended.code == 0
    assert ended.json["tasks"]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], [], ["find", "--help"], ["config"], ["cache"], ["config", "set", "-h"]]
)
def test_help_is_an_answer(ats: Any, arguments: list[str]) -> None:
    ended = ats(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: ats")


def test_help_names_exit_codes_and_every_command_has_an_example(ats: Any) -> None:
    from ats_cli.commands import COMMANDS

    text = ats("--help").out
    assert re.search(r"^ +130 +interrupted$", text, re.M)
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", text, re.M)
        help = ats(name, "--help").out
        groups = re.findall(r"^  (\w+) ", help.partition("Commands:")[2], re.M)
        for words in [[name, command] for command in groups] or [[name]]:
            assert f"ats {' '.join(words)}" in ats(*words, "--help").out.split("Example", 1)[1]


def test_version(ats: Any) -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    assert ats("--version").out == f"ats {project['version']}\n"


def test_a_misspelt_command(ats: Any) -> None:
    ended = ats("fnid", "x")
    assert (ended.code, ended.err) == (2, "ats: no such command: fnid (did you mean find?)\n")
