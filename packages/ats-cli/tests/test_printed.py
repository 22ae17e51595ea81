"""What plugins print is shown on stderr, under their names."""

import io
from types import ModuleType
from typing import Any

from ats_cli.printed import Printed


def module(source: str, name: str) -> dict[str, Any]:
    namespace = vars(ModuleType(name))
    exec(source, namespace)
    return namespace


def test_each_line_carries_the_module_that_printed_it(ats: Any) -> None:
    err = ats("find", "release", "--json", TOY="prints").err.splitlines()
    assert err.count("[toy_adapter] PRINTED AT IMPORT") == 1
    assert "[toy_adapter] PRINTED IN HOOK" in err
    assert "[toy_adapter] WROTE IN HOOK" in err
    assert "WRITTEN IN HOOK" in err, "who writes to the descriptor cannot be told"


def test_the_innermost_module_is_named_whoever_carries_it(monkeypatch: Any) -> None:
    stream = io.StringIO()
    shout = module("def shout(text):\n    import json, logging\n    print(text, end='')", "library.deep")["shout"]
    ask = module("def ask(shout, text): shout(text)", "plugin")["ask"]
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", Printed(stream))
        ask(shout, "a\nb")
        ask(shout, "c\n\nd\n")
        ask(lambda text: print(text, "e"), "")
    lines = stream.getvalue().splitlines()
    assert lines[:4] == ["[library.deep] a", "[library.deep] bc", "[library.deep] ", "[library.deep] d"]


def test_a_log_handler_speaks_for_whoever_logs(monkeypatch: Any) -> None:
    stream = io.StringIO()
    source = """
import logging, sys
def log():
    logger = logging.Logger("x")
    logger.addHandler(logging.StreamHandler(sys.stdout))
    logger.warning("careful")
"""
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", Printed(stream))
        module(source, "plugin.sub")["log"]()
    assert stream.getvalue() == "[plugin.sub] careful\n"


def test_it_is_a_stream_like_the_one_behind_it() -> None:
    stream = io.StringIO()
    printed = Printed(stream)
    printed.writelines(["a\n", "b\n"])
    assert stream.getvalue().count("\n") == 2
    assert printed.write("") == 0
    assert printed.isatty() is False
    printed.flush()
