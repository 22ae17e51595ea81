"""ATS adapter for tasks in one JSON or JSONL file, in memory, or in the built-in demo corpus.

The reference implementation of `ats_core.hookspecs`, and the test double for programs that use ATS:

    from ats_adapter_memory import MemoryAdapter
    adapter = MemoryAdapter.of([Task(id="1", title="Renew passport")])
"""

__version__ = "0.1.0"

from ats_adapter_memory.adapter import MemoryAdapter

__all__ = ["MemoryAdapter", "__version__"]
