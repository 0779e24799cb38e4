"""github-mcp-server: its own short records for lists, GitHub's whole records for searches."""

from __future__ import annotations

from collections.abc import Iterator

from sampling.facts import PEOPLE, Commit, Facts, Module, Sample, compact, number_of, pick, sha_of
from sampling.logs import build_log

OWNER = "terse-dev"
ISSUES = f"https://github.com/{OWNER}/terse/issues"


def _issue_text(module: Module) -> str:
    parts = "\n".join(
        f"- `{part.name}` (line {part.line}): {part.sentence or 'no docstring'}" for part in module.parts
    )
    return (
        f"`{module.path}` has {module.lines} lines and {len(module.parts)} parts.\n\n{module.sentence}\n\n"
        f"## Parts\n\n{parts}\n\n## Done when\n\nEvery part is in the guide, with an example."
    )


def _minimal_issue(number: int, module: Module, day: int) -> dict[str, object]:
    return {
        "number": number,
        "title": f"Document {module.path}",
        "body": _issue_text(module),
        "state": "OPEN",
        "user": {"login": pick(module.path, PEOPLE)},
        "labels": ["documentation", f"room: {module.room}"],
        "comments": number_of(module.path) % 7,
        "created_at": f"2026-11-{day:02}T09:{number % 60:02}:00Z",
        "updated_at": f"2026-11-{day + 1:02}T17:{number % 60:02}:00Z",
    }


def _rest_user(login: str) -> dict[str, object]:
    api = f"https://api.github.com/users/{login}"
    return {
        "login": login,
        "id": number_of(login, 7),
        "node_id": f"MDQ6VXNlcg{number_of(login, 7)}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number_of(login, 7)}?v=4",
        "html_url": f"https://github.com/{login}",
        "gravatar_id": "",
        "type": "User",
        "site_admin": False,
        "url": api,
        "events_url": f"{api}/events{{/privacy}}",
        "following_url": f"{api}/following{{/other_user}}",
        "followers_url": f"{api}/followers",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "organizations_url": f"{api}/orgs",
        "received_events_url": f"{api}/received_events",
        "repos_url": f"{api}/repos",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
    }


def _rest_issue(number: int, module: Module) -> dict[str, object]:
    api = f"https://api.github.com/repos/{OWNER}/terse"
    return {
        "id": number_of(module.path, 10),
        "number": number,
        "state": "open",
        "locked": False,
        "title": f"Document {module.path}",
        "body": _issue_text(module),
        "author_association": "MEMBER",
        "user": _rest_user(pick(module.path, PEOPLE)),
        "labels": [
            {
                "id": number_of(name, 10),
                "url": f"{api}/labels/{name}",
                "name": name,
                "color": sha_of(name)[:6],
                "default": name == "documentation",
                "node_id": f"LA_{sha_of(name)[:20]}",
            }
            for name in ("documentation", module.room)
        ],
        "comments": number_of(module.path) % 7,
        "created_at": "2026-11-20T09:00:00Z",
        "updated_at": "2026-11-21T17:00:00Z",
        "url": f"{api}/issues/{number}",
        "html_url": f"{ISSUES}/{number}",
        "comments_url": f"{api}/issues/{number}/comments",
        "events_url": f"{api}/issues/{number}/events",
        "labels_url": f"{api}/issues/{number}/labels{{/name}}",
        "repository_url": api,
        "reactions": {
            "total_count": 0,
            "+1": 0,
            "-1": 0,
            "laugh": 0,
            "confused": 0,
            "heart": 0,
            "hooray": 0,
            "rocket": 0,
            "eyes": 0,
            "url": f"{api}/issues/{number}/reactions",
        },
        "node_id": f"I_{sha_of(module.path)[:20]}",
    }


def _minimal_pull(number: int, commit: Commit) -> dict[str, object]:
    author = pick(commit.sha, PEOPLE)
    repository = {"full_name": f"{OWNER}/terse", "description": "Rules in, smaller MCP tool results out"}
    files = "\n".join(f"- {path}: +{added} −{gone}" for added, gone, path in commit.files)
    return {
        "number": number,
        "title": commit.subject,
        "body": f"{commit.subject}\n\n## Files\n\n{files}",
        "state": "open",
        "draft": number % 5 == 0,
        "merged": False,
        "mergeable_state": "clean",
        "html_url": f"https://github.com/{OWNER}/terse/pull/{number}",
        "user": {
            "login": author,
            "id": number_of(author, 7),
            "profile_url": f"https://github.com/{author}",
            "avatar_url": f"https://avatars.githubusercontent.com/u/{number_of(author, 7)}?v=4",
        },
        "head": {"ref": f"work-{number}", "sha": commit.sha, "repo": repository},
        "base": {"ref": "main", "sha": sha_of(commit.sha), "repo": repository},
        "additions": sum(added for added, _, _ in commit.files),
        "deletions": sum(gone for _, gone, _ in commit.files),
        "changed_files": len(commit.files),
        "commits": 1,
        "created_at": commit.when,
        "updated_at": commit.when,
    }


