"""`url_for` makes an address, and asks nobody for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ats_core.conformance.network import no_network
from ats_core.conformance.results import CONTRACT, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.fanout import describe

URL = Rule(
    "url-for-url",
    "The address begins with a scheme (`https://`, `file:`, an app's own) and holds no blank and no control character.",
    "put the store's scheme before it, and urllib.parse.quote the ids",
)
URL_LOCAL = Rule(
    "url-for-local",
    "It is made from the two ids at once, without asking the store.",
    "put the address together from the ids; what else it needs belongs into a setting",
)

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f]+")
_AT_ONCE = 1.0


def url_for_gives_an_address(subject: Subject) -> Iterator[Finding]:
    """`url_for` gives something that can be opened."""
    for project_id, task in subject.some_tasks():
        url = subject.adapter.url_for(project_id, task.id)
        if not _URL.fullmatch(url):
            yield URL.broken(f"url_for({project_id!r}, {task.id!r}) gave {url!r}")


def url_for_asks_nobody(subject: Subject) -> Iterator[Finding]:
    """`url_for` is quick, and an adapter that has done nothing yet needs no network for it."""
    pairs = [(project_id, task.id) for project_id, task in subject.some_tasks()][:3]
    with no_network() as tried:
        adapter = subject.make()
        done = [subject.timed("url_for", partial(adapter.url_for, *pair), 10) for pair in pairs for _ in "12"]
    quickest = min(one.seconds for one in done)
    if tried:
        yield URL_LOCAL.broken(f"url_for asked the network for {tried[0]}")
    elif quickest > _AT_ONCE:
        yield URL_LOCAL.broken(f"url_for took {quickest:.1f} s at best")
    elif (error := done[0].outcome.exception) is not None:
        raise Skipped(f"url_for fails: {describe(error)}")


CHECKS = (
    Check(CONTRACT, url_for_gives_an_address, (URL,)),
    Check(CONTRACT, url_for_asks_nobody, (URL_LOCAL,)),
)
