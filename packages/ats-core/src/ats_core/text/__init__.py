"""Text as every branch sees it: `fold` and `clean`, `tokenize`, and the `Analyser` that stems."""
