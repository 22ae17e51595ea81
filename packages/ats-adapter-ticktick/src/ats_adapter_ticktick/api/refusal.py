"""What an answer means that is none: the rate limit, a login that is not taken, or a fault. Messages hold no secrets.

The service says nearly everything with HTTP 500, so it is the code in the body that tells the rate limit from a request
that will fail for ever.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime

from ats_core import LoginRequiredError, RateLimitedError, Secret, StoreError

from ats_adapter_ticktick.api.answer import Answer
from ats_adapter_ticktick.api.pace import COOL_DOWN, patience
from ats_adapter_ticktick.hybrid.one_line import one_line

RATE_LIMIT = "exceed_query_limit"
CHECK_ADDRESS = "check ATS_TICKTICK_API_URL, and whether a proxy or a sign-in page of the network is in between"
_PASSING = (502, 503, 504)


class ServiceError(StoreError):
    """The service, or what stands before it, failed.

    `status` is the HTTP status, None where a web page or nothing at all came in place of the service's own answer.
    `passing`: a second try may go well. `unsure`: the request may have had its effect.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        passing: bool = False,
        unsure: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.passing = passing
        self.unsure = unsure


def refusal(answer: Answer, line: str, label: str, token: Secret, now: float) -> StoreError | None:
    """The error that an answer means, None for a good one.

    :param line: what was asked, `"GET /project"`.
    :param label: the service's name.
    :param token: what was sent; services repeat it.
    :param now: seconds since the epoch.
    """
    if answer.is_good and not answer.is_page and not answer.code:
        return None
    told = words(answer, token)
    if answer.status == 429 or answer.code == RATE_LIMIT:
        wait = _wait(answer.headers.get("retry-after", ""), now)
        return RateLimitedError(
            f"{label}: rate limited ({told or answer.status})", hint=patience(wait), retry_after=wait
        )
    if answer.status == 401 or (answer.status == 403 and not answer.is_page):
        return LoginRequiredError(
            f"{label} refused the login ({told or answer.status})",
            hint="run `ats auth login`, or set ATS_TICKTICK_TOKEN to a valid API token",
        )
    passing = answer.status in _PASSING
    return ServiceError(
        f"{label} answered {line} with {_sort(answer)}" + (f": {told}" if told else ""),
        hint="try again later" if passing else _hint(answer),
        status=None if answer.is_page else answer.status,
        passing=passing,
        unsure=answer.status >= 500 and not answer.code,
    )


def words(answer: Answer, token: Secret) -> str:
    """The code and the text of a refusal, in one line, cut where it is long, without the token."""
    texts = [answer.code, answer.said("errorMessage")] if answer.code else [answer.said("error")]
    return one_line(*texts, hidden=[token])


def _sort(answer: Answer) -> str:
    if not answer.is_page:
        return f"HTTP {answer.status}"
    return "a web page" if answer.is_good else f"HTTP {answer.status} and a web page"


def _hint(answer: Answer) -> str | None:
    elsewhere = answer.is_page or answer.status == 404 or (answer.status < 400 and not answer.code)
    return CHECK_ADDRESS if elsewhere else None


def _wait(header: str, now: float) -> float:
    """Seconds from `Retry-After`, which is a number of seconds or a date; the usual wait for anything else."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - now
        except (ValueError, OverflowError):
            return COOL_DOWN
    return max(1.0, seconds) if seconds < float("inf") else COOL_DOWN
