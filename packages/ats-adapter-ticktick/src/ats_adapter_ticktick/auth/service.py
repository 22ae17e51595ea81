"""What the two services are called, and the refusals that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ats_core import LoginRequiredError

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

_NAMES = {"ticktick": "TickTick", "dida365": "Dida365"}


def service_of(region: str) -> str:
    """The service's name for people."""
    return _NAMES.get(region, region)


def not_logged_in(options: Options) -> LoginRequiredError:
    """There is no token at all."""
    return LoginRequiredError(
        f"not logged in to {service_of(options.region)}",
        hint="run `ats auth login`, or set ATS_TICKTICK_TOKEN to an API token",
    )


def expired(options: Options) -> LoginRequiredError:
    """The login's token is too old, and cannot be renewed."""
    return LoginRequiredError(f"{service_of(options.region)}: login expired", hint="run `ats auth login`")
