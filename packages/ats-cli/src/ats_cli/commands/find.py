"""`ats find`."""

from ats_cli import options
from ats_cli.retrieval import retrieval_app

HELP = """
Find tasks and notes by what you half remember.

Several rankers search side by side within the time budget; what they find is fused, with provenance on every hit.
The words need no quotes. Put -- before words that begin with a dash. Filters apply before any cut.

\b
Examples:
  ats find how do I roll back a release
  ats find --json -n 3 insurance renewal
  ats find -p Home --due-before 2w invoices
  ats find --min-confidence moderate where is the spare key
  ats find -- -20% sale
  echo "roll back" | ats find -
"""

app = retrieval_app("find", help=HELP, flags=options.BUDGET | options.FUSION)
