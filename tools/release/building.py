"""Building every package twice from what git knows, in two places that differ in what should not matter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

_PLACES = (
    {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1", "umask": "022"},
    {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "2", "umask": "077"},
)


class BuildError(Exception):
    """A package cannot be built; the text is what the build said."""


def snapshot(root: Path, tree: Path) -> None:
    """Copy what git tracks or would track of the packages: what lies about beside it is not to be built."""
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "packages")
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tree / name)


def files_of(folder: Path) -> list[Path]:
    """All files of a folder, relative to it."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def uncommitted(root: Path) -> Iterator[str]:
    """What differs from the last commit, whose time the files carry."""
    yield from (f"not committed: {line[3:]}" for line in _git(root, "status", "--porcelain").splitlines())


def build_twice(root: Path, tree: Path, scratch: Path) -> list[list[Path]]:
    """The files of both builds of all packages of a snapshot, in order of name: sdists, and wheels made from them.

    They carry the time of the last commit, so that anybody can build the same bytes again.

    :raises BuildError: one of them cannot be built.
    """
    epoch = _git(root, "log", "-1", "--format=%ct").strip()
    built = []
    for number, place in enumerate(_PLACES):
        own, out = scratch / f"place-{'longer-' * number}{number}", scratch / f"dist-{number}"
        shutil.copytree(tree, own)
        environ = os.environ | {key: value for key, value in place.items() if key != "umask"}
        for folder in sorted((own / "packages").iterdir()):
            _build(folder, out, environ | {"SOURCE_DATE_EPOCH": epoch}, place["umask"])
        built.append(sorted(out.iterdir()))
    return built


def differences(one: Sequence[Path], other: Sequence[Path]) -> Iterator[str]:
    """Files that two builds do not agree on."""
    digests = [{path.name: digest(path) for path in build} for build in (one, other)]
    for name in sorted({*digests[0], *digests[1]}):
        if digests[0].get(name) != digests[1].get(name):
            yield f"{name}: a second build gives other bytes"


def digest(path: Path) -> str:
    """The SHA-256 of a file, as PyPI shows it."""
    return sha256(path.read_bytes()).hexdigest()


def _build(folder: Path, out: Path, environ: dict[str, str], umask: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(folder)],
        env=environ,
        umask=int(umask, 8),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BuildError(f"{folder.name} cannot be built:\n{done.stdout}{done.stderr}")


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
