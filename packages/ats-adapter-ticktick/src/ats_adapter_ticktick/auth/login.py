"""`ats auth login`: by way of a browser on this machine, or of an address for another one."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from ats_core import Deadline, LoginRequiredError, StoreTimeoutError

from ats_adapter_ticktick.auth.attempt import Attempt, app_of, pending_file
from ats_adapter_ticktick.auth.service import service_of

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

PATIENCE = 300.0
"""Seconds for which we wait for the browser to come back."""


def login(options: Options, browser: bool, port: int | None) -> str:
    """Log in, or begin to.

    :param browser: False: nothing is opened and nothing waits; the line says which address to open elsewhere.
    :param port: in place of that of the redirect address; 0 for a free one.
    :return: a line for people, free of secrets.
    :raises ConfigError: no app is configured, its redirect address leads elsewhere, or the port is taken.
    :raises LoginRequiredError: the user or the service refused.
    :raises StoreTimeoutError: the browser did not come back.
    """
    return _by_browser(options, port) if browser else _elsewhere(options, port)


def _by_browser(options: Options, port: int | None) -> str:
    from ats_adapter_ticktick.auth.finish import finish
    from ats_adapter_ticktick.auth.loopback import Callback

    app_of(options)  # without one there is nothing to listen for
    with Callback(options.redirect_uri, port) as callback:
        attempt = Attempt.begin(options, callback.redirect_uri)
        _open(attempt.address(options), attempt.redirect_uri)
        answer = callback.wait(Deadline(PATIENCE))
    if answer is None:
        raise StoreTimeoutError(
            f"{service_of(options.region)}: no browser came back within {PATIENCE / 60:.0f} minutes",
            hint=f"is {attempt.redirect_uri} registered at your app? Without a browser: `ats auth login --no-browser`",
        )
    code = attempt.code_in(answer)
    if code is None:
        raise LoginRequiredError(f"{service_of(options.region)} sent no code", hint="run `ats auth login` again")
    return finish(options, attempt, code)


def _elsewhere(options: Options, port: int | None) -> str:
    from ats_adapter_ticktick.auth.loopback import with_port

    # Nobody listens, so a free port means nothing: the address only has to be a registered one.
    attempt = Attempt.begin(options, with_port(options.redirect_uri, port) if port else options.redirect_uri)
    attempt.save(pending_file(options))
    return (
        f"open {attempt.address(options)} in any browser and agree: it ends at an address that begins with "
        f"{attempt.redirect_uri} (which must be registered at your app) and holds a code, "
        "then run `ats auth exchange CODE`, with the code or with that whole address in quotes"
    )


def _open(address: str, redirect_uri: str) -> None:
    print(
        f"opening {address}\n"
        f"The redirect address {redirect_uri} must be registered at your app. Waiting for the browser; Ctrl-C ends it.",
        file=sys.stderr,
        flush=True,
    )
    # On a thread: in a terminal, the browser may be one that runs until it is left.
    threading.Thread(target=_open_browser, args=(address,), daemon=True).start()


def _open_browser(address: str) -> None:
    import webbrowser

    try:
        opened = webbrowser.open(address)
    except (OSError, webbrowser.Error):
        opened = False
    if not opened:
        print("No browser could be opened here: open the address yourself.", file=sys.stderr, flush=True)
