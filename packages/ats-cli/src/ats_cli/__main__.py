"""`python -m ats_cli` is `ats`."""

from ats_cli.app import main

if __name__ == "__main__":
    main()
