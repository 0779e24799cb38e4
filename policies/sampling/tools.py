"""policies/tools.lock: the tools that the policies speak of, with the names of their arguments."""

from __future__ import annotations

import json

Arguments = dict[str, str | list[str]]
"""Each argument's JSON type, or the values that it allows."""

_REPOSITORY: Arguments = {"owner": "string", "repo": "string"}
_PAGE: Arguments = {"page": "number", "perPage": "number"}
_CLUSTER: Arguments = {"name": "string", "namespace": "string", "context": "string"}
_KEY: Arguments = {"key": "string"}

TOOLS: dict[str, dict[str, Arguments]] = {
    "atlassian": {
        "confluence_get_page": {"page_id": "string", "title": "string", "space_key": "string"},
        "confluence_search": {"query": "string", "limit": "integer"},
        "jira_get_all_projects": {"include_archived": "boolean"},
        "jira_get_board_issues": {
            "board_id": "string",
            "jql": "string",
            "fields": "string",
            "limit": "integer",
        },
        "jira_get_issue": {
            "issue_key": "string",
            "fields": "string",
            "expand": "string",
            "comment_limit": "integer",
        },
        "jira_get_sprint_issues": {"sprint_id": "string", "fields": "string", "limit": "integer"},
        "jira_search": {"jql": "string", "fields": "string", "limit": "integer", "start_at": "integer"},
    },
    "chrome-devtools": {
        "list_console_messages": {"pageId": "number", "pageSize": "number", "types": "array"},
        "list_network_requests": {"pageId": "number", "pageSize": "number", "resourceTypes": "array"},
        "take_snapshot": {"pageId": "number", "verbose": "boolean", "filePath": "string"},
    },
    "circleci": {"get_build_failure_logs": {"params": "object"}},
    "filesystem": {
        "directory_tree": {"path": "string", "excludePatterns": "array"},
        "edit_file": {"path": "string", "edits": "array", "dryRun": "boolean"},
        "list_directory": {"path": "string"},
        "list_directory_with_sizes": {"path": "string", "sortBy": ["name", "size"]},
        "read_file": {"path": "string", "head": "number", "tail": "number"},
        "read_multiple_files": {"paths": "array"},
        "read_text_file": {"path": "string", "head": "number", "tail": "number"},
        "search_files": {"path": "string", "pattern": "string", "excludePatterns": "array"},
        "write_file": {"path": "string", "content": "string"},
    },
    "github": {
        "get_file_contents": {**_REPOSITORY, "path": "string", "ref": "string", "sha": "string"},
        "get_job_logs": {
            **_REPOSITORY,
            "job_id": "number",
            "run_id": "number",
            "failed_only": "boolean",
            "return_content": "boolean",
            "tail_lines": "number",
        },
        "issue_read": {
            **_REPOSITORY,
            **_PAGE,
            "issue_number": "number",
            "method": ["get", "get_comments", "get_sub_issues", "get_labels"],
        },
        "list_commits": {**_REPOSITORY, **_PAGE, "author": "string", "sha": "string"},
        "list_issues": {
            **_REPOSITORY,
            "perPage": "number",
            "after": "string",
            "labels": "array",
            "orderBy": ["CREATED_AT", "UPDATED_AT", "COMMENTS"],
            "direction": ["ASC", "DESC"],
            "since": "string",
            "state": ["OPEN", "CLOSED"],
        },
        "list_pull_requests": {**_REPOSITORY, **_PAGE, "state": ["open", "closed", "all"], "head": "string"},
        "pull_request_read": {
            **_REPOSITORY,
            **_PAGE,
            "pullNumber": "number",
            "method": [
                "get",
                "get_diff",
                "get_status",
                "get_files",
                "get_review_comments",
                "get_reviews",
                "get_comments",
                "get_check_runs",
            ],
        },
        "search_issues": {**_REPOSITORY, **_PAGE, "query": "string", "order": ["asc", "desc"]},
        "search_pull_requests": {**_REPOSITORY, **_PAGE, "query": "string", "order": ["asc", "desc"]},
    },
    "grafana": {
        "query_loki_logs": {
            "datasourceUid": "string",
            "logql": "string",
            "limit": "integer",
            "startRfc3339": "string",
            "endRfc3339": "string",
        }
    },
    "kubernetes": {
        "kubectl_describe": {**_CLUSTER, "resourceType": "string", "allNamespaces": "boolean"},
        "kubectl_get": {
            **_CLUSTER,
            "resourceType": "string",
            "allNamespaces": "boolean",
            "labelSelector": "string",
            "output": ["json", "yaml", "wide", "name", "custom"],
        },
        "kubectl_logs": {
            **_CLUSTER,
            "resourceType": ["pod", "deployment", "job", "cronjob"],
            "container": "string",
            "tail": "number",
            "previous": "boolean",
        },
    },
    "playwright": {
        "browser_console_messages": {"level": ["error", "warning", "info", "debug"]},
        "browser_navigate": {"url": "string"},
        "browser_network_requests": {"filter": "string"},
        "browser_snapshot": {"filename": "string"},
    },
    "postgres": {"query": {"sql": "string"}},
    "redis": {
        "get": _KEY,
        "hget": {"name": "string", **_KEY},
        "hgetall": {"name": "string"},
        "json_get": {"name": "string", "path": "string"},
        "lrange": {"name": "string", "start": "integer", "stop": "integer"},
        "scan_all_keys": {"pattern": "string", "batch_size": "integer"},
        "scan_keys": {"pattern": "string", "count": "integer", "cursor": "integer"},
        "smembers": {"name": "string"},
        "xrange": {**_KEY, "count": "integer"},
        "zrange": {**_KEY, "start": "integer", "end": "integer", "with_scores": "boolean"},
    },
    "sqlite": {
        "describe_table": {"table_name": "string"},
        "list_tables": {},
        "read_query": {"query": "string"},
        "write_query": {"query": "string"},
    },
}


def lock() -> str:
    """The text of the file: as `terse snapshot` writes it, without the descriptions."""
    servers = {
        server: {"tools": [_tool(name, arguments) for name, arguments in sorted(tools.items())]}
        for server, tools in sorted(TOOLS.items())
    }
    return json.dumps({"version": 1, "servers": servers}, indent=2, ensure_ascii=False) + "\n"


def _tool(name: str, arguments: Arguments) -> dict[str, object]:
    properties = {
        argument: {"type": "string", "enum": about} if isinstance(about, list) else {"type": about}
        for argument, about in arguments.items()
    }
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}
