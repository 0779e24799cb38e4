"""mcp-atlassian: Jira issues and Confluence pages as that server shortens them."""

from __future__ import annotations

from collections.abc import Iterator

from sampling.facts import PEOPLE, Facts, Module, Sample, number_of, pick, pretty

SITE = "https://terse-dev.atlassian.net"
STATES = (
    ("To Do", "To Do", "blue-gray"),
    ("In Progress", "In Progress", "yellow"),
    ("Done", "Done", "green"),
)


def samples(facts: Facts) -> Iterator[Sample]:
    modules = facts.modules
    board = [_issue(40 + i, module) for i, module in enumerate(modules[:20])]
    page = {"total": len(modules), "start_at": 0, "max_results": 20}
    yield "atlassian/jira_search/board.json", pretty({**page, "issues": board})
    yield "atlassian/jira_search/error.txt", "Error calling tool 'search': Field 'assigne' does not exist.\n"
    one = max(modules, key=lambda module: (len(module.parts), module.path))
    yield "atlassian/jira_get_issue/one.json", pretty(_whole_issue(77, one, modules))
    yield "atlassian/jira_get_all_projects/all.json", pretty([_project(room) for room in _rooms(modules)])
    yield "atlassian/confluence_get_page/guide.json", pretty(_page(facts))


def _rooms(modules: tuple[Module, ...]) -> list[str]:
    return sorted({module.room for module in modules})


def _person(name: str) -> dict[str, object]:
    return {
        "account_id": f"5b10a{number_of(name, 7)}",
        "display_name": name.title(),
        "name": name.title(),
        "email": f"{name}@example.org",
        "avatar_url": f"{SITE}/secure/useravatar?ownerId={name}&avatarId=10604",
    }


def _project(room: str) -> dict[str, object]:
    return {
        "key": room[:4].upper(),
        "name": f"terse: {room}",
        "category": "terse",
        "avatar_url": f"{SITE}/secure/projectavatar?pid={number_of(room, 5)}&avatarId=10011",
    }


def _issue(number: int, module: Module) -> dict[str, object]:
    name, category, colour = STATES[number_of(module.path) % len(STATES)]
    parts = "\n".join(f"* {{{{{part.name}}}}}, line {part.line}: {part.sentence}" for part in module.parts)
    return {
        "id": str(10_000 + number),
        "key": f"TERSE-{number}",
        "summary": f"Document {module.path}",
        "description": f"{module.sentence}\n\nh3. Parts\n{parts}",
        "browse_url": f"{SITE}/browse/TERSE-{number}",
        "status": {"name": name, "category": category, "color": colour},
        "issue_type": {"name": "Task"},
        "priority": {"name": pick(module.path, ("High", "Medium", "Low"))},
        "assignee": _person(pick(module.path, PEOPLE)),
        "reporter": _person(pick(module.room, PEOPLE)),
        "labels": ["documentation", module.room],
        "created": f"2026-11-{1 + number % 28:02} 09:15:00 UTC",
        "updated": f"2026-11-{1 + number % 28:02} 16:40:00 UTC",
    }


def _whole_issue(number: int, module: Module, modules: tuple[Module, ...]) -> dict[str, object]:
    comments = [
        {
            "id": str(number_of(other.path, 5)),
            "body": f"{other.path} needs the same. {other.sentence}\n"
            + "\n".join(f"{part.name}: {part.sentence}" for part in other.parts),
            "created": f"2026-11-{1 + i:02} 11:00:00 UTC",
            "updated": f"2026-11-{1 + i:02} 11:00:00 UTC",
            "author": _person(pick(other.path, PEOPLE)),
        }
        for i, other in enumerate(modules[:14])
    ]
    changelogs = [
        {
            "id": str(number_of(f"{part.name}{i}", 6)),
            "author": _person(pick(part.name, PEOPLE)),
            "created": f"2026-11-{1 + i % 28:02} 12:00:00 UTC",
            "items": [
                {"field": "status", "fieldtype": "jira", "from_string": "To Do", "to_string": "In Progress"},
                {"field": "Documented", "fieldtype": "custom", "from_string": "", "to_string": part.name},
            ],
        }
        for i, part in enumerate(module.parts)
    ]
    return {**_issue(number, module), "comments": comments, "attachments": [], "changelogs": changelogs}


def _page(facts: Facts) -> dict[str, object]:
    return {
        "metadata": {
            "id": "163841",
            "title": "The design of terse",
            "type": "page",
            "url": f"{SITE}/wiki/spaces/TERSE/pages/163841",
            "space": {"key": "TERSE", "name": "terse"},
            "version": 7,
            "attachments": [],
            "content": {"value": facts.text("docs/design.md"), "format": "markdown"},
        }
    }
