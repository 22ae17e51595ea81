"""How a query reaches the engine: unquoted words, dashes, stdin, odd bytes."""

import sys
from typing import Any

import pytest


def query(ats: Any, *arguments: str | bytes, **options: Any) -> str:
    ended = ats("find", "--json", *arguments, **options)
    assert ended.code == 0, ended.err
    text: str = ended.json["query"]
    return text


def test_words_need_no_quotes(ats: Any) -> None:
    assert query(ats, "how", "do", "I", "roll", "back") == "how do I roll back"


def test_options_may_stand_between_words(ats: Any) -> None:
    assert query(ats, "roll", "-n", "3", "back") == "roll back"


def test_after_two_dashes_everything_is_query(ats: Any) -> None:
    assert query(ats, "--", "-20%", "sale") == "-20% sale"
    assert query(ats, "--", "--json") == "--json"


@pytest.mark.parametrize(
    "words", [["-20% sale"], ["->poll"], ["--limit", "3", "->poll"], ["-x"], ["--no-such"], ["-n urgent thing"]]
)
@pytest.mark.parametrize("command", ["find", "keyword"])
def test_a_dash_without_them_is_a_usage_error_that_says_so(ats: Any, command: str, words: list[str]) -> None:
    ended = ats(command, *words)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert f"ats {command} -- -20% sale" in ended.err


@pytest.mark.parametrize(
    ("words", "meant"), [(["find", "--limt", "3", "x"], "--limit"), (["tasks", "Home", "--jsn"], "--json")]
)
def test_a_misspelt_option_is_named_once_and_not_taken_for_a_query(ats: Any, words: list[str], meant: str) -> None:
    ended = ats(*words)
    misspelt = next(word for word in words if word.startswith("--"))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"ats: no such option: {misspelt} (did you mean {meant}?)\n"


def test_an_option_without_its_value_is_not_taken_for_a_query(ats: Any) -> None:
    ended = ats("find", "x", "--limit", "many")
    assert ended.code == 2
    assert "--help" in ended.err
    assert " -- " not in ended.err


def test_a_single_dash_reads_stdin(ats: Any) -> None:
    assert query(ats, "-", stdin="-x roll\nback\n") == "-x roll\nback"
    assert query(ats, "-", stdin=b"\xef\xbb\xbfcaf\xc3\xa9 \xff\r\n") == "café \ufffd"


def test_stdin_is_not_read_unasked(ats: Any) -> None:
    # The pipe stays open: whoever reads from it never ends.
    process = ats.start("find", "release", stdin=-1, stdout=-1, stderr=-1)
    try:
        assert process.wait(timeout=60) == 0
    finally:
        process.stdin.close()
        process.stdout.close()
        process.stderr.close()


@pytest.mark.parametrize("arguments", [[], [""], [" \t"]])
def test_a_blank_query_is_a_usage_error(ats: Any, arguments: list[str]) -> None:
    ended = ats("find", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("ats: ")
    assert ended.err.count("\n") == 1


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="arguments are bytes on Linux alone")
def test_undecodable_bytes_become_replacement_characters(ats: Any) -> None:
    assert query(ats, b"caf\xff") == "caf\ufffd"


@pytest.mark.skipif(sys.platform == "win32", reason="a locale is a thing of POSIX")
def test_utf8_arguments_survive_an_ascii_locale(ats: Any) -> None:
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert query(ats, "café".encode(), **environ) == "café"


@pytest.mark.parametrize("text", ["(", "*", "[", "\\", "a\\", "%", "_", '"', "&", "C++", "[/bold]", "{x}", ":smile:"])
def test_special_characters_are_just_text(ats: Any, text: str) -> None:
    assert query(ats, text) == text
