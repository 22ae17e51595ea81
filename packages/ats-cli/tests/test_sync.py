"""`ats sync`: everything that lacks a vector gets one, and what was done stays done."""

import re
import signal
import subprocess
import sys
from typing import Any

import pytest

DENSE = ["--adapter", "toy-dense"]


def test_what_has_a_vector_is_not_embedded_again(ats: Any) -> None:
    ended = ats("sync", *DENSE, TOY="embeds")
    assert (ended.code, ended.out) == (0, "5 tasks: 5 embedded now, 4 have vectors, 1 could not be embedded\n")
    assert ended.err == "ats: embedding: 5 of 5 (100 %)\n"
    ended = ats("sync", *DENSE, TOY="embeds")
    assert ended.out == "5 tasks: 0 embedded now, 4 have vectors, 1 could not be embedded\n"
    assert ended.err == ""


def test_json_is_one_document(ats: Any) -> None:
    ended = ats("sync", "--json", *DENSE, TOY="embeds")
    counts = {"tasks": 5, "embedded": 5, "missing": 0, "unusable": 1}
    assert (ended.code, ended.json) == (0, {"adapter": "toy-dense", "counts": counts, "warnings": []})
    assert ended.out.count("\n") == 1


def test_it_refetches(ats: Any) -> None:
    ats("find", "release", *DENSE, TOY="embeds")
    assert ats("sync", "--json", *DENSE, TOY="many, embeds").json["counts"]["tasks"] == 2005


@pytest.mark.parametrize("form", [["--json"], []])
def test_what_went_wrong_is_a_warning_and_no_failure(ats: Any, form: list[str]) -> None:
    ats.config.mkdir()
    (ats.config / "vectors").write_text("in the way of the folder")
    ended = ats("sync", *DENSE, *form, TOY="embeds")
    assert ended.code == 0
    said = ended.json["warnings"] if form else [line for line in ended.err.splitlines() if "warning: " in line]
    assert len(said) == 1
    assert f"vectors could not be kept in {ats.config / 'vectors'}" in said[0]


def test_a_project_that_is_missing_is_a_warning(ats: Any) -> None:
    ended = ats("sync", "--adapter", "toy-backend", TOY="one fails")
    assert (ended.code, ended.out) == (0, "points: 2, deleted: 0\n")
    assert "ats: warning: project Home is missing: HTTP 500\n" in ended.err


def test_a_log_gets_a_line_now_and_then(ats: Any) -> None:
    lines = ats("sync", *DENSE, TOY="many, embeds").err.splitlines()
    form = r"ats: embedding: \d+ of 2005 \(\d+ %\)(, [\d.,]+/s(, \d+ (s|min) left)?)?"
    assert all(re.fullmatch(form, line) for line in lines), lines
    assert 10 <= len(lines) <= 12
    assert "2005 of 2005 (100 %)" in lines[-1]


def test_a_terminal_gets_a_bar_that_is_wiped(ats: Any) -> None:
    gate = ats.config.parent / "gate"

    def open_gate(received: bytes) -> None:
        if b"128 of 2005" in received:
            gate.touch()

    text = ats.on_terminal(
        80, "sync", *DENSE, stream="stderr", watch=open_gate, TOY="many, embeds, gated", TOY_GATE=str(gate)
    )
    assert re.search(r"━.*embedding 128 of 2005 \(6 %\), [\d,.]+/s, \d+ (s|min) left", text)
    assert text.endswith("\x1b[2K"), "the line is wiped"


def test_a_backend_of_its_own_says_what_it_did(ats: Any) -> None:
    backend = ["--adapter", "toy-backend"]
    assert ats("sync", *backend).out == "points: 5, deleted: 0\n"
    assert ats("sync", *backend, "--json").json["counts"] == {"points": 5, "deleted": 0}


@pytest.mark.parametrize("form", [["--json"], []])
def test_without_an_embedder_it_says_what_mends_that(ats: Any, form: list[str]) -> None:
    ended = ats("sync", *form)
    assert ended.code == 2
    if form:
        assert ended.json["error"]["type"] == "NoEmbedderError"
        assert "ats-core[local]" in ended.json["error"]["hint"]
    else:
        assert ended.out == ""
        assert re.fullmatch(r"ats: [^\n]*no embedder[^\n]*\(try: pip install 'ats-core\[local\]'[^\n]*\)\n", ended.err)


def test_a_full_disk_is_one_clear_line(ats: Any) -> None:
    ended = ats("sync", "--adapter", "toy-backend", TOY="disk full")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[-1].startswith("ats: the sync could not be finished: No space left on device (")
    assert "Traceback" not in ended.err


def test_an_embedder_that_breaks_in_the_middle_costs_only_the_rest(ats: Any) -> None:
    ended = ats("sync", *DENSE, TOY="many, embeds, breaks")
    assert (ended.code, ended.out) == (1, "")
    assert "the embedder fell over" in ended.err.splitlines()[-1]
    assert ats("sync", "--json", *DENSE, TOY="many, embeds").json["counts"]["embedded"] == 2005 - 128


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT as POSIX has it")
@pytest.mark.parametrize("form", [["--json"], []])
def test_ctrl_c_keeps_what_was_done_and_the_next_call_goes_on(ats: Any, form: list[str]) -> None:
    process = ats.start(
        "sync", *DENSE, *form,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, environ={"TOY": "many, embeds, stops"},
        # A test runner in the background may have been started with SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr.readline() == b"THIRD BATCH\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b"ats: interrupted; what was embedded is kept, and ats sync goes on from there\n"
    assert out.startswith(b'{"error":{"type":"Interrupted"') if form else out == b""
    assert ats("sync", "--json", *DENSE, TOY="many, embeds").json["counts"]["embedded"] == 2005 - 128
