"""From an entry point to a typed object: discovery, strict registration, and the calls.

`registration.py` alone knows pluggy; everyone else sees `Adapter` and `Plugin`.
"""
