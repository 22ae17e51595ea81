"""Appends lines to a usage log: python log_writer.py PATH NAME COUNT"""

import sys
from pathlib import Path

from ats_core.usage_log import UsageLog

path, name, count = sys.argv[1:]
log = UsageLog(Path(path))
for number in range(int(count)):
    log.write("find", f"{name} {number} " + "x" * 1500, 1)
