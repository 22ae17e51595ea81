"""A tiny adapter for the tests of the command line. The variable `TOY` chooses what is wrong with it.

Copied into a folder with metadata of its own (see `conftest.py`), so that it is found as an installed one would be.
"""

import os
import sys
import threading
import time
from typing import Any

from ats_core import (
    AdapterConfig,
    AuthStatus,
    Branch,
    Candidate,
    LoginRequiredError,
    Project,
    Setting,
    StoreError,
    Task,
    hookimpl,
)

TASKS = [
    Task(
        id="t1",
        title="Roll back a release",
        content="First freeze the pipeline.\nThen roll back the release by hand, and watch the dashboard.",
        project_id="p1",
        project_name="Ops",
        tags=("runbook", "on call"),
        due_date="2026-03-14T09:00:00.000+0000",
        modified_time="2026-01-02T03:04:05Z",
    ),
    Task(id="t2", title="认证系统的令牌更新 release", content="", project_id="p1", project_name="Ops"),
    Task(id="t3", title="Renew passport", content="Two photos.", project_id="p2", project_name="Home", status="open"),
    Task(
        id="t4",
        title="evil \x1b[31mred\x1b[0m \u202etxet release\x07",
        content="body \x9b31m with \x1b]0;title\x07 release\nsecond line",
        project_id="p2",
        project_name="Home",
    ),
    Task(id="long", title="long " + "x" * 300 + " release\nwith a second line", project_id="p2", project_name="Home"),
]
DONE = Task(id="d1", title="An old release", project_id="p1", project_name="Ops", tags=("Runbook",), status="done")
TOY = os.environ.get("TOY", "")

if TOY == "prints":
    print("PRINTED AT IMPORT")
    os.write(1, b"WRITTEN AT IMPORT\n")


def noise() -> None:
    if TOY == "prints":
        print("PRINTED IN HOOK")
        os.write(1, b"WRITTEN IN HOOK\n")
        os.system("echo ECHOED IN HOOK")
        sys.stdout.write("WROTE IN HOOK\n")


def wait_at_gate() -> None:
    while not os.path.exists(os.environ["TOY_GATE"]):
        time.sleep(0.01)


class Toy:
    demo = TOY == "demo"

    def __init__(self, config: AdapterConfig) -> None:
        noise()
        self.config = config
        if TOY == "exits":
            sys.exit("the toy leaves")

    @hookimpl
    def list_projects(self) -> list[Project]:
        noise()
        if TOY == "no login":
            raise LoginRequiredError("the toy wants a login", hint="run: ats auth login")
        if TOY == "store down":
            raise StoreError("the toy's store is down")
        if TOY == "waits":
            wait_at_gate()
        if TOY == "slow":
            time.sleep(1)
        return [Project(id="p1", name="Ops"), Project(id="p2", name="Home", kind="notes")]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        noise()
        if (TOY == "one fails" and project_id == "p2") or TOY == "both fail":
            raise StoreError("HTTP 500")
        many = [
            Task(id=f"m{n}", title=f"release {n}", content="word " * 200, project_id="p1", project_name="Ops")
            for n in range(2000 if "many" in TOY else 0)
        ]
        done = [DONE] if TOY == "done" else []
        return [task for task in TASKS + done + many if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in TASKS if task.id == task_id), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        noise()
        if TOY == "exits late":
            sys.exit(0)
        return f"toy://{project_id}/{task_id}"

    @hookimpl
    def settings(self) -> list[Setting]:
        return [
            Setting(key="file", env="ATS_TOY_FILE", help="where the toys are"),
            Setting(key="token", env="ATS_TOY_TOKEN", secret=True, help="the key to the box"),
        ]

    @hookimpl
    def auth_status(self) -> AuthStatus:
        return AuthStatus(ok=True)

    @hookimpl
    def branches(self) -> list[Branch]:
        if TOY == "stuck":
            return [Branch("stuck", _stuck)]
        if TOY == "pool":
            return [Branch("pool", _pool)]
        if TOY == "fails":
            return [Branch("failing", _fails)]
        if TOY == "nan":
            return [Branch("nan", _nan)]
        if TOY == "prints":
            return [Branch("noisy", _noisy)]
        return []

    @hookimpl
    def commands(self) -> Any:
        if TOY == "no commands":
            return None
        import typer

        app = typer.Typer()

        @app.command()
        def play(name: str, fail: bool = False) -> int:
            """Play with a toy."""
            noise()
            if fail:
                raise StoreError("the toy broke", hint="glue it")
            print(f"playing with {name} ☺")
            return 7

        @app.command()
        def leave(code: int) -> None:
            raise typer.Exit(code)

        return app


class ToyWithEmbedder(Toy):
    @hookimpl
    def embedding_space(self) -> str:
        return "toy"

    @hookimpl
    def embeddings(self, texts: Any, kind: str, deadline: Any) -> Any:
        if "embeds" not in TOY:
            raise ValueError("the embedder is down")
        self.calls += 1
        if "stops" in TOY and self.calls == 3:
            print("THIRD BATCH", file=sys.stderr, flush=True)
            threading.Event().wait()
        if "gated" in TOY and self.calls == 3:
            wait_at_gate()
        if "breaks" in TOY and self.calls >= 3:
            raise ConnectionResetError("the embedder fell over")
        return [[float("nan") if "passport" in text else len(text), 1.0] for text in texts]

    calls = 0


class ToyWithBackend(Toy):
    @hookimpl
    def hybrid_backend(self) -> Any:
        return Backend()


class Backend:
    def search(self, query: str, limit: int, mode: str, scope: Any, deadline: Any) -> list[Candidate]:
        return []

    def similar(self, task: Task, limit: int, scope: Any, deadline: Any) -> list[Candidate]:
        return []

    def status(self) -> dict[str, Any]:
        return {"ok": True}

    def sync(self, corpus: Any, progress: Any) -> dict[str, Any]:
        progress(len(corpus), len(corpus))
        if TOY == "disk full":
            raise OSError(28, "No space left on device")
        return {"points": len(corpus), "deleted": 0}


def _stuck(query: str, corpus: Any, deadline: Any) -> list[Candidate]:
    print("BRANCH STARTED", file=sys.stderr, flush=True)
    threading.Event().wait()
    return []


def _pool(query: str, corpus: Any, deadline: Any) -> list[Candidate]:
    threading.Thread(target=threading.Event().wait, daemon=False).start()
    return [Candidate(id="t1")]


def _fails(query: str, corpus: Any, deadline: Any) -> list[Candidate]:
    raise ValueError("no luck")


def _nan(query: str, corpus: Any, deadline: Any) -> list[Candidate]:
    return [Candidate(id="t1", score=float("nan")), Candidate(id="t3", score=float("inf"))]


def _noisy(query: str, corpus: Any, deadline: Any) -> list[Candidate]:
    noise()
    return [Candidate(id="t3")]
