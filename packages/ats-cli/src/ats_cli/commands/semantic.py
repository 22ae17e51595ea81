"""`ats semantic`."""

from ats_cli.retrieval import retrieval_app

HELP = """
Rank by meaning alone. Needs an adapter or a plugin that computes vectors.

\b
Example:
  ats semantic who pays for the office move
"""

app = retrieval_app("semantic", help=HELP)
