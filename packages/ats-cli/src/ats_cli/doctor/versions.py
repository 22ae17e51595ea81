"""Which versions are at work, and whether they were made for each other."""

import platform
import sys

from ats_core import CONTRACT
from ats_core import __version__ as core
from ats_core.plugins.needs import misfit, requirements

from ats_cli import __version__ as cli
from ats_cli.doctor.check import Check, fine, problem


def versions() -> dict[str, str]:
    """All of them."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "ats-core": core,
        "ats-cli": cli,
        "contract": CONTRACT,
    }


def version_checks() -> list[Check]:
    """Python, and our two packages."""
    from importlib.metadata import PackageNotFoundError, requires

    found = versions()
    try:
        unmet = misfit(requirements(requires("ats-cli") or ()))
    except (PackageNotFoundError, ValueError, OSError):
        unmet = None  # run from its sources
    return [
        fine("python", f"{found['python']} at {sys.executable}, {found['platform']}"),
        fine("ats-core", f"{core}, contract {CONTRACT}"),
        problem("ats-cli", f"{cli}; {unmet}", "try: pip install --upgrade ats-core ats-cli")
        if unmet
        else fine("ats-cli", cli),
    ]
