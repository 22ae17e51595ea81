"""What vectors are stored, told from the headers of their files, without numpy."""

from __future__ import annotations

import shutil
from pathlib import Path

from ats_core.atomic import map_file
from ats_core.index.layout import unpack
from ats_core.models import Model


class SpaceStatus(Model, frozen=True, kw_only=True):
    """The stored vectors of one embedding space: how many texts, in how many files, of how many bytes."""

    space: str
    vectors: int
    files: int
    size: int
    damaged: int = 0


def spaces(folder: Path) -> list[SpaceStatus]:
    """Every embedding space below the vectors folder of one adapter and account, by name."""
    found = [_space(place) for place in sorted(folder.glob("*")) if place.is_dir()]
    return sorted((status for status in found if status.files), key=lambda status: status.space)


def remove_vectors(folder: Path) -> None:
    """Remove all vectors below a folder; they can be computed again."""
    shutil.rmtree(folder, ignore_errors=True)


def _space(folder: Path) -> SpaceStatus:
    name, vectors, size, damaged = "", 0, 0, 0
    files = sorted(folder.glob("*.vectors"))
    for path in files:
        try:
            header, sections, _ = unpack(map_file(path))
            name = str(header.meta["space"])
            vectors += len(sections["keys"]) // 16
            size += path.stat().st_size
        except (OSError, ValueError, KeyError):
            damaged += 1
    return SpaceStatus(space=name or folder.name, vectors=vectors, files=len(files), size=size, damaged=damaged)
