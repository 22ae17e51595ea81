"""The search index: what a search needs, computed when the corpus is refreshed and mapped when a question is asked."""
