"""`python -m tests.fakes.ticktick`: a TickTick to try the adapter with, without an account."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..wire import arguments, run_forever
from . import demo
from .server import FakeTickTick

CLIENT, SECRET, REDIRECT = "demo-client", "demo-secret", "http://localhost:8765/callback"


def main() -> None:
    """Serves the demo account, or a corpus, until Ctrl-C."""
    parser = arguments("A fake TickTick on loopback, with a small demo account.")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="serve the tasks of this JSONL file instead")
    parser.add_argument("--token", default="demo-token", help="the token that opens the account")
    parser.add_argument("--per-minute", type=int, default=100, help="the rate limit; 0 for none; default: %(default)s")
    options = parser.parse_args()

    fake = FakeTickTick(port=options.port, latency=options.latency)
    fake.oauth.register(CLIENT, SECRET, REDIRECT, any_port=True)
    if options.per_minute:
        fake.limit(options.per_minute)
    if options.corpus:
        fake.seed_from_jsonl(options.corpus, options.token)
    else:
        demo.fill(fake.account(options.token, username="demo@example.org"))
    run_forever(fake, lambda: _lines(fake, options.token))


def _lines(fake: FakeTickTick, token: str) -> Iterable[str]:
    account = fake.first_account()
    yield f"export ATS_TICKTICK_API_URL={fake.api_url} ATS_TICKTICK_TOKEN={token}"
    yield f"# {len(account.tasks)} tasks in {len(account.projects)} lists and the inbox; paste the line above elsewhere"
    yield f"# login pages: {fake.oauth_url}/oauth/authorize, client {CLIENT}, secret {SECRET}, redirect to {REDIRECT}"
    yield "# Ctrl-C ends it"


if __name__ == "__main__":
    main()
