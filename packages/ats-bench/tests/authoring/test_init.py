"""Questions made from the user's own tasks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ats_bench.generate.forms import FORMS, Known
from ats_bench.generate.questions import generate
from ats_bench.generate.sample import sample, shares
from ats_bench.generate.words import Holders, words
from ats_bench.questions import read_questions
from ats_core import Task
from ats_core.text.fold import fold
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

LIBRARY = [
    Task(
        id=f"t{n}",
        title=f"Prepare the quarterly {name} report",
        content=f"Collect numbers about {name}, then {word} everybody; the {name}{word} table is due.",
        project_id="work" if n % 3 else "home",
        tags=("finance", "office"),
        modified_time=f"2026-{1 + n % 12:02}-01T00:00:00Z",
    )
    for n, (name, word) in enumerate(
        [("budget", "notify"), ("travel", "remind"), ("energy", "summon"), ("vendor", "gather"), ("payroll", "invite")]
    )
]


def ask(form: str, position: int = 0, tasks: list[Task] | None = None, seed: int = 0) -> str | None:
    tasks = tasks or LIBRARY
    return FORMS[form](tasks[position], position, Known(tasks), Random(seed))


def test_words_are_as_written_and_texts_without_spaces_come_in_pieces() -> None:
    assert words("Learn C++, R&D (node.js)!") == ["Learn", "C++", "R&D", "node.js"]
    assert words("認証システムのトークン更新") == ["認証シス", "テムのト", "ークン更", "新"]


def test_rare_words_tell_the_task_from_all_others_and_are_not_in_its_title() -> None:
    for position, task in enumerate(LIBRARY):
        question = ask("rare-words", position)
        assert question is not None
        asked = words(question)
        assert len(asked) == 3
        assert Holders(LIBRARY).common(asked) == {position}
        assert not set(asked) & set(words(task.title))
        assert asked == sorted(asked, key=words(task.content).index), "in the order of the text"


@pytest.mark.parametrize("seed", range(5))
def test_a_title_part_is_in_order_shorter_and_fits_no_other_title(seed: int) -> None:
    question = ask("title-part", 1, seed=seed)
    assert question is not None
    title, kept = words(LIBRARY[1].title), words(question)
    assert len(title) // 2 <= len(kept) < len(title)
    assert kept == [word for word in title if word in kept]
    assert "travel" in kept, "without it four other titles would fit"


@pytest.mark.parametrize("seed", range(5))
def test_a_reordered_title_has_the_same_words_in_another_order(seed: int) -> None:
    question = ask("title-reordered", seed=seed)
    assert question is not None
    title = words(LIBRARY[0].title)
    assert words(question) != title
    assert sorted(words(question)) == sorted(title)


@given(st.text("abcdefgh", min_size=5, max_size=9), st.integers(0, 99))
def test_a_typo_is_one_slip_of_the_fingers_and_leaves_the_first_letter(word: str, seed: int) -> None:
    question = ask("title-typo", tasks=[Task(id="t", title=word)], seed=seed)
    assert question is not None
    assert OSA.distance(question, word) == 1
    assert question[0] == word[0]


def test_a_tag_and_a_word_name_one_task() -> None:
    question = ask("tag-and-word", 2)
    assert question is not None
    tag, word = question.split()
    assert tag in LIBRARY[2].tags
    assert Holders(LIBRARY).common([tag, word]) == {2}


@pytest.mark.parametrize(
    ("form", "task"),
    [
        ("rare-words", Task(id="t", title="Title only")),
        ("title-part", Task(id="t", title="Two words")),
        ("title-reordered", Task(id="t", title="One")),
        ("title-reordered", Task(id="t", title="bis bis")),
        ("title-reordered", Task(id="t", title="認証システムの更新")),
        ("title-typo", Task(id="t", title="to do 2026")),
        ("tag-and-word", Task(id="t", title="Without a tag")),
        ("tag-and-word", Task(id="t", title="Odd tag", tags=("!",))),
    ],
)
def test_a_task_is_not_pressed_into_a_form(form: str, task: Task) -> None:
    assert ask(form, tasks=[task]) is None


def test_a_title_that_stands_there_twice_is_no_question() -> None:
    twins = [Task(id="a", title="Weekly team meeting"), Task(id="b", title="weekly TEAM meeting")]
    assert not generate(twins, 2, 0)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(1, 120))
def test_places_are_shared_by_size_and_every_project_has_one(sizes: list[int], places: int) -> None:
    given_places = shares(sizes, places)
    assert sum(given_places) == min(places, sum(sizes))
    assert all(0 <= had <= size for had, size in zip(given_places, sizes, strict=True))
    assert places < len(sizes) or min(given_places) >= 1
    by_size = [had for _, had in sorted(zip(sizes, given_places, strict=True))]
    assert by_size == sorted(by_size), "a larger project never has fewer"


def test_a_sample_reaches_every_project_and_every_age() -> None:
    tasks = [
        Task(id=str(n), title="x", project_id="big", modified_time=f"{2000 + n * 37 % 100}-01-01T00:00:00Z")
        for n in range(100)
    ]
    tasks += [Task(id="s", title="x", project_id="small")]
    chosen = [tasks[at] for at in sample(tasks, 11, Random(1))]
    assert sum(task.project_id == "small" for task in chosen) == 1
    decades = sorted(int(task.modified_time[:4]) // 10 for task in chosen if task.modified_time)
    assert decades == list(range(200, 210))


def test_done_tasks_are_no_gold_but_their_words_count() -> None:
    done = [*LIBRARY[:2], Task(id="d", title="Old", content=LIBRARY[0].content, status="done")]
    questions = generate(done, 9, 0)
    assert {gold for question in questions for gold in question.gold_task_ids} == {"t0", "t1"}
    assert not any("rare-words" in question.tags for question in questions if question.gold_task_ids == ("t0",))


def test_the_same_seed_gives_the_same_questions_in_every_process_and_another_seed_others() -> None:
    code = (
        "from ats_core import Task; from ats_bench.generate.questions import generate; import sys\n"
        "tasks = [Task(id=str(n), title=f'Plan number {n} of the long list', content=f'alpha{n} beta{n} gamma', "
        "tags=('x', 'y')) for n in range(30)]\n"
        "print([(q.id, q.question) for q in generate(tasks, 10, int(sys.argv[1]))])"
    )

    def made(seed: int, hash_seed: int) -> str:
        environ = {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": ":".join(sys.path)}
        return subprocess.run(
            [sys.executable, "-c", code, str(seed)], capture_output=True, env=environ, check=True
        ).stdout

    assert made(3, 1) == made(3, 2) != made(4, 1)


def test_the_file_says_where_its_questions_come_from(bench: Any, tasks: list[Task], tmp_path: Path) -> None:
    tasks[:] = LIBRARY
    out = tmp_path / "new" / "generated.jsonl"
    ended = bench("init", "--out", out, "--count", 3)
    assert (ended.code, ended.out) == (0, "")
    assert "favours lexical branches" in ended.err
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(record["origin"] == "generated" and "favours lexical" in record["note"] for record in records)
    questions, problems = read_questions(out)
    assert not problems
    assert len({question.gold_task_ids for question in questions}) == 3
    assert {tag for question in questions for tag in question.tags} == {"generated", *FORMS}
    assert len({fold(question.question) for question in questions}) == len(questions)
    assert bench("check", out).code == 0


def test_a_file_that_is_there_stays_as_it_is(bench: Any, tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    out.write_text("mine")
    ended = bench("init", "--out", out)
    assert (ended.code, "nothing is overwritten" in ended.error) == (2, True)
    assert out.read_text() == "mine"


def test_only_the_forms_that_are_named(bench: Any, tmp_path: Path) -> None:
    assert bench("init", "--form", "title-typo", "--out", tmp_path / "q.jsonl").code == 0
    assert {question.tags for question in read_questions(tmp_path / "q.jsonl")[0]} == {("generated", "title-typo")}
    ended = bench("init", "--form", "haiku", "--out", tmp_path / "r.jsonl")
    assert (ended.code, ended.error) == (2, "no form 'haiku'")


def test_a_corpus_that_gives_no_question_is_an_error_of_one_line(bench: Any, tasks: list[Task], tmp_path: Path) -> None:
    tasks[:] = [Task(id="t", title="Tea")]
    ended = bench("init", "--out", tmp_path / "q.jsonl")
    assert (ended.code, ended.error) == (1, "no question can be made of 1 tasks")
    assert not (tmp_path / "q.jsonl").exists()
