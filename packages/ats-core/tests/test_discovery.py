"""Entry points load one at a time; a broken one is a value, or a clear error where it was asked for by name."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ats_core import (
    AtsError,
    BrokenPluginError,
    ConfigError,
    Engine,
    LoginRequiredError,
    UnknownAdapterError,
    __version__,
)
from ats_core.opening import choose_adapter, open_adapter, open_plugins
from ats_core.plugins.discovery import ADAPTERS, COMMANDS, PLUGINS, Catalogue, Found, load, unreadable
from ats_core.settings import Settings, load_settings

AddDistribution = Callable[..., Path]

ADAPTER = """
from ats_core import Task, Project, hookimpl
class Adapter:
    def __init__(self, config):
        self.config = config
    @hookimpl
    def list_projects(self): return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self): return [Task(id="t1", title="Renew passport")]
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self, task_id): return "x:" + task_id
"""
PLUGIN = """
from ats_core import hookimpl
class Plugin:
    @hookimpl
    def branches(self): return []
plugin = Plugin()
"""


@pytest.fixture(autouse=True)
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment has installed is none of these tests' business."""
    from importlib.metadata import distributions

    def ours() -> list[Any]:
        return [found for found in distributions() if (found.metadata["Name"] or "").startswith(("acme", "other"))]

    monkeypatch.setattr("importlib.metadata.distributions", ours)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"ATS_CONFIG_DIR": str(tmp_path / "ats")})


def open_named(name: str, settings: Settings) -> Any:
    return open_adapter(choose_adapter(Catalogue.scan(), name), settings, {})[0]


def test_entry_points_are_found_with_their_distribution_and_loaded_by_none(add_distribution: AddDistribution) -> None:
    add_distribution("acme-all", {ADAPTERS: {"shop": "nowhere:A"}, COMMANDS: {"x": "nowhere:x"}, "other": {"y": "z"}})
    catalogue = Catalogue.scan()
    assert catalogue.group(ADAPTERS) == [Found(ADAPTERS, "shop", "nowhere:A", "acme-all", "1.0", "About acme-all")]
    assert [found.name for found in catalogue.group(COMMANDS)] == ["x"]
    assert catalogue.group(PLUGINS) == []


def test_the_adapter_that_was_asked_for_is_made_and_no_other_is_imported(
    add_distribution: AddDistribution, settings: Settings
) -> None:
    add_distribution("acme-one", {ADAPTERS: {"shop": "acme_one:Adapter"}}, module="acme_one", source=ADAPTER)
    add_distribution(
        "acme-two",
        {ADAPTERS: {"vault": "acme_two:Adapter"}},
        module="acme_two",
        source="raise AssertionError('imported')",
    )
    adapter = open_named("shop", settings)
    assert (adapter.name, [task.id for task in adapter.list_tasks_in_project("p")]) == ("shop", ["t1"])


def test_the_factory_is_given_everything_it_may_depend_on(
    add_distribution: AddDistribution, settings: Settings
) -> None:
    add_distribution("acme", {ADAPTERS: {"shop": "acme_mod:Adapter"}}, module="acme_mod", source=ADAPTER)
    settings.config_dir.mkdir()
    (settings.config_dir / "shop.json").write_text('{"host": "h"}')
    _, config = open_adapter(Catalogue.scan().adapter("shop"), settings, {"SHOP": "1"})
    assert (config.name, config.settings, config.environ) == ("shop", {"host": "h"}, {"SHOP": "1"})
    assert config.state_dir == settings.config_dir / "shop"
    assert not config.state_dir.exists()


