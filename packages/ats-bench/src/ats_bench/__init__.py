"""`ats bench`: measure retrieval on your own notes, and believe the number."""

__version__ = "0.1.0"
