"""What pluggy accepts in silence is refused by name, with the line that mends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
from ats_core import Deadline, Task, hookimpl
from ats_core.hookspecs import PLUGIN_HOOKS, REQUIRED, AtsSpec
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.plugins.registration import Hooks, RegistrationError


def refusal(plugin: object, register: Callable[[object], object] = Hooks) -> str:
    with pytest.raises(RegistrationError) as caught:
        register(plugin)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_default_is_refused_since_pluggy_never_fills_it_in() -> None:
    class Bad:
        @hookimpl
        def list_tasks_in_project(self, project_id: str = "") -> Sequence[Task]:
            return []

    assert refusal(Bad()) == (
        "hook list_tasks_in_project gives project_id a default, so it is never filled in: remove the default"
    )


def test_a_keyword_only_parameter_is_refused() -> None:
    class Bad:
        @hookimpl
        def get_task(self, project_id: str, *, task_id: str) -> Task | None:
            return None

    assert refusal(Bad()) == (
        "hook get_task has the keyword-only parameter task_id, which is never filled in: remove the *"
    )


@pytest.mark.parametrize("star", ["*args", "**kwargs"])
def test_arguments_by_star_are_refused(star: str) -> None:
    class Bad:
        if star == "*args":

            @hookimpl
            def search_by_query(self, *args: Any) -> Sequence[Task]:
                return []
        else:

            @hookimpl
            def search_by_query(self, **kwargs: Any) -> Sequence[Task]:
                return []

    message = refusal(Bad())
    assert message.startswith(f"hook search_by_query takes {star}")
    assert message.endswith("never filled in: name the arguments")


def test_a_method_named_like_a_hook_without_the_marker_is_refused() -> None:
    class Bad:
        def revision(self) -> str:
            return "1"

    assert refusal(Bad()) == "method revision is named like a hook but has no marker: decorate it with @hookimpl"


def test_the_marker_over_a_static_method_counts_as_missing() -> None:
    class Bad:
        @hookimpl
        @staticmethod
        def revision() -> str:
            return "1"

    assert "revision" in refusal(Bad())


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [("list_project", "list_projects"), ("serach_by_query", "search_by_query"), ("bulkfetch", "bulk_fetch")],
)
def test_a_misspelt_hook_is_refused_with_the_nearest_name(misspelt: str, meant: str) -> None:
    def function() -> None: ...

    plugin = type("Bad", (), {misspelt: staticmethod(hookimpl(function))})()
    assert refusal(plugin) == f"hook {misspelt} is unknown: did you mean {meant}?"


def test_an_unknown_hook_that_is_like_no_other_is_refused_without_a_guess() -> None:
    class Bad:
        @hookimpl
        def xyzzy(self) -> None: ...

    assert refusal(Bad()) == "hook xyzzy is unknown"


def test_a_hook_that_is_hidden_by_an_attribute_is_refused() -> None:
    class Bad:
        def __init__(self) -> None:
            self.branches = ["of a tree"]  # type: ignore[assignment, method-assign]

        @hookimpl
        def branches(self) -> None: ...

    assert refusal(Bad()) == "hook branches is hidden by an attribute of the same name: rename the attribute"


def test_an_attribute_that_merely_has_the_name_of_a_hook_is_no_fault() -> None:
    class Good:
        settings = ("a", "b")

        @property
        def commands(self) -> None:
            raise AssertionError("registration must not run properties")

    assert Hooks(Good()).names == frozenset()


def test_an_unknown_argument_is_refused_with_the_known_ones() -> None:
    class Bad:
        @hookimpl
        def get_task(self, project_id: str, id: str) -> None: ...

    assert refusal(Bad()) == "hook get_task has no argument id (it has: project_id, task_id): rename or remove it"


def test_every_fault_is_told_at_once() -> None:
    class Bad:
        @hookimpl
        def get_task(self, project_id: str = "", task_id: str = "") -> None: ...

        def revision(self) -> None: ...

    message = refusal(Bad())
    assert message.count("; ") == 2
    assert "project_id" in message
    assert "task_id" in message
    assert "revision" in message


def test_a_hook_may_leave_out_what_it_does_not_use() -> None:
    class Good:
        @hookimpl
        def search_by_query(self, query: str) -> list[str]:
            return [query]

        @hookimpl
        def url_for(self) -> str:
            return "here"

    hooks = Hooks(Good())
    assert hooks.call("search_by_query", query="x", limit=1, deadline=Deadline(1)) == ["x"]
    assert hooks.call("url_for", project_id="p", task_id="t") == "here"


def test_static_and_class_methods_are_hooks_too() -> None:
    class Good:
        @staticmethod
        @hookimpl
        def url_for(task_id: str) -> str:
            return f"static:{task_id}"

        @classmethod
        @hookimpl
        def search_by_query(cls, query: str) -> list[str]:
            return [cls.__name__, query]

    hooks = Hooks(Good())
    assert hooks.call("url_for", project_id="p", task_id="t") == "static:t"
    assert hooks.call("search_by_query", query="x", limit=1, deadline=Deadline(1)) == ["Good", "x"]


def test_a_module_is_a_plugin() -> None:
    module = ModuleType("plugin")

    @hookimpl
    def revision() -> str:
        return "7"

    module.revision = revision  # type: ignore[attr-defined]
    assert Hooks(module).call("revision") == "7"


def test_two_objects_of_one_class_do_not_disturb_each_other() -> None:
    class Good:
        def __init__(self, text: str) -> None:
            self.text = text

        @hookimpl
        def revision(self) -> str:
            return self.text

    first, second = Hooks(Good("1")), Hooks(Good("2"))
    assert (first.call("revision"), second.call("revision")) == ("1", "2")


def test_a_hook_that_is_not_implemented_answers_none() -> None:
    assert Hooks(object()).call("revision") is None


@pytest.mark.parametrize("missing", REQUIRED)
def test_a_missing_required_hook_is_named(make_store: Callable[..., Any], missing: str) -> None:
    class Bare: ...

    for name in REQUIRED:
        if name != missing:
            function = getattr(make_store(), name).__func__
            setattr(Bare, name, function)
    assert refusal(Bare(), lambda plugin: Adapter("x", plugin)) == f"required hooks are missing: {missing}"


@pytest.mark.parametrize("half", ["embeddings", "embedding_space"])
def test_half_an_embedder_is_refused_of_an_adapter_and_of_a_plugin(make_store: Callable[..., Any], half: str) -> None:
    def function() -> None: ...

    alone = type("Half", (), {half: staticmethod(hookimpl(function))})()
    assert "come as a pair" in refusal(alone, lambda plugin: Plugin("x", plugin))
    assert "come as a pair" in refusal(make_store(**{half: function}), lambda plugin: Adapter("x", plugin))


def test_a_capability_that_says_none_about_itself_is_not_there(make_store: Callable[..., Any]) -> None:
    def nothing() -> None: ...

    def store_of(hook: str) -> Adapter:
        pair = {"embeddings": nothing} if hook == "embedding_space" else {}
        return Adapter("x", make_store(**{hook: nothing}, **pair))

    for hook in ("branches", "hybrid_backend", "commands", "embedding_space"):
        assert hook in store_of(hook).implemented
        assert not store_of(hook).has(hook)
    assert store_of("revision").has("revision")
    assert not store_of("revision").has("bulk_fetch")


def test_every_hook_is_typed_and_documented() -> None:
    for name, hook in vars(AtsSpec).items():
        if name.startswith("_"):
            continue
        assert (hook.__doc__ or "").strip(), name
        assert "return" in hook.__annotations__, name
    assert set(REQUIRED) | set(PLUGIN_HOOKS) <= set(vars(AtsSpec))
