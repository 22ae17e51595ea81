"""One run of the command line: from arguments to an exit code."""

import os
import sys
from collections.abc import Mapping, Sequence

from ats_core.errors import AtsError

from ats_cli.failure import INTERRUPTED, report
from ats_cli.session import Session
from ats_cli.stdout import ReaderGoneError, take_over


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[int, bool]:
    """Run one command.

    :return: the exit code, and whether the process has to end at once because threads of others still run.
    """
    arguments = [_clean(argument) for argument in arguments]
    session = Session(take_over(), environ, arguments)
    # Parsing prints help, and a mounted app's answer is what it prints; our own commands say `session.guard()`.
    sys.stdout = session.answer
    try:
        from ats_cli.group import root_command

        # None, or the code of a `typer.Exit`, which is also what the parser makes of Ctrl-C.
        code = root_command().main(arguments, prog_name="ats", standalone_mode=False, obj=session) or 0
        if code == INTERRUPTED and session.guarded:
            code = report(session, KeyboardInterrupt())
    except ReaderGoneError:
        code = 0
    except BaseException as error:  # noqa: BLE001 - the one place where everything ends
        code = report(session, error)
    try:
        session.answer.flush()
    except ReaderGoneError:
        pass
    except AtsError as error:
        code = report(session, error)
    _flush_stderr()
    return code, session.threads_left


def _flush_stderr() -> None:
    try:
        sys.stderr.flush()
    except OSError:
        # Its reader is gone. Python would try again at its end, and turn the exit code into 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _clean(argument: str) -> str:
    """The argument as UTF-8, bytes that are none as U+FFFD: no text with a lone surrogate goes any further."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return os.fsencode(argument).decode("utf-8", "replace")
    return argument
