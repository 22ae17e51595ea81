"""What `release_check.py` checks. A check yields a line for each thing that is wrong."""
