"""The moving line of an activity, drawn by rich. Imported by a thread of the activity, and only for a terminal."""

import sys
from collections.abc import Mapping

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ats_cli.show.activity import Activity

_BAR, _ROOM = 24, 76
"""Columns of the bar, and those that a terminal must have to show one beside the words."""


def start_live(activity: Activity, environ: Mapping[str, str]) -> Live:
    """Show an activity on stderr until the live display is stopped. What is printed meanwhile appears above it."""
    console = Console(file=sys.stderr, legacy_windows=False, _environ=environ)
    spinner = Spinner("dots" if console.encoding.startswith("utf") else "line")

    def line() -> Table:
        cells: list[RenderableType] = [spinner]
        if activity.counts is not None and console.width >= _ROOM:
            done, total = activity.counts
            cells.append(ProgressBar(max(total, 1), done, width=_BAR))
        grid = Table.grid(padding=(0, 1))
        for _ in cells:
            grid.add_column(no_wrap=True)
        # The one column that gives way where the terminal is narrow, and it does so without a second line.
        grid.add_column()
        grid.add_row(*cells, Text(f"{activity.what} {activity.words}", no_wrap=True, overflow="ellipsis"))
        return grid

    live = Live(get_renderable=line, console=console, transient=True, refresh_per_second=10)
    live.start()
    return live
