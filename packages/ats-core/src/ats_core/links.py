"""What a task's text points to: addresses, and other tasks by address, by `[[title]]` or by id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ats_core.branches.keyword import exact_titles
from ats_core.cache.opened import OpenedCorpus
from ats_core.models import Task

_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]|([a-z][a-z0-9+.-]*:/{2,3}[^\s<>\"'`]+)|([\w-]{6,})", re.IGNORECASE)
_TRAILING = ".,;:!?*_"
_PARTS = re.compile(r"[/?#&=]")


class Link(NamedTuple):
    """`text` as it stands in the task; `url` where it is an address; `task` where it leads to one of the corpus."""

    text: str
    url: str | None
    task: Task | None


def links_in(task: Task, opened: OpenedCorpus) -> list[Link]:
    """The links of a task's title and body, in order, each once. An id counts from six characters on."""
    found: dict[str, Link] = {}
    for match in _LINK.finditer(f"{task.title}\n{task.content}"):
        for link in _link(match, task, opened):
            found.setdefault(link.text, link)
    return list(found.values())


def _link(match: re.Match[str], task: Task, opened: OpenedCorpus) -> Iterator[Link]:
    title, url, word = match.groups()
    if title is not None:
        # [[title|shown]] and [[title#section]] are what note apps make of it
        name = re.split(r"[|#]", title)[0].strip()
        there = exact_titles(name, opened.index)
        yield Link(title, None, opened.corpus[there[0]] if there else None)
    elif url is not None:
        url = _whole(url)
        ids = [part for part in _PARTS.split(url)[3:] if part and part != task.id]
        there = [ordinal for part in reversed(ids) if (ordinal := opened.index.ordinal(part)) is not None]
        yield Link(url, url, opened.corpus[there[0]] if there else None)
    elif word != task.id and (ordinal := opened.index.ordinal(word)) is not None:
        yield Link(word, None, opened.corpus[ordinal])


def _whole(url: str) -> str:
    """An address without what the sentence around it put at its end: punctuation, a bracket that it never opened."""
    while url:
        last = url[-1]
        unopened = last in ")]}" and url.count(last) > url.count({")": "(", "]": "[", "}": "{"}[last])
        if last not in _TRAILING and not unopened:
            break
        url = url[:-1]
    return url
