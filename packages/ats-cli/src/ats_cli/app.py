"""The entry point of `ats`: runs the command, and ends the process.

Nothing is imported up here that takes time, so that Ctrl-C is quiet from the first moment on.
"""

import os
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run `sys.argv` and end the process with the documented exit code.

    It owns the process: standard output is taken over and not given back.
    """
    try:
        from ats_cli.process import run

        code, at_once = run(sys.argv[1:], os.environ)
    except KeyboardInterrupt:
        code, at_once = INTERRUPTED, True
    if at_once or code == INTERRUPTED:
        # A plugin's pool would be joined by a regular exit, for as long as its threads please.
        os._exit(code)
    sys.exit(code)
