"""`ats doctor` on entry points: each in a process of its own, whatever happens there."""

from typing import Any

import pytest

PLUGIN = """
from ats_core import hookimpl
class Plugin:
    @hookimpl
    def branches(self): return {branches}
"""
BROKEN = {
    "import": ("import no_such_module_anywhere", "cannot be imported: ModuleNotFoundError"),
    "exit": ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "leaves": ("import os\nos._exit(7)", "ends the process that loads it (exit code 7)"),
    "crashes": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "ends the process that loads it (SIGSEGV)"),
    "missing": ("x = 1", "has no attribute 'Plugin'"),
    "type": (PLUGIN.format(branches="'text'"), "branches broke its contract: a sequence was expected, not str"),
    "misspelt": (PLUGIN.format(branches=[]).replace("def branches", "def brnaches"), "did you mean branches?"),
    "keyword": (PLUGIN.format(branches=[]).replace("(self)", "(self, *, corpus)"), "remove the *"),
    "endless": ("import os\nwhile True: os.write(1, b'x' * 65536)", "hangs"),
}
SHOP = """
from ats_core import hookimpl
class Shop:
    def __init__(self, config): ...
    @hookimpl
    def list_projects(self): return []
    @hookimpl
    def list_tasks_in_project(self): return []
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self): return ""
    @hookimpl
    def commands(self):
        import typer
        return typer.Typer() if {typer} else 5
"""


def entries(ended: Any) -> dict[str, Any]:
    """The checks of entry points, by name."""
    return {check["name"]: check for check in ended.json["checks"]}


def test_each_broken_one_is_named_with_its_reason_and_what_mends_it(ats: Any, make_dist: Any) -> None:
    for how, (source, _) in BROKEN.items():
        make_dist(
            f"ats-bad-{how}",
            group="ats.plugins",
            points={how: f"bad_{how}:Plugin"},
            modules={f"bad_{how}": source},
            version="2.5",
        )
    ended = ats("doctor", "--json")
    assert (ended.code, ended.err) == (1, "")
    found = entries(ended)
    for how, (_, reason) in BROKEN.items():
        check = found[f"plugin {how}"]
        assert check["status"] == "problem"
        assert check["message"].startswith(f"ats-bad-{how} 2.5: ")
        assert reason in check["message"]
        assert f"ats-bad-{how}" in check["hint"]
    assert found["adapter toy"]["status"] == "ok"
    states = {one["name"]: one["state"] for one in ended.json["entryPoints"] if one["group"] == "ats.plugins"}
    assert states == {how: "hangs" if how == "endless" else "broken" for how in BROKEN}
    ended = ats("doctor", "--json", ATS_PLUGINS="")
    assert ended.code == 0
    assert {check["status"] for name, check in entries(ended).items() if name.startswith("plugin ")} == {"ok"}
    assert "switched off" in entries(ended)["plugin leaves"]["message"]


def test_one_that_hangs_is_killed_with_all_that_it_started(ats: Any, make_dist: Any, tmp_path: Any) -> None:
    pid_file = tmp_path / "pid"
    source = f"""
import subprocess, sys, threading
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("about to hang", end="")
open({str(pid_file)!r}, "w").write(str(child.pid))
threading.Event().wait()
"""
    make_dist("ats-slow", points={"slow": "slow_adapter:A"}, modules={"slow_adapter": source})
    ended = ats("doctor", "--json", "--adapter", "slow")
    assert ended.code == 1
    check = entries(ended)["adapter slow"]
    assert check["message"].startswith("ats-slow 1.0: hangs: loading it had not ended after ")
    assert check["message"].endswith("prints to standard output when it is loaded: about to hang")
    assert "pip uninstall ats-slow" in check["hint"]
    assert "store" not in entries(ended)
    import os
    from pathlib import Path

    status = Path(f"/proc/{pid_file.read_text()}/status")
    if os.path.isdir("/proc/self") and status.exists():
        assert "\nState:\tZ" in status.read_text(), "its child still runs"


