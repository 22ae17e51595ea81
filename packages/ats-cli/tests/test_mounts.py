"""Commands that other packages bring, and the harm that broken ones must not do."""

import re
from typing import Any

import pytest

GOOD = """
import typer
print("PRINTED AT IMPORT")
app = typer.Typer()

@app.command()
def score(file: str, code: int = 0):
    "Score a run."
    print(f"scored {file} ☺")
    raise typer.Exit(code)

@app.command()
def flood():
    for _ in range(100_000):
        print("a line of some length, so that the pipe is full before the end")

@app.command()
def oops():
    raise ZeroDivisionError("bug")

@app.command()
def half(json: bool = False):
    print("[]")
    raise ZeroDivisionError("bug")
"""
BROKEN = {
    "ImportError": "import no_such_module_anywhere",
    "SystemExit": "raise SystemExit(0)",
    "missing": "x = 1",
    "no typer": "app = 3",
    "SyntaxError": "def (",
    "prints": "print('NOISE')\nimport os\nos.write(1, b'NOISE')\nraise RuntimeError('late')",
}


@pytest.fixture
def measure(make_dist: Any) -> None:
    make_dist(
        "ats-good",
        group="ats.commands",
        points={"measure": "good_app:app"},
        modules={"good_app": GOOD},
        summary="Measures retrieval",
    )


@pytest.mark.usefixtures("measure")
def test_help_shows_a_stub_without_importing_it(ats: Any) -> None:
    assert re.search(r"^  measure +Measures retrieval \(ats-good\)$", ats("--help").out, re.M)
    assert "good_app" not in ats.modules("--help")
    assert "good_app" in ats.modules("measure", "--help")


@pytest.mark.usefixtures("measure")
def test_a_mounted_command_answers_on_stdout(ats: Any) -> None:
    ended = ats("measure", "score", "run.json", PYTHONIOENCODING="ascii")
    assert (ended.code, ended.out) == (0, "scored run.json ☺\n")
    assert "PRINTED AT IMPORT" in ended.err
    assert ats("measure", "score", "run.json", "--code", "5").code == 5
    assert ats("measure", "--help").out.count("score") >= 1


@pytest.mark.usefixtures("measure")
def test_parser_and_bug_in_a_mounted_command(ats: Any) -> None:
    ended = ats("measure", "score")
    assert (ended.code, ended.out) == (2, "")
    assert "\nats: missing argument" in ended.err
    assert ats("measure", "score", "--json").json["error"]["type"] == "UsageError"
    assert ats("measure", "half", "--json").out == "[]\n", "no second document"
    ended = ats("measure", "oops")
    assert ended.code == 1
    assert "ZeroDivisionError: bug" in ended.err


@pytest.mark.parametrize("no_args_is_help", [True, False])
def test_a_mounted_app_without_a_command_is_a_usage_error(ats: Any, make_dist: Any, no_args_is_help: bool) -> None:
    source = f"""
import typer
app = typer.Typer(no_args_is_help={no_args_is_help}, help="Does one thing.")

@app.command()
def only(): print("done")
"""
    make_dist("ats-single", group="ats.commands", points={"single": "single:app"}, modules={"single": source})
    ended = ats("single")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("ats: ")
    assert "ats single --help" in ended.err
    assert ats("single", "--json").json["error"]["type"] == "UsageError"
    assert ats("single", "only").out == "done\n"
    assert "completion" not in ats("single", "--help").out


@pytest.mark.usefixtures("measure")
def test_a_closed_pipe_ends_a_mounted_command_quietly(ats: Any) -> None:
    process = ats.start("measure", "flood", stdout=-1, stderr=-1)
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert err == b"[good_app] PRINTED AT IMPORT\n"


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_one_harms_nobody_else(ats: Any, make_dist: Any, fault: str) -> None:
    make_dist(
        "ats-bad",
        group="ats.commands",
        points={"bad": "bad_app:app"},
        modules={"bad_app": BROKEN[fault]},
        version="2.5",
    )
    make_dist("ats-worse", points={"worse": "bad_app:app"}, version="2.5")
    assert re.search("^  bad +ats-bad$", ats("--help").out, re.M)
    assert ats("find", "release", "--json").json["count"]
    ended = ats("bad", "x")
    assert (ended.code, ended.out) == (2, "")
    assert "ats-bad 2.5" in ended.err
    assert "pip install" in ended.err
    assert "Traceback" not in ended.err
    ended = ats("find", "x", "--adapter", "worse", "--json")
    assert ended.code == 2
    assert "ats-worse" in ended.json["error"]["message"]
    listed = {one["name"]: one for one in ats("adapters", "--json").json["adapters"]}
    assert listed["worse"]["ok"] is False
    assert listed["worse"]["error"]
    assert listed["toy"]["ok"] is True


def test_damaged_metadata_does_not_take_the_help_away(ats: Any, make_dist: Any) -> None:
    info = make_dist("ats-odd", points={"odd": "odd:app"})
    (info / "entry_points.txt").write_bytes(b"[ats.commands\nodd ==\n\xff\xfe")
    (info / "METADATA").unlink()
    ended = ats("--help")
    assert ended.code == 0
    assert "find" in ended.out


def test_a_broken_plugin_is_a_warning(ats: Any, make_dist: Any) -> None:
    make_dist(
        "ats-bad-plugin",
        group="ats.plugins",
        points={"bad": "bad_plugin"},
        modules={"bad_plugin": "raise SystemExit(3)"},
    )
    ended = ats("find", "release", "--json")
    assert (ended.code, ended.json["mode"]) == (0, "find")
    assert "ats: warning: " in ended.err
    assert "ats-bad-plugin 1.0" in ended.err


def test_our_own_names_come_first(ats: Any, make_dist: Any) -> None:
    make_dist(
        "ats-thief",
        group="ats.commands",
        points={"find": "good_app:app", "toy": "good_app:app"},
        modules={"good_app": GOOD},
    )
    assert ats("find", "release", "--json").json["mode"] == "find"
    assert ats("toy", "score", "x").out == "scored x ☺\n", "a mounted command comes before an adapter"


@pytest.mark.parametrize("group", ["ats.commands", "ats.adapters"])
def test_two_distributions_claiming_one_name(ats: Any, make_dist: Any, group: str) -> None:
    for name in ("ats-one", "ats-two"):
        make_dist(name, group=group, points={"twin": f"{name.replace('-', '_')}:app"})
    ended = ats("twin", "--json")
    assert ended.code == 2
    message = ended.json["error"]["message"]
    assert "ats-one" in message
    assert "ats-two" in message
    if group == "ats.adapters":
        listed = [one for one in ats("adapters", "--json").json["adapters"] if one["name"] == "twin"]
        assert [one["ok"] for one in listed] == [False, False]
    assert ats("find", "release", "--json").json["count"]


def test_commands_of_an_adapter(ats: Any) -> None:
    ended = ats("toy", "play", "a ball", TOY="prints")
    assert ended.code == 0, "a command's return value is no exit code"
    assert "playing with a ball ☺\n" in ended.out
    assert "WRITTEN" not in ended.out
    assert "PRINTED AT IMPORT" not in ended.out
    assert ats("toy", "leave", "9").code == 9
    ended = ats("toy", "play", "x", "--fail")
    assert (ended.code, ended.err) == (1, "ats: the toy broke (glue it)\n")
    assert "Play with a toy." in ats("toy", "play", "--help").out


def test_an_adapter_without_commands(ats: Any) -> None:
    ended = ats("toy", TOY="no commands")
    assert ended.code == 2
    assert "ats find --adapter toy" in ended.err
