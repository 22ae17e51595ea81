"""The process of one probe. Descriptor 1 takes what others print, descriptor 2 first and last the answer."""

import json
import os
import sys


def main() -> None:
    """Run the probe that the first argument asks for, and end, whatever threads are left."""
    answers = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    what, arguments = json.loads(sys.argv.pop())
    from ats_cli.doctor.probes import answer

    with os.fdopen(answers, "w", encoding="utf-8", errors="replace") as stream:
        json.dump(answer(what, arguments), stream, default=str)
    os._exit(0)