BROKEN = {
    "ImportError": ("acme_mod:Adapter", "import module_that_is_not_there", "ModuleNotFoundError: No module named"),
    "SystemExit": ("acme_mod:Adapter", "raise SystemExit(3)", "SystemExit: 3"),
    "missing attribute": ("acme_mod:Adapter", "x = 1", "AttributeError: module 'acme_mod' has no attribute"),
    "missing module": ("acme_nowhere:Adapter", "x = 1", "ModuleNotFoundError: No module named 'acme_nowhere'"),
    "SyntaxError": ("acme_mod:Adapter", "def", "SyntaxError: "),
    "empty value": ("", "x = 1", ""),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_adapter_is_an_error_that_names_distribution_and_mending_command(
    add_distribution: AddDistribution, settings: Settings, how: str
) -> None:
    value, source, reason = BROKEN[how]
    add_distribution("acme-shop", {ADAPTERS: {"shop": value}}, module="acme_mod", source=source, version="2.5")
    with pytest.raises(BrokenPluginError) as caught:
        open_named("shop", settings)
    assert caught.value.message.startswith("shop of acme-shop 2.5 cannot be imported: ")
    assert reason in caught.value.message
    assert caught.value.hint == "try: pip install --upgrade --force-reinstall acme-shop"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def Adapter(config): raise RuntimeError('no luck')", "cannot be made: RuntimeError: no luck"),
        ("def Adapter(config): raise SystemExit('bye')", "cannot be made: SystemExit: bye"),
        ("def Adapter(): ...", "cannot be made: TypeError: "),
        ("def Adapter(config): return object()", "cannot be registered: required hooks are missing: list_projects"),
        (ADAPTER.replace("task_id)", "task)"), "cannot be registered: hook url_for has no argument task"),
    ],
)
def test_an_adapter_that_cannot_be_made_is_an_error_alike(
    add_distribution: AddDistribution, settings: Settings, source: str, reason: str
) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_mod:Adapter"}}, module="acme_mod", source=source)
    with pytest.raises(BrokenPluginError) as caught:
        open_named("shop", settings)
    assert caught.value.message.startswith(f"shop of acme-shop 1.0 {reason}")
    assert "acme-shop" in (caught.value.hint or "")


def test_an_adapter_that_says_what_is_wrong_is_heard(add_distribution: AddDistribution, settings: Settings) -> None:
    source = "from ats_core import LoginRequiredError\ndef Adapter(config): raise LoginRequiredError('log in first')"
    add_distribution("acme", {ADAPTERS: {"shop": "acme_mod:Adapter"}}, module="acme_mod", source=source)
    with pytest.raises(LoginRequiredError, match="log in first"):
        open_named("shop", settings)


def test_ctrl_c_while_importing_or_making_is_not_swallowed(
    add_distribution: AddDistribution, settings: Settings
) -> None:
    stop = "raise KeyboardInterrupt"
    add_distribution("acme-a", {ADAPTERS: {"importing": "acme_a:A"}}, module="acme_a", source=stop)
    add_distribution("acme-b", {ADAPTERS: {"making": "acme_b:A"}}, module="acme_b", source=f"def A(config): {stop}")
    for name in ("importing", "making"):
        with pytest.raises(KeyboardInterrupt):
            open_named(name, settings)
    add_distribution("acme-c", {PLUGINS: {"one": "acme_c:A"}}, module="acme_c", source=stop)
    with pytest.raises(KeyboardInterrupt):
        open_plugins(Catalogue.scan(), None)


def test_broken_plugins_are_values_and_stop_no_other(add_distribution: AddDistribution) -> None:
    for number, how in enumerate(BROKEN):
        value, source, _ = BROKEN[how]
        module = f"acme_{number}"
        add_distribution(
            f"acme-{number}",
            {PLUGINS: {f"bad{number}": value.replace("acme_mod", module)}},
            module=module,
            source=source,
        )
    add_distribution("acme-x", {PLUGINS: {"exits": "acme_x:P"}}, module="acme_x", source="def f(): exit(3)\nP = f")
    exiting = "class P:\n    def __init__(self): raise SystemExit(3)"
    add_distribution("acme-y", {PLUGINS: {"leaves": "acme_y:P"}}, module="acme_y", source=exiting)
    add_distribution("acme-z", {PLUGINS: {"works": "acme_z:Plugin"}}, module="acme_z", source=PLUGIN)
    plugins, broken = open_plugins(Catalogue.scan(), None)
    assert {plugin.name for plugin in plugins} == {"works", "exits"}  # a bare function has no hooks, and no faults
    assert {fault.found.name for fault in broken} == {*(f"bad{number}" for number in range(len(BROKEN))), "leaves"}
    (leaves,) = [fault for fault in broken if fault.found.name == "leaves"]
    assert str(leaves) == "plugin leaves (acme-y 1.0): cannot be made: SystemExit: 3"
    assert leaves.hint == "try: pip install --upgrade --force-reinstall acme-y"


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ("def list_projects(self): ...", "only an adapter may implement list_projects"),
        ("def branch(self): ...", "hook branch is unknown: did you mean branches?"),
        ("def embedding_space(self): ...", "come as a pair"),
        ("def branches(self, corpus): ...", "hook branches has no argument corpus"),
    ],
)
def test_a_plugin_that_breaks_its_contract_is_a_value_that_says_how(
    add_distribution: AddDistribution, hook: str, reason: str
) -> None:
    source = f"from ats_core import hookimpl\nclass Plugin:\n    @hookimpl\n    {hook}"
    add_distribution("acme", {PLUGINS: {"one": "acme_mod:Plugin"}}, module="acme_mod", source=source)
    plugins, (broken,) = open_plugins(Catalogue.scan(), None)
    assert plugins == []
    assert reason in broken.error


