"""One question's journey through the branches: what each is asked, and what it votes with."""
