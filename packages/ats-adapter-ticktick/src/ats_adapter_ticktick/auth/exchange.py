"""`ats auth exchange`: a login that was begun with `--no-browser` is finished with what was pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from ats_core import UsageError

from ats_adapter_ticktick.auth.attempt import Attempt, pending_file
from ats_adapter_ticktick.auth.service import service_of

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

_KEYS = ("code", "error")


def exchange(options: Options, pasted: str) -> str:
    """Finish a login.

    :param pasted: the code, or the whole address that the browser was sent to, or the query of it.
    :return: a line for people, free of secrets.
    :raises UsageError: no login has begun, it was begun at the other service, or there is no code in what was pasted.
    :raises LoginRequiredError: the service refused, or the address belongs to another login.
    """
    attempt = Attempt.saved(pending_file(options))
    if attempt.region != options.region:
        raise UsageError(
            f"the login was begun at {service_of(attempt.region)}, not at {service_of(options.region)}",
            hint="run `ats auth login --no-browser` again",
        )
    code = attempt.code_in(_answer_in(pasted), state_optional=True)
    if code is None:
        raise UsageError(
            "there is no code in what was pasted", hint="paste the whole address that the browser ended at, in quotes"
        )
    from ats_adapter_ticktick.auth.finish import finish

    return finish(options, attempt, code)


def _answer_in(pasted: str) -> dict[str, str]:
    """The query of an address, or a bare code in the place of one."""
    text = "".join(pasted.split()).strip("'\"<>")
    _, mark, query = text.partition("#")[0].partition("?")
    answer = dict(parse_qsl(query if mark else text, keep_blank_values=True))
    if mark or "://" in text or any(key in answer for key in _KEYS):
        return answer
    return {"code": unquote(text)}