def test_one_that_prints_is_a_warning(ats: Any, make_dist: Any) -> None:
    prints = "import os, sys\nprint('\\x1b[31mHELLO')\nsys.stdout.flush()\nos.write(1, b'AGAIN')\n"
    source = prints + PLUGIN.format(branches=[])
    make_dist("ats-loud", group="ats.plugins", points={"loud": "loud:Plugin"}, modules={"loud": source})
    ended = ats("doctor", "--json")
    assert ended.code == 0
    check = entries(ended)["plugin loud"]
    assert check["status"] == "warning"
    assert "ats-loud 1.0; prints to standard output when it is loaded: \x1b[31mHELLO" in check["message"]
    text = ats("doctor").out
    assert "\\x1b[31mHELLO" in text
    assert text.splitlines()[-1] == "1 warning"


def test_one_for_another_core_is_a_problem_even_where_it_loads(ats: Any, make_dist: Any) -> None:
    info = make_dist("ats-shop", points={"shop": "shop:Shop"}, modules={"shop": SHOP.format(typer=True)})
    with (info / "METADATA").open("a", encoding="utf-8") as metadata:
        metadata.write("Requires-Dist: ats-core<10,>=9\n")
    check = entries(ats("doctor", "--json"))["adapter shop"]
    assert check["status"] == "problem"
    assert "it needs ats-core<10,>=9, and this is ats-core 0." in check["message"]
    assert check["hint"] == "try: pip install --upgrade ats-core ats-shop"


@pytest.mark.parametrize("app", ["5", "typer.Typer"])
def test_commands_that_are_no_typer(ats: Any, make_dist: Any, app: str) -> None:
    make_dist("ats-cmd", group="ats.commands", points={"cmd": "cmd:app"}, modules={"cmd": f"import typer\napp = {app}"})
    make_dist("ats-shop", points={"shop": "shop:Shop"}, modules={"shop": SHOP.format(typer=False)})
    found = entries(ats("doctor", "--json"))
    assert "no typer.Typer but" in found["command cmd"]["message"]
    assert "no typer.Typer but int" in found["adapter shop"]["message"]


def test_names_that_several_claim(ats: Any, make_dist: Any) -> None:
    good = "import typer\napp = typer.Typer()\n@app.command()\ndef go(): ..."
    for number, points in enumerate(
        [{"find": "good:app", "toy": "good:app"}, {"twin": "good:app"}, {"twin": "good:app"}]
    ):
        make_dist(f"ats-cmd{number}", group="ats.commands", points=points, modules={"good": good})
    for number in (1, 2):
        make_dist(f"ats-shop{number}", points={"shop": "shop:Shop"}, modules={"shop": SHOP.format(typer=True)})
    ended = ats("doctor", "--json")
    assert ended.code == 1
    checks = ended.json["checks"]
    found = entries(ended)
    assert found["command find"]["status"] == "warning"
    assert "ats find is built in" in found["command find"]["message"]
    assert found["command toy"]["status"] == "ok"
    assert found["adapter toy"]["status"] == "warning"
    assert "its commands are shadowed: ats toy is the command of ats-cmd0" in found["adapter toy"]["message"]
    for name, pair in (("command twin", ("ats-cmd1", "ats-cmd2")), ("adapter shop", ("ats-shop1", "ats-shop2"))):
        both = [check for check in checks if check["name"] == name]
        assert [check["status"] for check in both] == ["problem", "problem"]
        for check, other in zip(both, reversed(pair), strict=True):
            assert f"claimed by {other} 1.0 as well" in check["message"]
            assert check["hint"] == f"try: pip uninstall {pair[1]}"
    assert [one["state"] for one in ended.json["entryPoints"] if one["name"] in ("shop", "twin")] == ["shadowed"] * 4


def test_damaged_metadata_is_named(ats: Any, make_dist: Any) -> None:
    info = make_dist("ats-odd", points={"odd": "odd:app"})
    (info / "entry_points.txt").write_bytes(b"[ats.commands\nodd ==\n\xff\xfe")
    (make_dist("ats-mute", points={"mute": "mute:app"}) / "METADATA").write_bytes(b"\xff\xfe")
    found = entries(ats("doctor", "--json"))
    assert found["package ats_odd 1.0"]["status"] == "problem"
    assert found["adapter mute"]["message"].startswith("ats_mute 1.0: ")


def test_a_plugin_that_is_named_and_not_installed(ats: Any) -> None:
    found = entries(ats("doctor", "--json", ATS_PLUGINS="ghost"))
    assert found["plugin ghost"]["message"] == "it is named by ATS_PLUGINS and is not installed"
    assert found["embedder"]["status"] == "problem"
    assert found["cache"]["status"] == "ok"
