"""Who we are to TickTick: a personal API token, or a login by OAuth 2 whose token lies in a file.

`credentials` is on the path of every search and imports next to nothing; `login`, `exchange` and `logout` are what
`ats auth` runs, and may cost what they cost.
"""
