"""Texts are what people would call them; in doubt, plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.payload.kind import Kind
from terse.payload.sniff import sniff

EXAMPLES = {
    "syslog": (
        Kind.LOG,
        "Nov 30 08:01:02 web1 sshd[311]: Accepted publickey for ana\n"
        "Nov 30 08:01:09 web1 sshd[311]: session opened\n"
        "Nov 30 08:02:10 web1 cron[90]: job done\n",
    ),
    "service log": (
        Kind.LOG,
        "2026-03-01T10:00:00.123Z INFO  server started on :8080\n"
        "2026-03-01T10:00:01.003Z WARN  slow query (1.2 s)\n"
        "    at db.query\n"
        "2026-03-01T10:00:02.000Z ERROR failed: timeout\n",
    ),
    "access log": (
        Kind.LOG,
        '10.0.0.1 - - [01/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512\n'
        '10.0.0.2 - - [01/Mar/2026:10:00:01 +0000] "GET /x HTTP/1.1" 404 12\n',
    ),
    "unified diff": (
        Kind.DIFF,
        "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n"
        "@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b\n",
    ),
    "html page": (
        Kind.HTML,
        "<!DOCTYPE html>\n<html>\n<head><title>x</title></head>\n<body>…</body>\n</html>\n",
    ),
    "csv": (Kind.CSV, "id,name,price\n1,bolt,0.10\n2,nut,0.20\n3,washer,0.05\n"),
    "csv with quotes": (Kind.CSV, 'id,name,note\n1,bolt,"a, b"\n2,nut,"c, d"\n3,pin,e\n'),
    "tab-separated": (Kind.CSV, "id\tname\tn\n1\tbolt\t3\n2\tnut\t4\n"),
    "csv with times": (
        Kind.CSV,
        "date,temp,rain\n2026-03-01 10:00:00,3.1,0\n2026-03-01 11:00:00,3.3,0\n2026-03-01 12:00:00,4.0,1\n",
    ),
    "readme": (
        Kind.MARKDOWN,
        "# Title\n\nSome words.\n\n## Install\n\n```\npip install x\n```\n\n- one\n- two\n",
    ),
    "markdown table": (Kind.MARKDOWN, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"),
    "python": (
        Kind.CODE,
        '"""Doc."""\n\nimport os\n\n\ndef main(argv):\n    if not argv:\n        return 1\n'
        "    return run(argv)\n"
        "class A:\n    pass\n",
    ),
    "go": (
        Kind.CODE,
        'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("x")\n}\n\n'
        "func add(a, b int) int {\n\treturn a + b\n}\n",
    ),
    "rust": (
        Kind.CODE,
        "use std::io;\n\npub struct A {\n    x: u8,\n}\n\n"
        "impl A {\n    pub fn new() -> Self {\n        A { x: 1 }\n    }\n}\n",
    ),
    "prose": (
        Kind.TEXT,
        "The server answered, after a while.\nNothing else happened, it seems.\nWe wait, again.\n",
    ),
    "listing": (
        Kind.TEXT,
        "total 8\ndrwxr-xr-x 2 root root 4096 Nov 30 08:00 src\n-rw-r--r-- 1 root root 12 Nov 30 08:00 a\n",
    ),
    "git blame": (
        Kind.TEXT,
        "1a2b3c4d (Ana 2024-01-02 10:00:00 +0000 1) import os\n"
        "1a2b3c4d (Ana 2024-01-02 10:00:00 +0000 2) import re\n",
    ),
    "metrics": (Kind.TEXT, '# HELP up Is it up.\n# TYPE up gauge\nup{job="a"} 1\nup{job="b"} 0\n'),
    "yaml": (Kind.TEXT, "kind: Pod\nmetadata:\n  name: x\nspec:\n  containers:\n  - name: a\n"),
    "grep hits": (Kind.TEXT, "a.py:1:import os\nb.py:9:import re\n"),
    "binary": (Kind.BINARY, "\x7fELF\x02\x01\x00\x00"),
    "binary decoded leniently": (Kind.BINARY, "\ufffd\ufffdPNG\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"),
    "terminal output": (Kind.TEXT, "\x1b[32mok\x1b[0m all good\n\x1b[31mfailed\x1b[0m one\n"),
    "empty": (Kind.TEXT, ""),
}


@pytest.mark.parametrize(("kind", "text"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_real_looking_texts(kind: Kind, text: str) -> None:
    """Each example is what its name says."""
    assert sniff(text) is kind


@given(st.text())
def test_any_text_has_a_kind_of_text(text: str) -> None:
    """Nothing crashes, and a text is never called JSON."""
    assert sniff(text).is_a(Kind.TEXT) or sniff(text) is Kind.BINARY


def test_only_the_beginning_decides() -> None:
    """A text of any length is looked at in its first piece only."""
    log = "2026-03-01 10:00:00 INFO started\n" * 600

    assert sniff(log + "<html>\n" * 100_000) is Kind.LOG
