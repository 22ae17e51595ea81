"""`ats create | update | complete`, and what leads to a task: `url`, `open`, `links`."""

import json
import sys
from typing import Any

import pytest

SHELF = """
import json
from ats_core import Project, Task, hookimpl

class Shelf:
    def __init__(self, config):
        self.file = config.state_dir / "tasks.json"

    def _read(self):
        if self.file.exists():
            return json.loads(self.file.read_text("utf-8"))
        return [
            {"id": "t1", "title": "Renew passport", "content": "At https://town.example/(hall). See [[Book flights]].",
             "project": "p1", "tags": ["home"], "due": "2026-12-24"},
            {"id": "flight1", "title": "Book flights", "content": "after t1", "project": "p2", "tags": [], "due": None},
        ]

    def _write(self, rows):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(rows), "utf-8")

    def _task(self, row):
        return Task(id=row["id"], title=row["title"], content=row["content"], project_id=row["project"],
                    tags=tuple(row["tags"]), due_date=row["due"], status=row.get("status", "open"), raw=row)

    @hookimpl
    def list_projects(self): return [Project(id="p1", name="Home"), Project(id="p2", name="Travel")]
    @hookimpl
    def list_tasks_in_project(self, project_id):
        return [self._task(row) for row in self._read() if row["project"] == project_id]
    @hookimpl
    def get_task(self, project_id, task_id):
        return next((self._task(row) for row in self._read() if row["id"] == task_id), None)
    @hookimpl
    def url_for(self, project_id, task_id): return f"shelf://{project_id}/{task_id}"
    @hookimpl
    def create_task(self, draft):
        row = {"id": "new1", "title": draft.title, "content": draft.content, "project": draft.project_id or "p1",
               "tags": list(draft.tags), "due": draft.due_date}
        self._write([*self._read(), row])
        return self._task(row)
    @hookimpl
    def update_task(self, project_id, task_id, patch):
        names = {"title": "title", "content": "content", "project_id": "project", "tags": "tags", "due_date": "due",
                 "status": "status"}
        rows = self._read()
        row = next(row for row in rows if row["id"] == task_id)
        for name in patch.__struct_fields__:
            value = getattr(patch, name)
            if type(value).__name__ != "UnsetType":
                row[names[name]] = {"content": "", "tags": []}.get(name) if value is None else value
        self._write(rows)
        return self._task(row)
"""


@pytest.fixture
def shelf(ats: Any, make_dist: Any) -> Any:
    make_dist("ats-shelf", points={"shelf": "shelf_adapter:Shelf"}, modules={"shelf_adapter": SHELF})
    ats.environ["ATS_ADAPTER"] = "shelf"
    return ats


def stored(ats: Any, task_id: str) -> Any:
    rows = json.loads((ats.config / "shelf" / "tasks.json").read_text("utf-8"))
    return next(row for row in rows if row["id"] == task_id)


def test_a_created_task_is_stored_as_told_and_the_next_search_finds_it(shelf: Any) -> None:
    shelf("find", "passport")
    ended = shelf("create", "Buy", "milk", "--tag", "a", "--tag", "b c", "--due", "2027-01-31", "-p", "trav")
    assert (ended.code, ended.out) == (0, "created new1 Buy milk\nshelf://p2/new1\n")
    assert stored(shelf, "new1") == {
        "id": "new1",
        "title": "Buy milk",
        "content": "",
        "project": "p2",
        "tags": ["a", "b c"],
        "due": "2027-01-31",
    }
    assert [task["id"] for task in shelf("find", "milk", "--json").json["tasks"]] == ["new1"]


def test_title_and_body_come_from_stdin(shelf: Any) -> None:
    document = shelf("create", "-", "--json", stdin="A title\n\nfirst line\nsecond\n").json
    assert document["action"] == "created"
    assert (document["task"]["title"], document["task"]["content"]) == ("A title", "first line\nsecond")
    assert shelf("create", "Other", "--content", "-", "--json", stdin="body").json["task"]["content"] == "body"
    assert shelf("create", "-", "--content", "-", stdin="x").code == 2
    assert shelf("create", "-", stdin=" \n").code == 2


