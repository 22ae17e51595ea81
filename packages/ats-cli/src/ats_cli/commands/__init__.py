"""Our own commands, one a file. A new one is a file here with an `app`, and its line in this table.

The table is what `ats --help` shows, so that help imports no command.
"""

COMMANDS = {
    "find": "Find tasks and notes: all rankers at once, fused.",
    "hybrid": "Rank by meaning and by words, fused.",
    "semantic": "Rank by meaning alone.",
    "sparse": "Rank by words, weighted by rarity.",
    "keyword": "Find the query as a literal part of the text.",
    "notes-find": "Find notes by title.",
    "similar": "Find tasks that are like a known one.",
    "why": "Tell why a task does or does not show for a query.",
    "get": "Show one task, whole.",
    "url": "Print the address of a task.",
    "open": "Open a task in the browser.",
    "links": "List what a task's text points to.",
    "create": "Create a task.",
    "update": "Change a task.",
    "complete": "Mark a task as done.",
    "projects": "List the projects.",
    "tasks": "List the tasks of a project.",
    "sync": "Fetch the corpus again, and embed what has no vector yet.",
    "auth": "Log in to the adapter's store, and out of it.",
    "cache": "Show, refetch and remove what is kept on disk.",
    "adapters": "List the installed adapters and what they can do.",
    "adapter": "Write a new adapter, and check one against the contract.",
    "config": "Show and change the settings.",
    "doctor": "Look for what is wrong, and say what mends it.",
}


def module_of(name: str) -> str:
    """The module that holds a command."""
    return f"{__name__}.{name.replace('-', '_')}"
