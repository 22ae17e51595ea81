"""`ats keyword`."""

from ats_cli.retrieval import retrieval_app

HELP = """
Find the query as a literal part of a title or body: no pattern, no query language.

\b
Examples:
  ats keyword C++
  ats keyword -- "-20% sale"
"""

app = retrieval_app("keyword", help=HELP)
