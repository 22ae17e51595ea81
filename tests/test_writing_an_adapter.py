"""docs/writing-an-adapter.md, followed to its end in an environment that has all packages. CI does it for real."""

from __future__ import annotations

from pathlib import Path

from readme_blocks import ROOT
from walk import Rehearsal

TUTORIAL = ROOT / "docs" / "writing-an-adapter.md"


def test_the_tutorial_does_what_it_says(environ: dict[str, str], tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    Rehearsal(desk, environ | {"NO_PROXY": "127.0.0.1"}).follow(TUTORIAL)
