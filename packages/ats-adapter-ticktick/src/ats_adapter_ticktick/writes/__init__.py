"""Creating and changing tasks, each write verified by reading back what the service stored.

The service takes bad values with a 200 (a malformed date, an unknown list, a blank change), so everything is checked
before the first call, and every field that was sent is compared with what is there afterwards.
"""

from ats_adapter_ticktick.writes.create import create_task
from ats_adapter_ticktick.writes.existing import find_task
from ats_adapter_ticktick.writes.update import update_task

__all__ = ["create_task", "find_task", "update_task"]
