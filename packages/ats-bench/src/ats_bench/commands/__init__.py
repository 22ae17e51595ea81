"""The commands of `ats bench`, one a file. A new one is a file here with an `app`, and its line in this table.

The table is what `ats bench --help` shows, so that help imports no command.
"""

COMMANDS = {
    "run": "Ask every question by every method, and keep the answers.",
    "score": "Report how good the answers of a run are.",
    "compare": "Compare two runs, question by question.",
    "gate": "Fail where a run falls short of what you demand.",
    "init": "Make a question file from your own tasks.",
    "add": "Append one question of your own.",
    "check": "Validate a question file.",
    "analyze-usage": "Report how ATS is really used, from the usage log.",
    "from-usage": "Turn queries of the usage log into candidate questions.",
    "export": "Write a run in the formats of the field.",
    "import-beir": "Turn a BEIR folder into a corpus and a question file.",
    "latency": "Time ATS over synthetic tasks, beside the floor of starting Python.",
}


def module_of(name: str) -> str:
    """The module that holds a command."""
    return f"{__name__}.{name.replace('-', '_')}"
