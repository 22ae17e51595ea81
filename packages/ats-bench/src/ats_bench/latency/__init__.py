"""What ATS costs: over synthetic tasks of several sizes, beside the floor of starting Python with typer."""
