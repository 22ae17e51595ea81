"""What is measured: which questions, by which methods, of which corpus, and how the engines for it are opened."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from ats_core.engine import Engine
from ats_core.errors import ConfigError, NoEmbedderError, UsageError
from ats_core.settings import load_settings

from ats_bench.corpus import Snapshot, take_snapshot
from ats_bench.dense import embed_all, embedding_space
from ats_bench.methods import Method, default_methods
from ats_bench.questions import Question, read_questions
from ats_bench.runs import QuestionsMark

OpenEngine = Callable[[Mapping[str, Any]], Engine]
"""Opens an engine with these settings, before what environment and configuration say."""

PINNED_MS = 10 * 365 * 86_400_000
"""A time to live of ten years: once the corpus was loaded, all of a run is asked of that copy."""

_DEMO_KEEPS = ("budget_ms", "fusion", "dense_weight", "embedder", "language", "plugins")


class Asked(NamedTuple):
    """A question file as it was read."""

    questions: list[Question]
    mark: QuestionsMark


class Stage(NamedTuple):
    """Everything a run needs: its methods, an engine and an embedding space for each, the corpus, lines for people.

    `base` is an engine as the user's own settings have it.
    """

    base: Engine
    methods: list[Method]
    engines: dict[str, Engine]
    spaces: dict[str, str]
    snapshot: Snapshot
    warnings: list[str]


def ask_file(path: Path, name: str | None = None) -> Asked:
    """Read the questions of a file, which the run calls by this name, default its path.

    :raises UsageError: it cannot be read, or holds no question that can be asked.
    """
    questions, problems = read_questions(path)
    if not any(question.eligible for question in questions):
        raise UsageError(
            f"{path} holds no question that can be scored", hint=problems[0] if problems else "add one: ats bench add"
        )
    content = path.read_bytes()
    mark = QuestionsMark(
        path=name or str(path),
        digest=blake2b(content, digest_size=16).hexdigest(),
        count=len(questions),
        unreadable=sum(bool(line.strip()) for line in content.split(b"\n")) - len(questions),
        problems=tuple(problems),
    )
    return Asked(questions, mark)


def demo_questions() -> Path:
    """The questions that ship with this package, written for the memory adapter's demo corpus."""
    return Path(__file__).with_name("demo_questions.jsonl")


def opener(environ: Mapping[str, str], adapter: str | None) -> OpenEngine:
    """Opens engines over the user's own store."""

    def open_engine(flags: Mapping[str, Any]) -> Engine:
        return Engine.open(environ, adapter, flags={**flags, "usage_disable": True})

    return open_engine


def demo_opener(environ: Mapping[str, str], state: Path) -> OpenEngine:
    """Opens engines over the built-in demo corpus, with the user's settings of retrieval, whatever his store is.

    :param state: a folder for their cache and vectors, so that the user's own are left alone.
    """
    own = load_settings(environ)
    elsewhere = {name: value for name, value in environ.items() if not name.startswith("ATS_")}
    elsewhere["ATS_CONFIG_DIR"] = str(state)
    kept = {key: getattr(own, key) for key in _DEMO_KEEPS}

    def open_engine(flags: Mapping[str, Any]) -> Engine:
        return Engine.open(elsewhere, "memory", flags={**kept, **flags, "usage_disable": True})

    return open_engine


def set_stage(
    open_engine: OpenEngine,
    wanted: Sequence[Method] | None,
    scratch: Path,
    progress: Callable[[int, int], None],
) -> Stage:
    """Open what a run needs: embed what has no vector yet, then pin the corpus, so that every answer is of the same.

    :param wanted: the methods, None for the default ones that the adapter can do.
    :param scratch: a folder for a copy of the corpus, where the user's settings keep none.
    :raises ConfigError: a method was asked for that the adapter cannot do.
    """
    warnings: list[str] = []
    engine = open_engine({})
    warnings += [str(broken) for broken in engine.broken]
    space = embedding_space(engine)
    native = engine.adapter.has("search_by_query")
    if wanted is None:
        methods, left_out = default_methods(dense=space is not None, native=native)
        if left_out:
            warnings.append(f"left out, as {_why_left_out(left_out)}: {', '.join(left_out)}")
    else:
        methods = list(wanted)
        if not native and any(method.call == "native" for method in methods):
            raise ConfigError(
                f"adapter {engine.adapter.name} has no search of its own", hint="leave native out of --methods"
            )
    spaces = _embed(open_engine, methods, warnings, progress)
    snapshot, pinned = _pin(engine, open_engine, scratch)
    warnings += snapshot.warnings
    engines = {method.name: pinned(method.flags) for method in methods}
    return Stage(engine, methods, engines, spaces, snapshot, warnings)


def _why_left_out(names: Sequence[str]) -> str:
    reasons = [
        reason
        for name, reason in (("semantic", "there is no embedder"), ("native", "the adapter has no search of its own"))
        if name in names
    ]
    return " and ".join(reasons)


def _embed(
    open_engine: OpenEngine, methods: Sequence[Method], warnings: list[str], progress: Callable[[int, int], None]
) -> dict[str, str]:
    """Have all vectors of each embedder that a method uses; the embedding space by method."""
    spaces: dict[str, str] = {}
    embedded: dict[str | None, str | None] = {}
    for method in methods:
        if not method.dense:
            continue
        choice = method.flags.get("embedder")
        if choice not in embedded:
            engine = open_engine({} if choice is None else {"embedder": choice})
            embedded[choice] = space = embedding_space(engine)
            if space is not None and space not in spaces.values():
                warnings += embed_all(engine, progress)
        space = embedded[choice]
        if space is not None:
            spaces[method.name] = space
        elif method.call == "semantic":
            raise NoEmbedderError(
                f"adapter {open_engine({}).adapter.name} has no embedder, and {method.name} needs one",
                hint="try: pip install 'ats-core[local]', and the method semantic:local",
            )
    return spaces


def _pin(engine: Engine, open_engine: OpenEngine, scratch: Path) -> tuple[Snapshot, OpenEngine]:
    """The corpus as the user's next search would have it, and what opens engines that keep to this copy."""
    snapshot = take_snapshot(engine)
    pins: dict[str, Any] = {"corpus_ttl_ms": PINNED_MS}
    if not snapshot.cached:
        # No cache, or none that can be written: each question would fetch the corpus again.
        folder = tempfile.mkdtemp(dir=scratch)
        pins |= {"corpus_cache_disable": False, "corpus_cache": Path(folder, "corpus-cache.json")}
        snapshot = take_snapshot(open_engine(pins))
    return snapshot, lambda flags: open_engine({**pins, **flags})
