"""A client of the suite with terse before its server.

    python -m tests.conformance.through WAY -- CLIENT… URL

The suite gives a client the URL of its own server. Here the client gets that of the way to it instead. Where
terse itself is to log in, it is the client that the suite looks at: see `login`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.conformance.login import log_in
from tests.conformance.paths import Upstream, opened


def main(name: str, client: list[str], url: str) -> int:
    """Run the client and return its exit code."""
    if os.environ.get("MCP_CONFORMANCE_SCENARIO", "").startswith("auth/"):
        version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
        return log_in(
            url,
            version,
            json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}"),
            serves=name != "remote",
        )
    complaints: list[str] = []
    with opened(name, Upstream(url), complaints) as through:
        code = subprocess.run([*client, through], check=False).returncode
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[3:-1], sys.argv[-1]))
