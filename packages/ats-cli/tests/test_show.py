"""The pieces that text is made of."""

import json

import pytest
from ats_cli.document import encode
from ats_cli.show.hits import when
from ats_cli.show.inert import inert, one_line
from ats_cli.show.table import table
from ats_cli.show.width import padded, width
from hypothesis import given
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=()))
DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
)


def without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


@given(DOCUMENTS)
def test_json_survives_and_is_harmless(document: object) -> None:
    text = encode(document)
    assert text.endswith("\n")
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in text[:-1])
    text.encode()
    assert json.loads(text) == without_surrogates(document)


@given(ANY_TEXT)
def test_nothing_inert_moves_a_cursor(text: str) -> None:
    shown = one_line(text)
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in shown)
    shown.encode()
    assert set("\u202a\u202e\u2066\u2069\u200f\u2028") & set(shown) == set()
    assert all(character in "\t\n" or ord(character) >= 0x20 for character in inert(text))


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("认证", 4), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1), ("हिन्दी", 5), ("a\u200bb", 2), ("", 0)],
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(padded(text, 9)) == 9


def test_a_table_lines_up() -> None:
    lines = table(["a", "n", "b"], [("认证", "1", "x"), ("q", "22", "y\nz")], right=(1,))
    texts = [line.lead + "".join(span.text for span in line.spans) for line in lines]
    assert texts == ["a      n  b", "认证   1  x", "q     22  y z"]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("2026-03-14", "2026-03-14"),
        ("2026-03-14T09:00:00.000+0000", "2026-03-14 09:00 +0000"),
        ("2026-03-14T09:00Z", "2026-03-14 09:00 Z"),
        ("next week\n", "next week "),
    ],
)
def test_times(stored: str, shown: str) -> None:
    assert when(stored) == shown
