"""TickTick's Open API v1 as it was observed, on loopback: accounts, lists, tasks, OAuth, limits, and its odd answers.

    with FakeTickTick() as fake:
        account = fake.account("token-a")
        work = account.add_project("Work")
        task = account.add_task(work, title="Write the report", tags=["q3"])
        fake.api_url                       # what ATS_TICKTICK_API_URL wants
        fake.limit(count=100, seconds=60)  # off unless asked for
        fake.fail("GET /project", status=503)

Where neither the documentation nor anyone's observation says what the service does, the fake takes the choice that is
harder on a client, and says so in a comment that begins with "Unknown:".
"""

from .account import Account
from .oauth import OAuth
from .server import FakeTickTick

__all__ = ["Account", "FakeTickTick", "OAuth"]
