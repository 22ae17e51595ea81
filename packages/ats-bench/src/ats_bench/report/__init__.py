"""What is said about a run: Markdown for the terminal, JSON for programs, one HTML page for looking at."""
