"""`ats bench analyze-usage`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def analyze_usage(
    *,
    days: Annotated[int, typer.Option("--days", metavar="N", min=1, max=36500, help="Today and the days before.")] = 14,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Hide the text of queries.")] = False,
    log: Annotated[Path | None, typer.Option("--log", metavar="FILE", help="Read this log.")] = None,
) -> None:
    """Report how ATS is really used, from the usage log.

    Calls by tool and by day, how often answers were empty, failed, degraded or asked for again within a minute,
    durations, top queries. The log that was rotated away is read too.

    \b
    Examples:
      ats bench analyze-usage --days 30
      ats bench analyze-usage --private --json
    """
    import os
    import sys
    from datetime import datetime

    from ats_core.settings import load_settings

    from ats_bench.quiet import warn
    from ats_bench.usage.analysis import analyse
    from ats_bench.usage.calls import Log, first_moment, need_log

    settings = load_settings(os.environ)
    path = settings.usage_log if log is None else need_log(log)
    now = datetime.now().astimezone()
    since = first_moment(days, now)
    analysis = analyse(Log(path, since.timestamp()), since, now, days, private=private)
    if not analysis["all"]["calls"]:
        off = "; logging is off (ATS_USAGE_DISABLE)" if settings.usage_disable and log is None else ""
        warn(f"no calls since {analysis['from']} in {path}{off}")
    if json:
        from ats_bench.document import encode

        sys.stdout.write(encode(analysis))
    else:
        from ats_bench.usage.report import markdown

        sys.stdout.write(markdown(analysis))
