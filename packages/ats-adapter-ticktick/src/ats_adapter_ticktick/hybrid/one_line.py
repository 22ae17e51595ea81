"""What servers and libraries say, fit for a message of ours. TickTick's side uses it too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from ats_core import Secret

_MOST = 200


def one_line(*texts: str | None, hidden: Iterable[Secret] = ()) -> str:
    """Somebody else's texts as at most 200 printable characters in one line, with `": "` between them.

    :param hidden: what must not be seen, as it is or as an address or a form carries it: servers repeat what they are
        sent. Taken out before the cut, which could leave a piece of it.
    """
    line = ": ".join(filter(None, (" ".join((text or "").split()) for text in texts)))
    line = "".join(character for character in line if character.isprintable())
    for form in sorted(_forms(hidden), key=len, reverse=True):
        line = line.replace(form, "***")
    line = re.sub(r"^\[Errno -?\d+\] ", "", line)
    return line if len(line) <= _MOST else f"{line[:_MOST]}..."


def _forms(hidden: Iterable[Secret]) -> set[str]:
    """A header such as `Bearer abc` is hidden word by word; what is shorter than four letters would garble the text."""
    parts = {part for secret in hidden for part in secret.value.split() if len(part) > 3}
    return {form for part in parts for form in (part, quote(part), quote(part, safe=""), quote_plus(part))}
