"""What a shell is offered when a name is half typed: adapters and projects, from what lies on this machine."""

import os
from typing import Any


def adapters(incomplete: str) -> list[str]:
    """The installed adapters."""
    from ats_core.plugins.discovery import ADAPTERS, Catalogue

    names = {found.name for found in Catalogue.scan().group(ADAPTERS)}
    return sorted(name for name in names if name.startswith(incomplete))


def projects(ctx: Any, incomplete: str) -> list[str]:
    """The projects of the cached corpus; none where there is no copy, for a shell must not wait for a store."""
    from ats_core.engine import Engine
    from ats_core.errors import AtsError

    from ats_cli.copies import own_copy

    try:
        copy = own_copy(Engine.open(os.environ, adapter=ctx.params.get("adapter")).state.status())
    except AtsError:
        return []
    known = copy.header.projects if copy and copy.header else ()
    return [project.name for project in known if project.name.startswith(incomplete)]
