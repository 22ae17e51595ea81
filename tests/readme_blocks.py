"""The fenced code blocks of a Markdown file, so that documents are run and not believed.

python tests/readme_blocks.py first     print the first block of shell commands of README.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line it begins at."""

    language: str
    text: str
    line: int


class Exchange(NamedTuple):
    """A command of a `console` block and what it prints."""

    command: str
    output: str


def blocks(path: Path) -> list[Block]:
    """All fenced blocks of a Markdown file, in order."""
    text = path.read_text(encoding="utf-8")
    return [Block(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in _FENCE.finditer(text)]


def exchanges(block: Block) -> list[Exchange]:
    """The commands of a `console` block (lines that begin with `$ `), each with the lines that follow it."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
    return [Exchange(command, output.strip("\n")) for command, output in zip(parts[::2], parts[1::2], strict=True)]


def main() -> None:
    if sys.argv[1:] != ["first"]:
        sys.exit(__doc__)
    shell = next(block for block in blocks(ROOT / "README.md") if block.language == "sh")
    sys.stdout.write(shell.text)


if __name__ == "__main__":
    main()
