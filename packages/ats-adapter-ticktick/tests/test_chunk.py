"""Long notes in pieces: what each holds, where it is cut, and that nothing is lost."""

from __future__ import annotations

import random
import unicodedata
from itertools import pairwise

import pytest
from ats_adapter_ticktick.hybrid.chunk import MOST_CHUNKS, Chunk, chunks
from ats_adapter_ticktick.hybrid.length import cut, fit, halved, length, whole
from ats_core import Task
from ats_core.index.build import embedded_text
from hypothesis import given
from hypothesis import strategies as st

TEXTS = st.text(st.sampled_from("abc  \n.。，税é={👩‍👧🇩🇪नि\u0301\t"), max_size=600)
WORDS = st.lists(st.text(st.sampled_from("abcdeé.!-"), min_size=1, max_size=30), max_size=300)


def prose(words: int, seed: int = 1) -> str:
    """Sentences and paragraphs of numbered words, so that each word occurs once."""
    chance = random.Random(seed)
    ends = [" "] * 12 + [". ", ", ", ".\n\n", "\n"]
    return "".join(f"word{number}{chance.choice(ends)}" for number in range(words)).strip()


def test_a_short_task_is_one_chunk_the_text_that_core_embeds() -> None:
    for title, body, tags in [
        ("T", "b\nc ", ("x", "y")),
        ("T", "", ()),
        ("", "b", ()),
        ("T", "", ("x",)),
        ("", "", ("x",)),
    ]:
        (chunk,) = chunks(title, body, tags, limit_chars=100)
        assert chunk == Chunk(embedded_text(Task(id="1", title=title, content=body, tags=tags)), body.strip())


@pytest.mark.parametrize(("title", "body", "tags"), [("", "", ()), (" ", "\n", ()), ("", " " * 5000, ("",))])
def test_a_task_without_text_has_no_chunk(title: str, body: str, tags: tuple[str, ...]) -> None:
    assert chunks(title, body, tags, limit_chars=100) == []


def test_each_chunk_of_a_long_note_begins_with_title_and_tags_and_shows_neither() -> None:
    found = chunks("The plan", prose(500), ("work", "q3"), limit_chars=300)
    assert len(found) > 10
    for chunk in found:
        assert chunk.text == f"The plan\nwork q3\n{chunk.passage}"
        assert chunk.passage == chunk.passage.strip() != ""
        assert length(chunk.text) <= 300


def test_about_15_percent_of_a_chunk_is_the_end_of_the_one_before() -> None:
    found = chunks("", prose(3000), (), limit_chars=1000)
    shares = [shared(one.passage, two.passage) / 1000 for one, two in pairwise(found)]
    assert all(0 < share <= 0.15 for share in shares)
    assert sum(shares) / len(shares) > 0.08


def shared(one: str, two: str) -> int:
    """The length of the longest end of the one text that is a beginning of the other."""
    return next(size for size in range(min(len(one), len(two)), -1, -1) if two.startswith(one[len(one) - size :]))


def test_a_note_is_cut_after_a_paragraph_a_line_a_sentence_or_a_word_whichever_there_is() -> None:
    for gap in ("\n\n", "\n", ". "):
        found = chunks("", gap.join(["some words"] * 60), (), limit_chars=200)
        assert len(found) > 2
        assert {unit for chunk in found for unit in chunk.passage.rstrip(".").split(gap)} == {"some words"}
    found = chunks("", "some words " * 60, (), limit_chars=200)
    assert {word for chunk in found for word in chunk.passage.split()} == {"some", "words"}
    mixed = "a b. " * 30 + "\n\n" + "c d. " * 100
    assert chunks("", mixed, (), limit_chars=200)[0].passage == ("a b. " * 30).strip()


def test_forty_thousand_words_are_all_in_some_chunk() -> None:
    body = prose(40_000)
    found = chunks("Long", body, (), limit_chars=2000)
    assert len(found) < MOST_CHUNKS
    assert {word for chunk in found for word in chunk.passage.split()} == set(body.split())


def test_a_note_has_at_most_400_chunks() -> None:
    body = prose(40_000)
    found = chunks("", body, (), limit_chars=200)
    assert len(found) == MOST_CHUNKS == 400
    assert found == chunks("", body, (), limit_chars=200)
    assert body.startswith(found[0].passage)


@pytest.mark.parametrize(
    "body", ["税" * 6000, "={" * 3000, "x" * 6000, "👩‍👩‍👧" * 900, "e\u0301" * 3000, "अनुच्छेद" * 500]
)
def test_a_text_without_spaces_is_cut_by_length_and_tears_no_character(body: str) -> None:
    found = chunks("T", body, (), limit_chars=500)
    assert all(length(chunk.text) <= 500 for chunk in found)
    assert all(length(chunk.passage) >= 250 for chunk in found[:-1])
    for chunk in found:
        assert not unicodedata.category(chunk.passage[0]).startswith("M")
        assert chunk.passage[0] != "\u200d"
        assert chunk.passage[-1] != "\u200d"
    assert sum(len(chunk.passage) for chunk in found) > 1.05 * len(body)  # they overlap
    assert restored(body, found)


