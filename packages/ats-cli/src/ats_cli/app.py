"""The entry point of `ats`: runs the command, and ends the process.

Nothing is imported up here that takes time, so that Ctrl-C is quiet from the first moment on.
"""

import gc
import os
import sys
from typing import NoReturn

INTERRUPTED = 130
COLLECT_AFTER = 50_000
"""New objects between two garbage collections. A run is mostly imports, and collecting took a fifth of it: 110 ms of
processor, 86 with this and with `gc.freeze` at the end."""


def main() -> NoReturn:
    """Run `sys.argv` and end the process with the documented exit code.

    It owns the process: standard output is taken over and not given back.
    """
    gc.set_threshold(COLLECT_AFTER)
    try:
        from ats_cli.process import run

        code, at_once = run(sys.argv[1:], os.environ)
    except KeyboardInterrupt:
        code, at_once = INTERRUPTED, True
    if at_once or code == INTERRUPTED:
        # A plugin's pool would be joined by a regular exit, for as long as its threads please.
        os._exit(code)
    gc.freeze()  # or the interpreter, on its way out, searches all modules for garbage
    sys.exit(code)
