"""`ats similar`."""

from ats_cli import options
from ats_cli.retrieval import retrieval_app

HELP = """
Find the tasks most like a known one. Needs an adapter or a plugin that computes vectors.

\b
Examples:
  ats similar t42 -n 10
  ats similar Renew passport
"""

app = retrieval_app("similar", help=HELP, asks=options.REFERENCE)
