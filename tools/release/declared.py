"""What the repository says of its packages, before anything is built."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Package(NamedTuple):
    """A folder of `packages/`, and the table `[project]` of its `pyproject.toml`."""

    folder: Path
    project: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.project["name"])

    @property
    def version(self) -> str:
        return str(self.project["version"])

    @property
    def module(self) -> str:
        """The import name, which names the files that are built too."""
        return self.name.replace("-", "_")

    @property
    def source(self) -> str:
        """Its `__init__.py`."""
        return (self.folder / "src" / self.module / "__init__.py").read_text(encoding="utf-8")


def packages(root: Path) -> list[Package]:
    """All of them, core first, for whatever is installed or published one by one."""
    found = [
        Package(path.parent, tomllib.loads(path.read_text(encoding="utf-8"))["project"])
        for path in sorted(root.glob("packages/*/pyproject.toml"))
    ]
    return sorted(found, key=lambda package: (package.name != "ats-core", package.name))


def declared(root: Path) -> Iterator[str]:
    """Everything of this file but what only a tag needs."""
    every = packages(root)
    yield from versions(root, every)
    yield from pins(every)
    yield from licences(root, every)


def versions(root: Path, every: Sequence[Package]) -> Iterator[str]:
    """They move in step: `pyproject.toml`, `__version__`, the newest heading of the changelog, the contract's."""
    core = every[0]
    for package in every:
        if package.version != core.version:
            yield f"{package.name}: version {package.version}, and ats-core {core.version}"
        if f'__version__ = "{package.version}"' not in package.source:
            yield f"{package.name}: __version__ is not {package.version}"
    contract = core.version.rpartition(".")[0]
    if f'CONTRACT = "{contract}"' not in core.source:
        yield f"ats-core: CONTRACT is not {contract}"
    version, _ = newest_heading(root)
    if version != core.version:
        yield f"CHANGELOG.md: its newest heading is of {version or 'no version'}, not {core.version}"


def pins(every: Sequence[Package]) -> Iterator[str]:
    """Siblings are wanted in this minor version, so that none is installed beside one that it does not know."""
    major, minor, *_ = every[0].version.split(".")
    wanted = f">={major}.{minor},<{major}.{int(minor) + 1}"
    for package in every:
        groups = [package.project.get("dependencies", []), *package.project.get("optional-dependencies", {}).values()]
        for need in (need for group in groups for need in group if need.startswith("ats-")):
            if not re.fullmatch(rf"ats-[\w-]+(\[[\w,-]+\])?{re.escape(wanted)}", need):
                yield f"{package.name}: {need!r} is not pinned to {wanted}"


def licences(root: Path, every: Sequence[Package]) -> Iterator[str]:
    """Each package carries the repository's licence."""
    licence = (root / "LICENSE").read_bytes()
    for package in every:
        path = package.folder / "LICENSE"
        if not path.is_file() or path.read_bytes() != licence:
            yield f"{package.name}: its LICENSE is not the one of the repository"


def newest_heading(root: Path) -> tuple[str, str]:
    """Version and date of the first heading of the changelog that names a version; empty where there is none."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[?(\d[\w.]*)\]?(?: - (.*))?$", text, flags=re.MULTILINE)
    return (found[1], found[2] or "") if found else ("", "")


def fit_for_a_tag(root: Path, tag: str | None) -> Iterator[str]:
    """What may be open until a version is tagged. `tag` None: there is none yet."""
    version, date = newest_heading(root)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f"CHANGELOG.md: the heading of {version} says {date!r}, not the date of the release"
    if tag not in (None, f"v{packages(root)[0].version}"):
        yield f"the tag is {tag}, and the version {packages(root)[0].version}"
