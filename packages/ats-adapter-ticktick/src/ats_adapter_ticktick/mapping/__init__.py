"""The service's records as ATS' projects and tasks. Reading never fails: a bad scalar costs the field, not the task."""

from ats_adapter_ticktick.mapping.project import inbox_project, is_inbox, project_of
from ats_adapter_ticktick.mapping.task import task_of

__all__ = ["inbox_project", "is_inbox", "project_of", "task_of"]
