"""`ats notes-find`."""

from ats_cli.retrieval import retrieval_app

HELP = """
Find notes by title: exact, beginning, part, or all words.

\b
Example:
  ats notes-find deployment checklist
"""

app = retrieval_app("notes-find", help=HELP)
