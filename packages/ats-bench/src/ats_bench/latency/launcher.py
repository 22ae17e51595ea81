"""Runs commands in turn and tells what each cost. Called as `python -I -S launcher.py`; imports nothing of ours.

It is a process of its own because Linux counts the peak of the process that starts a command as the command's: seen
from the bench, with numpy in it, no child would ever have taken less.

On stdin a JSON document, `{"rounds", "commands": [{"name", "argv", "environ", "out"}]}`. After each command, a line of
JSON on stdout: its name, milliseconds from start to end, peak memory in MiB, exit code. The first that
fails is the last that is run.
"""

from __future__ import annotations

import json
import os
import sys
import time

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_PER_MIB = 1024 * 1024 if sys.platform == "darwin" else 1024


def main() -> None:
    work = json.load(sys.stdin)
    for _ in range(work["rounds"]):
        for command in work["commands"]:
            out = command["out"]
            to_files = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, out, _NEW, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, f"{out}.err", _NEW, 0o600),
            ]
            argv = command["argv"]
            started = time.perf_counter()
            child = os.posix_spawn(argv[0], argv, command["environ"], file_actions=to_files)
            _, status, usage = os.wait4(child, 0)
            took = (time.perf_counter() - started) * 1000
            code = os.waitstatus_to_exitcode(status)
            print(json.dumps([command["name"], took, usage.ru_maxrss / _PER_MIB, code]), flush=True)
            if code:
                return


if __name__ == "__main__":
    main()
