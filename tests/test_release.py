"""What `hatch run release-check` finds, and that the workflow and docs/releasing.md speak of what is there."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
import tomllib
from email import message_from_string
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pytest
import yaml
from readme_blocks import ROOT
from release.building import differences, files_of
from release.contents import Archive, contents, metadata, metadata_of, page
from release.declared import Package, declared, fit_for_a_tag, packages

NAMES = {package.name for package in packages(ROOT)}
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
GUIDE = ROOT / "docs" / "releasing.md"


def test_what_the_repository_declares_can_be_released():
    assert list(declared(ROOT)) == []
    assert len(NAMES) == 5


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The part of the repository that is looked at before anything is built."""
    for path in (ROOT / "LICENSE", ROOT / "CHANGELOG.md"):
        shutil.copy(path, tmp_path)
    for package in packages(ROOT):
        folder = tmp_path / "packages" / package.name
        module = folder / "src" / package.module
        module.mkdir(parents=True)
        for name in ("pyproject.toml", "LICENSE"):
            shutil.copy(package.folder / name, folder)
        shutil.copy(package.folder / "src" / package.module / "__init__.py", module)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "was", "becomes", "said"),
    [
        ("packages/ats-cli/pyproject.toml", r'^version = ".*"', 'version = "9.9.9"', "ats-cli: version 9.9.9"),
        ("packages/ats-bench/src/ats_bench/__init__.py", r"^__version__ = .*", "", "ats-bench: __version__"),
        ("packages/ats-core/src/ats_core/__init__.py", r"^CONTRACT = .*", 'CONTRACT = "0"', "CONTRACT is not"),
        ("CHANGELOG.md", r"^## \d.*", "## 9.9.9 - unreleased", "heading is of 9.9.9"),
        ("CHANGELOG.md", r"^## .*", "## Unreleased", "heading is of no version"),
        ("packages/ats-cli/pyproject.toml", r'"ats-core>=.*?"', '"ats-core>=0.1"', "'ats-core>=0.1' is not pinned"),
        ("packages/ats-adapter-ticktick/pyproject.toml", r'"ats-core>=.*?"', '"ats-core"', "'ats-core' is not pinned"),
        ("packages/ats-adapter-memory/LICENSE", "MIT License", "Licence", "ats-adapter-memory: its LICENSE"),
    ],
)
def test_what_is_out_of_step_is_named(copy: Path, file: str, was: str, becomes: str, said: str):
    assert list(declared(copy)) == []
    text, changed = re.subn(was, becomes, (copy / file).read_text(), flags=re.MULTILINE)
    assert changed
    (copy / file).write_text(text)
    assert any(said in line for line in declared(copy))


def test_before_a_tag_the_changelog_has_a_date_and_the_tag_is_the_version(copy: Path):
    path = copy / "CHANGELOG.md"
    version = packages(copy)[0].version
    path.write_text(re.sub(r"(?m)^## .*$", f"## {version} - unreleased", path.read_text(), count=1))
    assert [line for line in fit_for_a_tag(copy, None) if "not the date" in line]
    path.write_text(path.read_text().replace("unreleased", "2026-12-24"))
    assert list(fit_for_a_tag(copy, None)) == []
    assert list(fit_for_a_tag(copy, f"v{version}")) == []
    assert list(fit_for_a_tag(copy, "v9.9.9")) == [f"the tag is v9.9.9, and the version {version}"]


METADATA = """\
Metadata-Version: 2.4
Name: ats-toy
Version: 1.0.0
Summary: A toy
Project-URL: Source, https://example.org/toy
Author: The ATS authors
License-Expression: MIT
License-File: LICENSE
Keywords: toy
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Developers
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Utilities
Classifier: Typing :: Typed
Requires-Python: >=3.11
Description-Content-Type: text/markdown

# Toy

[here](https://example.org) and [there](#below)
"""


class Made(NamedTuple):
    """A package, and what goes into its wheel and sdist. A file that is None is left out."""

    package: Package
    wheel: dict[str, str | None]
    sdist: dict[str, str | None]
    folder: Path

    def found(self) -> list[str]:
        wheel, sdist = self.folder.parent / "toy.whl", self.folder.parent / "toy.tar.gz"
        with ZipFile(wheel, "w") as archive:
            for name, text in self.wheel.items():
                if text is not None:
                    archive.writestr(name, text)
        with tarfile.open(sdist, "w:gz") as archive:
            for name, text in self.sdist.items():
                if text is not None:
                    member = tarfile.TarInfo(f"ats_toy-1.0.0/{name}")
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text.encode()))
        return list(contents(self.package, Archive(wheel), Archive(sdist), files_of(self.folder)))


@pytest.fixture
def made(tmp_path: Path) -> Made:
    sources = {
        "LICENSE": "MIT",
        "README.md": "# Toy",
        "pyproject.toml": "",
        "src/ats_toy/__init__.py": "",
        "src/ats_toy/py.typed": "",
        "src/ats_toy/templates/tests/test_it.py.tmpl": "",
        "tests/test_toy.py": "",
    }
    folder = tmp_path / "ats-toy"
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    wheel: dict[str, str | None] = {
        name.removeprefix("src/"): text for name, text in sources.items() if name.startswith("src/")
    }
    wheel |= {"ats_toy-1.0.0.dist-info/METADATA": METADATA, "ats_toy-1.0.0.dist-info/licenses/LICENSE": "MIT"}
    package = Package(folder, {"name": "ats-toy", "version": "1.0.0"})
    return Made(package, wheel, {**sources, "PKG-INFO": METADATA}, folder)


def test_a_whole_wheel_and_sdist_are_in_order(made: Made):
    assert made.found() == []


