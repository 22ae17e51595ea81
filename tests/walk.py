"""Follows a tutorial as its reader does: types the commands, makes the edits, and compares what is printed.

python tests/walk.py docs/writing-an-adapter.md FOLDER     in an empty folder; prints a transcript

A `sh` block is typed. A `console` block is typed too, and its output compared. A `python` block whose first line is
`# in PATH` is an edit of that file; any other one is run. Blocks of other languages are for reading. Folder and
environment last from block to block, as in a terminal.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from readme_blocks import Block, blocks, exchanges

_EDIT = re.compile(r"# in (\S+)\n")
_VARIES = (
    (re.compile(r", cached \d+ \w+ ago"), ""),
    (re.compile(r"\d+(\.\d+)?( ?)(ms|s)\b"), "0 s"),
    (re.compile(r"\b\d+ (passed|skipped)\b"), r"N \1"),
    (re.compile(r"file://\S+/(?=ats-adapter-)"), "file:///"),
    (re.compile(r"/\S+/(?=jot\.json)"), ""),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://127.0.0.1"),
)
"""What differs from run to run and from machine to machine, or with the number of checks in the kit."""


class Walk:
    """A terminal that begins in `folder`. `tell` is given the transcript, piece by piece."""

    def __init__(
        self, folder: Path, environ: Mapping[str, str], tell: Callable[[str], object] = lambda text: None
    ) -> None:
        self._state = folder / ".terminal"
        self._state.write_text(f"cd '{folder}'\n", encoding="utf-8")
        self._environ = dict(environ)
        self._tell = tell

    def follow(self, document: Path) -> None:
        """All blocks of a document, in order. Raises AssertionError where it does not do what it says."""
        try:
            for block in blocks(document):
                self._follow(block, f"{document.name}:{block.line}")
        finally:
            self._end_service()

    def _follow(self, block: Block, where: str) -> None:
        if block.language == "sh":
            self.type_all(block.text, where)
        elif block.language == "console":
            for exchange in exchanges(block):
                printed = self.type_all(exchange.command, where)
                assert same(printed, exchange.output), f"{where}: $ {exchange.command} printed\n{printed}"
        elif block.language == "python" and (edit := _EDIT.match(block.text)):
            self._tell(f"(edit {edit[1]})\n")
            path = self.folder / edit[1]
            path.write_text(merged(path.read_text(encoding="utf-8"), block.text[edit.end() :]), encoding="utf-8")
        elif block.language == "python":
            self._tell("".join(f">>> {line}\n" for line in block.text.splitlines()))
            self._run(f"python - <<'END OF BLOCK'\n{block.text}\nEND OF BLOCK", where)

    def type_all(self, commands: str, where: str) -> str:
        """Type commands, which have to succeed; gives what they print."""
        self._tell("".join(f"$ {line}\n" for line in commands.strip().splitlines()))
        return self._run(commands, where)

    @property
    def folder(self) -> Path:
        """Where the terminal is."""
        places = re.findall(r"^cd (.+)$", self._state.read_text(encoding="utf-8"), flags=re.MULTILINE)
        return Path(places[-1].strip("'"))

    def _run(self, commands: str, where: str) -> str:
        keep = f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} > '{self._state}'"
        with tempfile.TemporaryFile("w+", encoding="utf-8") as screen:  # a pipe would be held open by what runs on
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", f". '{self._state}'\n{commands}\n{keep}"],
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=subprocess.STDOUT,
            )
            screen.seek(0)
            printed = screen.read()
        self._tell(printed)
        assert done.returncode == 0, f"{where}: {commands.strip()} ended with {done.returncode}\n{printed}"
        return printed

    def _end_service(self) -> None:
        """End what was left running, where a block failed before the one that ends it."""
        for pid in re.findall(r'SERVICE="(\d+)"', self._state.read_text(encoding="utf-8")):
            os.kill(int(pid), signal.SIGTERM)


class Rehearsal(Walk):
    """The same where all our packages are at hand: what would install or build is not typed, and the package that the
    terminal is in counts as installed after it."""

    _NOT_TYPED = re.compile(r"^(python3? -m (venv|build)|\. \S+/activate|\S*pip install).*$", flags=re.MULTILINE)

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._site = folder / "installed"
        self._site.mkdir()
        super().__init__(folder, {**environ, "PYTHONPATH": str(self._site)})

    def type_all(self, commands: str, where: str) -> str:
        typed = self._NOT_TYPED.sub("true", re.sub(r"\S+/bin/ats\b", "ats", commands))
        printed = super().type_all(typed, where)
        if typed != commands and (self.folder / "pyproject.toml").exists():
            self._install(self.folder)
        return printed

    def _install(self, package: Path) -> None:
        project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        name, version = project["name"], project["version"]
        info = self._site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        points = "".join(f"{each} = {value}\n" for each, value in project["entry-points"]["ats.adapters"].items())
        (info / "entry_points.txt").write_text(f"[ats.adapters]\n{points}", encoding="utf-8")
        for module in (package / "src").iterdir():
            if not (self._site / module.name).exists():
                (self._site / module.name).symlink_to(module, target_is_directory=True)


def merged(source: str, edit: str) -> str:
    """A module with an edit made to it as a reader makes it: names go to the import that is there, methods to the end
    of the class, functions to the end of the file."""
    for node in ast.parse(edit).body:
        lines = source.splitlines()
        if isinstance(node, ast.ImportFrom):
            known = [each for each in ast.parse(source).body if isinstance(each, ast.ImportFrom)]
            there = next(each for each in known if each.module == node.module)
            names = sorted({alias.name for alias in (*there.names, *node.names)})
            lines[there.lineno - 1 : there.end_lineno] = [f"from {node.module} import {', '.join(names)}"]
        elif isinstance(node, ast.ClassDef):
            there = next(each for each in ast.parse(source).body if getattr(each, "name", None) == node.name)
            lines[there.end_lineno : there.end_lineno] = ["", *edit.splitlines()[node.lineno : node.end_lineno]]
        else:
            lines += ["", "", *edit.splitlines()[node.lineno - 1 : node.end_lineno]]
        source = "\n".join(lines) + "\n"
    return source


def same(printed: str, expected: str) -> bool:
    """Whether two outputs say the same, but for what varies; a line `...` stands for any lines."""
    lines = _settled(expected).splitlines()
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in lines)
    return re.fullmatch(pattern, _settled(printed)) is not None


def _settled(text: str) -> str:
    for pattern, constant in _VARIES:
        text = pattern.sub(constant, text)
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    document, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    Walk(folder.resolve(), os.environ, tell=lambda text: print(text, end="", flush=True)).follow(document)


if __name__ == "__main__":
    main()
