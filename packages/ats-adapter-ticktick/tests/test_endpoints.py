"""Each endpoint against the fake service: what it asks, what it gives, and what it makes of answers of another form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from ats_adapter_ticktick.api.client import Client
from ats_adapter_ticktick.api.endpoints import CAP, TickTickApi
from ats_adapter_ticktick.api.pace import Pacer
from ats_core import Deadline, LoginRequiredError, NotFoundError, StoreError
from fakes.ticktick import Account, FakeTickTick

TOKEN = "token-a"
INBOX = "inbox115781412"
START, END = "2026-09-01T00:00:00+0000", "2026-12-01T00:00:00+0000"


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        yield fake


@pytest.fixture
def account(fake: FakeTickTick) -> Account:
    return fake.account(TOKEN, uid="115781412", username="anna")


@pytest.fixture
def api(fake: FakeTickTick, account: Account) -> TickTickApi:
    return TickTickApi(Client(fake.api_url, lambda _: TOKEN, Pacer(None, sleep=lambda _: None)))


def soon() -> Deadline:
    return Deadline(20)


Call = Callable[[TickTickApi], Any]

LISTS: dict[str, Call] = {
    "GET /project": lambda api: api.projects(soon()),
    "POST /task/filter": lambda api: api.open_tasks(soon()),
    "POST /task/completed": lambda api: api.completed(START, END, soon()),
    "POST /task/search": lambda api: api.search("word", soon()),
    "GET /project/inbox/members": lambda api: api.inbox_members(soon()),
}
OBJECTS: dict[str, Call] = {
    "GET /project/p/data": lambda api: api.project_data("p", soon()),
    "GET /project/p/task/t": lambda api: api.task("p", "t", soon()),
    "POST /task/t": lambda api: api.update("t", {"title": "a"}, soon()),
    "POST /task": lambda api: api.create({"title": "a"}, soon()),
}
NOTHINGS: dict[str, Call] = {
    "POST /project/p/task/t/complete": lambda api: api.complete("p", "t", soon()),
    "POST /task/move": lambda api: api.move("p", "q", "t", soon()),
}


def cases(*calls: dict[str, Call]) -> pytest.MarkDecorator:
    every = {line: call for group in calls for line, call in group.items()}
    return pytest.mark.parametrize(("line", "call"), every.items(), ids=every)


# --- reading


def test_the_lists_come_in_the_services_order_without_the_inbox(account: Account, api: TickTickApi) -> None:
    ids = [account.add_project("Work", closed=True), account.add_project("Home")]
    assert [project["id"] for project in api.projects(soon())] == ids


def test_a_list_comes_with_its_open_tasks(account: Account, api: TickTickApi) -> None:
    work = account.add_project("Work")
    account.add_task(work, title="open")
    account.add_task(work, title="done", status=2)
    data = api.project_data(work, soon())
    assert data is not None
    assert data["project"]["name"] == "Work"
    assert [task["title"] for task in data["tasks"]] == ["open"]


def test_the_inbox_goes_by_its_alias(account: Account, api: TickTickApi) -> None:
    account.add_task(title="Renew passport")
    data = api.project_data("inbox", soon())
    assert data is not None
    assert [(task["title"], task["projectId"]) for task in data["tasks"]] == [("Renew passport", INBOX)]


@pytest.mark.parametrize("project_id", ["unknown", "trash", "a/b", "..", "日本", "a?b=c#d", "100%", "\ud83d", "."])
def test_an_unknown_list_is_none_whatever_its_id(fake: FakeTickTick, api: TickTickApi, project_id: str) -> None:
    assert api.project_data(project_id, soon()) is None
    assert fake.requests[-1].path == f"/project/{project_id.encode(errors='replace').decode()}/data"


def test_an_unknown_list_may_be_a_404_as_well(fake: FakeTickTick, api: TickTickApi) -> None:
    fake.fail("GET /project/gone/data", status=404)
    assert api.project_data("gone", soon()) is None


def test_an_empty_answer_is_not_taken_for_an_unknown_list(fake: FakeTickTick, api: TickTickApi) -> None:
    fake.fail("GET /project/p/data", status=200)
    with pytest.raises(StoreError, match="answered /project/p/data with nothing in place of an object"):
        api.project_data("p", soon())


def test_a_web_page_with_a_404_is_not_taken_for_an_unknown_list(fake: FakeTickTick, api: TickTickApi) -> None:
    fake.fail("GET /project/p.*", status=404, body=b"<html>no such page</html>", times=None)
    with pytest.raises(StoreError, match="a web page"):
        api.project_data("p", soon())
    with pytest.raises(StoreError, match="a web page"):
        api.task("p", "t", soon())


def test_open_tasks_come_from_all_lists(fake: FakeTickTick, account: Account, api: TickTickApi) -> None:
    account.add_task(title="in the inbox")
    account.add_task(account.add_project("Work"), title="at work")
    account.add_task(title="done", status=2)
    account.add_task(title="will not", status=-1)
    assert sorted(task["title"] for task in api.open_tasks(soon())) == ["at work", "in the inbox"]
    assert [task["title"] for task in api.abandoned(soon())] == ["will not"]


def test_a_query_is_cut_at_the_cap(account: Account, api: TickTickApi) -> None:
    for number in range(CAP + 1):
        account.add_task(title=f"task {number}")
    assert len(api.open_tasks(soon())) == CAP


def test_completed_tasks_are_asked_for_by_time_and_list(fake: FakeTickTick, account: Account, api: TickTickApi) -> None:
    work = account.add_project("Work")
    account.add_task(work, title="late", status=2, completedTime="2026-10-02T09:00:00.000+0000")
    account.add_task(work, title="early", status=2, completedTime="2026-01-02T09:00:00.000+0000")
    account.add_task(title="elsewhere", status=2, completedTime="2026-10-02T09:00:00.000+0000")
    found = api.completed(START, END, soon())
    assert sorted(task["title"] for task in found) == ["elsewhere", "late"]
    assert [task["title"] for task in api.completed(START, END, soon(), [work])] == ["late"]
    assert "projectIds" not in fake.requests[0].body


def test_the_services_own_search(fake: FakeTickTick, account: Account, api: TickTickApi) -> None:
    account.add_task(title="Renew passport")
    account.add_task(title="passport photo", status=2)
    assert len(api.search("passport", soon())) == 2
    assert [task["title"] for task in api.search("passport", soon(), [0])] == ["Renew passport"]
    assert [request.body.get("status") for request in fake.requests] == [None, [0]]


def test_a_task_is_none_where_the_answer_is_empty_or_a_404(
    fake: FakeTickTick, account: Account, api: TickTickApi
) -> None:
    task_id = account.add_task(title="a")
    task = api.task(INBOX, task_id, soon())
    assert task is not None
    assert task["title"] == "a"
    assert api.task(INBOX, "unknown", soon()) is None
    nothing: tuple[dict[str, Any] | None, ...] = (None, {})
    for body in nothing:
        fake.fail("GET .*", status=200, body=body)
        assert api.task(INBOX, "unknown", soon()) is None
    fake.fail("GET .*", status=404)
    assert api.task(INBOX, "unknown", soon()) is None


def test_the_members_of_the_inbox(api: TickTickApi) -> None:
    assert [member["username"] for member in api.inbox_members(soon())] == ["anna"]


def test_rows_that_are_no_objects_are_dropped(fake: FakeTickTick, api: TickTickApi) -> None:
    fake.fail("GET /project", status=200, body=[None, 1, "a", [], {"id": "1"}, True])
    assert api.projects(soon()) == [{"id": "1"}]


# --- writing


def test_a_task_is_created(account: Account, api: TickTickApi) -> None:
    created = api.create({"title": "new", "projectId": account.add_project("Work")}, soon())
    assert account.tasks[created["id"]]["title"] == "new"


def test_an_update_sends_null_and_keeps_what_it_leaves_out(account: Account, api: TickTickApi) -> None:
    task_id = account.add_task(title="a", content="body", dueDate="2026-10-02T09:00:00.000+0000")
    body: dict[str, Any] = {"id": task_id, "projectId": INBOX, "title": "b", "dueDate": None, "startDate": None}
    updated = api.update(task_id, body, soon())
    assert updated is not None
    assert (updated["title"], updated["content"]) == ("b", "body")
    assert not account.tasks[task_id].get("dueDate")


def test_a_task_is_completed_and_moved(account: Account, api: TickTickApi) -> None:
    work, task_id = account.add_project("Work"), account.add_task(title="a")
    api.move(INBOX, work, task_id, soon())
    assert account.tasks[task_id]["projectId"] == work
    api.complete(work, task_id, soon())
    assert account.tasks[task_id]["status"] == 2


@cases({"POST /task/t": OBJECTS["POST /task/t"]}, NOTHINGS)
def test_a_write_to_an_unknown_task_is_not_found(fake: FakeTickTick, api: TickTickApi, line: str, call: Call) -> None:
    fake.fail(line, status=404)
    with pytest.raises(NotFoundError, match="knows no such task"):
        call(api)


@cases({"POST /task/t": OBJECTS["POST /task/t"]}, NOTHINGS)
def test_an_error_inside_a_200_is_an_error(fake: FakeTickTick, api: TickTickApi, line: str, call: Call) -> None:
    fake.fail(line, status=200, body={"id2etag": {}, "id2error": {"t": "NO_PROJECT_PERMISSION"}})
    with pytest.raises(StoreError, match="with an error: NO_PROJECT_PERMISSION"):
        call(api)


@cases(NOTHINGS, {"POST /task/t": OBJECTS["POST /task/t"]})
@pytest.mark.parametrize("status", [200, 201, 204])
def test_an_empty_answer_to_a_write_is_none(
    fake: FakeTickTick, api: TickTickApi, line: str, call: Call, status: int
) -> None:
    fake.fail(line, status=status)
    assert call(api) is None


@pytest.mark.parametrize("body", [None, [], "created"])
def test_a_create_without_a_task_in_its_answer_raises_doubts(fake: FakeTickTick, api: TickTickApi, body: Any) -> None:
    fake.fail("POST /task", status=201, body=body)
    with pytest.raises(StoreError, match="answered POST /task with") as caught:
        api.create({"title": "a"}, soon())
    assert caught.value.hint == "the task may have been created; look before you try again"
    assert fake.count("POST /task") == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda api: api.project_data("", soon()),
        lambda api: api.task("", "t", soon()),
        lambda api: api.task("p", "", soon()),
        lambda api: api.update("", {}, soon()),
        lambda api: api.complete("p", "", soon()),
    ],
)
def test_an_id_that_is_empty_is_not_sent(fake: FakeTickTick, api: TickTickApi, call: Call) -> None:
    with pytest.raises(NotFoundError):
        call(api)
    assert fake.requests == []


@pytest.mark.parametrize("parts", [("..", "x"), ("p/q", "x/../y"), (".", "?a=b"), ("p", "%2e%2e")])
def test_an_id_never_leads_to_another_address(fake: FakeTickTick, api: TickTickApi, parts: tuple[str, str]) -> None:
    project_id, task_id = parts
    with pytest.raises(NotFoundError):
        api.complete(project_id, task_id, soon())
    (request,) = fake.requests
    assert request.path == f"/project/{project_id}/task/{task_id}/complete"
    assert request.target.count("/") == "/open/v1/project/p/task/t/complete".count("/")


# --- answers of another form


@cases(LISTS)
@pytest.mark.parametrize(("body", "sort"), [({}, "an object"), (None, "nothing"), ("a", "a text"), (1.5, "a number")])
def test_what_should_be_a_list_and_is_none_names_the_path(
    fake: FakeTickTick, api: TickTickApi, line: str, call: Call, body: Any, sort: str
) -> None:
    fake.fail(line, status=200, body=body)
    with pytest.raises(StoreError) as caught:
        call(api)
    assert caught.value.message == f"TickTick answered {line.split()[1]} with {sort} in place of a list"


@cases({line: call for line, call in OBJECTS.items() if line != "POST /task"})
@pytest.mark.parametrize(("body", "sort"), [([], "a list"), (True, "a truth value"), ("a", "a text")])
def test_what_should_be_an_object_and_is_none_names_the_path(
    fake: FakeTickTick, api: TickTickApi, line: str, call: Call, body: Any, sort: str
) -> None:
    fake.fail(line, status=200, body=body)
    with pytest.raises(StoreError) as caught:
        call(api)
    assert caught.value.message == f"TickTick answered {line.split()[1]} with {sort} in place of an object"


@cases(LISTS, OBJECTS, NOTHINGS)
@pytest.mark.parametrize("status", [200, 500, 502])
def test_a_web_page_is_never_an_answer(
    fake: FakeTickTick, api: TickTickApi, line: str, call: Call, status: int
) -> None:
    fake.fail(line, status=status, body=b"<html>Sign in</html>", times=None)
    with pytest.raises(StoreError, match="a web page") as caught:
        call(api)
    assert "Sign in" not in caught.value.message


@cases(LISTS, OBJECTS, NOTHINGS)
def test_a_revoked_token_is_a_login_required(fake: FakeTickTick, api: TickTickApi, line: str, call: Call) -> None:
    fake.revoke(TOKEN)
    with pytest.raises(LoginRequiredError) as caught:
        call(api)
    assert TOKEN not in caught.value.message
    assert fake.count(".*") == 1


@cases(LISTS, OBJECTS, NOTHINGS)
def test_messages_name_the_service_that_was_asked(fake: FakeTickTick, line: str, call: Call) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(500))
    client = Client(
        "https://api.dida365.com/open/v1", lambda _: TOKEN, Pacer(None), label="Dida365", transport=transport
    )
    with pytest.raises(StoreError) as caught:
        call(TickTickApi(client))
    assert caught.value.message.startswith(f"Dida365 answered {line} with HTTP 500")
