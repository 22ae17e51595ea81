"""Dense retrieval for any adapter: embeddings by Ollama, vectors in Qdrant or here.

It knows of tasks only what `ats_core` does, and imports nothing of TickTick: it is to become a distribution of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ats_adapter_ticktick.hybrid.setting_table import is_unset

STATE_FILE = "hybrid-state.json"
"""In the adapter's folder: what syncs have done."""


def is_configured(settings: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Whether somebody named a server or a model for ATS, so that dense retrieval is wanted.

    `OLLAMA_HOST` says where Ollama is, and not that we want it: it is for other programs too. Every search asks this,
    so it stands apart from the options, whose import costs one without vectors 2 ms.
    """
    variables, keys = ("ATS_EMBED_MODEL", "ATS_QDRANT_URL"), ("embed_model", "ollama_host", "qdrant_url")
    return not all(map(is_unset, (*map(environ.get, variables), *map(settings.get, keys))))


def is_synced(state_dir: Path, adapter: str, scope: str) -> bool:
    """Whether a sync of this account was ever begun, as far as this machine knows."""
    path = state_dir / STATE_FILE
    if not os.path.exists(path):  # most often; so nothing is imported for it
        return False
    from ats_adapter_ticktick.hybrid.points import owner_key
    from ats_adapter_ticktick.hybrid.state import StateFile

    owner = owner_key(adapter, scope)
    return any(state.owner == owner for state in StateFile(path).all())
