"""BLAKE2b without the rest of hashlib, which loads OpenSSL: 3 ms that every search would pay."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter whose hashlib gets it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
