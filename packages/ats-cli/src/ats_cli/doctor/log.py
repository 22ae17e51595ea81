"""The usage log: its size, and lines in it that are none."""

import os

from ats_core.deadline import Deadline
from ats_core.settings import Settings
from ats_core.usage_log import UsageReader

from ats_cli.doctor.check import Check, fine, warning
from ats_cli.show.units import counted, size

NAME = "usage log"


def log_check(settings: Settings, deadline: Deadline) -> Check:
    """Counts the lines of the log and of the rotated one before it, as far as the time allows."""
    path = settings.usage_log
    if settings.usage_disable:
        return fine(NAME, f"off ({settings.origins['usage_disable']})")
    reader = UsageReader(path)
    lines = 0
    try:
        for _ in reader:
            lines += 1
            if lines % 1000 == 0 and deadline.expired:
                break
        written = os.path.getsize(path) if path.exists() else 0
    except OSError as error:
        return warning(NAME, f"{path}: {error.strerror}: calls are not logged", "move away what is in its place")
    if path.exists() and not os.access(path, os.W_OK):
        return warning(NAME, f"{path} cannot be written: calls are not logged", f"try: chmod u+rw {path}")
    if not (lines or reader.skipped or path.exists()):
        return fine(NAME, f"{path} is not there yet")
    calls = f"more than {counted(lines, 'call')}" if deadline.expired else counted(lines, "call")
    said = f"{path}, {calls}, {size(written)}"
    if reader.skipped:
        bad = f"{counted(reader.skipped, 'line')} cannot be read"
        return warning(NAME, f"{said}; {bad}", f"harmless, readers skip them; to begin anew: rm {path}")
    return fine(NAME, said)