def test_an_update_changes_what_is_given_and_nothing_else(shelf: Any) -> None:
    before = shelf("get", "t1", "--json").json
    assert shelf("update", "t1", "--due", "none").code == 0
    after = shelf("get", "t1", "--json").json
    assert after == before | {"dueDate": None}
    shelf("update", "Renew", "passport", "--content", "", "--no-tags", "--title", "Passport", "--project", "Travel")
    assert stored(shelf, "t1") == {
        "id": "t1",
        "title": "Passport",
        "content": "",
        "project": "p2",
        "tags": [],
        "due": None,
    }


def test_a_dry_run_shows_what_would_be_sent_and_sends_nothing(shelf: Any) -> None:
    ended = shelf("update", "t1", "--due", "none", "--status", "done", "--dry-run", "--json")
    assert ended.json == {
        "dryRun": True,
        "action": "update",
        "task": {"id": "t1", "title": "Renew passport", "projectId": "p1"},
        "sent": {"status": "done", "dueDate": None},
    }
    assert shelf("create", "Milk", "--dry-run").out.splitlines()[:2] == ["would create:", '  title: "Milk"']
    assert shelf("complete", "t1", "--dry-run").out == 'would complete t1 (Renew passport):\n  status: "done"\n'
    assert not (shelf.config / "shelf" / "tasks.json").exists()


def test_a_completed_task_leaves_the_search(shelf: Any) -> None:
    assert shelf("complete", "Book flights").out == "completed flight1 Book flights\nshelf://p2/flight1\n"
    assert stored(shelf, "flight1")["status"] == "done"
    assert "flight1" not in [task["id"] for task in shelf("find", "flights", "--json").json["tasks"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["update", "t1"], "nothing to change was given"),
        (["update", "t1", "--due", "soon"], "due is 'soon', expected a date"),
        (["update", "t1", "--status", "gone"], "status is 'gone', expected open or done"),
        (["update", "t1", "--title", " "], "the title is blank"),
        (["update", "t1", "--tag", "x", "--no-tags"], "--tag and --no-tags exclude each other"),
        (["create", " "], "the title is blank"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(shelf: Any, words: list[str], said: str) -> None:
    ended = shelf(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"ats: {said}")
    assert not (shelf.config / "shelf").exists()


def test_what_is_not_there_is_told_with_what_is(shelf: Any) -> None:
    ended = shelf("update", "no such task", "--due", "today")
    assert (ended.code, "nearest titles" in ended.err) == (1, True)
    ended = shelf("create", "x", "--project", "nowhere")
    assert (ended.code, "projects: Home, Travel" in ended.err) == (1, True)


def test_a_store_without_writes_says_so(ats: Any) -> None:
    ended = ats("create", "x")
    assert (ended.code, ended.out) == (1, "")
    assert "toy is read-only: it does not implement create_task" in ended.err


def test_an_address_is_printed_and_opened(shelf: Any) -> None:
    assert shelf("url", "Book", "flights").out == "shelf://p2/flight1\n"
    assert shelf("url", "fli", "--json").json == {"id": "flight1", "title": "Book flights", "url": "shelf://p2/flight1"}
    opener = shelf.dists / "opener.py"
    opener.write_text("import sys\nopen(sys.argv[1], 'w').write(sys.argv[2])\n", "utf-8")
    seen = shelf.dists / "seen"
    ended = shelf("open", "t1", BROWSER=f"{sys.executable} {opener} {seen} %s")
    assert (ended.code, ended.out) == (0, "opened shelf://p1/t1\n")
    assert seen.read_text() == "shelf://p1/t1"
    tools = [json.loads(line)["tool"] for line in (shelf.config / "search-log.jsonl").read_text("utf-8").splitlines()]
    assert tools == ["url", "url", "open"]


def test_links_are_addresses_and_tasks(shelf: Any) -> None:
    links = shelf("links", "t1", "--json").json["links"]
    assert [(link["text"], link["url"], (link["task"] or {}).get("id")) for link in links] == [
        ("https://town.example/(hall)", "https://town.example/(hall)", None),
        ("Book flights", None, "flight1"),
    ]
    assert "Book flights" in shelf("links", "t1").out
