"""playwright-mcp and chrome-devtools-mcp: a page of this project's docs as its accessibility tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sampling.facts import Facts, Sample, number_of

SITE = "https://terse-dev.example.org"
PAGE = f"{SITE}/docs/design.html"
SCRIPT = f"{SITE}/app.js"
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


@dataclass(frozen=True)
class Element:
    """What a screen reader would be told of a part of the page."""

    role: str
    name: str
    level: int = 0
    url: str = ""
    depth: int = 1


def samples(facts: Facts) -> Iterator[Sample]:
    elements = [*_navigation(facts), *_elements(facts.text("docs/design.md"))]
    yield "playwright/browser_snapshot/design.txt", _playwright(elements)
    yield "playwright/browser_console_messages/page.txt", "\n".join(_console(facts)) + "\n"
    yield "playwright/browser_network_requests/page.txt", "\n".join(_requests(facts)) + "\n"
    yield "playwright/browser_navigate/design.txt", _arrived()
    yield "chrome-devtools/take_snapshot/design.txt", _devtools(elements)
    yield "chrome-devtools/list_network_requests/page.txt", _listed_requests(facts)


def _navigation(facts: Facts) -> Iterator[Element]:
    yield Element("navigation", "Modules")
    for module in facts.modules:
        yield Element("link", module.path, url=f"/modules/{module.path}.html", depth=2)


def _elements(markdown: str) -> Iterator[Element]:
    for line in markdown.splitlines():
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            yield Element("heading", line.lstrip("# "), level)
        elif line.startswith("|"):
            yield Element("row", " ".join(line.strip("|").split()))
            for cell in line.strip("|").split("|"):
                yield Element("cell", cell.strip(), depth=2)
        elif line.strip():
            yield Element("paragraph", line.strip())
        for text, url in _LINK.findall(line):
            yield Element("link", text, url=url, depth=2)


def _playwright(elements: list[Element]) -> str:
    lines = [
        "### Page",
        f"- Page URL: {PAGE}",
        "- Page Title: The design of terse",
        "### Snapshot",
        "```yaml",
        "- generic [active] [ref=e1]:",
    ]
    for i, element in enumerate(elements, 2):
        space = "  " * element.depth
        level = f" [level={element.level}]" if element.level else ""
        name = element.name.replace('"', '\\"')
        if element.role == "paragraph":
            lines.append(f"{space}- paragraph [ref=e{i}]: {element.name}")
        else:
            pointer = " [cursor=pointer]:" if element.url else ""
            lines.append(f'{space}- {element.role} "{name}"{level} [ref=e{i}]{pointer}')
        if element.url:
            lines.append(f"{space}  - /url: {element.url}")
    return "\n".join((*lines, "```")) + "\n"


def _devtools(elements: list[Element]) -> str:
    lines = ["## Latest page snapshot", f'uid=1_0 RootWebArea "The design of terse" url="{PAGE}"']
    for i, element in enumerate(elements, 1):
        space = "  " * element.depth
        name = element.name.replace('"', '\\"')
        role = "" if element.role == "paragraph" else f"{element.role} "
        level = f' level="{element.level}"' if element.level else ""
        url = f' url="{SITE}{element.url}"' if element.url else ""
        lines.append(f'{space}uid=1_{i} {role}"{name}"{level}{url}')
    return "\n".join(lines) + "\n"


def _arrived() -> str:
    return (
        "### Ran Playwright code\n```js\n"
        f"await page.goto('{PAGE}');\n```\n### Page\n- Page URL: {PAGE}\n- Page Title: The design of terse\n"
    )


def _console(facts: Facts) -> Iterator[str]:
    yield f"Total messages: {len(facts.modules) * 2 + 2} (Errors: 2, Warnings: {len(facts.modules)})"
    yield ""
    for module in facts.modules:
        yield f"[LOG] module {module.path} rendered @ {SCRIPT}:{100 + number_of(module.path) % 900}"
        yield f"[WARNING] {module.path}: {len(module.parts)} parts without an example @ {SCRIPT}:412"
    yield f"[ERROR] Failed to load resource: status of 404 () @ {SITE}/favicon.ico:0"
    yield f"[ERROR] Uncaught TypeError: parts is not iterable @ {SCRIPT}:97"


def _requests(facts: Facts) -> Iterator[str]:
    yield f"[GET] {PAGE} => [200] OK"
    for module in facts.modules:
        yield f"[GET] {SITE}/modules/{module.path}.html => [200] OK"
        yield f"[GET] {SITE}/assets/{module.path}.css?v={number_of(module.path, 6)} => [200] OK"
    yield f"[GET] {SITE}/favicon.ico => [404] Not Found"


def _listed_requests(facts: Facts) -> str:
    urls = [PAGE, *(f"{SITE}/modules/{module.path}.html" for module in facts.modules)]
    lines = ["## Network requests", f"Showing 1-{len(urls)} of {len(urls)} (Page 1 of 1)."]
    lines += [f"reqid={i} GET {url} [200]" for i, url in enumerate(urls, 1)]
    return "\n".join(lines) + "\n"
