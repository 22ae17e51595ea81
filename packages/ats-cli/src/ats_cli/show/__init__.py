"""Answers as text for people: what is shown (`hits`, `task`, `table`), and how it is painted (`paint`)."""
