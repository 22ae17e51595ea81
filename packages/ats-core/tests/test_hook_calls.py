"""Whatever a hook raises or returns comes out as an error of ours that names who it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ats_core import ContractError, Engine, FindResult, StoreError, TaskDraft, TaskPatch
from ats_core.plugins.adapter import Adapter, Plugin

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Report = Callable[[FindResult, str], Any]

CALLS: dict[str, Callable[[Adapter], Any]] = {
    "list_projects": lambda adapter: adapter.list_projects(),
    "list_tasks_in_project": lambda adapter: adapter.list_tasks_in_project("p"),
    "get_task": lambda adapter: adapter.get_task("p", "t"),
    "url_for": lambda adapter: adapter.url_for("p", "t"),
    "bulk_fetch": lambda adapter: adapter.bulk_fetch(None),  # type: ignore[arg-type]
    "list_completed_tasks": lambda adapter: adapter.list_completed_tasks("", None),  # type: ignore[arg-type]
    "create_task": lambda adapter: adapter.create_task(TaskDraft(title="x")),
    "update_task": lambda adapter: adapter.update_task("p", "t", TaskPatch(title="x")),
    "revision": lambda adapter: adapter.revision(),
    "cache_scope": lambda adapter: adapter.cache_scope(),
    "settings": lambda adapter: adapter.settings(),
    "branches": lambda adapter: adapter.branches(),
    "hybrid_backend": lambda adapter: adapter.hybrid_backend(),
    "auth_status": lambda adapter: adapter.auth_status(),
    "auth_login": lambda adapter: adapter.auth_login(browser=False, port=None),
    "auth_exchange": lambda adapter: adapter.auth_exchange("code"),
    "auth_logout": lambda adapter: adapter.auth_logout(),
}


class Odd:
    """Of no type that any hook may return."""


@pytest.mark.parametrize("hook", CALLS)
def test_a_wrong_type_is_an_error_that_names_the_adapter_and_the_hook(make_store: MakeStore, hook: str) -> None:
    adapter = Adapter("shop", make_store(**{hook: Odd}))
    with pytest.raises(ContractError) as caught:
        CALLS[hook](adapter)
    assert caught.value.message.startswith(f"shop: {hook} broke its contract: ")
    assert caught.value.message.endswith("not Odd")


@pytest.mark.parametrize("hook", CALLS)
@pytest.mark.parametrize(
    "error", [ValueError("odd"), SystemExit("odd"), GeneratorExit("odd"), asyncio.CancelledError("odd")]
)
def test_whatever_is_raised_is_one_too(make_store: MakeStore, hook: str, error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(StoreError) as caught:
        CALLS[hook](Adapter("shop", make_store(**{hook: fail})))
    assert caught.value.message == f"shop: {hook} failed: {type(error).__name__}: odd"
    assert caught.value.__cause__ is error


def test_what_a_generator_raises_while_it_is_read_is_one_too(make_store: MakeStore) -> None:
    def projects() -> Iterator[Any]:
        yield from ()
        raise SystemExit(3)

    with pytest.raises(StoreError, match="shop: list_projects failed: SystemExit: 3"):
        Adapter("shop", make_store(list_projects=projects)).list_projects()


def test_ctrl_c_in_a_hook_is_ctrl_c(make_store: MakeStore) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Adapter("shop", make_store(revision=stop)).revision()


def test_a_plugins_embedder_and_branches_alike() -> None:
    from ats_core import hookimpl

    class Wrong:
        @hookimpl
        def embedding_space(self) -> Any:
            return Odd()

        @hookimpl
        def embeddings(self) -> Any:
            return Odd()

        @hookimpl
        def branches(self) -> Any:
            return Odd()

    plugin = Plugin("extra", Wrong())
    for call in (plugin.embedding_space, plugin.branches):
        with pytest.raises(ContractError, match=r"extra: .* broke its contract: .* not Odd"):
            call()


def test_the_stores_own_search_is_named_in_its_row(
    make_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    result = open_engine(make_store(search_by_query=Odd)).find("passport")
    assert report(result, "native").error == (
        "test: search_by_query broke its contract: a ranking was expected, not Odd"
    )


def test_attributes_that_fail_cost_no_search(make_store: MakeStore, open_engine: OpenEngine) -> None:
    class Touchy(type(make_store())):  # type: ignore[misc]
        @property
        def demo(self) -> bool:
            raise RuntimeError("do not ask")

        def take_warnings(self) -> list[str]:
            raise SystemExit(3)

    result = open_engine(Touchy()).find("passport")
    assert result.hits
    assert not result.corpus.demo
    assert any("take_warnings failed: SystemExit: 3" in warning for warning in result.warnings)
