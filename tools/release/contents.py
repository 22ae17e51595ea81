"""What a built wheel and sdist hold: the files that they are made of and no other, and complete metadata."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable, Iterator
from email import message_from_string
from email.message import Message
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from release.declared import Package

_FIELDS = ("Summary", "Author", "License-Expression", "License-File", "Requires-Python", "Keywords")
_CLASSIFIERS = ("Development Status", "Intended Audience", "Programming Language", "Topic", "Typing")
_LEFTOVER = re.compile(r"(^|/)(\.|__pycache__/)|\.(pyc|orig|rej|bak|swp)$|~$")
_TEST = re.compile(r"(^|/)(tests/|conftest\.py$|test_[^/]*\.py$)")
_TEMPLATE = ".tmpl"
"""What `ats adapter new` writes is data, and may be named like anything."""


class Archive:
    """A wheel or an sdist: its files by name, an sdist's without the folder that holds them all."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        if path.suffix == ".whl":
            with ZipFile(path) as wheel:
                self.files = {name: wheel.read(name) for name in wheel.namelist()}
            return
        with tarfile.open(path) as sdist:
            members = {member.name: sdist.extractfile(member) for member in sdist.getmembers() if member.isfile()}
            self.files = {name.partition("/")[2]: file.read() for name, file in members.items() if file is not None}


def contents(package: Package, wheel: Archive, sdist: Archive, known: Iterable[Path]) -> Iterator[str]:
    """What is wrong with the two files of a package.

    :param known: the files of the package's folder, relative to it.
    """
    sources = {path.as_posix() for path in known}
    modules = {str(PurePosixPath(name).relative_to("src")) for name in sources if name.startswith("src/")}
    info = f"{package.module}-{package.version}.dist-info/"
    yield from _compared(sdist, sources | {"PKG-INFO"}, set(sdist.files))
    yield from _compared(wheel, modules, {name for name in wheel.files if not name.startswith(info)})
    for name in sorted(modules):
        if not name.startswith(f"{package.module}/"):
            yield f"{wheel.name}: {name} lies outside of {package.module}"
        if not name.endswith(_TEMPLATE) and (_LEFTOVER.search(name) or _TEST.search(name)):
            yield f"{wheel.name}: {name} does not belong into a wheel"
    if f"{package.module}/py.typed" not in wheel.files:
        yield f"{wheel.name}: no py.typed"
    if wheel.files.get(f"{info}licenses/LICENSE") != sdist.files.get("LICENSE"):
        yield f"{wheel.name}: no LICENSE, or another than the sdist's"
    if wheel.files.get(f"{info}METADATA") != sdist.files.get("PKG-INFO"):
        yield f"{wheel.name}: other metadata than the sdist's"
    yield from metadata(wheel.name, metadata_of(wheel))


def metadata_of(wheel: Archive) -> Message:
    """The core metadata; its payload is the README."""
    name = next(name for name in wheel.files if name.endswith(".dist-info/METADATA"))
    return message_from_string(wheel.files[name].decode())


def metadata(name: str, fields: Message) -> Iterator[str]:
    """What is missing for a page of PyPI that says what this is."""
    yield from (f"{name}: no {field} in its metadata" for field in _FIELDS if not fields.get(field))
    kinds = {str(classifier).partition(" ::")[0] for classifier in fields.get_all("Classifier", [])}
    yield from (f"{name}: no classifier {kind} :: ..." for kind in _CLASSIFIERS if kind not in kinds)
    if fields.get("Description-Content-Type") != "text/markdown":
        yield f"{name}: its README is not declared as Markdown"


def page(name: str, fields: Message) -> Iterator[str]:
    """What may be open until a version is tagged: where the source is, and so where links lead on a page of PyPI."""
    if not fields.get_all("Project-URL", []):
        yield f"{name}: no [project.urls]"
    for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)", str(fields.get_payload())):
        yield f"{name}: its README links to {target}, which leads nowhere on PyPI"


def rendered(name: str, fields: Message) -> Iterator[str]:
    """Whether PyPI's own renderer makes a page of the README: `twine check` does not try it with Markdown."""
    from readme_renderer import markdown

    html = markdown.render(str(fields.get_payload()))
    if html is None or "<h1" not in html:
        yield f"{name}: its README does not render"


def _compared(archive: Archive, wanted: set[str], there: set[str]) -> Iterator[str]:
    yield from (f"{archive.name}: {name} is missing" for name in sorted(wanted - there))
    yield from (f"{archive.name}: {name} is in it, and not in the repository" for name in sorted(there - wanted))
