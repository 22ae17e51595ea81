"""A new adapter's package, made of the files under `templates/adapter`.

Each template is what becomes of it for an adapter called `skeleton`: nothing is left to a language of templates, and a
stranger's first sight of the contract is code that was run.
"""

import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from ats_core.errors import ConfigError, UsageError
from ats_core.plugins.discovery import ADAPTERS, Catalogue
from ats_core.plugins.discovery import COMMANDS as MOUNTS

from ats_cli.commands import COMMANDS

KINDS = ("file", "http")

TEMPLATES = Path(__file__).parent / "templates" / "adapter"
SUFFIX = ".tmpl"
"""Hides the templates from whatever collects tests, configuration and modules by their names."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40
_PREFIX = "ats-adapter-"


class Scaffold(NamedTuple):
    """What was written: the folder, and the files in it, sorted."""

    name: str
    kind: str
    folder: Path
    files: list[str]


def check_name(name: str) -> None:
    """Refuse a name that no distribution, module or command could have, or that is taken.

    :raises UsageError: no name, or one that `ats NAME` could never lead to.
    :raises ConfigError: an installed adapter has it.
    """
    proper = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-").removeprefix(_PREFIX)
    if not _NAME.fullmatch(name) or len(name) > _LONGEST or proper != name:
        hint = f"try: ats adapter new {proper[:_LONGEST].rstrip('-')}" if proper[:1].isalpha() else "try: my-tasks"
        raise UsageError(
            f"the name is {name!r}, expected lower-case letters and digits, with single hyphens between words",
            hint=hint,
        )
    catalogue = Catalogue.scan()
    if name in COMMANDS or any(found.name == name for found in catalogue.group(MOUNTS)):
        raise UsageError(f"ats {name} is a command already", hint=f"try: ats adapter new {name}-tasks")
    for found in catalogue.group(ADAPTERS):
        if found.name == name:
            raise ConfigError(
                f"an adapter {name} is installed: {found.distribution} {found.version}",
                hint=f"choose another name, or first: pip uninstall {found.distribution}",
            )


def write_adapter(name: str, kind: str, folder: Path) -> Scaffold:
    """Write the package of an adapter into a folder that does not exist yet: all of it, or nothing.

    :raises UsageError: the name or the kind is none, or something is in the folder's place.
    :raises ConfigError: the name is taken, or the folder cannot be written.
    """
    if kind not in KINDS:
        raise UsageError(f"kind is {kind!r}, expected {' or '.join(KINDS)}")
    check_name(name)
    folder = folder.absolute()
    if os.path.lexists(folder):
        raise UsageError(f"{folder} exists already", hint="choose another folder with --dir, or move it away")
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}", dir=folder.parent))
        try:
            made = scratch / "made"  # within it, since mkdtemp's own folder is nobody else's to read
            files = _write(name, kind, made)
            made.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except FileNotFoundError as error:
        raise UsageError(f"no such folder: {folder.parent}", hint=f"try: mkdir -p {folder.parent}") from error
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror}", hint="choose another with --dir") from error
    return Scaffold(name, kind, folder, files)


def shown(folder: Path) -> str:
    """A folder as a shell takes it, from where we are if it lies below."""
    inside = folder.is_relative_to(Path.cwd())
    return shlex.quote(str(folder.relative_to(Path.cwd()) if inside else folder))


def next_commands(made: Scaffold) -> list[str]:
    """What to type next, from the package to an answer."""
    variable = named("ATS_SKELETON_FILE", made.name)
    try_it = {"file": f"export {variable}=tests/tasks.json", "http": 'eval "$(python tests/service.py &)"'}
    return [
        f"cd {shown(made.folder)}",
        "pip install -e '.[test]'",
        "pytest",
        try_it[made.kind],
        f"ats adapter test {made.name}",
        f"ats find --adapter {made.name} two photos",
    ]


def _write(name: str, kind: str, root: Path) -> list[str]:
    written = []
    for part in ("both", kind):
        for template in (TEMPLATES / part).rglob(f"*{SUFFIX}"):
            relative = template.relative_to(TEMPLATES / part).as_posix().removesuffix(SUFFIX)
            path = root / named(relative, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(named(template.read_text("utf-8"), name).encode())
            written.append(path.relative_to(root).as_posix())
    return sorted(written)


def named(text: str, name: str) -> str:
    """A text about the adapter `skeleton`, as one about the adapter `name`.

    >>> named("ats_adapter_skeleton.SkeletonAdapter reads $ATS_SKELETON_FILE of skeleton", "my-tasks")
    'ats_adapter_my_tasks.MyTasksAdapter reads $ATS_MY_TASKS_FILE of my-tasks'
    """
    snake = name.replace("-", "_")
    for theirs, ours in (
        ("ats_adapter_skeleton", f"ats_adapter_{snake}"),
        ("ATS_SKELETON", f"ATS_{snake.upper()}"),
        ("Skeleton", "".join(word.capitalize() for word in name.split("-"))),
        ("skeleton", name),
    ):
        text = text.replace(theirs, ours)
    return text
