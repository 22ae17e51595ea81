"""Run the commands of the README's transcripts and write down what they print.

    hatch run python tests/update_transcripts.py

A test holds the README to them; this saves copying by hand. Read the difference before you commit it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from readme_blocks import ROOT, blocks, exchanges


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for block in blocks(readme):
        if block.language != "console":
            continue
        written = []
        for exchange in exchanges(block):
            with tempfile.TemporaryDirectory() as state:
                environ = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")}
                environ |= {"ATS_CONFIG_DIR": state, "PATH": path, "COLUMNS": "100"}
                done = subprocess.run(
                    exchange.command,
                    shell=True,
                    env=environ,
                    cwd=state,
                    capture_output=True,
                    encoding="utf-8",
                    check=True,
                )
            written.append(f"$ {exchange.command}\n{done.stdout.strip(chr(10))}\n")
        text = text.replace(block.text, "\n".join(written))
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
