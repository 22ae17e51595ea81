"""The folders that hold settings and state: whether they can be written, and whether others may look into them."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from ats_core.settings import Settings

from ats_cli.doctor.check import Check, fine, problem, warning
from ats_cli.show.units import counted, size

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LEAST_FREE = 50_000_000
"""Bytes: below it a corpus may not fit any more."""


def folder_checks(config_dir: Path, settings: Settings | None) -> list[Check]:
    """The configuration folder, and the folders of cache and log where they lie elsewhere.

    :param settings: None where they cannot be read.
    """
    checks = [_folder("config folder", config_dir), *_files(config_dir)]
    places = {} if settings is None else {"cache folder": settings.corpus_cache, "log folder": settings.usage_log}
    checks += [_folder(name, path.parent) for name, path in places.items() if path.parent != config_dir]
    return checks


def _folder(name: str, folder: Path) -> Check:
    quoted = shlex.quote(str(folder))
    try:
        mode = os.stat(folder).st_mode
    except FileNotFoundError:
        return _missing(name, folder)
    except OSError as error:
        return problem(name, f"{folder}: {error.strerror}", f"make it yours: sudo chown -R $USER {quoted}")
    if not stat.S_ISDIR(mode):
        return problem(name, f"{folder} is no folder", f"move it away: mv {quoted} {quoted}.old")
    if not os.access(folder, os.W_OK | os.X_OK):
        return problem(name, f"{folder} cannot be written: nothing is kept", f"try: chmod u+rwx {quoted}")
    return _state(name, folder, mode)


def _state(name: str, folder: Path, mode: int) -> Check:
    """Of a folder that can be written."""
    if free := _shortage(folder):
        return warning(name, f"{folder}: only {free} are left on its disk", "make room: ats cache clear --all")
    if os.name == "posix" and mode & _OTHERS:
        message = f"{folder} is {stat.S_IMODE(mode):04o}: others may look into it"
        return warning(name, message, f"try: chmod 700 {shlex.quote(str(folder))}")
    return fine(name, f"{folder}, writable, for you alone")


def _missing(name: str, folder: Path) -> Check:
    above = next((parent for parent in folder.parents if os.path.exists(parent)), folder)
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return fine(name, f"{folder} is not there yet, and can be made")
    return problem(name, f"{folder} cannot be made in {above}", "set ATS_CONFIG_DIR to a folder of your own")


def _files(folder: Path) -> Iterator[Check]:
    """The files that others may read: a token among them is a token of theirs."""
    if os.name != "posix":
        return
    loose = []
    try:
        for path in sorted(folder.iterdir()):
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & _OTHERS and not path.name.endswith(".lock"):
                loose.append(path.name)
    except OSError:
        return
    if loose:
        names = ", ".join(loose[:3]) + (", ..." if len(loose) > 3 else "")
        message = f"{counted(len(loose), 'file')} may be read by others: {names}"
        yield warning("config files", message, f"try: chmod go= {shlex.quote(str(folder))}/*")


def _shortage(folder: Path) -> str | None:
    try:
        status = os.statvfs(folder)
    except (AttributeError, OSError):
        return None
    free = status.f_bavail * status.f_frsize
    return size(free) if free < _LEAST_FREE else None
