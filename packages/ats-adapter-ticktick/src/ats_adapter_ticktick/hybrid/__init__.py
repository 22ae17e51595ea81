"""Dense retrieval for any adapter: embeddings by Ollama, vectors in Qdrant or here.

It knows of tasks only what `ats_core` does, and imports nothing of TickTick: it is to become a distribution of its own.
"""
