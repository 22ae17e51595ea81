"""`--adapter NAME` on every command."""

from importlib import import_module
from typing import Any

import pytest
import typer
from ats_cli.commands import COMMANDS, module_of

NAMED_BY_THEIR_ARGUMENT = {("adapter", "new"), ("adapter", "test")}
"""Commands whose argument is the adapter."""


def leaves() -> list[tuple[str, ...]]:
    found = []
    for name in COMMANDS:
        command = typer.main.get_command(import_module(module_of(name)).app)
        subs = getattr(command, "commands", None)
        found += [(name, sub) for sub in subs] if subs else [(name,)]
    return found


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_a_command_takes_the_name_of_an_adapter(path: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(import_module(module_of(path[0])).app)
    for name in path[1:]:
        command = command.commands[name]
    options = {option for parameter in command.params for option in parameter.opts}
    if path in NAMED_BY_THEIR_ARGUMENT:
        assert "name" in {parameter.name for parameter in command.params}
    else:
        assert "--adapter" in options


def test_config_use_and_set_take_it(ats: Any) -> None:
    del ats.environ["ATS_ADAPTER"]
    assert ats("config", "use", "--adapter", "toy-dense", "--json").json["value"] == "toy-dense"
    assert ats("config", "use", "toy", "--adapter", "toy", "--json").json["value"] == "toy"
    ended = ats("config", "use", "toy", "--adapter", "toy-dense")
    assert (ended.code, ended.err) == (2, "ats: toy or toy-dense? (name one adapter)\n")
    ended = ats("config", "use")
    assert (ended.code, ended.err) == (2, "ats: the adapter is missing (those that are installed: ats adapters)\n")
    for key in ("file", "toy.file"):
        assert ats("config", "set", key, "/tmp/x", "--adapter", "toy", "--json").json["key"] == "toy.file"
    assert ats("config", "set", "budget_ms", "1", "--adapter", "toy").code == 2
