"""Every method of every protocol version, with the fields that its version gives it: the spec's own list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from mcp_types import methods as spec
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from pydantic import BaseModel

TASKS = {
    "2025-11-25": ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"),
    "2026-07-28": ("tasks/get", "tasks/update", "tasks/cancel"),
}
"""Tasks: experimental in 2025-11-25, an extension since. The SDK does not list them."""
TASK_NOTES = {"2025-11-25": ("notifications/tasks/status",), "2026-07-28": ("notifications/tasks",)}
TASK_FIELDS = ("taskId", "status", "statusMessage", "ttl", "createdAt", "pollInterval", "_meta", "result")


@dataclass(frozen=True)
class Method:
    """A method of one version.

    Attributes:
        from_client: who asks.
        params: names of what it is asked with.
        result: names of what is answered; None for a notification.
    """

    name: str
    version: str
    from_client: bool
    params: tuple[str, ...]
    result: tuple[str, ...] | None


def methods() -> dict[str, list[Method]]:
    """All methods, by version."""
    found: dict[str, list[Method]] = {version: [] for version in KNOWN_PROTOCOL_VERSIONS}
    for asked, answered, noted, from_client in (
        (spec.CLIENT_REQUESTS, spec.SERVER_RESULTS, spec.CLIENT_NOTIFICATIONS, True),
        (spec.SERVER_REQUESTS, spec.CLIENT_RESULTS, spec.SERVER_NOTIFICATIONS, False),
    ):
        for (name, version), model in asked.items():
            result = _fields(answered[name, version])
            found[version].append(Method(name, version, from_client, _params(model), result))
        for (name, version), model in noted.items():
            found[version].append(Method(name, version, from_client, _params(model), None))
    for version, names in TASKS.items():
        found[version] += [Method(name, version, True, ("taskId", "_meta"), TASK_FIELDS) for name in names]
    for version, names in TASK_NOTES.items():
        found[version] += [Method(name, version, False, TASK_FIELDS, None) for name in names]
    return found


def _params(model: type[BaseModel]) -> tuple[str, ...]:
    field: Any = model.model_fields.get("params")
    return () if field is None else _fields(field.annotation)


def _fields(annotation: Any) -> tuple[str, ...]:
    """The names that a model gives to its fields on the wire; of a union, those of all its parts."""
    if isinstance(annotation, type):
        fields: Mapping[str, Any] = getattr(annotation, "model_fields", {})
        return tuple(field.alias or name for name, field in fields.items())
    return tuple(dict.fromkeys(name for part in get_args(annotation) for name in _fields(part)))
