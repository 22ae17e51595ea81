"""`ats hybrid`."""

from ats_cli.retrieval import retrieval_app

HELP = """
Rank by meaning and by words, fused; by words alone where nothing computes vectors.

\b
Example:
  ats hybrid how do I undo a deployment
"""

app = retrieval_app("hybrid", help=HELP)
