"""Strings end to end in one buffer: how ids, titles, bodies, terms and tags are kept."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from mmap import mmap

from ats_core.index.layout import Buffer, DamagedError

SEPARATOR = b"\xff"
"""After each string: a byte that UTF-8 never holds, so that no query can match across two tasks."""


LITTLE = 200_000
"""Bytes that are searched sooner than a pattern is compiled."""


class TextsBuilder:
    """Gathers strings for the pair of sections `name` and `name_starts`, which `Texts` reads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._buffer = bytearray()
        self._starts = array("Q")

    def add(self, text: str) -> None:
        self.add_encoded(text.encode("utf-8", "replace"))

    def add_encoded(self, text: bytes) -> None:
        """Add a text that is UTF-8 already."""
        self._starts.append(len(self._buffer))
        self._buffer += text
        self._buffer += SEPARATOR

    def sections(self) -> dict[str, Buffer]:
        starts = self._starts + array("Q", [len(self._buffer)])
        return {self._name: self._buffer, f"{self._name}_starts": starts.tobytes()}


def text_sections(name: str, texts: Sequence[bytes]) -> dict[str, Buffer]:
    """The sections of strings that are all there, as UTF-8."""
    starts = array("Q", accumulate((len(text) + 1 for text in texts), initial=0))
    return {name: SEPARATOR.join([*texts, b""]), f"{name}_starts": starts.tobytes()}


class Texts:
    """The strings of one pair of sections: `texts[i]` as bytes, and a search over all of them at once.

    `buffer` is the whole index, `at` and `length` where these strings lie in it: bytes and a map can both be searched
    without a copy, a view of them cannot.
    """

    __slots__ = ("_at", "_buffer", "_end", "starts")

    def __init__(self, buffer: bytes | mmap, at: int, length: int, starts: memoryview) -> None:
        self._buffer = buffer
        self._at = at
        self._end = at + length
        self.starts = starts.cast("Q")
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != length:
            raise DamagedError("the starts of the texts do not span them")

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """Bytes of all strings together."""
        return self._end - self._at

    def __getitem__(self, index: int) -> bytes:
        return self._buffer[self._at + self.starts[index] : self._at + self.starts[index + 1] - 1]

    def equal_to(self, text: bytes) -> Iterator[int]:
        """The place of each string that is this one, in order; none is empty."""
        return self._opening(text + SEPARATOR) if text else iter(())

    def beginning_with(self, text: bytes) -> Iterator[int]:
        """The place of each string that begins with this one, in order, those that are it among them."""
        return self._opening(text) if text and SEPARATOR not in text else iter(())

    def _opening(self, text: bytes) -> Iterator[int]:
        """Where a string and the separator after it begin with a text: it is looked for behind a separator."""
        if len(self) and self._buffer[self._at : self._at + len(text)] == text:
            yield 0
        find, position = self._finder(SEPARATOR + text), self._at
        while (position := find(position, self._end)) >= 0:
            position += 1
            yield bisect_left(self.starts, position - self._at)

    def containing_among(self, places: Sequence[int], needle: bytes) -> Iterator[tuple[int, int]]:
        """As `containing`, of the strings at some places alone, in their order, and without a copy of them."""
        find, starts, origin = self._finder(needle, len(places)), self.starts, self._at
        for place in places:
            start = origin + starts[place]
            position = find(start, origin + starts[place + 1] - 1)
            if position >= 0:
                yield place, position - start

    def _finder(self, needle: bytes, count: int | None = None) -> Callable[[int, int], int]:
        """Finds a needle within bounds of the buffer; -1 where it is not.

        A pattern passes text twice as fast as `find` of bytes or of a map does, but it has to be compiled.

        :param count: of how many strings the bounds will be; None: of all.
        """
        share = 1 if count is None or not len(self) else count / len(self)
        if share * self.size < LITTLE:
            return partial(self._buffer.find, needle)
        search, buffer = re.compile(re.escape(needle)).search, self._buffer

        def find(start: int, end: int) -> int:
            found = search(buffer, start, end)
            return found.start() if found else -1

        return find

    def all(self) -> list[bytes]:
        """All strings, in order."""
        return self._buffer[self._at : self._end].split(SEPARATOR)[:-1]

    def containing(self, needle: bytes, *, across: bool = False) -> Iterator[tuple[int, int]]:
        """Each string that contains the needle, in order: its index, and where in it the first occurrence begins.

        :param across: the needle may hold the separator that follows a string.
        """
        if not needle or (SEPARATOR in needle and not across):
            return
        find, starts, position = self._finder(needle), self.starts, self._at
        while (position := find(position, self._end)) >= 0:
            offset = position - self._at
            index = bisect_right(starts, offset) - 1
            yield index, offset - starts[index]
            position = self._at + starts[index + 1]

    def first_from(self, text: bytes) -> int:
        """The place of the first of the strings, which must be ascending, that is no less than a text."""
        return bisect_left(range(len(self)), text, key=self.__getitem__)

    def matching(self, part: bytes, *, opens: bool = False, closes: bool = False) -> Iterator[int]:
        """The places of the strings, which must be ascending, that contain a part.

        :param opens: they begin with it.
        :param closes: they end with it.
        """
        if not opens:
            yield from (place for place, _ in self.containing(part + SEPARATOR if closes else part, across=closes))
            return
        place = self.first_from(part)
        while place < len(self) and (text := self[place]).startswith(part) and (not closes or text == part):
            yield place
            place += 1
