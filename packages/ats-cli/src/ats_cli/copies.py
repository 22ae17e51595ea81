"""Which of the cached copies belongs to the adapter and account that is asked."""

from ats_core.cache.inventory import CopyStatus
from ats_core.maintenance import CacheStatus


def own_copy(status: CacheStatus) -> CopyStatus | None:
    """The copy in this scope's place, damaged or not; None where there is none, or another scope's, which gives way."""
    for copy in status.copies:
        header = copy.header
        if copy.path == status.path and (
            header is None or (header.adapter, header.scope) == (status.adapter, status.scope)
        ):
            return copy
    return None
