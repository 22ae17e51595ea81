"""No distribution, however broken, harms somebody who did not ask for it; `ats doctor` names each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from broken_distributions import BROKEN, install


class Ats:
    """The command beside ten broken distributions, all runs in one state folder."""

    def __init__(self, folder: Path) -> None:
        install(folder / "dists")
        kept = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")}
        path = os.pathsep.join(filter(None, [str(folder / "dists"), os.environ.get("PYTHONPATH")]))
        self.environ = {**kept, "PYTHONPATH": path, "ATS_CONFIG_DIR": str(folder / "state"), "COLUMNS": "100"}

    def __call__(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ats_cli", *words],
            env=self.environ | variables,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=120,
        )


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Ats:
    """It has searched once, so that the plugin that hangs is known."""
    ats = Ats(tmp_path_factory.mktemp("broken"))
    first = ats("find", "passport", "--json")
    assert first.returncode == 0, first.stderr
    assert "hangs of ats-hangs 2.5" in first.stderr or "hangs (ats-hangs 2.5): cannot be loaded" in first.stderr
    return ats


def test_help_works_and_imports_none_of_them(beside: Ats) -> None:
    done = beside("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ats")
    assert "  imports " in done.stdout


def test_a_search_answers_names_the_broken_plugins_and_waits_for_none(beside: Ats) -> None:
    done = beside("find", "passport", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["count"], "one document, whatever they print"
    for name, broken in BROKEN.items():
        if broken.group == "ats.plugins" and name not in ("prints", "typeless"):
            assert f"ats: warning: plugin {name} (ats-{name} 2.5): " in done.stderr
    assert "[broken_prints] NOISE" in done.stderr
    assert any("no branches from typeless" in warning for warning in json.loads(done.stdout)["warnings"])
    assert "hangs (ats-hangs 2.5): is left out" in done.stderr
    assert "Traceback" not in done.stderr


def test_adapters_lists_all_and_says_why(beside: Ats) -> None:
    done = beside("adapters", "--json")
    assert done.returncode == 0
    listed = {one["name"]: one for one in json.loads(done.stdout)["adapters"]}
    assert listed["memory"]["ok"]
    for name, broken in BROKEN.items():
        if broken.group == "ats.adapters":
            assert not listed[name]["ok"]
            assert broken.reason in listed[name]["error"]


def test_the_setting_for_no_plugins_silences_them(beside: Ats) -> None:
    done = beside("find", "passport", "--json", ATS_PLUGINS="")
    assert (done.returncode, done.stderr) == (0, "")


def test_asking_for_a_broken_one_is_a_clear_error(beside: Ats) -> None:
    done = beside("find", "passport", "--adapter", "newer", "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["type"] == "BrokenPluginError"
    assert "it needs ats-core>=9, and this is ats-core 0." in error["message"]
    assert error["hint"] == "try: pip install --upgrade ats-core ats-newer"
    done = beside("imports", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ats: imports of ats-imports 2.5 cannot be imported: ")


def test_doctor_names_all_ten_and_lets_none_of_them_speak(beside: Ats) -> None:
    done = beside("doctor", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    checks = {check["name"]: check for check in document["checks"]}
    for name, broken in BROKEN.items():
        check = checks[f"{broken.group.removeprefix('ats.').removesuffix('s')} {name}"]
        assert check["status"] == ("warning" if name == "prints" else "problem")
        assert check["message"].startswith(f"ats-{name} 2.5")
        assert broken.reason in check["message"]
        assert check["hint"]
    assert checks["adapter memory"]["status"] == checks["store"]["status"] == "ok"


def test_a_plugin_that_hung_and_is_mended_is_let_back_in_by_doctor(beside: Ats, tmp_path: Path) -> None:
    ats = Ats(tmp_path)
    shutil.copytree(beside.environ["ATS_CONFIG_DIR"], ats.environ["ATS_CONFIG_DIR"])
    assert "is left out" in ats("find", "passport").stderr
    (tmp_path / "dists" / "broken_hangs.py").write_text((tmp_path / "dists" / "broken_prints.py").read_text())
    assert "is left out" in ats("find", "passport").stderr
    assert '"plugin hangs", "status": "warning"' in json.dumps(json.loads(ats("doctor", "--json").stdout)["checks"])
    assert "is left out" not in ats("find", "passport").stderr


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A broken plugin as pip would install it."""
    path = tmp_path / "ats_real-1.0-py3-none-any.whl"
    info = "ats_real-1.0.dist-info"
    files = {
        "ats_real.py": "raise SystemExit('not today')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: ats-real\nVersion: 1.0\nRequires-Dist: ats-core>=9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[ats.plugins]\nreal = ats_real:plugin\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return path


def test_one_that_pip_has_installed(wheel: Path, tmp_path: Path) -> None:
    pip: Any = shutil.which("pip") or pytest.skip("no pip")
    site = tmp_path / "site"
    command = [pip, "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    ats = Ats(tmp_path / "other")
    environ = {"PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))}
    done = ats("find", "passport", "--json", **environ)
    assert done.returncode == 0
    assert json.loads(done.stdout)["count"]
    assert "plugin real (ats-real 1.0): cannot be imported: SystemExit: not today; it needs ats-core>=9" in done.stderr
    assert "ats-real 1.0" in ats("doctor", **environ).stdout