def test_two_distributions_that_claim_one_adapter_name_are_both_named(add_distribution: AddDistribution) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_shop:A"}})
    add_distribution("other-shop", {ADAPTERS: {"shop": "other_shop:A"}}, version="2")
    with pytest.raises(ConfigError) as caught:
        Catalogue.scan().adapter("shop")
    assert caught.value.message == "adapter 'shop' is claimed by acme-shop 1.0 and other-shop 2"
    assert caught.value.hint == "try: pip uninstall other-shop"


@pytest.mark.parametrize("what", ["Plugin", "plugin"])
def test_the_same_object_found_twice_is_a_no_op(add_distribution: AddDistribution, what: str) -> None:
    points = {PLUGINS: {"one": f"acme_mod:{what}", "two": f"acme_mod:{what}"}}
    add_distribution("acme", points, module="acme_mod", source=PLUGIN)
    plugins, broken = open_plugins(Catalogue.scan(), None)
    assert [plugin.name for plugin in plugins] == ["one"]
    assert broken == []


def test_one_distribution_seen_twice_on_the_path_counts_once(add_distribution: AddDistribution, tmp_path: Path) -> None:
    site = add_distribution("acme", {ADAPTERS: {"shop": "acme_mod:Adapter"}})
    twin = site / "acme-0.9.dist-info"
    twin.mkdir()
    for file in (site / "acme-1.0.dist-info").iterdir():
        (twin / file.name).write_text(file.read_text())
    assert Catalogue.scan().adapter("shop").distribution == "acme"


@pytest.mark.parametrize("damage", ["[ats.plugins]\nno equals sign\n", "\ufffd"])
def test_a_damaged_distribution_of_anybody_stops_nobody(add_distribution: AddDistribution, damage: str) -> None:
    site = add_distribution("acme-bad", damage)
    if damage == "\ufffd":
        (site / "acme_bad-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe\x00")
    add_distribution("acme-good", {PLUGINS: {"works": "acme_z:Plugin"}}, module="acme_z", source=PLUGIN)
    assert [found.name for found in Catalogue.scan().group(PLUGINS)] == ["works"]


@pytest.fixture
def two_plugins(add_distribution: AddDistribution) -> Catalogue:
    for name in ("one", "two"):
        add_distribution(f"acme-{name}", {PLUGINS: {name: f"acme_{name}:Plugin"}}, module=f"acme_{name}", source=PLUGIN)
    return Catalogue.scan()


@pytest.mark.parametrize(
    ("variable", "loaded"),
    [({}, ["one", "two"]), ({"ATS_PLUGINS": ""}, []), ({"ATS_PLUGINS": " two ,"}, ["two"])],
)
def test_all_plugins_load_unless_a_subset_is_named(
    two_plugins: Catalogue, variable: dict[str, str], loaded: list[str], tmp_path: Path
) -> None:
    settings = load_settings({"ATS_CONFIG_DIR": str(tmp_path), **variable})
    assert [plugin.name for plugin in open_plugins(two_plugins, settings.plugins)[0]] == loaded


def test_a_named_plugin_that_is_not_installed_is_an_error(two_plugins: Catalogue) -> None:
    with pytest.raises(ConfigError) as caught:
        open_plugins(two_plugins, ["one", "three"])
    assert caught.value.message == "plugin 'three' is not installed"
    assert caught.value.hint == "ATS_PLUGINS may name: one, two"


def catalogue_of(*names: str) -> Catalogue:
    return Catalogue([Found(ADAPTERS, name, f"{name}:A", f"ats-adapter-{name}", "1") for name in names])


@pytest.mark.parametrize(
    ("installed", "named", "chosen"),
    [
        (["shop", "vault"], "vault", "vault"),
        (["shop"], None, "shop"),
        (["memory"], None, "memory"),
        (["memory", "shop"], None, "memory"),
        (["memory", "shop", "vault"], None, "memory"),
    ],
)
def test_the_adapter_is_the_named_one_else_the_only_one_else_memory(
    installed: list[str], named: str | None, chosen: str
) -> None:
    assert choose_adapter(catalogue_of(*installed), named).name == chosen


def test_without_a_choice_and_without_memory_the_names_are_told() -> None:
    with pytest.raises(ConfigError) as caught:
        choose_adapter(catalogue_of("vault", "shop"), None)
    assert caught.value.message == "several adapters are installed: shop, vault"
    assert (caught.value.hint or "").startswith("choose one: ")
    assert caught.value.exit_code == 2


