"""`ats auth status | login | exchange | logout`."""

from typing import Annotated

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app("Log in to the adapter's store, and out of it.")


@app.command(cls=Command)
def status(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Show whether the store takes us. Exit code 3 where it wants a login.

    \b
    Examples:
      ats auth status
      ats auth status --adapter ticktick --json
    """
    from ats_core.errors import LoginRequiredError

    from ats_cli.login import adapter_with

    session = session_of(ctx)
    asked = adapter_with(session, adapter, "auth_status")
    found = asked.auth_status()
    if not found.ok:
        raise LoginRequiredError(found.message or f"{asked.name}: not logged in", hint="run `ats auth login`")
    if session.json:
        session.write_json(
            {
                "adapter": asked.name,
                "ok": True,
                "message": found.message,
                "account": found.account,
                "expiresAt": found.expires_at,
            }
        )
        return
    session.write(f"{asked.name}: {found.message or 'logged in'}\n")


@app.command(cls=Command)
def login(
    ctx: typer.Context,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser; without: print the address to open.")
    ] = True,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="Loopback port for the way back; 0: a free one."),
    ] = None,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Log in, and ask this adapter from now on.

    Without a browser on this machine: --no-browser prints an address to open elsewhere, and `ats auth exchange` takes
    the address that you are sent to.

    \b
    Examples:
      ats auth login --adapter ticktick
      ats auth login --no-browser
    """
    from ats_cli.login import adapter_with, choose, tell

    session = session_of(ctx)
    asked = adapter_with(session, adapter, "auth_login")
    said = asked.auth_login(browser, port)
    if browser:
        choose(session, asked.name)
    tell(session, asked.name, said)


@app.command(cls=Command)
def exchange(
    ctx: typer.Context,
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="The code, or the whole address you were sent to; - reads stdin.")
    ],
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Finish a login that was begun with --no-browser.

    \b
    Example:
      ats auth exchange 'http://localhost:8765/callback?code=...&state=...'
    """
    from ats_cli.login import adapter_with, choose, tell

    session = session_of(ctx)
    asked = adapter_with(session, adapter, "auth_exchange")
    said = asked.auth_exchange(options.joined_words([code]))
    choose(session, asked.name)
    tell(session, asked.name, said)


@app.command(cls=Command)
def logout(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Forget the login, and remove the cached corpus.

    \b
    Example:
      ats auth logout
    """
    from ats_cli.login import adapter_with, forget_corpus, tell

    session = session_of(ctx)
    asked = adapter_with(session, adapter, "auth_logout")
    forget_corpus(session, adapter)
    tell(session, asked.name, asked.auth_logout())
