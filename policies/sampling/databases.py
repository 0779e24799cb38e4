"""mcp-server-sqlite, server-postgres and the Redis server, over a database of this repository's own facts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from sampling.facts import Facts, Sample, pretty


def samples(facts: Facts) -> Iterator[Sample]:
    database = filled(facts)
    parts = "select name, kind, path, line, end_line, sentence from parts order by path, line"
    modules = "select path, room, lines, bytes, sentence from modules order by lines desc"
    tables = "select name from sqlite_master where type = 'table' order by name"
    # The sqlite server answers with Python's own notation of the rows.
    yield "sqlite/read_query/parts.txt", str(_rows(database, f"{parts} limit 220"))
    yield (
        "sqlite/read_query/count.txt",
        str(_rows(database, "select room, count(*) n from modules group by room")),
    )
    yield "sqlite/read_query/error.txt", "Database error: no such table: part"
    yield "sqlite/list_tables/all.txt", str(_rows(database, tables))
    yield "sqlite/describe_table/parts.txt", str(_rows(database, "select * from pragma_table_info('parts')"))
    yield "postgres/query/modules.json", pretty(_rows(database, modules))
    yield "postgres/query/parts.json", pretty(_rows(database, f"{parts} limit 220"))
    largest = _rows(database, f"{modules} limit 1")[0]
    yield "redis/hgetall/module.json", pretty({key: str(value) for key, value in largest.items()})
    keys = [f"module:{row['path']}" for row in _rows(database, "select path from modules order by path")]
    yield "redis/scan_keys/modules.json", pretty({"cursor": 0, "keys": keys})
    yield "redis/xrange/changes.txt", str(_stream(database))
    yield (
        "redis/zrange/lines.txt",
        str([(row["path"], float(row["lines"])) for row in _rows(database, modules)]),
    )


def filled(facts: Facts) -> sqlite3.Connection:
    """A database in memory with the modules, their parts, and what each commit changed."""
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    database.executescript(
        "create table modules (path text primary key, room text, lines int, bytes int, sentence text);"
        "create table parts (name text, kind text, path text, line int, end_line int, sentence text);"
        "create table changes (sha text, at text, subject text, path text, added int, gone int);"
    )
    for module in facts.modules:
        values = (module.path, module.room, module.lines, module.size, module.sentence)
        database.execute("insert into modules values (?, ?, ?, ?, ?)", values)
        for part in module.parts:
            row = (part.name, part.kind, module.path, part.line, part.end, part.sentence)
            database.execute("insert into parts values (?, ?, ?, ?, ?, ?)", row)
    for commit in facts.commits:
        for added, gone, path in commit.files:
            change = (commit.sha, commit.when, commit.subject, path, added, gone)
            database.execute("insert into changes values (?, ?, ?, ?, ?, ?)", change)
    return database


def _rows(database: sqlite3.Connection, query: str) -> list[dict[str, object]]:
    return [dict(row) for row in database.execute(query)]


def _stream(database: sqlite3.Connection) -> list[tuple[str, dict[str, str]]]:
    rows = _rows(database, "select path, added, gone from changes order by at, path limit 90")
    return [
        (f"17960167{i:02}000-0", {key: str(value) for key, value in row.items()})
        for i, row in enumerate(rows)
    ]
