"""What a search imports, and that an engine that lives long holds no more in the end than it did.

Start-up is most of the time of a search: an import that creeps in is paid for at every call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LISTED = Path(__file__).with_name("find_imports.txt")

LOADED = """
import atexit, sys
atexit.register(lambda: print("MODULES", *sys.modules, file=sys.stderr))
"""


def modules(environ: dict[str, str], folder: Path, program: str, *words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED + program, *words],
        env=environ,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return set(done.stderr.rpartition("MODULES")[2].split())


def shown(loaded: set[str]) -> set[str]:
    """Our own modules, of other packages the name, and none that is private."""
    names = {module if module.startswith("ats_") else module.partition(".")[0] for module in loaded}
    return {name for name in names if not name.startswith("_")}


def test_a_search_imports_what_is_listed_and_nothing_else(environ: dict[str, str], tmp_path: Path) -> None:
    """Warm, without an embedder, piped. What `import typer` brings is the floor that we measure from."""
    environ |= {"ATS_ADAPTER": "memory", "ATS_EMBEDDER": "none", "ATS_PLUGINS": ""}
    program = "from ats_cli.app import main; main()"
    words = ["find", "roll back a release"]
    modules(environ, tmp_path, program, *words)  # caches, indexes, and keeps the table of entry points
    as_text, as_json = (modules(environ, tmp_path, program, *words, *form) for form in ([], ["--json"]))
    found = shown((as_text | as_json) - modules(environ, tmp_path, "import typer"))
    listed = set(LISTED.read_text(encoding="utf-8").split())
    new = ", ".join(sorted(found - listed))
    assert not new, (
        f"a search imports modules that are not in {LISTED.name}: {new}. Import them where they are used; "
        "add them to the list only if every search needs them, and say in docs/performance.md what they cost"
    )
    gone = ", ".join(sorted(module for module in listed - found if module.startswith("ats_")))
    assert not gone, f"a search no longer imports {gone}: take them off {LISTED.name}"


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_ten_thousand_finds_leak_nothing_and_see_a_corpus_that_another_process_replaced() -> None:
    script = Path(__file__).with_name("long_lived.py")
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout)["finds"] == 10_000
