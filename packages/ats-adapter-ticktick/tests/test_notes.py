"""`notes_find`: titles of the wiki project, and of no other."""

from __future__ import annotations

import pytest
from ats_adapter_ticktick.notes import WikiProject, bare, named_in, notes_branch
from ats_core import Candidate, Corpus, Deadline, Task

WIKI = "Permanent Notes"


def corpus(*titles: str, project: str = WIKI, others: tuple[Task, ...] = ()) -> Corpus:
    notes = [Task(id=f"n{at}", title=title, project_id="w", project_name=project) for at, title in enumerate(titles)]
    return Corpus.of([*notes, *others])


def find(query: str, within: Corpus, wiki: str = WIKI) -> list[tuple[str, float | None]]:
    branch = notes_branch(lambda corpus: WikiProject(wiki).among(named_in(corpus)))
    ranking = branch.run(query, within, Deadline(5))
    return [(item.id, item.score) for item in ranking if isinstance(item, Candidate)]


def test_the_four_steps_and_nothing_below_them():
    notes = corpus("Fence", "The old fence", "Chesterton's fence", "Fence posts", "Fennel", "posts of a wooden fence")
    assert find("fence", notes) == [("n0", 100.0), ("n3", 60.0), ("n1", 30.0), ("n2", 30.0), ("n5", 30.0)]
    assert find("fence wooden", notes) == [("n5", 15.0)]
    assert find("gate", notes) == []


def test_only_notes_of_the_wiki_project_are_found():
    others = (Task(id="x", title="Fence", project_id="h", project_name="Home"),)
    assert find("fence", corpus("Fence", others=others)) == [("n0", 100.0)]


def test_at_most_twenty():
    assert len(find("fence", corpus(*["Fence"] * 30))) == 20


@pytest.mark.parametrize(
    "name",
    [
        "Permanent Notes",
        "permanent notes",
        "🗒️ Permanent Notes",
        "📚Permanent Notes",
        "👩🏽‍💻 Permanent Notes ✨",
        "[Permanent Notes]",
        "— Permanent Notes —",
        "1️⃣ Permanent Notes",
        " Permanent Notes ",
        "ＰＥＲＭＡＮＥＮＴ Notes",
    ],
)
def test_the_project_is_known_under_any_decoration(name: str):
    assert find("fence", corpus("Fence", project=name)) == [("n0", 100.0)]


@pytest.mark.parametrize("wanted", ["📌 Permanent Notes", "permanent notes!", "w"])
def test_what_the_user_wrote_may_be_decorated_too_or_an_id(wanted: str):
    assert find("fence", corpus("Fence"), wanted) == [("n0", 100.0)]


@pytest.mark.parametrize("name", ["Permanent", "My Permanent Notes", "Permanent Notes 2", "Permanent-Notes", "", "🗒️"])
def test_another_project_is_not_taken_for_it(name: str):
    assert find("fence", corpus("Fence", project=name)) == []


@pytest.mark.parametrize("wanted", ["🗒️", "***"])
def test_a_name_of_signs_alone_is_met_by_itself_only(wanted: str):
    assert find("fence", corpus("Fence", project=wanted), wanted) == [("n0", 100.0)]
    assert find("fence", corpus("Fence", project="✨"), wanted) == []


def test_the_id_goes_before_the_name_and_the_name_before_the_bare_one():
    wiki = WikiProject(WIKI)
    exact, decorated = {"a": "Permanent Notes"}, {"b": "🗒️ Permanent Notes"}
    assert wiki.among(decorated | exact) == {"a"}
    assert wiki.among(decorated | {"c": "* Permanent Notes"}) == {"b", "c"}
    assert WikiProject("b").among(decorated | exact | {"d": "b"}) == {"b"}
    assert wiki.among({"d": "Home"}) == frozenset()
    assert wiki.among({}) == frozenset()


def test_no_task_of_another_list_is_read_for_it():
    def read(ordinal: int) -> Task:
        assert ordinal == 1
        return Task(id="n", title="Fence", project_id="w")

    within = Corpus(3, read, {"n": 1}.get, lambda projects: [1])
    assert [item.id for item in notes_branch(lambda corpus: ["w"]).run("fence", within, Deadline(5))] == ["n"]


def test_accents_and_marks_that_belong_to_a_letter_are_no_decoration():
    assert bare("✨ Café ✨") == "cafe"
    assert bare("हिन्दी।") == "हिन्दी"
    assert bare("• ノート（新）") == "ノート(新"
