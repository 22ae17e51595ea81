"""What README and CONTRIBUTING say is run, not believed."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from readme_blocks import ROOT, Block, blocks, exchanges

DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted([*ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/*.md")]),
]

# Times and the age of the cache differ from run to run; in a transcript only their form is checked.
_TIME = re.compile(r"in \d+ ms|, cached \d+ \w+ ago")


def _blocks(language: str) -> list[Block]:
    return [block for block in blocks(ROOT / "README.md") if block.language == language]


@pytest.mark.parametrize("block", _blocks("console"), ids=lambda block: f"line {block.line}")
def test_a_transcript_in_the_readme_is_what_the_command_prints(block: Block, environ: dict[str, str], tmp_path: Path):
    for exchange in exchanges(block):
        done = subprocess.run(
            exchange.command, shell=True, env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8"
        )
        assert done.stderr == ""
        assert _TIME.sub("", done.stdout).strip("\n") == _TIME.sub("", exchange.output)


def test_the_first_block_of_the_readme_installs_hatch_and_searches(environ: dict[str, str], tmp_path: Path):
    """CI runs the block as it stands; here its search is run, with the `ats` of this environment."""
    install, search = _blocks("sh")[0].text.strip().splitlines()
    assert install == "pip install hatch"
    words = search.removeprefix("hatch run ")
    done = subprocess.run(words, shell=True, env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.stdout.startswith("1. Rolling back a production release")


def test_the_other_shell_blocks_of_the_readme_run(environ: dict[str, str], tmp_path: Path):
    for block in _blocks("sh")[1:]:
        script = block.text.replace("hatch run ats", "ats")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


def test_the_python_blocks_of_the_readme_run_in_order():
    namespace: dict[str, object] = {}
    for block in _blocks("python"):
        exec(compile(block.text, f"README.md:{block.line}", "exec"), namespace)
    assert "ShelfAdapter" in namespace


@pytest.mark.parametrize(
    "block", [block for path in DOCUMENTS for block in blocks(path)], ids=lambda block: f"{block.language}-{block.line}"
)
def test_every_data_block_of_a_document_can_be_read(block: Block):
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "jsonl":
        for line in block.text.splitlines():
            json.loads(line)
    elif block.language == "python":
        compile(block.text, "block", "exec")


def test_the_settings_table_of_the_readme_names_every_setting():
    from ats_core.settings import OPTIONS

    text = (ROOT / "README.md").read_text()
    rows = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", text, flags=re.MULTILINE))
    assert rows >= {(option.key, option.env) for option in OPTIONS}


def test_the_exit_codes_of_the_readme_are_those_of_the_error_tree():
    from ats_core import errors

    codes = {
        error.exit_code for error in vars(errors).values() if isinstance(error, type) and hasattr(error, "exit_code")
    }
    rows = set(map(int, re.findall(r"^\| (\d+) \|", (ROOT / "README.md").read_text(), flags=re.MULTILINE)))
    assert rows == codes | {0, 130}


def test_links_in_documents_lead_somewhere():
    for path in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path}: {target}"


def test_nothing_that_is_committed_names_a_path_of_the_machine():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    words = ["/" + "work/", "/" + "root/"]
    for name, word in itertools.product(listed.stdout.split(), words):
        path = ROOT / name
        if path.is_file():
            assert word not in path.read_text(encoding="utf-8", errors="replace"), f"{name}: {word}"
