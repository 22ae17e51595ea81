"""A small account to try the adapter with: lists, notes, a checklist, dates, repeats, an inbox, completed tasks."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from .account import Account
from .dates import written

WIKI = "📒 Permanent Notes"


def fill(account: Account) -> None:
    """Adds the demo's lists and tasks; the dates lie around the account's today."""
    _work(account, account.add_project("💼 Work", color="#4772FA"))
    _home(account, account.add_project("Home", color="#FF6161"))
    _notes(account, account.add_project(WIKI, kind="NOTE"))
    account.add_task(title="Renew passport", content="Old one ends in March. Photos are in the drawer.", tags=["admin"])
    account.add_task(title="Call back Dr. Lindqvist", content="Ask about the blood results", priority=3)
    account.add_task(title="Gift idea for Mira: fountain pen")


def _work(account: Account, project: str) -> None:
    release = account.add_task(
        project,
        title="Release 2.4",
        kind="CHECKLIST",
        desc="Everything that must be true before we tag",
        items=[
            {"title": "Changelog reviewed", "status": 1, "sortOrder": 0},
            {"title": "Migration tried on a copy of production", "status": 0, "sortOrder": 1},
            {"title": "Roll-back rehearsed", "status": 0, "sortOrder": 2},
        ],
        priority=5,
        tags=["release"],
        **_at(account, days=2, hour=16),
    )
    account.add_task(project, title="Write the release announcement", parentId=release, tags=["release", "writing"])
    account.add_task(
        project,
        title="Payment webhook is delivered twice",
        content="The provider repeats a delivery after 5 s.\n\n- store the event id, unique\n- answer 200 to a repeat",
        tags=["bug", "payments"],
        priority=3,
    )
    account.add_task(project, title="Weekly report", repeatFlag="RRULE:FREQ=WEEKLY;BYDAY=FR", **_at(account, 1, 15))
    account.add_task(project, title="Budget for the new office", content="Ask Jonas for last year's figures")
    _completed(account, project, "Interview with the data engineer", days_ago=3)
    _completed(account, project, "Rotate the API keys", days_ago=40)


def _home(account: Account, project: str) -> None:
    account.add_task(project, title="Water the plants", repeatFlag="RRULE:FREQ=DAILY;INTERVAL=3", **_day(account, 0))
    account.add_task(project, title="Car insurance", content="Policy 88-1432, ends with the year", **_day(account, 20))
    account.add_task(project, title="Fix the dripping tap", content="M10 cartridge, the shop has it", tags=["diy"])
    account.add_task(project, title="牛奶和鸡蛋", content="超市周日不开门", tags=["购物"])
    _completed(account, project, "Return the library books", days_ago=10)


def _notes(account: Account, project: str) -> None:
    notes = {
        "Backups": "Three copies, two media, one elsewhere. A backup that was never restored is a hope.",
        "Rate limiting": "A token bucket allows bursts, a sliding window does not. Say when to come back.",
        "Reciprocal rank fusion": "score(d) = Σ 1 / (k + rank(d)); only ranks count, so scores need no scale.",
        "Sourdough": "100 g starter, 350 g water, 500 g flour, 10 g salt. Cold overnight, 250 °C for 45 minutes.",
    }
    for title, content in notes.items():
        account.add_task(project, title=title, content=content, kind="NOTE")


def _completed(account: Account, project: str, title: str, *, days_ago: int) -> None:
    done = written(account.now() - timedelta(days=days_ago))
    account.add_task(project, title=title, status=2, completedTime=done, modifiedTime=done)


def _at(account: Account, days: int, hour: int) -> dict[str, Any]:
    """Due at this hour of the user's day, so many days from now."""
    day = account.now().astimezone(ZoneInfo(account.time_zone)).date() + timedelta(days=days)
    due = written(datetime.combine(day, time(hour), ZoneInfo(account.time_zone)))
    return {"startDate": due, "dueDate": due}


def _day(account: Account, days: int) -> dict[str, Any]:
    """Due on the whole day: the user's midnight."""
    return _at(account, days, hour=0) | {"isAllDay": True}
