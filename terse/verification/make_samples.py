"""Writes samples/*.jsonl, the results that `terse verify` comes with: all of it is made up here.

    python -m terse.verification.make_samples            write them
    python -m terse.verification.make_samples --check    exit 1 and name the stale ones

Every run writes the same bytes. One file a server, one call a line, as `terse capture` writes them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from terse.payload.exact import Number, dump

FOLDER = Path(__file__).parent / "samples"

_PEOPLE = ("ana", "bob", "chidi", "dora", "emre", "fatou")
_PARTS = ("parser", "index", "queue", "report", "login", "export", "cache", "mailer")
_FAULTS = (
    "fails on an empty file",
    "is slow after an hour",
    "shows the wrong date in the last week of a year",
    "loses the second line of an address",
    "asks twice for the same thing",
    "cannot be stopped with the keyboard",
)
_STATES = ("open", "closed", "open", "open")
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
_NOT_ASCII = re.compile("[^\x00-\x7f]")

Json = Any


def samples() -> dict[str, str]:
    """The files by name."""
    servers = {
        "tracker": _tracker,
        "ledger": _ledger,
        "logs": _logs,
        "git": _git,
        "files": _files,
        "tables": _tables,
        "blocks": _blocks,
        "odd": _odd,
    }
    return {
        f"{server}.jsonl": "".join(_line(server, number, *call) for number, call in enumerate(made()))
        for server, made in servers.items()
    }


Calls = Iterator[tuple[str, dict[str, Json], dict[str, Json]]]
"""Tool, arguments and result of each call."""


def _line(server: str, number: int, tool: str, arguments: dict[str, Json], result: dict[str, Json]) -> str:
    call: Json = {
        "session": server,
        "at": Number(str(1_767_225_600 + 60 * number)),
        "server": server,
        "client": "terse-verify",
        "tool": tool,
        "arguments": arguments,
        "result": result,
    }
    return _NOT_ASCII.sub(_escaped, dump(call)) + "\n"


def _escaped(sign: re.Match[str]) -> str:
    return json.dumps(sign[0])[1:-1]


def _text(text: str, **more: Json) -> dict[str, Json]:
    return {"content": [{"type": "text", "text": text}], **more}


def _pick(choices: Sequence[Json], *seed: object) -> Json:
    return choices[sha256(repr(seed).encode()).digest()[0] % len(choices)]


def _sha(*seed: object) -> str:
    return sha256(repr(seed).encode()).hexdigest()


def _spelt(value: Json, **style: Json) -> str:
    return json.dumps(value, **{"ensure_ascii": False, **style})


# ---- records and nested objects ----------------------------------------------------------------------


def _person(name: str) -> Mapping[str, Json]:
    url = f"https://tracker.example/api/users/{name}"
    return {
        "login": name,
        "id": len(name) * 101,
        "url": url,
        "avatar_url": f"{url}/avatar",
        "admin": name == "ana",
    }


def _issue(number: int, closed: int) -> dict[str, Json]:
    part = _pick(_PARTS, number, "part")
    url = f"https://tracker.example/api/projects/shelf/issues/{number}"
    state = "closed" if number <= closed else _pick(_STATES, number)
    return {
        "id": 90_000 + number,
        "number": number,
        "url": url,
        "comments_url": f"{url}/comments",
        "title": f"{part.capitalize()} {_pick(_FAULTS, number)}",
        "state": state,
        "user": _person(_pick(_PEOPLE, number)),
        "labels": [{"name": part, "color": _sha(part)[:6]}, {"name": "bug", "color": "d73a4a"}][
            : 1 + number % 2
        ],
        "assignee": None if number % 3 else _person(_pick(_PEOPLE, number, "assignee")),
        "comments": number % 5,
        "created_at": f"2026-01-{1 + number % 28:02}T09:{number % 60:02}:00Z",
        "closed_at": f"2026-02-{1 + number % 28:02}T10:00:00Z" if state == "closed" else None,
        "body": f"Since the last release the {part} {_pick(_FAULTS, number)}.\n\n"
        f"1. Open the {part}\n2. Wait\n\nExpected: that it works. It happened {number} times today.",
    }


def _tracker() -> Calls:
    asked = {"project": "shelf", "state": "all"}
    for closed in (0, 0, 4):
        yield (
            "list_issues",
            asked,
            _text(_spelt([_issue(number, closed) for number in range(1, 31)], indent=2)),
        )
    whole = {
        **_issue(7, 0),
        "project": {
            "name": "shelf",
            "owner": _person("dora"),
            "settings": {
                "issues": {"enabled": True, "templates": []},
                "wiki": {"enabled": False, "pages": None},
            },
            "links": {name: f"https://tracker.example/api/projects/shelf/{name}" for name in _PARTS},
        },
        "timeline": [
            {"event": "labeled", "label": {"name": "bug"}, "actor": _person("bob")},
            {"event": "assigned", "assignee": _person("ana")},
            {"event": "commented", "body": "I see it too.", "reactions": {"+1": 3, "-1": 0}},
        ],
    }
    yield "get_issue", {"number": 7}, _text(_spelt(whole, indent=4))
    found = {"total": 20, "items": [_issue(number, 0) for number in range(31, 51)]}
    yield (
        "search",
        {"query": "slow"},
        _text(_spelt(found), structuredContent=json.loads(_spelt(found), **_EXACT)),
    )
    plain = _spelt([_issue(number, 0) for number in range(51, 61)])
    yield "drafts", {}, _text(plain, structuredContent={"result": plain})
    yield "search", {"query": "nothing"}, _text('{"total":0,"items":[]}', structuredContent=json.loads("{}"))
    inner = _spelt([{"key": f"SHELF-{n}", "points": n / 2, "done": n % 3 == 0} for n in range(40)])
    yield "board", {}, _text(_spelt({"result": inner}), structuredContent={"result": inner})
    yield (
        "get_issue",
        {"number": "none"},
        _text("no issue none: " + "numbers count from 1. " * 30, isError=True),
    )


_EXACT: dict[str, Any] = {"parse_int": Number, "parse_float": Number}


# ---- numbers and keys that other readers change ------------------------------------------------------


def _ledger() -> Calls:
    odd = (
        "1.0",
        "1",
        "1E400",
        "-0",
        "0.10",
        "1e-400",
        "123456789012345678901234567890",
        "3.14159265358979323846264338",
    )
    rows = [
        f'{{"id": {n}, "amount": {odd[n % len(odd)]}, "rate": 1.{n:02}0, "account": "ACC-{n % 4}", "open": '
        f"{'true' if n % 2 else 'false'}}}"
        for n in range(48)
    ]
    yield "entries", {"year": 2026}, _text("[\n  " + ",\n  ".join(rows) + "\n]")
    exact = f'{{"entries": [{", ".join(rows[:16])}], "total": 1E400}}'
    yield "sums", {}, _text(exact, structuredContent=json.loads(exact, **_EXACT))
    twice = [f'{{"id": {n}, "tag": "a{n}", "tag": "b{n}", "tag": "a{n}"}}' for n in range(30)]
    yield "tags", {}, _text(f'{{"rows": [{", ".join(twice)}], "rows": []}}')
    loose = [
        f'{{"sensor": "s{n}", "value": {("NaN", "-Infinity", "0.5", "Infinity")[n % 4]}}}' for n in range(40)
    ]
    yield "sensors", {}, _text(f"[{', '.join(loose)}]")
    mixed = [
        f'{{"a": {n}, "b": null}}'
        if n % 3 == 0
        else f'{{"b": "", "a": "{n}"}}'
        if n % 3 == 1
        else f'{{"a": {n}.0}}'
        for n in range(45)
    ]
    yield "mixed", {}, _text(f"[{','.join(mixed)}]")


# ---- texts -------------------------------------------------------------------------------------------


def _logs() -> Calls:
    def line(n: int) -> str:
        kind = _pick(("INFO", "INFO", "DEBUG", "WARN", "ERROR"), n, "kind")
        took = int(_sha(n)[:3], 16)
        return (
            f"2026-03-04T10:{n // 60:02}:{n % 60:02}.{took % 1000:03}Z {kind} [worker-{n % 4}] "
            f"shelf.{_pick(_PARTS, n)}: request {_sha(n)[:12]} done in {took} ms"
        )

    for shown in (0, 40):
        yield (
            "tail",
            {"service": "shelf", "lines": 200},
            _text("\n".join(map(line, range(shown, shown + 200))) + "\n"),
        )
    steps = [
        f"\x1b[36m##[group]Step {n}\x1b[0m\r\n" + f"Downloading part {n} of 40 … done\r\n" * 3
        for n in range(1, 41)
    ]
    yield "build", {"job": 12}, _text("".join(steps) + "\x1b[31mError: 1 of 40 steps failed\x1b[0m\r\n")
    again = [line(n % 3) if n % 10 else "Traceback (most recent call last):" for n in range(150)]
    yield "tail", {"service": "mailer"}, _text("\n".join(again))
    records = "".join(
        _spelt({"ts": 1_767_225_600 + n, "level": "info", "logger": "shelf", "msg": _pick(_FAULTS, n)}) + "\n"
        for n in range(80)
    )
    yield "query", {"limit": 80}, _text(records)


def _git() -> Calls:
    commits = [
        f"commit {_sha('commit', n)[:40]}\nAuthor: {who.capitalize()} <{who}@shelf.example>\n"
        f"Date:   Tue Mar {1 + n % 28} 10:{n % 60:02}:00 2026 +0100\n\n    {_pick(_PARTS, n)}: it no longer "
        f"{_pick(_FAULTS, n)}\n"
        for n, who in ((n, _pick(_PEOPLE, n)) for n in range(40))
    ]
    yield "log", {"count": 40}, _text("\n".join(commits))
    hunks = [
        f"diff --git a/shelf/{part}.py b/shelf/{part}.py\n"
        f"index {_sha(part)[:7]}..{_sha(n)[:7]} 100644\n"
        f"--- a/shelf/{part}.py\n+++ b/shelf/{part}.py\n"
        f"@@ -{10 * n + 1},4 +{10 * n + 1},4 @@ def run(self):\n"
        f"     state = self.state\n-    wait({n})\n+    wait({n + 1})\n     return state\n"
        for n, part in enumerate(_PARTS)
    ]
    yield "diff", {}, _text("".join(hunks))
    yield (
        "status",
        {},
        _text("On branch main\n" + "".join(f"\tmodified:   shelf/{part}.py\n" for part in _PARTS)),
    )


def _source(wait: int) -> str:
    return '"""How each part is run."""\n\nfrom shelf import base\n\n' + "\n\n".join(
        f'class {part.capitalize()}(base.Part):\n    """The {part}."""\n\n    def run(self) -> int:\n'
        f"        # It {_pick(_FAULTS, part)}.\n        self.wait({wait})\n        return {len(part)}\n"
        for part in _PARTS
    )


def _files() -> Calls:
    for wait in (5, 5, 9):
        yield "read", {"path": "shelf/parts.py"}, _text(_source(wait))
    page = "# Shelf\n\nA place for things.\n\n" + "\n".join(
        f"## {part.capitalize()}\n\n* It **{_pick(_FAULTS, part)}**.\n* See [its page](docs/{part}.md).\n\n"
        f"| option | default |\n|---|---|\n| wait | {len(part)} |\n| name | `{part}` |\n\n"
        f"```python\nshelf.run({part!r})\n```\n"
        for part in _PARTS
    )
    yield "read", {"path": "README.md"}, _text(page)
    prose = " ".join(
        f"On the {n}th day {_pick(_PEOPLE, n).capitalize()} said that the {_pick(_PARTS, n)} "
        f"{_pick(_FAULTS, n)}, "
        f"and nobody could say why; so {_pick(_PEOPLE, n, 'who').capitalize()} went to look."
        for n in range(4, 44)
    )
    yield "read", {"path": "story.txt"}, _text(prose.replace("; so", ";\nso"))
    listed = [
        f"-rw-r--r-- 1 {_pick(_PEOPLE, n)} shelf {int(_sha(n)[:4], 16):>8} Mar {n % 28 + 1:>2} "
        f"10:{n % 60:02} part{n}.py"
        for n in range(60)
    ]
    yield "list", {"path": "shelf"}, _text("\n".join(listed))
    paths = [
        f"/srv/shelf/{part}/{kind}/step{n}.py"
        for part in _PARTS
        for kind in ("api", "tests")
        for n in range(5)
    ]
    yield "search", {"pattern": "*.py"}, _text("\n".join(paths))
    matches = [f"/srv/shelf/{part}/run.py:{n}:    self.wait({n})" for part in _PARTS for n in range(10, 22)]
    yield "grep", {"pattern": "wait"}, _text("\n".join(matches))
    yaml = "".join(
        f"- name: {part}\n  image: registry.example/{part}:1.{n}\n"
        f"  resources:\n    limits:\n      cpu: 500m\n"
        f'      memory: 256Mi\n  env:\n  - name: WAIT\n    value: "{n}"\n'
        for n, part in enumerate(_PARTS)
    )
    yield "read", {"path": "deploy.yaml"}, _text("containers:\n" + yaml)
    web = "".join(
        f'<li class="part"><a href="/parts/{part}">{part.capitalize()}</a></li>\n' for part in _PARTS * 4
    )
    yield (
        "fetch",
        {"url": "https://shelf.example"},
        _text(f"<!doctype html>\n<html><body>\n<ul>\n{web}</ul>\n</body></html>"),
    )


def _tables() -> Calls:
    head = "id,name,city,joined,balance,note\n"
    rows = [
        f"{n},{_pick(_PEOPLE, n)},{_pick(('Oslo', 'Bergen', 'Tromsø'), n)},2026-0{1 + n % 9}-11,{n}.50,"
        f'"{_pick(_FAULTS, n)}, twice"\n'
        for n in range(80)
    ]
    yield "export", {"table": "people"}, _text(head + "".join(rows))
    wide = [f" {n:>3} | {_pick(_PARTS, n):<8} | {_pick(_STATES, n):<7} | {n * 7:>6} \n" for n in range(60)]
    yield (
        "query",
        {"sql": "select"},
        _text(
            "  id | part     | state   | jobs   \n-----+----------+---------+--------\n"
            + "".join(wide)
            + "(60 rows)\n"
        ),
    )
    pods = [
        f"shelf-{_sha(n)[:9]}-{_sha(n)[9:14]}   1/1     Running   {n % 3}          {n}d\n" for n in range(40)
    ]
    yield "pods", {}, _text(f"{'NAME':<26}READY   STATUS    RESTARTS   AGE\n" + "".join(pods))
    found = [(n, _pick(_PEOPLE, n), n % 2 == 0, None) for n in range(60)]
    yield (
        "rows",
        {},
        _text(repr([{"id": n, "name": who, "open": is_open, "note": no} for n, who, is_open, no in found])),
    )
    listed = _spelt([{"path": f"/srv/{part}", "size": n} for n, part in enumerate(_PARTS * 4)], indent=2)
    yield "sizes", {}, _text(f"Found 32 folders:\n\n{listed}")


# ---- results of many blocks, and what is no text ------------------------------------------------------


def _blocks() -> Calls:
    def block(text: str, **more: Json) -> dict[str, Json]:
        return {"type": "text", "text": text, **more}

    hits = [block(_spelt({"id": n, "score": n / 8, "title": _pick(_FAULTS, n)})) for n in range(24)]
    yield "search", {"query": "slow"}, {"content": hits}
    yield "search", {"query": "slow"}, {"content": hits}
    yield (
        "keys",
        {"pattern": "shelf:*"},
        {"content": [block(f"shelf:{part}:{n}:jobs") for part in _PARTS for n in range(9)]},
    )
    notes = [block(f"Title: {_pick(_FAULTS, n)}\nAuthor: {_pick(_PEOPLE, n)}\nPages: {n}") for n in range(30)]
    yield "notes", {}, {"content": notes}
    named = [
        block(f"{who} did nothing", annotations={"audience": ["user"], "priority": Number("1.0")})
        for who in _PEOPLE
    ]
    yield "users", {}, {"content": named}
    yield (
        "chart",
        {},
        {
            "content": [
                block(_spelt([{"at": n, "jobs": n * 3} for n in range(60)], indent=1)),
                {
                    "type": "image",
                    "data": _PIXEL,
                    "mimeType": "image/png",
                },
                {"type": "audio", "data": "UklGRiQAAABXQVZF", "mimeType": "audio/wav"},
                {
                    "type": "resource",
                    "resource": {
                        "uri": "file:///srv/parts.py",
                        "mimeType": "text/x-python",
                        "text": _source(3),
                    },
                },
                {"type": "resource_link", "uri": "file:///srv/parts.py", "name": "parts.py"},
                {"type": "hologram", "depth": Number("1.50")},
            ],
            "_meta": {"took": Number("0.10")},
        },
    )
    yield "nothing", {}, {"content": []}


# ---- characters, sizes and depths -----------------------------------------------------------------------


def _odd() -> Calls:
    planes = "".join(chr(plane * 0x10000 + place) for plane in range(17) for place in (0x21, 0x3041, 0xFFFD))
    signs = [
        "e\u0301",
        "\u202eabc\u202c",
        "\u200b",
        "\ufeff",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\x00\x07\x1b[2J",
        "\u2028\u2029",
        "\x85",
    ]
    rows = [
        {"id": n, "sign": sign, "planes": planes, 'tab\tkey"': "a\\b"} for n, sign in enumerate(signs * 4)
    ]
    yield "characters", {"as": "escapes"}, _text(_spelt(rows, ensure_ascii=True))
    yield "characters", {"as": "themselves"}, _text(_spelt(rows))
    yield (
        "characters",
        {"as": "text"},
        _text("\n".join(f"{n}: {sign} {planes}" for n, sign in enumerate(signs * 4))),
    )
    half = "[" + ",".join(f'{{"id":{n},"half":"\\ud83d","other":"\\udc00 {n}"}}' for n in range(40)) + "]"
    yield "surrogates", {}, _text(half)
    yield "surrogates", {"as": "themselves"}, _text("half a character: \ud83d" * 80)
    yield (
        "line_ends",
        {},
        _text("".join(f"line {n % 9} of a file{end}" for n in range(90) for end in ("\r\n", "\r", "\n"))),
    )
    long = "The same sentence, again and again, until it is a long one. "
    yield (
        "huge",
        {"of": "one string"},
        _text(_spelt({"id": 1, "body": long * 1_000, "tail": [long * 50] * 6})),
    )
    yield "huge", {"of": "one line"}, _text("abcdefgh" * 6_000)
    yield "huge", {"of": "blanks"}, _text("a" + " " * 20_000 + "b\n" * 2_000)
    yield (
        "huge",
        {"of": "base64"},
        _text(_spelt({"name": "blob", "data": "".join(_sha(n) for n in range(300))})),
    )
    yield "deep", {"levels": 150}, _text('{"a":[' * 75 + "1.0" + "]}" * 75)
    yield "deep", {"levels": 2_000}, _text("[" * 2_000 + "]" * 2_000)
    # A server's own text that is spelt like one of our forms is a text like any other.
    yield "imitation", {}, _text("JSON outline: 3 rows of id,name\n" + "".join(f"{n},x\n" for n in range(60)))
    yield (
        "imitation",
        {"of": "a repeat"},
        _text("Re-run now: identical to call #1 of this tool (same arguments). " * 20),
    )
    yield "cut_off", {}, _text(_spelt([_issue(n, 0) for n in range(12)])[:-40])
    yield "scalar", {}, _text("3.10")
    yield "empty", {}, _text("")


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` name those that are not what would be written."""
    made = {name: text.encode() for name, text in samples().items()}
    here = {path.name: path.read_bytes() for path in FOLDER.glob("*.jsonl")}
    stale = sorted(name for name in {*made, *here} if made.get(name) != here.get(name))
    for name in stale:
        print(f"{'stale' if arguments == ['--check'] else 'written'}: {name}")
        if arguments != ["--check"]:
            FOLDER.mkdir(exist_ok=True)
            if name in made:
                (FOLDER / name).write_bytes(made[name])
            else:
                (FOLDER / name).unlink()
    return 1 if stale and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
