"""`python -m tests.fakes.ollama --port 0`: serves until Ctrl-C, after the line to export."""

from __future__ import annotations

from ..wire import arguments, run_forever
from .server import FakeOllama


def main() -> None:
    parser = arguments("A fake Ollama server. Its models embed by the words of a text, not by their meaning.")
    parser.add_argument(
        "--model", action="append", metavar="NAME=DIMENSION", help="may be repeated; default nomic-embed-text=768"
    )
    options = parser.parse_args()
    named = [word.rpartition("=") for word in options.model or ["nomic-embed-text=768"]]
    server = FakeOllama(
        {name: int(dimension) for name, _, dimension in named}, port=options.port, latency=options.latency
    )
    run_forever(server, lambda: [f"export OLLAMA_HOST={server.url} ATS_EMBED_MODEL={named[0][0]}"])


main()
