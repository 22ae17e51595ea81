"""Whether the packages could be published as they stand. Publishes nothing.

    hatch run release-check                   all of it
    hatch run release-check --tag v0.1.0      and what only a release needs
    hatch run release-check --out dist        and keep what was built and checked

Exit code 1 where something is wrong. What has to be mended before a version is tagged is listed in any case.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from email.message import Message
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from release import building, contents, declared, installing
from release.contents import Archive
from release.declared import Package

ROOT = Path(__file__).resolve().parent.parent


class Report:
    """What is checked, printed as it goes. `wrong` counts what was found."""

    def __init__(self) -> None:
        self.wrong = 0

    def step(self, title: str, check: Callable[[], Iterable[str]]) -> None:
        """Run a check and print what it yields."""
        began = time.perf_counter()
        found = list(check())
        self.wrong += len(found)
        verdict = f"{len(found)} wrong" if found else "ok"
        print(f"{title:<36}{verdict:<9}{time.perf_counter() - began:5.1f} s", *found, sep="\n  ", flush=True)


def main(words: list[str]) -> int:
    """Run the checks; returns the exit code."""
    options = _options(words)
    if find_spec("twine") is None:
        return _in_own_environment(words)
    began = time.perf_counter()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="ats-release-") as scratch:
        try:
            built = _check(report, options, Path(scratch))
        except building.BuildError as error:
            sys.exit(str(error))
        if report.wrong == 0 and options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            for path in built:
                shutil.copy(path, options.out)
        for path in built:
            print(f"{building.digest(path)}  {path.name}")
    how = f"built by hatchling {version('hatchling')}, checked in {time.perf_counter() - began:.0f} s"
    print(f"{report.wrong} wrong: not to be published" if report.wrong else f"{len(built)} files, {how}")
    return 1 if report.wrong else 0


def _check(report: Report, options: argparse.Namespace, scratch: Path) -> list[Path]:
    """All steps; returns the files of the first build."""
    tree = scratch / "tree"
    building.snapshot(ROOT, tree)
    every = declared.packages(tree)
    builds: list[list[Path]] = []

    def built_twice() -> Iterable[str]:
        builds.extend(building.build_twice(ROOT, tree, scratch))
        return building.differences(*builds)

    report.step("versions, pins, licences", lambda: declared.declared(ROOT))
    report.step("built twice, the same bytes", built_twice)
    files = builds[0]
    archives = {path.name: Archive(path) for path in files}
    described = {name: contents.metadata_of(archive) for name, archive in archives.items() if name.endswith(".whl")}
    report.step("files and metadata", lambda: chain.from_iterable(_contents(package, archives) for package in every))
    report.step("twine check --strict", lambda: _twine(files))
    report.step("READMEs as PyPI renders them", lambda: _each(contents.rendered, described))
    if not options.without_install:
        wheels = [path for path in files if path.suffix == ".whl"]
        report.step("installed in a bare environment", lambda: installing.installed(every, wheels, scratch))
    open_ends = [*declared.fit_for_a_tag(ROOT, options.tag), *_each(contents.page, described)]
    if options.tag is not None:
        report.step(f"fit for the tag {options.tag}", lambda: [*open_ends, *building.uncommitted(ROOT)])
    elif open_ends:
        print("to be mended before a tag:", *open_ends, sep="\n  ")
    return files


def _contents(package: Package, archives: Mapping[str, Archive]) -> Iterable[str]:
    stem = f"{package.module}-{package.version}"
    wheel, sdist = archives[f"{stem}-py3-none-any.whl"], archives[f"{stem}.tar.gz"]
    return contents.contents(package, wheel, sdist, building.files_of(package.folder))


def _each(check: Callable[[str, Message], Iterable[str]], described: Mapping[str, Message]) -> Iterable[str]:
    return chain.from_iterable(check(name, fields) for name, fields in described.items())


def _twine(files: Iterable[Path]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)],
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    return (done.stdout + done.stderr).splitlines() if done.returncode else []


def _in_own_environment(words: list[str]) -> int:
    """The same in hatch's environment `release`, which alone has the tools: started from another one, we go there.

    hatch need not be on the path of the environment that it has started us in; the uv that it names lies beside it.
    """
    beside = os.path.dirname(os.environ.get("HATCH_UV", ""))
    hatch = shutil.which("hatch") or shutil.which("hatch", path=beside)
    if hatch is None or os.environ.get("HATCH_ENV_ACTIVE") == "release":
        sys.exit("the tools of the environment `release` are missing: run `hatch run release:check`")
    return subprocess.run([hatch, "run", "release:check", *words], cwd=ROOT).returncode


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hatch run release-check", description=__doc__.partition("\n")[0])
    parser.add_argument("--tag", help="check what only a release needs, too")
    parser.add_argument("--out", type=Path, help="where to put what was built, if nothing is wrong with it")
    parser.add_argument("--without-install", action="store_true", help="for whoever installs the wheels anyway")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
