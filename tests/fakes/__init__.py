"""Servers on loopback that speak the wire of the services ATS talks to: for tests, and to try an adapter by hand.

Each is started in a `with` block, or from the repository's root by `python -m tests.fakes.<name>`. They need only the
standard library, keep everything in memory and behave as the services were observed to, odd answers included.
"""
