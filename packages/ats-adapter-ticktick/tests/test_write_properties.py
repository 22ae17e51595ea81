"""An update of any subset of a task's fields leaves all that it does not name: nothing is lost, whatever the task."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ats_adapter_ticktick.api.client import Client
from ats_adapter_ticktick.api.endpoints import TickTickApi
from ats_adapter_ticktick.api.pace import Pacer
from ats_adapter_ticktick.mapping import task_of
from ats_adapter_ticktick.mapping.body import checklist
from ats_adapter_ticktick.mapping.dates import instant
from ats_adapter_ticktick.writes import create_task, update_task
from ats_adapter_ticktick.writes.zones import Zone
from ats_core import Deadline, Task, TaskDraft, TaskPatch
from fakes.ticktick import FakeTickTick
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Record = dict[str, Any]

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Europe/Berlin", "Pacific/Auckland")
USER = Zone("Asia/Tokyo", ZoneInfo("Asia/Tokyo"))
ALWAYS = {"modifiedTime", "etag"}
at_any_pace = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as server:
        yield server


@pytest.fixture(scope="module")
def api(fake: FakeTickTick) -> Iterator[TickTickApi]:
    client = Client(fake.api_url, lambda deadline: "token-a", Pacer(None, per_minute=1_000_000, burst=1_000_000))
    yield TickTickApi(client)
    client.close()


words = st.text("ab ä字-[]x\n", max_size=12)
titles = words.map(lambda text: f"t{text}".strip())
tags = st.lists(st.sampled_from(["work", "AI_Work", "旅行", "a b"]), max_size=3, unique=True)
days = st.dates(date(2020, 1, 1), date(2035, 1, 1))
instants = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)).map(
    lambda at: at.replace(microsecond=0)
)


def written(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000+0000")


@st.composite
def dates_of(draw: st.DrawFn) -> Record:
    """No date, a time or a day, with or without a length, in a zone or in none."""
    zone = draw(st.sampled_from([*ZONES, None, "Mars/Phobos"]))
    fields: Record = {"timeZone": zone}
    kind = draw(st.sampled_from(["none", "timed", "all-day"]))
    if kind == "timed":
        ends = sorted([draw(instants), draw(instants)])
    else:
        where = ZoneInfo(zone) if zone in ZONES else UTC
        ends = sorted(datetime.combine(draw(days), time.min, where) for _ in "ab")
    if kind != "none":
        start = draw(st.sampled_from([ends[0], ends[1], None]))
        fields |= {"dueDate": written(ends[1]), "startDate": written(start) if start else None}
        fields |= {"isAllDay": kind == "all-day", "repeatFlag": draw(st.sampled_from([None, "RRULE:FREQ=DAILY"]))}
        fields["repeatFrom"] = "2" if fields["repeatFlag"] else None
    return fields


items = st.lists(
    st.fixed_dictionaries(
        {"title": words, "status": st.sampled_from([0, 1]), "sortOrder": st.integers(-5, 5)},
        optional={"startDate": st.just("2026-01-01T00:00:00.000+0000"), "unknown": st.just({"deep": [1]})},
    ),
    max_size=3,
)

records = st.tuples(
    st.fixed_dictionaries(
        {
            "title": titles,
            "kind": st.sampled_from(["TEXT", "NOTE", "CHECKLIST"]),
            "status": st.sampled_from([0, 0, 2, -1]),
        },
        optional={
            "content": words,
            "desc": words,
            "items": items,
            "tags": tags,
            "reminders": st.just(["TRIGGER:PT0S", "TRIGGER:P0DT9H0M0S"]),
            "priority": st.sampled_from([0, 1, 3, 5]),
            "sortOrder": st.integers(-(2**40), 2**40),
            "parentId": st.just("65f0c0ffee0123456789abce"),
            "columnId": st.just("c1"),
            "assigneeUsername": st.just("anna"),
            "completedTime": st.just("2026-01-01T00:00:00.000+0000"),
            "unknown": st.just({"deep": [1, None]}),
        },
    ),
    dates_of(),
).map(lambda parts: parts[0] | parts[1])

dues = st.none() | days.map(date.isoformat) | instants.map(datetime.isoformat)
patches = st.fixed_dictionaries(
    {},
    optional={
        "title": titles,
        "content": st.none() | words.map(lambda text: text.replace("-", " ")),
        "tags": st.none() | tags.map(tuple),
        "due_date": dues,
        "status": st.sampled_from(["open", "done"]),
        "project_id": st.sampled_from(["same", "other", "inbox"]),
    },
)


def may_change(before: Record, patch: Record) -> set[str]:
    """The names of the record that this patch may touch, and no other."""
    names = set(ALWAYS)
    names |= {"title"} if "title" in patch else set()
    names |= {"tags"} if "tags" in patch else set()
    if "content" in patch:
        names.add("desc" if before["kind"] == "CHECKLIST" else "content")
    if "project_id" in patch:
        names.add("projectId")
    if "due_date" in patch:
        names |= {"dueDate", "startDate"}
        names |= {"repeatFlag", "repeatFrom"} if patch["due_date"] is None else {"isAllDay"}
        names |= {"timeZone"} if before.get("timeZone") not in ZONES else set()
    if patch.get("status") == "done" and before["status"] == 0:
        repeats = before.get("repeatFlag") and patch.get("due_date", "") is not None
        names |= {"dueDate", "startDate"} if repeats else {"status", "completedTime"}
    if patch.get("status") == "open":
        names.add("status")
    return names


@at_any_pace
@given(before=records, patch=patches)
def test_an_update_leaves_all_that_it_does_not_name(
    fake: FakeTickTick, api: TickTickApi, before: Record, patch: Record
) -> None:
    account = fake.account("token-a")
    home, other = account.add_project("Home"), account.add_project("Other")
    targets = {"same": home, "other": other, "inbox": "inbox"}
    task_id = account.add_task(home, **before)
    record = account.tasks[task_id]
    before = copy.deepcopy(record)
    if "project_id" in patch:
        patch = patch | {"project_id": targets[patch["project_id"]]}
    try:
        task = update_task(api, home, task_id, TaskPatch(**patch), Deadline(30), zone=USER)
        after = copy.deepcopy(record)
    finally:
        account.tasks.clear()
        account.projects.clear()
    touched = may_change(before, patch)
    assert {k: v for k, v in after.items() if k not in touched} == {k: v for k, v in before.items() if k not in touched}
    check_taken(before, after, patch, task)


def check_taken(before: Record, after: Record, patch: Record, task: Task) -> None:
    """What the patch sets is so, in the record and in the task that came back."""
    assert task.raw == {k: v for k, v in after.items() if v or k not in ("desc", "items")}
    if "title" in patch:
        assert task.title == patch["title"]
    if "tags" in patch:
        assert task.tags == (patch["tags"] or ())
    hidden = "content" if before["kind"] == "CHECKLIST" else "desc"
    if "content" in patch and not before.get(hidden) and not checklist(before):
        assert task.content.strip() == (patch["content"] or "").strip()
    if "due_date" in patch and not (before.get("repeatFlag") and patch.get("status") == "done"):
        check_due(before, after, patch["due_date"], task)
    if patch.get("status") == "open":
        assert task.status == "open"


def check_due(before: Record, after: Record, due: str | None, task: Task) -> None:
    if due is None or len(due) == len("2026-12-01"):
        assert task.due_date == due
    else:
        assert instant(task.due_date) == instant(due)
    old_start, old_due = instant(before.get("startDate")), instant(before.get("dueDate"))
    start, end = instant(after.get("startDate")), instant(after.get("dueDate"))
    if due is None:
        assert start is end is None or old_due is None
    elif (old_due, before["isAllDay"]) == (end, after["isAllDay"]):
        assert start == old_start
    elif start is None or end is None:
        pytest.fail("a date is missing")
    elif old_start is not None and old_due is not None and before["isAllDay"] == after["isAllDay"]:
        # Up to the hour or two by which summer time moves one end and not the other.
        assert abs((end - start) - (old_due - old_start)).total_seconds() <= 2 * 3600
    else:
        assert start <= end


@at_any_pace
@given(
    fields=st.fixed_dictionaries(
        {"title": titles},
        optional={
            "content": words,
            "tags": tags.map(tuple),
            "due_date": dues,
            "project_id": st.sampled_from(["p", "inbox"]),
        },
    )
)
def test_a_created_task_is_what_the_draft_says(fake: FakeTickTick, api: TickTickApi, fields: Record) -> None:
    account = fake.account("token-a")
    account.add_project("Home", id="p")
    task = create_task(api, TaskDraft(**fields), Deadline(30), zone=USER)
    stored = account.tasks.pop(task.id)
    assert task == task_of({k: v for k, v in stored.items() if v or k not in ("desc", "items")}, {"p": "Home"})
    assert (task.title, task.content, task.tags) == (fields["title"], fields.get("content", ""), fields.get("tags", ()))
    assert task.project_name == ("Home" if fields.get("project_id") == "p" else "Inbox")
    if fields.get("due_date") is None:
        assert task.due_date is None
    elif len(fields["due_date"]) == len("2026-12-01"):
        assert task.due_date == fields["due_date"]
    else:
        assert instant(task.due_date) == instant(fields["due_date"])
