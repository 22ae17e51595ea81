"""Runs `python -m ats_cli` as users do: a process of its own, with adapters made of fake distributions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

LIST_MODULES = """
import atexit, sys
atexit.register(lambda: print("\\nMODULES", *sys.modules, file=sys.stderr))
from ats_cli.app import main
main()
"""
PATIENCE = 60
"""Seconds after which a process counts as hanging."""

MakeDist = Callable[..., Path]


class Ended(NamedTuple):
    """How a run ended. Streams are decoded strictly: the answer is UTF-8."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Ats:
    """The command, in an environment that holds nothing but what a test puts in."""

    def __init__(self, folder: Path, dists: Path) -> None:
        self.dists = dists
        self.config = folder / "config"
        inherited = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "LANG") if key in os.environ}
        path = os.pathsep.join(filter(None, [str(dists), os.environ.get("PYTHONPATH")]))
        self.environ = inherited | {
            "PYTHONPATH": path,
            "ATS_CONFIG_DIR": str(self.config),
            "ATS_ADAPTER": "toy",
            "HOME": str(folder),
            "TERM": "xterm-256color",
        }
        self.command = [sys.executable, "-m", "ats_cli"]

    def __call__(
        self, *arguments: str | bytes, stdin: str | bytes | None = None, python: tuple[str, ...] = (), **environ: str
    ) -> Ended:
        command = [sys.executable, *python, "-m", "ats_cli", *arguments]
        given = stdin.encode() if isinstance(stdin, str) else stdin
        ended = subprocess.run(
            command,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            env=self.env(environ),
            timeout=PATIENCE,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def on_terminal(
        self,
        columns: int,
        *arguments: str,
        stream: str = "stdout",
        watch: Callable[[bytes], None] = lambda received: None,
        **environ: str,
    ) -> str:
        """What a terminal of that width is sent by one of the streams. `watch` is told what it was sent so far."""
        fcntl, pty, struct, termios = map(pytest.importorskip, ("fcntl", "pty", "struct", "termios"))
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: theirs}
        process = self.start(*arguments, stdin=subprocess.DEVNULL, environ=environ, **streams)
        os.close(theirs)
        received = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so at the end
                break
            if not piece:
                break
            received += piece
            watch(received)
        os.close(ours)
        other = b"".join(filter(None, process.communicate(timeout=PATIENCE)))
        assert process.returncode == 0, other.decode()
        return received.decode().replace("\r\n", "\n")

    def modules(self, *arguments: str) -> set[str]:
        """The modules that a run has loaded by its end."""
        command = [sys.executable, "-c", LIST_MODULES, *arguments]
        ended = subprocess.run(command, env=self.env({}), capture_output=True, timeout=PATIENCE, check=False)
        return set(ended.stderr.decode().rpartition("MODULES")[2].split())

    def env(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {key: value for key, value in (self.environ | dict(environ)).items() if value is not None}

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        environ = options.pop("environ", {})
        return subprocess.Popen([*self.command, *arguments], env=self.env(environ), **options)


@pytest.fixture
def make_dist(tmp_path: Path) -> MakeDist:
    """Makes a fake distribution in a folder that the command's process has on its path."""
    folder = tmp_path / "dists"
    folder.mkdir()

    def make(
        name: str,
        *,
        group: str = "ats.adapters",
        points: Mapping[str, str],
        modules: Mapping[str, str] | None = None,
        version: str = "1.0",
        summary: str = "",
    ) -> Path:
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n", "utf-8"
        )
        lines = "\n".join(f"{point} = {value}" for point, value in points.items())
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}\n", "utf-8")
        for module, source in (modules or {}).items():
            (folder / f"{module}.py").write_text(source, "utf-8")
        return info

    return make


@pytest.fixture
def ats(tmp_path: Path, make_dist: MakeDist) -> Ats:
    """The command, with the toy adapter installed and chosen."""
    source = (Path(__file__).parent / "toy_adapter.py").read_text("utf-8")
    make_dist(
        "ats-toy",
        points={
            "toy": "toy_adapter:Toy",
            "toy-dense": "toy_adapter:ToyWithEmbedder",
            "toy-backend": "toy_adapter:ToyWithBackend",
        },
        modules={"toy_adapter": source},
        summary="A toy",
    )
    return Ats(tmp_path, tmp_path / "dists")
