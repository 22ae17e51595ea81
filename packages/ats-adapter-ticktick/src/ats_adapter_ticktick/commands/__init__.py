"""The commands of `ats ticktick`, one a file with a `build`. A new one is a file here and its line in this table.

The table is what `ats ticktick --help` shows, so that help imports no command.
"""

COMMANDS = {
    "projects": "List the lists of the account, with what TickTick says of each.",
    "search": "Ask TickTick's own search.",
    "status": "Show account, lists, rate limit, and what dense retrieval stands on.",
    "export": "Write all tasks to a file that the memory adapter reads.",
}