def test_a_text_without_spaces_after_a_word_fills_the_chunk() -> None:
    for body in ("ab " + "x" * 5000, "标题 " + "税" * 5000):
        first, *_ = chunks("", body, (), limit_chars=500)
        assert length(first.passage) > 495


def test_no_chunk_says_only_what_the_one_before_said() -> None:
    body = " ".join(f"a{number} b{number} {number:060}" for number in range(40))
    for limit in range(64, 160):
        found = chunks("", body, (), limit_chars=limit)
        assert not any(one.passage.endswith(two.passage) for one, two in pairwise(found))
        assert restored(body, found)


def test_a_limit_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="39 characters"):
        chunks("T", "b", (), limit_chars=39)


def restored(body: str, found: list[Chunk]) -> bool:
    """Whether the passages, in order, can cover the text without a gap, white space apart."""
    covered = 0
    for chunk in found:
        reach = len(body) - len(body[covered:].lstrip())
        begin = body.rfind(chunk.passage, 0, reach + len(chunk.passage))
        if begin < 0:
            return False
        covered = max(covered, begin + len(chunk.passage))
    return not body[covered:].strip()


def test_chinese_is_cut_after_a_full_stop_and_overlaps() -> None:
    sentence = "认证系统的令牌每三十天更新一次，更新之前要通知所有的人。"
    found = chunks("", sentence * 60, (), limit_chars=700)
    assert all(chunk.passage.endswith("。") for chunk in found)
    assert all(chunk.passage.startswith("认证") for chunk in found)
    assert sum(len(chunk.passage) for chunk in found) > len(sentence) * 60


def test_a_title_longer_than_a_quarter_of_a_chunk_is_cut_there_and_read_as_text() -> None:
    title = prose(100)
    found = chunks(title, prose(200, seed=2).replace("word", "body"), ("tag",), limit_chars=200)
    heads = {chunk.text.removesuffix(chunk.passage) for chunk in found}
    assert len(heads) == 1
    (head,) = heads
    assert title.startswith(head.strip())
    assert length(head) <= 51
    words = {word for chunk in found for word in chunk.passage.split()}
    assert words >= {*title.split(), "tag"}


@given(TEXTS, TEXTS, st.lists(st.sampled_from(["a", "税", "x y"]), max_size=3), st.integers(40, 300))
def test_any_note_is_covered_by_chunks_within_bounds(title: str, body: str, tags: list[str], limit: int) -> None:
    found = chunks(title, body, tags, limit_chars=limit)
    assert bool(found) == bool((title + body + "".join(tags)).strip())
    assert all(chunk.text.strip() for chunk in found)
    assert all(length(chunk.text) <= limit for chunk in found)
    assert len(found) <= 2 + 8 * (len(body) + len(title)) / 40
    heading = "\n".join(part for part in (title, " ".join(tags)) if part)
    whole_text = body if length(heading) <= limit / 4 else f"{heading}\n\n{body}"
    assert len(found) < 2 or restored(whole_text, found)


@given(WORDS, st.sampled_from([" ", "\n", "\n\n", " \t "]), st.integers(60, 400))
def test_every_word_is_whole_in_some_chunk(words: list[str], gap: str, limit: int) -> None:
    body = gap.join(words)
    found = chunks("Title", body, (), limit_chars=limit)
    held = {word for chunk in found for word in chunk.passage.split()}
    assert held >= set(body.split())
    assert len(found) < 2 or restored(body, found)


@given(TEXTS, st.floats(2.5, 200))
def test_fit_is_the_greatest_end_within_the_limit(text: str, limit: float) -> None:
    end = fit(text, limit)
    assert length(text[:end]) <= limit
    assert end == len(text) or length(text[: end + 1]) > limit
    assert length(cut(text, limit)) <= limit
    assert text.startswith(cut(text, limit))


@given(TEXTS)
def test_a_half_is_a_beginning_and_shorter(text: str) -> None:
    assert text.startswith(halved(text))
    assert len(halved(text)) <= len(text) // 2
    assert len(text) < 2 or halved(text)


def test_a_cut_is_moved_to_before_the_character() -> None:
    assert whole("ae\u0301b", 2) == 1
    assert whole("ae\u0301b", 3) == 3
    assert whole("👩‍👧x", 1) == 1  # there is nothing before it to keep
    assert whole("x👩‍👧", 3) == 1
    assert whole("plain", 3) == 3
    assert whole("税é", 99) == 99