def _minimal_commit(commit: Commit) -> dict[str, object]:
    author = pick(commit.sha, PEOPLE)
    person = {"name": author.title(), "email": f"{author}@example.org", "date": commit.when}
    account = {
        "login": author,
        "id": number_of(author, 7),
        "profile_url": f"https://github.com/{author}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number_of(author, 7)}?v=4",
    }
    return {
        "sha": commit.sha,
        "html_url": f"https://github.com/{OWNER}/terse/commit/{commit.sha}",
        "commit": {"message": commit.subject, "author": person, "committer": person},
        "author": account,
        "committer": account,
    }


def _pull_files(facts: Facts, commit: Commit) -> list[dict[str, object]]:
    result = []
    for added, gone, path in commit.files[:14]:
        shown = facts.git("show", "--format=", commit.sha, "--", path)
        patch = shown[shown.find("@@") :][:6_000]
        result.append(
            {
                "filename": path,
                "status": "modified" if gone else "added",
                "additions": added,
                "deletions": gone,
                "changes": added + gone,
                "patch": patch,
            }
        )
    return result


def _directory(facts: Facts, folder: str) -> list[dict[str, object]]:
    api = f"https://api.github.com/repos/{OWNER}/terse"
    return [
        {
            "type": "file",
            "size": size,
            "name": path.rsplit("/", 1)[1],
            "path": path,
            "sha": blob,
            "url": f"{api}/contents/{path}?ref=main",
            "git_url": f"{api}/git/blobs/{blob}",
            "html_url": f"https://github.com/{OWNER}/terse/blob/main/{path}",
            "download_url": f"https://raw.githubusercontent.com/{OWNER}/terse/main/{path}",
        }
        for path, blob, size in facts.files
        if path.startswith(f"{folder}/") and path.count("/") == folder.count("/") + 1
    ]


def samples(facts: Facts) -> Iterator[Sample]:
    modules = facts.modules
    issues = [_minimal_issue(100 + i, module, 1 + i) for i, module in enumerate(modules[:22])]
    page = {
        "hasNextPage": True,
        "hasPreviousPage": False,
        "startCursor": "Y3Vyc29yOjE",
        "endCursor": "Y3Vyc29yOjIy",
    }
    yield (
        "github/list_issues/open.json",
        compact({"issues": issues, "totalCount": len(modules), "pageInfo": page}),
    )
    last = {**page, "hasNextPage": False}
    yield "github/list_issues/none.json", compact({"issues": [], "totalCount": 0, "pageInfo": last})
    found = [_rest_issue(100 + i, module) for i, module in enumerate(modules[:9])]
    yield (
        "github/search_issues/docs.json",
        compact({"total_count": len(found), "incomplete_results": False, "items": found}),
    )
    pulls = [_minimal_pull(200 + i, commit) for i, commit in enumerate(facts.commits[:10])]
    yield "github/list_pull_requests/open.json", compact(pulls)
    yield "github/list_commits/main.json", compact([_minimal_commit(commit) for commit in facts.commits])
    widest = max(facts.commits, key=lambda commit: (len(commit.files), commit.sha))
    yield "github/pull_request_read/files.json", compact(_pull_files(facts, widest))
    shown = facts.git("show", "--format=", facts.commits[1].sha)
    yield "github/pull_request_read/diff.txt", shown[:20_000]
    yield "github/get_file_contents/directory.json", compact(_directory(facts, "terse/proxy"))
    yield "github/issue_read/comments.json", compact(_comments(modules[:12]))
    log = build_log(facts)
    tail = log.splitlines()[-500:]
    yield (
        "github/get_job_logs/failed.json",
        compact(
            {
                "job_id": 4242,
                "logs_content": "\n".join(tail),
                "message": "Job logs content retrieved successfully",
                "original_length": len(log.splitlines()),
            }
        ),
    )


def _comments(modules: tuple[Module, ...]) -> list[dict[str, object]]:
    return [
        {
            "id": number_of(module.path, 10),
            "body": "\n".join((module.sentence, "", *(f"> {part.sentence}" for part in module.parts))),
            "html_url": f"{ISSUES}/7#issuecomment-{number_of(module.path, 10)}",
            "user": {"login": pick(module.path, PEOPLE), "id": number_of(module.path, 7)},
            "author_association": "MEMBER",
            "reactions": {"total_count": 0, "+1": 0, "-1": 0, "laugh": 0, "confused": 0, "heart": 0},
            "created_at": f"2026-11-{1 + i:02}T10:00:00Z",
            "updated_at": f"2026-11-{1 + i:02}T10:00:00Z",
        }
        for i, module in enumerate(modules)
    ]
