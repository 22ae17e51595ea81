"""docs/architecture.md shows the code as it is, and a reader gets from the README to any part of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from readme_blocks import ROOT, blocks

DOCUMENT = ROOT / "docs" / "architecture.md"
LEVELS = 2
"""Folders below a package's own that the document names; what lies deeper is for the folder's docstring to say."""

_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
_LINE = re.compile(r"L(\d+)")


def folders() -> set[str]:
    """Every folder of every package's source, as the document writes them: `ats_core/text/`."""
    found = set()
    for package in ROOT.glob("packages/*/src/*/"):
        for folder in (package, *package.rglob("*/")):
            parts = folder.relative_to(package.parent).parts
            holds = any(path.is_file() and path.suffix != ".pyc" for path in folder.rglob("*"))
            if len(parts) <= LEVELS + 1 and not any(part.startswith((".", "__")) for part in parts) and holds:
                found.add("/".join(parts) + "/")
    # What a template looks like is the template's own business.
    return {name for name in found if not re.match(r"ats_cli/templates/\w+/.", name)}


def links(document: Path) -> list[tuple[Path, str]]:
    """Where the links of a document lead: a path, and what follows its `#`."""
    found = []
    for target in _LINK.findall(document.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        found.append(((document.parent / path).resolve() if path else document, anchor))
    return found


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings as GitHub makes them, and those that are written out."""
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r"""<a (?:id|name)=["']([^"']+)["']""", text))


def test_it_names_every_folder_that_exists_and_none_that_does_not() -> None:
    rows = re.findall(r"^\| `(ats_[\w/.-]+/)` \| (.+) \|$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = [name for name, _ in rows]
    missing, gone = sorted(folders() - set(named)), sorted(set(named) - folders())
    assert not missing, f"add to the table 'The folders' of docs/architecture.md: {', '.join(missing)}"
    assert not gone, f"remove from the table 'The folders' of docs/architecture.md: {', '.join(gone)}"
    assert len(named) == len(set(named)), "a folder is named twice"


def test_a_path_that_it_mentions_exists() -> None:
    for path in re.findall(r"`((?:ats_\w+|tests)/[\w/.-]*)`", DOCUMENT.read_text(encoding="utf-8")):
        found = (ROOT / path).exists() or any(ROOT.glob(f"packages/*/src/{path}"))
        assert found, f"docs/architecture.md mentions {path}, which does not exist"


def test_the_picture_names_every_package() -> None:
    picture = next(block.text for block in blocks(DOCUMENT))
    for package in ROOT.glob("packages/*/"):
        name = package.name if package.name in picture else package.name.removeprefix("ats-adapter-")
        assert name in picture, f"the picture of docs/architecture.md lacks {package.name}"


def test_from_the_readme_to_the_line_that_computes_rrf_in_three_clicks() -> None:
    reached, clicks = {(ROOT / "README.md", "")}, 0
    goal = ROOT / "packages/ats-core/src/ats_core/fusion/rrf.py"
    lines = goal.read_text(encoding="utf-8").splitlines()
    formula = next(number for number, line in enumerate(lines, 1) if "1 / (k + rank)" in line)
    while (goal, f"L{formula}") not in reached:
        clicks += 1
        assert clicks <= 3, f"link {goal.name}#L{formula} from docs/architecture.md, and that from README.md"
        reached |= {link for path, _ in reached if path.suffix == ".md" for link in links(path)}


@pytest.mark.parametrize("document", sorted(ROOT.glob("docs/*.md")), ids=lambda path: path.name)
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    for path, anchor in links(document):
        where = f"{document.relative_to(ROOT)}: {path.name}"
        assert path.exists(), f"{where} does not exist"
        if path.suffix == ".md" and anchor:
            assert anchor in anchors(path), f"{where}#{anchor}"
        elif line := _LINE.fullmatch(anchor):
            assert int(line[1]) <= len(path.read_text(encoding="utf-8").splitlines()), f"{where}#{anchor}"
