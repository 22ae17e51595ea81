"""Addresses that open a task in the web app."""

from __future__ import annotations


def task_url(web_url: str, project_id: str, task_id: str) -> str:
    """The address of a task; without a project, its place among all tasks."""
    place = f"p/{_quoted(project_id)}" if project_id else "q/all"
    return f"{web_url}/webapp/#{place}/tasks/{_quoted(task_id)}"


def _quoted(text: str) -> str:
    # The service's own ids are letters and digits, and this runs for every hit: no import for these.
    if text.isascii() and text.isalnum():
        return text
    from urllib.parse import quote

    return quote(text, safe="")
