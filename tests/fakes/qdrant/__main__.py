"""`python -m tests.fakes.qdrant --port 0`: serves until Ctrl-C, after the line to export."""

from __future__ import annotations

from ..wire import arguments, run_forever
from .server import FakeQdrant


def main() -> None:
    parser = arguments("A fake Qdrant server. Its collections live as long as it does.")
    parser.add_argument("--api-key", help="requests must carry it in the header `api-key`")
    options = parser.parse_args()
    server = FakeQdrant(options.api_key, port=options.port, latency=options.latency)
    key = [f"export ATS_QDRANT_API_KEY={options.api_key}"] if options.api_key else []
    run_forever(server, lambda: [f"export ATS_QDRANT_URL={server.url}", *key])


main()
