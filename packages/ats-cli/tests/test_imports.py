"""What a command may import: start-up is most of its time."""

from pathlib import Path
from typing import Any

import pytest


def heavy(modules: set[str]) -> set[str]:
    roots = {module.partition(".")[0] for module in modules}
    return roots & {"numpy", "httpx", "rich", "filelock", "pydantic", "markdown_it", "pygments"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["find", "--help"], ["fnid"]])
def test_help_loads_nothing_that_takes_time(ats: Any, arguments: list[str]) -> None:
    modules = ats.modules(*arguments)
    assert "ats_cli.process" in modules
    assert not heavy(modules)
    assert not modules & {"msgspec", "pluggy", "toy_adapter", "ats_core.engine", "ats_core.models"}


def test_help_imports_no_command(ats: Any) -> None:
    assert not any(module.startswith("ats_cli.commands.") for module in ats.modules("--help"))


@pytest.mark.parametrize("form", [["--json"], [], ["--explain", "--content"]])
def test_a_piped_search_loads_no_rich(ats: Any, form: list[str]) -> None:
    ats("find", "release")  # the corpus cache may need more to be written
    modules = ats.modules("find", "release", *form)
    assert not heavy(modules)
    assert {module for module in modules if module.startswith("ats_cli.commands.")} == {"ats_cli.commands.find"}


@pytest.mark.parametrize("form", [["--json"], []])
def test_looking_at_the_cache_loads_nothing_that_takes_time(ats: Any, form: list[str]) -> None:
    dense = ["--adapter", "toy-dense"]
    ats("sync", *dense, TOY="embeds")
    assert not heavy(ats.modules("cache", "status", *dense, *form))


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_piped_sync_loads_no_rich(ats: Any, form: list[str]) -> None:
    ats.environ["TOY"] = "many, embeds"
    assert "rich" not in ats.modules("sync", "--adapter", "toy-dense", *form)


def test_every_command_file_is_in_the_table() -> None:
    import ats_cli.commands

    files = {path.stem for path in Path(ats_cli.commands.__file__).parent.glob("[a-z]*.py")}
    assert files == {name.replace("-", "_") for name in ats_cli.commands.COMMANDS}