def test_without_any_adapter_the_reference_one_is_suggested() -> None:
    with pytest.raises(ConfigError, match="no adapter is installed") as caught:
        choose_adapter(catalogue_of(), None)
    assert caught.value.hint == "try: pip install ats-adapter-memory"


def test_an_unknown_adapter_is_told_with_those_that_are_there() -> None:
    with pytest.raises(UnknownAdapterError) as caught:
        choose_adapter(catalogue_of("memory", "shop"), "vault")
    assert caught.value.message == "adapter 'vault' is not installed"
    assert caught.value.hint == "installed: memory, shop; try: pip install ats-adapter-vault"


def test_an_engine_opens_from_the_environment_with_the_broken_plugins_as_values(
    add_distribution: AddDistribution, tmp_path: Path
) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_shop:Adapter"}}, module="acme_shop", source=ADAPTER)
    add_distribution("acme-bad", {PLUGINS: {"bad": "acme_bad:P"}}, module="acme_bad", source="1 / 0")
    engine = Engine.open({"ATS_CONFIG_DIR": str(tmp_path / "ats"), "ATS_ADAPTER": "shop"})
    assert [hit.task.id for hit in engine.find("passport").hits] == ["t1"]
    assert [str(fault) for fault in engine.broken] == [
        "plugin bad (acme-bad 1.0): cannot be imported: ZeroDivisionError: division by zero"
    ]


def test_the_adapter_argument_comes_before_the_environment(add_distribution: AddDistribution, tmp_path: Path) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_shop:Adapter"}}, module="acme_shop", source=ADAPTER)
    environ = {"ATS_CONFIG_DIR": str(tmp_path / "ats"), "ATS_ADAPTER": "vault"}
    assert Engine.open(environ, adapter="shop").adapter.name == "shop"
    with pytest.raises(UnknownAdapterError):
        Engine.open(environ)


def test_a_fetch_runs_in_the_context_that_the_engine_was_given(
    add_distribution: AddDistribution, tmp_path: Path
) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_shop:Adapter"}}, module="acme_shop", source=ADAPTER)
    seen = []

    @contextmanager
    def fetching() -> Iterator[None]:
        seen.append("begins")
        yield
        seen.append("ends")

    engine = Engine.open({"ATS_CONFIG_DIR": str(tmp_path / "ats")}, adapter="shop", on_fetch=fetching)
    assert seen == []
    engine.find("passport")
    engine.find("passport")
    assert seen == ["begins", "ends"]


def test_a_damaged_settings_file_of_the_adapter_names_the_file(
    add_distribution: AddDistribution, settings: Settings
) -> None:
    add_distribution("acme", {ADAPTERS: {"shop": "acme_mod:Adapter"}}, module="acme_mod", source=ADAPTER)
    settings.config_dir.mkdir()
    (settings.config_dir / "shop.json").write_text('["token"]')
    with pytest.raises(ConfigError, match=r"shop\.json is not a JSON object"):
        open_named("shop", settings)


NEWER = "Requires-Dist: pluggy\nRequires-Dist: ats-core>=9\n"


