"""Standard output holds the answer and nothing else, and may go away."""

import os
import subprocess
import sys
from typing import Any

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="shell and devices of POSIX")


def test_what_plugins_print_goes_to_stderr(ats: Any) -> None:
    ended = ats("find", "release", "--json", python=("-W", "always"), TOY="prints")
    assert ended.code == 0
    assert ended.json["mode"] == "find"
    assert "noisy" in [branch["name"] for branch in ended.json["branches"]]
    for noise in ("PRINTED AT IMPORT", "WRITTEN AT IMPORT", "PRINTED IN HOOK", "WRITTEN IN HOOK", "ECHOED IN HOOK"):
        assert noise in ended.err


@pytest.mark.parametrize(
    "arguments", [["find", "release"], ["projects"], ["tasks", "Ops"], ["get", "t1"], ["adapters"], ["cache", "status"]]
)
def test_no_command_lets_prints_into_its_text(ats: Any, arguments: list[str]) -> None:
    ended = ats(*arguments, TOY="prints")
    assert ended.code == 0
    assert "PRINTED" not in ended.out
    assert "WR" not in ended.out


def test_every_command_of_ours_is_guarded() -> None:
    from importlib import import_module

    from ats_cli.commands import COMMANDS, module_of
    from ats_cli.kit import Command

    for name in COMMANDS:
        registered = import_module(module_of(name)).app.registered_commands
        assert registered
        assert all(command.cls is Command for command in registered), name


@pytest.mark.parametrize("form", [["--json"], [], ["--content"]])
def test_a_closed_pipe_ends_quietly(ats: Any, form: list[str]) -> None:
    ours, theirs = os.pipe()
    process = ats.start(
        "find", "release", "-n", "2000", *form, stdout=theirs, stderr=subprocess.PIPE, environ={"TOY": "many"}
    )
    os.close(theirs)
    os.close(ours)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_a_reader_that_takes_one_line(ats: Any) -> None:
    process = ats.start(
        "find", "release", "-n", "2000", "--content",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, environ={"TOY": "many", "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout.readline().startswith(b"1. ")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (0, b"")


def test_an_error_keeps_its_code_when_nobody_reads(ats: Any) -> None:
    ours, theirs = os.pipe()
    process = ats.start("find", " ", "--json", stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    os.close(ours)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (2, b"")


@posix
@pytest.mark.parametrize("redirections", [">&-", "<&- >&-", "2>&-", "<&- 2>&- >&-"])
def test_descriptors_that_are_closed_from_the_start(ats: Any, redirections: str) -> None:
    shell = ["sh", "-c", f'exec "$@" {redirections}', "sh", *ats.command, "find", "release", "--json"]
    ended = subprocess.run(shell, env=ats.env({"TOY": "prints"}), capture_output=True, timeout=60, check=False)
    assert ended.returncode == 0
    if redirections == "2>&-":
        assert ended.stdout.count(b"\n") == 1, "the answer alone"
    else:
        assert ended.stdout == b""
    assert b"Traceback" not in ended.stderr
    log = (ats.config / "search-log.jsonl").read_text("utf-8")
    assert "PRINTED" not in log, "no file took the number of a closed descriptor"


@pytest.mark.parametrize(
    ("arguments", "toy", "code"),
    [(["find", "release"], "fails", 0), (["find", " "], "", 2), (["toy", "play", "x", "--fail"], "", 1)],
)
def test_stderr_may_go_away_too(ats: Any, arguments: list[str], toy: str, code: int) -> None:
    ours, theirs = os.pipe()
    process = ats.start(*arguments, stdout=subprocess.DEVNULL, stderr=theirs, environ={"TOY": toy})
    os.close(theirs)
    os.close(ours)
    assert process.wait(timeout=60) == code


@posix
def test_stdin_that_is_closed_is_a_usage_error(ats: Any) -> None:
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *ats.command, "find", "-"]
    ended = subprocess.run(shell, env=ats.env({}), capture_output=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert b"stdin" in ended.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("form", [["--json"], []])
def test_a_full_disk_is_an_error(ats: Any, form: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        process = ats.start("find", "release", *form, stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == b"ats: the answer could not be written: No space left on device\n"
