"""Measure the TickTick adapter against the fakes: 50 lists, 2,000 tasks.

    python tests/ticktick_figures.py [RUNS]

Whole processes, medians by the clock; those that are compared take turns, so that whatever else the machine does falls
on both. The cold fetch is answered 100 ms a request, Ollama and Qdrant 20 ms a request.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant
from fakes.ticktick import FakeTickTick

LISTS, TASKS = 50, 2000
RUNS = 20
TOKEN = "tok"
DOWN = "http://127.0.0.1:9"
DEMO = Path(__file__).parents[1] / "packages/ats-adapter-memory/src/ats_adapter_memory/demo.json"

Ask = Callable[..., "Answer"]


class Answer(NamedTuple):
    """Seconds of a whole process, and the document it printed."""

    seconds: float
    document: dict[str, Any]


def filled(fake: FakeTickTick, words: list[str], chance: random.Random) -> None:
    """An account with the tasks, spread over its Inbox and its lists."""
    account = fake.account(TOKEN, username="anna")
    names = ["📒 Permanent Notes", *(f"Project {number}" for number in range(1, LISTS))]
    lists = ["inbox", *map(account.add_project, names)]
    for number in range(TASKS):
        title, content = " ".join(chance.choices(words, k=5)), " ".join(chance.choices(words, k=60))
        account.add_task(lists[number % len(lists)], title=title, content=content)


def asker(fake: FakeTickTick, scratch: Path) -> Ask:
    """Runs `ats` as a process of its own, with an account and a state folder of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ATS_", "OLLAMA_"))}
    own = {
        "ATS_ADAPTER": "ticktick",
        "ATS_TICKTICK_API_URL": fake.api_url,
        "ATS_TICKTICK_TOKEN": TOKEN,
        "ATS_CORPUS_TTL_MS": "36000000",
        "ATS_CONFIG_DIR": str(scratch / "state"),
    }

    def ask(*words: str, **variables: str) -> Answer:
        for pace in scratch.glob("*/ticktick/pace-*"):  # what the limit costs is not the question
            pace.unlink()
        command = [sys.executable, "-m", "ats_cli", *words]
        began = time.perf_counter()
        done = subprocess.run(command, env=kept | own | variables, capture_output=True, check=True, text=True)
        return Answer(time.perf_counter() - began, json.loads(done.stdout) if "--json" in words else {})

    return ask


def ms(answers: list[Answer]) -> float:
    return median(answer.seconds for answer in answers) * 1000


def cold(ask: Ask, fake: FakeTickTick, scratch: Path) -> None:
    fake.latency = 0.1
    answers = []
    for number in range(5):
        fake.forget()
        answers.append(ask("find", "--json", "watering plants", ATS_CONFIG_DIR=str(scratch / f"cold{number}")))
        assert answers[-1].document["corpus"]["size"] == TASKS
    fake.latency = 0
    slowest = max(answer.seconds for answer in answers)
    print(f"cold find: {ms(answers) / 1000:.2f} s, slowest {slowest:.2f} s, {len(fake.requests)} requests")


def warm(ask: Ask, questions: list[str], scratch: Path) -> None:
    exported = scratch / "tasks.json"
    ask("ticktick", "export", str(exported))
    memory = {"ATS_ADAPTER": "memory", "ATS_MEMORY_FILE": str(exported), "ATS_CONFIG_DIR": str(scratch / "memory")}
    for variables in ({}, memory):
        ask("find", "--json", "warm up", **variables)
    pairs = [(ask("find", "--json", question), ask("find", "--json", question, **memory)) for question in questions]
    ours, theirs = ms([one for one, _ in pairs]), ms([other for _, other in pairs])
    print(f"warm find: {ours:.1f} ms, memory adapter {theirs:.1f} ms, ratio {ours / theirs:.3f}")


def dense(ask: Ask, questions: list[str]) -> None:
    with FakeOllama() as ollama, FakeQdrant() as qdrant:
        chosen = {"ATS_EMBED_MODEL": "nomic-embed-text", "ATS_COSINE_FLOOR": "-1", "OLLAMA_HOST": ollama.url}
        places = {"Qdrant": chosen | {"ATS_QDRANT_URL": qdrant.url}, "files": chosen}
        for place, variables in places.items():
            for which in ("first", "second"):
                before = len(ollama.embedded)
                answer = ask("sync", "--json", **variables)
                embedded = len(ollama.embedded) - before
                print(f"{which} sync, {place}: {answer.seconds:.1f} s, {embedded} texts embedded (one may be a probe)")
            ollama.latency = qdrant.latency = 0.02
            answers = [ask("find", "--json", question, **variables) for question in questions]
            assert not any(answer.document["degraded"] for answer in answers)
            print(f"find, {place}, 20 ms a request: {ms(answers):.0f} ms")
            ollama.latency = qdrant.latency = 0
        down = places["Qdrant"] | {"OLLAMA_HOST": DOWN, "ATS_QDRANT_URL": DOWN}
        pairs = [
            (ask("find", "--json", text, **down), ask("find", "--json", text, ATS_EMBEDDER="none"))
            for text in questions
        ]
        assert all(lost.document["degraded"] for lost, _ in pairs)
        print(
            f"find, both down: {ms([one for one, _ in pairs]):.0f} ms, without: {ms([two for _, two in pairs]):.0f} ms"
        )


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    chance = random.Random(7)
    words = [word for word in DEMO.read_text(encoding="utf-8").replace('"', " ").split() if word.isalpha()]
    questions = [" ".join(chance.choices(words, k=3)) for _ in range(runs)]
    with tempfile.TemporaryDirectory() as folder, FakeTickTick() as fake:
        filled(fake, words, chance)
        ask = asker(fake, Path(folder))
        cold(ask, fake, Path(folder))
        warm(ask, questions, Path(folder))
        dense(ask, questions)


if __name__ == "__main__":
    main()
