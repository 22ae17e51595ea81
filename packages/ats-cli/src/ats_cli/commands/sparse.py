"""`ats sparse`."""

from ats_cli.retrieval import retrieval_app

HELP = """
Rank by words: those of the query that a task holds, weighted by how rare they are.

\b
Example:
  ats sparse passport renewal documents
"""

app = retrieval_app("sparse", help=HELP)
