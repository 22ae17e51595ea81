"""What is said, and which code is returned, when a command ends with an exception."""

import traceback
from itertools import pairwise
from typing import Any, NamedTuple

from ats_core.errors import AtsError

from ats_cli.session import Session, own_words
from ats_cli.stdout import ReaderGoneError

INTERRUPTED = 130
DASH_HINT = "put -- before words that begin with a dash: ats {command} -- -20% sale"


class Failure(NamedTuple):
    """An error as it is shown: `type`, `message`, `hint` go into the JSON document."""

    type: str
    message: str
    hint: str | None
    code: int
    details: str = ""
    bug: bool = False


def report(session: Session, error: BaseException) -> int:
    """Show an exception as users should see it, and give the exit code."""
    if isinstance(error, SystemExit) and not session.guarded:
        # A mounted app's own way out.
        return _exit_code(session, error)
    failure = describe(session, error)
    if failure.bug:
        session.tell("".join(traceback.format_exception(error)).rstrip())
    if session.json and not session.answer.used:
        _write_document(session, failure)
    elif not failure.bug and failure.code != INTERRUPTED:
        session.complain(failure.message, failure.hint)
        if failure.details:
            session.tell(failure.details)
    return failure.code


def describe(session: Session, error: BaseException) -> Failure:
    """Sort an exception: ours, the parser's, Ctrl-C, or a bug."""
    name = type(error).__name__
    if isinstance(error, AtsError):
        return Failure(name, error.message, error.hint, error.exit_code)
    if isinstance(error, KeyboardInterrupt) or name == "Abort":
        return Failure("Interrupted", "interrupted", None, INTERRUPTED)
    # The parser's classes cannot be named: typer carries them in a private module, another one in each version.
    if callable(getattr(error, "format_message", None)):
        return _parser_failure(session, error)
    hint = "this is a bug: please report it with the traceback on stderr"
    return Failure(name, str(error) or name, hint, 1, bug=True)


def _parser_failure(session: Session, error: Any) -> Failure:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ats"
    message = str(error.format_message()).rstrip(".")
    code = int(getattr(error, "exit_code", 2))
    if message.startswith("Usage: "):
        # A mounted group that was called without a command: the parser's message is the whole help text.
        return Failure("UsageError", "a command is missing", f"see: {path} --help", code, message)
    possible = getattr(error, "possibilities", None)
    if possible:
        # The parser appends them to its message in brackets of its own.
        message, hint = str(error.message).rstrip("."), f"did you mean {' or '.join(sorted(possible))}?"
    else:
        hint = _dash_hint(session, context) or f"see: {path} --help"
    return Failure("UsageError", message[:1].lower() + message[1:], hint, code)


def _dash_hint(session: Session, context: Any) -> str | None:
    """The way out for a query that the parser took for options, None where there is no such word."""
    parameters = context.command.params if context else []
    if not any(parameter.name == "words" for parameter in parameters):
        return None
    known = {option for parameter in parameters for option in parameter.opts} | {"-h", "--help"}
    valued = {
        option for parameter in parameters if not getattr(parameter, "is_flag", True) for option in parameter.opts
    }
    words = own_words(session.arguments)
    # The word after such an option is its value: --due-after -7d.
    free = [word for before, word in pairwise(["", *words]) if before not in valued]
    dashed = [word for word in free if word.startswith("-") and len(word) > 1]
    if all(word.partition("=")[0] in known for word in dashed):
        return None
    return DASH_HINT.format(command=context.info_name)


def _write_document(session: Session, failure: Failure) -> None:
    document = {"error": {"type": failure.type, "message": failure.message, "hint": failure.hint}}
    try:
        session.write_json(document)
    except ReaderGoneError:
        pass
    except AtsError:
        session.complain(failure.message)


def _exit_code(session: Session, error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    session.complain(str(error.code))
    return 1