def test_an_adapter_for_a_newer_core_says_so_when_it_fails(
    add_distribution: AddDistribution, settings: Settings
) -> None:
    site = add_distribution(
        "acme-shop",
        {ADAPTERS: {"shop": "acme_shop:A"}},
        module="acme_shop",
        source="from ats_core import TaskStream",
    )
    with (site / "acme_shop-1.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write(NEWER)
    with pytest.raises(BrokenPluginError) as caught:
        open_named("shop", settings)
    assert "TaskStream" in caught.value.message
    assert caught.value.message.endswith(f"; it needs ats-core>=9, and this is ats-core {__version__}")
    assert caught.value.hint == "try: pip install --upgrade ats-core acme-shop"


def test_a_plugin_for_a_newer_core_says_so_of_a_hook_that_is_not_known_yet(add_distribution: AddDistribution) -> None:
    source = "from ats_core import hookimpl\nclass Plugin:\n    @hookimpl\n    def rerank(self): ..."
    site = add_distribution("acme", {PLUGINS: {"one": "acme_mod:Plugin"}}, module="acme_mod", source=source)
    with (site / "acme-1.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write(NEWER)
    _, (broken,) = open_plugins(Catalogue.scan(), None)
    assert "hook rerank is unknown" in broken.error
    assert "it needs ats-core>=9" in broken.error


def test_a_distribution_whose_metadata_is_damaged_is_named_by_its_folder(
    add_distribution: AddDistribution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    site = add_distribution("acme-shop", {PLUGINS: {"shop": "acme_shop:A"}})
    monkeypatch.syspath_prepend(str(site))
    for damage in (b"Name: acme\xff\nVersion: 1.0\n", b"", None):
        path = site / "acme_shop-1.0.dist-info" / "METADATA"
        path.unlink() if damage is None else path.write_bytes(damage)
        (found,) = [found for found in Catalogue.scan().group(PLUGINS) if found.name == "shop"]
        assert (found.distribution, found.version) == ("acme_shop", "1.0")


def test_entry_points_of_ours_that_cannot_be_read_are_told(
    add_distribution: AddDistribution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    site = add_distribution("acme-bad", "[ats.plugins]\nno equals sign\n")
    add_distribution("other-bad", "[other.plugins]\nno equals sign\n")
    add_distribution("ats-worse", "")
    (site / "ats_worse-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe\x00")
    monkeypatch.syspath_prepend(str(site))
    told = dict(unreadable())
    assert set(told) == {"acme_bad 1.0", "ats_worse 1.0"}
    assert all(told.values())


def test_loading_gives_what_the_entry_point_names() -> None:
    assert load(Found(PLUGINS, "x", "ats_core.errors:AtsError", "acme", "1")) is AtsError


def test_scanning_imports_no_plugin_and_opening_no_numpy(
    add_distribution: AddDistribution, python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    add_distribution("acme-shop", {ADAPTERS: {"shop": "acme_shop:Adapter"}}, module="acme_shop", source=ADAPTER)
    code = """
import sys
from ats_core import Engine
from ats_core.plugins.discovery import Catalogue
Catalogue.scan()
early = [name for name in ("acme_shop", "numpy") if name in sys.modules]
Engine.open(adapter="shop")
print(early, [name for name in ("acme_shop", "numpy", "filelock", "Stemmer") if name in sys.modules])
"""
    done = python(code, ATS_CONFIG_DIR=str(tmp_path / "ats"), ATS_PLUGINS="")
    assert (done.stdout, done.stderr) == ("[] ['acme_shop']\n", "")


LONG_AGO = (1_700_000_000, 1_700_000_000)


def test_a_kept_table_spares_the_scan_until_a_folder_of_the_path_changes(
    add_distribution: AddDistribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "state" / "entry-points.json"
    site = add_distribution("acme", {ADAPTERS: {"shop": "acme_module:Adapter"}})
    monkeypatch.setattr("sys.path", [str(site), "/nowhere"])
    os.utime(site, LONG_AGO)
    assert [found.name for found in Catalogue.kept(table).group(ADAPTERS)] == ["shop"]
    with monkeypatch.context() as patched:
        patched.setattr(Catalogue, "scan", lambda: pytest.fail("scanned although nothing changed"))
        assert [found.name for found in Catalogue.kept(table).group(ADAPTERS)] == ["shop"]
    add_distribution("other", {ADAPTERS: {"market": "other_module:Adapter"}})
    assert [found.name for found in Catalogue.kept(table).group(ADAPTERS)] == ["market", "shop"]


def test_a_scan_of_a_folder_that_has_just_changed_is_not_kept(
    add_distribution: AddDistribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "entry-points.json"
    monkeypatch.setattr("sys.path", [str(add_distribution("acme", {ADAPTERS: {"shop": "acme_module:Adapter"}}))])
    assert [found.name for found in Catalogue.kept(table).group(ADAPTERS)] == ["shop"]
    assert not table.exists()


@pytest.mark.parametrize("content", [b"", b"[]", b"\0" * 64, b"\xff", b'{"path": []}'])
def test_a_damaged_table_costs_a_scan(
    add_distribution: AddDistribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    table = tmp_path / "entry-points.json"
    site = add_distribution("acme", {ADAPTERS: {"shop": "acme_module:Adapter"}})
    monkeypatch.setattr("sys.path", [str(site)])
    os.utime(site, LONG_AGO)
    table.write_bytes(content)
    assert [found.name for found in Catalogue.kept(table).group(ADAPTERS)] == ["shop"]
    assert table.read_bytes() != content


def test_a_table_that_cannot_be_kept_costs_a_scan(
    add_distribution: AddDistribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = add_distribution("acme", {ADAPTERS: {"shop": "acme_module:Adapter"}})
    monkeypatch.setattr("sys.path", [str(site)])
    os.utime(site, LONG_AGO)
    (tmp_path / "file").write_text("in the way")
    found = Catalogue.kept(tmp_path / "file" / "entry-points.json").group(ADAPTERS)
    assert [entry.name for entry in found] == ["shop"]
