"""The `ats` command. `app.main` is its entry point; programs use `ats_core.Engine` instead."""

__version__ = "0.1.0"