@pytest.mark.parametrize(
    ("part", "name", "text", "said"),
    [
        ("wheel", "ats_toy/py.typed", None, "ats_toy/py.typed is missing"),
        ("wheel", "ats_toy/extra.py", "", "ats_toy/extra.py is in it"),
        ("wheel", "tests/test_toy.py", "", "tests/test_toy.py is in it"),
        ("wheel", "ats_toy-1.0.0.dist-info/licenses/LICENSE", None, "no LICENSE"),
        ("wheel", "ats_toy-1.0.0.dist-info/METADATA", METADATA + "more", "other metadata than the sdist's"),
        ("sdist", "tests/test_toy.py", None, "tests/test_toy.py is missing"),
        ("sdist", ".mypy_cache/x", "", ".mypy_cache/x is in it"),
    ],
)
def test_what_is_wrong_with_an_archive_is_named(made: Made, part: str, name: str, text: str | None, said: str):
    getattr(made, part)[name] = text
    assert any(said in line for line in made.found())


@pytest.mark.parametrize("name", ["tests/test_it.py", "conftest.py", ".hidden", "__pycache__/x.pyc", "a.py.orig"])
def test_what_the_repository_holds_by_mistake_does_not_go_into_a_wheel(made: Made, name: str):
    path = made.folder / "src" / "ats_toy" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    made.wheel[f"ats_toy/{name}"] = made.sdist[f"src/ats_toy/{name}"] = ""
    assert made.found() == [f"toy.whl: ats_toy/{name} does not belong into a wheel"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Summary: ", "no Summary"),
        ("Author: ", "no Author"),
        ("License-Expression: ", "no License-Expression"),
        ("License-File: ", "no License-File"),
        ("Keywords: ", "no Keywords"),
        ("Requires-Python: ", "no Requires-Python"),
        ("Classifier: Typing", "no classifier Typing ::"),
        ("Classifier: Topic", "no classifier Topic ::"),
        ("Description-Content-Type: ", "not declared as Markdown"),
    ],
)
def test_a_missing_field_is_named(line: str, said: str):
    less = "".join(kept for kept in METADATA.splitlines(keepends=True) if not kept.startswith(line))
    assert list(metadata("toy", message_from_string(METADATA))) == []
    (found,) = metadata("toy", message_from_string(less))
    assert said in found


def test_on_a_page_of_pypi_every_link_has_an_address(made: Made):
    assert list(page("toy", message_from_string(METADATA))) == []
    fields = message_from_string(
        METADATA.replace("Project-URL", "X").replace("https://example.org)", "../docs/toy.md)")
    )
    assert [line.partition(":")[2] for line in page("toy", fields)] == [
        " no [project.urls]",
        " its README links to ../docs/toy.md, which leads nowhere on PyPI",
    ]


def test_the_readme_of_a_wheel_is_read_with_its_metadata(made: Made):
    made.found()
    fields = metadata_of(Archive(made.folder.parent / "toy.whl"))
    assert fields["Summary"] == "A toy"
    assert str(fields.get_payload()).startswith("# Toy")


def test_builds_that_differ_in_a_byte_or_a_file_are_told_apart(tmp_path: Path):
    def build(name: str, **files: str) -> list[Path]:
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text)
        return sorted((tmp_path / name).iterdir())

    one = build("one", a="1", b="2")
    assert list(differences(one, build("same", a="1", b="2"))) == []
    assert list(differences(one, build("byte", a="1", b="3"))) == ["b: a second build gives other bytes"]
    assert list(differences(one, build("file", a="1"))) == ["b: a second build gives other bytes"]


def workflow() -> dict[str, Any]:
    return yaml.safe_load(WORKFLOW.read_text())


def test_the_workflow_publishes_all_packages_core_first():
    publish = workflow()["jobs"]["publish"]
    named = publish["strategy"]["matrix"]["package"]
    assert set(named) == NAMES
    assert named[0] == "ats-core"
    assert publish["environment"]["name"] == "pypi-${{ matrix.package }}"
    assert all(f"`pypi-{name}`" in GUIDE.read_text() for name in named)


def test_the_workflow_trusts_only_the_job_that_publishes():
    jobs = workflow()["jobs"]
    assert workflow()["permissions"] == {}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == "build"
    assert "secrets." not in WORKFLOW.read_text()


def test_every_action_of_the_workflow_has_a_version():
    used = [step["uses"] for job in workflow()["jobs"].values() for step in job["steps"] if "uses" in step]
    assert "pypa/gh-action-pypi-publish@release/v1" in used
    assert all(re.fullmatch(r"[\w./-]+@(v\d+|release/v\d+|[0-9a-f]{40})", action) for action in used), used


def test_a_tag_alone_starts_the_workflow():
    assert workflow()[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 takes the key `on` for a truth value


def test_every_command_of_the_guide_and_the_workflow_is_there():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["envs"]["default"]["scripts"]
    options = set(re.findall(r'"(--[a-z-]+)"', (ROOT / "tools" / "release_check.py").read_text()))
    text = GUIDE.read_text() + WORKFLOW.read_text() + (ROOT / ".ci" / "run").read_text()
    used = [line.split() for line in re.findall(r"hatch run (release-check[^`#\n]*)", text)]
    assert {words[0] for words in used} <= set(scripts)
    assert {word for words in used for word in words if word.startswith("--")} <= options
    assert all((ROOT / path).is_file() for path in re.findall(r"bash (\.ci/\S+?)[`\s]", text))
    modules = re.findall(r"cd tests && python -m (\S+)", text)
    assert all((ROOT / "tests" / name.replace(".", "/")).with_suffix(".py").is_file() for name in modules)
    assert used
    assert modules
