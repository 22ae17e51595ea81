"""Writes over the wire: which requests they are, and that a refused one is not sent again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from ats_adapter_ticktick.api.client import Client
from ats_adapter_ticktick.api.endpoints import TickTickApi
from ats_adapter_ticktick.api.pace import Pacer
from ats_adapter_ticktick.writes import create_task, update_task
from ats_core import Deadline, NotFoundError, StoreError, TaskDraft, TaskPatch
from fakes.ticktick import FakeTickTick


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as server:
        yield server


@pytest.fixture
def api(fake: FakeTickTick) -> Iterator[TickTickApi]:
    client = Client(fake.api_url, lambda deadline: "token-a", Pacer(None))
    yield TickTickApi(client)
    client.close()


def test_an_update_is_three_requests(fake: FakeTickTick, api: TickTickApi) -> None:
    account = fake.account("token-a")
    task_id = account.add_task(tags=["a"], content="body")
    task = update_task(api, "inbox", task_id, TaskPatch(title="New", tags=None), Deadline(5))
    assert (task.title, task.tags, task.content, task.project_id) == ("New", (), "body", account.inbox)
    assert [f"{request.method} {request.path}" for request in fake.requests] == [
        "GET /project/inbox/data",
        f"POST /task/{task_id}",
        f"GET /project/{account.inbox}/task/{task_id}",
    ]


def test_deleted_and_unknown_tasks_and_lists_get_no_write(fake: FakeTickTick, api: TickTickApi) -> None:
    account = fake.account("token-a")
    home = account.add_project("Home")
    deleted = account.add_task(home)
    account.delete_task(deleted)
    for project_id, task_id in ((home, deleted), (home, "nothing"), ("nowhere", deleted), ("a/b?c", "d#e")):
        with pytest.raises(NotFoundError):
            update_task(api, project_id, task_id, TaskPatch(title="x"), Deadline(5))
    with pytest.raises(NotFoundError):
        create_task(api, TaskDraft(title="x", project_id="nowhere"), Deadline(5))
    assert fake.count("POST .*") == 0


def test_an_occurrence_of_a_repeating_task_is_completed(fake: FakeTickTick, api: TickTickApi) -> None:
    account = fake.account("token-a")
    due = {"dueDate": "2026-12-01T09:00:00.000+0000", "startDate": "2026-12-01T08:00:00.000+0000"}
    task_id = account.add_task(**due, repeatFlag="RRULE:FREQ=DAILY", timeZone="UTC", tags=["a"])
    task = update_task(api, account.inbox, task_id, TaskPatch(status="done"), Deadline(5))
    assert (task.id, task.status, task.due_date) == (task_id, "open", "2026-12-02T09:00:00.000+0000")
    assert (task.raw["startDate"], task.raw["repeatFlag"]) == ("2026-12-02T08:00:00.000+0000", "RRULE:FREQ=DAILY")


def test_a_write_that_the_service_refuses_is_not_repeated(fake: FakeTickTick, api: TickTickApi) -> None:
    account = fake.account("token-a")
    task_id = account.add_task()
    fake.fail("POST /task.*", status=500, body={"errorCode": "unknown_exception", "errorMessage": "no"}, times=9)
    with pytest.raises(StoreError):
        update_task(api, "inbox", task_id, TaskPatch(title="x"), Deadline(5))
    with pytest.raises(StoreError):
        create_task(api, TaskDraft(title="x"), Deadline(5))
    assert fake.count("POST /task.*") == 2
    assert list(account.tasks) == [task_id]


def test_the_writes_load_no_client_by_themselves() -> None:
    code = (
        "import sys, ats_adapter_ticktick.writes; print([m for m in ('httpx', 'zoneinfo', 'ssl') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
