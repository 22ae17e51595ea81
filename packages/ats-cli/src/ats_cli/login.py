"""What the commands of `ats auth` have in common."""

from ats_core.errors import ConfigError, UsageError
from ats_core.opening import choose_adapter, open_adapter
from ats_core.plugins.adapter import Adapter
from ats_core.plugins.discovery import ADAPTERS, Catalogue
from ats_core.settings import load_settings

from ats_cli.session import Session


def adapter_with(session: Session, name: str | None, hook: str) -> Adapter:
    """The adapter that is asked.

    :raises UsageError: it knows no login.
    """
    settings = load_settings(session.environ, {"adapter": name})
    catalogue = Catalogue.scan()
    adapter, _ = open_adapter(choose_adapter(catalogue, settings.adapter), settings, session.environ)
    if hook not in adapter.implemented:
        others = sorted({found.name for found in catalogue.group(ADAPTERS)} - {adapter.name})
        raise UsageError(
            f"adapter {adapter.name} needs no login",
            hint=f"to ask another: --adapter {' or '.join(others)}" if others else "just use it",
        )
    return adapter


def choose(session: Session, name: str) -> None:
    """Ask this adapter from now on: who logs in to a store wants to search it. What was set already stays."""
    from ats_cli.configuration import use_adapter

    if load_settings(session.environ).adapter == name:
        return
    try:
        path = use_adapter(session, name)
    except ConfigError as error:
        session.warn(error.message, error.hint)
    else:
        session.complain(f"adapter {name} is asked from now on ({path})")


def forget_corpus(session: Session, name: str | None) -> None:
    """Remove this account's copies: whoever comes next must not find them."""
    try:
        session.open_engine(name).state.clear()
    except OSError as error:
        session.warn(f"{error.filename} cannot be removed: {error.strerror}", "remove it by hand")


def tell(session: Session, adapter: str, said: str) -> None:
    """Write what a hook said."""
    if session.json:
        session.write_json({"adapter": adapter, "message": said})
        return
    from ats_cli.show.inert import one_line

    session.write(one_line(said) + "\n")
