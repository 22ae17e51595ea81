"""docs/hooks.md is the contract in the code's own words: signatures and sentences are compared literally."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from ats_core import CONTRACT, hookspecs
from ats_core.conformance import RULES, Rule, Subject, run_checks
from readme_blocks import blocks

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "hooks.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, flags=re.MULTILINE | re.DOTALL))


def signatures(name: str) -> dict[str, str]:
    """The methods of a class of the contract, as its source writes them."""
    tree = ast.parse(inspect.getsource(hookspecs))
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {
        method.name: f"def {method.name}({ast.unparse(method.args)}) -> {ast.unparse(method.returns)}: ..."
        for method in found.body
        if isinstance(method, ast.FunctionDef) and method.returns is not None
    }


HOOKS = signatures("AtsSpec")


def test_every_hook_has_a_section_in_the_order_of_the_contract() -> None:
    assert [name for name in SECTIONS if name != "Conventions"] == list(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_section_begins_with_the_exact_signature_and_says_all_five_things(hook: str) -> None:
    assert SECTIONS[hook].startswith(f"\n```python\n{HOOKS[hook]}\n```\n")
    said = re.findall(r"^- \*\*(\w+)\*\*", SECTIONS[hook], flags=re.MULTILINE)
    assert said == ["Called", "Thread", "Returns", "None", "Raising"]


def test_the_methods_of_a_backend_are_those_of_the_protocol() -> None:
    assert "```python\n" + "\n".join(signatures("HybridBackend").values()) + "\n```" in SECTIONS["hybrid_backend"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.anchor)
def test_a_sentence_that_a_finding_names_stands_at_its_anchor(rule: Rule) -> None:
    assert f'\n- <a id="{rule.anchor}"></a>{rule.sentence}\n' in TEXT


def test_every_anchor_is_a_sentence_that_the_kit_knows() -> None:
    anchors = re.findall(r'<a id="([^"]*)">', TEXT)
    assert sorted(anchors) == sorted(rule.anchor for rule in RULES)


def test_it_names_the_version_of_the_contract() -> None:
    major, minor = map(int, CONTRACT.split("."))
    assert f"version {CONTRACT} of the contract" in TEXT
    assert f"`ats-core>={CONTRACT},<{major}.{minor + 1}`" in TEXT


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT):
        assert (DOCUMENT.parent / target).exists(), target


def test_every_reserved_branch_name_is_named() -> None:
    from ats_core.retrieval.foreign import RESERVED

    assert all(f"`{name}`" in SECTIONS["branches"] for name in RESERVED)


def test_the_adapter_of_the_readme_keeps_the_contract() -> None:
    namespace: dict[str, Any] = {}
    for block in blocks(ROOT / "README.md"):
        if block.language == "python":
            exec(compile(block.text, "README.md", "exec"), namespace)
    results = run_checks(Subject(namespace["ShelfAdapter"], name="shelf", write=True))
    assert [str(finding) for result in results for finding in result.findings] == []
