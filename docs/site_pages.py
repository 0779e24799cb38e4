"""What `make site` does beside mkdocs: files outside docs/ that pages speak of become part of the site.

SECURITY.md and CHANGELOG.md are pages of it. Any other file that a page links to (`../deploy/compose.yaml`)
is copied to `files/`, so that no link needs a network or a code host.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("SECURITY.md", "CHANGELOG.md")
_OUTSIDE = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
_IN_ROOT = re.compile(r"\]\((?!https?://|#)([^)\s]+)\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what lies outside docs/: two pages, and the files that pages link to."""
    for name in PAGES:
        text = _IN_ROOT.sub(_from_docs, (ROOT / name).read_text(encoding="utf-8"))
        files.append(File.generated(config, name, content=text))
    linked = {
        found[0]
        for file in files.documentation_pages()
        for found in _OUTSIDE.findall(file.content_string)
        if _is_outside(found[0], file.src_uri)
    }
    for name in sorted(linked):
        files.append(File.generated(config, f"files/{name}", abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that leave docs/ lead to the copies."""

    def inside(found: re.Match[str]) -> str:
        name, anchor = found[1], found[2] or ""
        if name in PAGES:
            return f"]({name}{anchor})"
        return f"](files/{name}{anchor})" if _is_outside(name, page.file.src_uri) else found[0]

    return _OUTSIDE.sub(inside, markdown)


def _from_docs(found: re.Match[str]) -> str:
    """A link of a page in the root, as it would be in docs/."""
    target = found[1]
    return f"]({target.removeprefix('docs/')})" if target.startswith("docs/") else f"](../{target})"


def _is_outside(name: str, page: str) -> bool:
    """Whether `../NAME` of a page lies outside docs/, and is there: mkdocs tells of what is not."""
    return "/" not in page and name not in PAGES and (ROOT / name).is_file()
