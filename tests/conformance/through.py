"""A client of the suite with terse before its server.

    python -m tests.conformance.through WAY -- CLIENT… URL

The suite gives a client the URL of its own server. Here the client gets that of the way to it instead.
"""

from __future__ import annotations

import subprocess
import sys

from tests.conformance.paths import Upstream, opened

if __name__ == "__main__":
    complaints: list[str] = []
    name, _, *client, url = sys.argv[1:]
    with opened(name, Upstream(url), complaints) as through:
        code = subprocess.run([*client, through], check=False).returncode
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(code)
