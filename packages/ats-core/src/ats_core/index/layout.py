"""A file of named binary sections that can be mapped: the container of the search index.

    8 bytes magic | 8 bytes header length | header (JSON) | sections, each on a multiple of 8 bytes

The header names each section's start and length, counted from the end of the header, and the whole file's size, so
that a truncated file is told from a whole one without reading it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from mmap import mmap
from typing import TypeAlias

import msgspec

MAGIC = b"ATSIDX01"
_ALIGNMENT = 8

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says about itself. `meta` belongs to whoever wrote it."""

    byteorder: str
    total: int
    sections: dict[str, tuple[int, int]]
    meta: dict[str, str | int | list[int] | None]


class DamagedError(ValueError):
    """The bytes are not a whole file of this layout."""


def pack(sections: Mapping[str, Buffer], meta: Mapping[str, str | int | list[int] | None]) -> bytes:
    """Lay the sections out after a header that describes them."""
    return b"".join(laid_out(sections, meta))


def laid_out(sections: Mapping[str, Buffer], meta: Mapping[str, str | int | list[int] | None]) -> list[Buffer]:
    """As `pack`, in pieces: a large file need not be in memory twice to be written."""
    table: dict[str, tuple[int, int]] = {}
    chunks: list[Buffer] = []
    position = 0
    for name, section in sections.items():
        length = len(section)
        table[name] = (position, length)
        padding = -length % _ALIGNMENT
        chunks += [section, bytes(padding)]
        position += length + padding
    header = Header(byteorder=sys.byteorder, total=position, sections=table, meta=dict(meta))
    encoded = msgspec.json.encode(header)
    encoded += b" " * (-len(encoded) % _ALIGNMENT)
    return [MAGIC, len(encoded).to_bytes(8, "little"), encoded, *chunks]


def unpack(buffer: Buffer) -> tuple[Header, dict[str, memoryview], int]:
    """The header, a view of each section (nothing copied), and where in the buffer the sections begin.

    :raises DamagedError: not such a file, truncated, or written on a machine of the other byte order.
    """
    view = memoryview(buffer)
    if bytes(view[:8]) != MAGIC:
        raise DamagedError("not a section file")
    start = 16 + int.from_bytes(view[8:16], "little")
    try:
        header = msgspec.json.decode(view[16:start], type=Header)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedError("unreadable header") from error
    if header.byteorder != sys.byteorder or start + header.total != len(view):
        raise DamagedError("truncated, or of another byte order")
    views = {name: view[start + at : start + at + length] for name, (at, length) in header.sections.items()}
    return header, views, start
