"""Ten distributions, each broken in its own way, as if they were installed in a folder of the import path."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_PLUGIN = """
from ats_core import hookimpl
class Thing:
    @hookimpl
    def branches(self): return []
"""
_ADAPTER = """
from ats_core import hookimpl
class Thing:
    def __init__(self, config): ...
    @hookimpl
    def list_projects(self): return []
    @hookimpl
    def list_tasks_in_project(self, project_id): return []
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self): return ""
"""


class Broken(NamedTuple):
    """`reason` is what `ats doctor` says of it."""

    group: str
    source: str
    reason: str
    needs: str = "ats-core<0.2,>=0.1"


BROKEN = {
    "imports": Broken("ats.plugins", "import no_such_module_anywhere", "ModuleNotFoundError"),
    "exits": Broken("ats.plugins", "raise SystemExit(3)", "SystemExit: 3"),
    "lacks": Broken("ats.adapters", "x = 1", "has no attribute 'Thing'"),
    "prints": Broken(
        "ats.plugins", f"print('NOISE')\nimport os\nos.write(1, b'NOISE')\n{_PLUGIN}", "prints to standard output"
    ),
    "newer": Broken("ats.adapters", "from ats_core import TaskStream", "it needs ats-core>=9", "ats-core>=9"),
    "hangs": Broken("ats.plugins", "import threading\nthreading.Event().wait()", "hangs"),
    "misspells": Broken("ats.plugins", _PLUGIN.replace("branches", "brnaches"), "did you mean branches?"),
    "defaults": Broken(
        "ats.adapters", _ADAPTER.replace("project_id)", "project_id='', *, x)"), "gives project_id a default"
    ),
    "unmarked": Broken(
        "ats.adapters",
        f"{_ADAPTER}    def url_for(self, task_id): return ''\n",
        "url_for is named like a hook but has no marker",
    ),
    "typeless": Broken("ats.plugins", _PLUGIN.replace("[]", "'text'"), "branches broke its contract"),
}
"""By the name of the entry point; the distribution is called `ats-NAME`."""


def install(folder: Path) -> None:
    """Put all of them into a folder."""
    for name, broken in BROKEN.items():
        info = folder / f"ats_{name}-2.5.dist-info"
        info.mkdir(parents=True)
        metadata = [
            "Metadata-Version: 2.1",
            f"Name: ats-{name}",
            "Version: 2.5",
            "Summary: Broken",
            f"Requires-Dist: {broken.needs}",
        ]
        (info / "METADATA").write_text("\n".join(metadata) + "\n", encoding="utf-8")
        entry_points = f"[{broken.group}]\n{name} = broken_{name}:Thing\n\n"
        if name == "imports":
            entry_points += f"[ats.commands]\n{name} = broken_{name}:app\n"
        (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
        (folder / f"broken_{name}.py").write_text(broken.source, encoding="utf-8")
