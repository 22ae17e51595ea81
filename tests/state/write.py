"""Writes the state folder of somebody who has used every part of ATS, as this version writes it.

In the folder `tests`: python -m state.write state/v1      replaces that folder

What is there is what a user's machine holds after an upgrade, so a folder whose version has been released is never
written again. Until then a change of form rewrites it; after that it gets a folder of its own beside the older ones
(`v2`), and `tests/test_state.py` reads them all.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from ats_adapter_ticktick.auth.token import Token, TokenFile
from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.hybrid.backend import Backend
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_adapter_ticktick.parts import Parts
from ats_core import AdapterConfig, AtsError, Corpus, Deadline, Engine, Project, Secret
from ats_core.plugins.discovery import Catalogue
from ats_core.testing import make_engine
from fakes.ollama import FakeOllama
from state.shelf import TASKS, Shelf

QUESTIONS = ("sharpen knives", "roses", "no such thing zzz", "prune roses", "C++", "descale oven")
MODEL, DIMENSION = "nomic-embed-text", 16
TICKTICK_SCOPE = "api.ticktick.com/999"
_CHECKOUT = Path(__file__).resolve().parents[2]

WRITTEN_AT = 1735689600
"""What the files say of when they were written, in seconds since the epoch: no clock that reads them is earlier."""


def write(folder: Path) -> None:
    """Fill an empty folder."""
    began = int(time.time())
    write_settings(folder)
    write_searches(folder)
    write_table(folder)
    write_ticktick(folder / "ticktick")
    for lock in folder.rglob("*.lock"):
        lock.unlink()  # empty, and made when needed
    for path in (*folder.rglob("*.json"), *folder.rglob("*.jsonl"), *folder.rglob("*.retry")):
        path.write_bytes(moved_back(path.read_bytes(), began))


def moved_back(content: bytes, began: int) -> bytes:
    """The same bytes, each moment since `began` moved to `WRITTEN_AT`; the lengths stay, for an index counts them."""

    def moved(match: re.Match[bytes]) -> bytes:
        passed = int(match[0]) - began
        return b"%d" % (WRITTEN_AT + passed) if 0 <= passed < 3600 else match[0]

    day = time.strftime("%Y-%m-%d", time.gmtime(WRITTEN_AT)).encode()
    return re.sub(rb"\b\d{10}\b", moved, re.sub(rb'(?<="ts":")[\d-]{10}', day, content))


def shelf_engine(shelf: Shelf, folder: Path) -> Engine:
    """An engine over a shelf, with its state in a folder."""
    return make_engine(shelf, name="shelf", state_dir=folder)


def ticktick_config(folder: Path) -> AdapterConfig:
    """Somebody who has logged in with TickTick itself."""
    return AdapterConfig(name="ticktick", state_dir=folder)


def dense_backend(ollama: FakeOllama, folder: Path) -> Backend:
    """TickTick's dense retrieval, its vectors in files."""
    options = HybridOptions.read({}, {"OLLAMA_HOST": ollama.url, "ATS_EMBED_MODEL": MODEL})
    return Backend(options, "ticktick", TICKTICK_SCOPE, folder)


def write_settings(folder: Path) -> None:
    """`config.json`, and the settings files of two adapters."""
    chosen = {
        "adapter": "memory",
        "corpus_ttl_ms": "600000",
        "fetch_timeout_ms": "30000",
        "budget_ms": "2500",
        "fusion": "score",
        "dense_weight": "0.4",
        "embedder": "auto",
        "language": "german",
        "memory.file": "~/tasks.jsonl",
        "ticktick.region": "ticktick",
        "ticktick.wiki_project": "Permanent Notes",
    }
    environ = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")}
    for key, value in chosen.items():
        subprocess.run(
            [sys.executable, "-m", "ats_cli", "config", "set", key, value],
            env=environ | {"ATS_CONFIG_DIR": str(folder)},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def write_searches(folder: Path) -> None:
    """The usage log, vectors, and two accounts' copies: one whole, one partial whose next fetch failed."""
    anna = shelf_engine(Shelf("anna"), folder)
    anna.state.sync()
    for question in QUESTIONS:
        anna.find(question)
    anna.keyword("Straße")
    anna.semantic("citric acid")
    anna.similar("roses")
    anna.get("pond")
    ben = shelf_engine(Shelf("ben"), folder)
    ben.find("bread")
    shelf_engine(Shelf("ben", failing=frozenset({"garden"})), folder).find("bread", fresh=True)
    shelf_engine(Shelf("ben", locked=True), folder).find("bread", fresh=True)
    try:
        shelf_engine(Shelf("carl", locked=True), folder).find("bread")
    except AtsError:
        return
    raise AssertionError("a locked shelf has answered")


def write_table(folder: Path) -> None:
    """The kept table of entry points, without the folders of the machine that this runs on."""
    path, before = folder / "entry-points.json", sys.path
    # A table of folders that have just changed is not kept, and a checkout's may have.
    sys.path = [entry for entry in before if "site-packages" in entry or _CHECKOUT not in Path(entry).parents]
    try:
        Catalogue.kept(path)
    finally:
        sys.path = before
    _, found = json.loads(path.read_bytes())
    path.write_text(json.dumps([[["/usr/lib/python3/dist-packages", 1767225600000000000]], found]))


def write_ticktick(folder: Path) -> None:
    """A login, what was seen of the account, the pace of its requests, and vectors with their state."""
    token = Token(
        access=Secret("example-access-token"),
        refresh=Secret("example-refresh-token"),
        expires_at=4102444800.0,
        scopes="tasks:read tasks:write",
        account="999",
        region="ticktick",
        client_id="example-app",
    )
    TokenFile(folder / "token.json").write(token)
    account = Parts(ticktick_config(folder)).account()
    if account.scope != TICKTICK_SCOPE:
        raise AssertionError(account.scope)
    account.seen.write(Seen(at=1767225600.0, inbox="inbox999", projects=(Project(id="p1", name="Work"),)))
    account.pacer().acquire(Deadline(1))
    with FakeOllama({MODEL: DIMENSION}) as ollama:
        dense_backend(ollama, folder).sync(Corpus.of(TASKS), lambda done, total: None)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).absolute()
    shutil.rmtree(folder, ignore_errors=True)
    write(folder)
    sys.stdout.write(f"{sum(path.is_file() for path in folder.rglob('*'))} files in {folder}\n")


if __name__ == "__main__":
    main()
