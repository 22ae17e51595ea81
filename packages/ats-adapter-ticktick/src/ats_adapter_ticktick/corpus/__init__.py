"""Every task of an account: the fetch, the completed ones, and what is remembered of the lists."""
