"""Logs as CI jobs, pods and Loki give them: this project's own tests, proxies and changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sampling.facts import Facts, Module, Sample, compact, number_of, sha_of


def samples(facts: Facts) -> Iterator[Sample]:
    yield "kubernetes/kubectl_logs/proxy.txt", "\n".join(_pod_log(facts.modules)) + "\n"
    yield "grafana/query_loki_logs/proxy.json", compact(list(_loki(facts.modules)))
    yield "circleci/get_build_failure_logs/tests.txt", build_log(facts)


def build_log(facts: Facts) -> str:
    """The log of a job that runs this project's tests, with one failure near the end."""
    lines = [
        "##[group]Run make test",
        "\x1b[36;1mmake test\x1b[0m",
        "##[endgroup]",
        "installing terse into .venv …",
    ]
    tests = list(_tests(facts))
    for name in (
        "lark",
        "mcp",
        "msgspec",
        "pyyaml",
        "tiktoken",
        "typer",
        "hypothesis",
        "pytest",
        "ruff",
        "mypy",
    ):
        lines.append(f"Collecting {name}")
        lines += [f"  DEBUG cache miss for {name} (try {i})" for i in range(3)]
        lines.append(f"Successfully installed {name}")
    lines.append(f"collected {len(tests)} items")
    for i, test in enumerate(tests):
        colour = "\x1b[32mPASSED\x1b[0m" if i != len(tests) - 2 else "\x1b[31mFAILED\x1b[0m"
        lines.append(f"{test} {colour} [{100 * (i + 1) // len(tests):3}%]")
        if i % 4 == 0:
            lines.append(f"DEBUG {test.split('::')[0]}: fixture golden set up in 0.0{i % 10}s")
    failed = tests[-2]
    lines += [
        "=================================== FAILURES ===================================",
        f"{failed.split('::')[0]}:41: in {failed.split('::')[1]}",
        "    assert emitted == original",
        "E   AssertionError: assert 1.0 == '1.0'",
        f"FAILED {failed} - AssertionError: assert 1.0 == '1.0'",
        f"1 failed, {len(tests) - 1} passed in 48.10s",
        "make: *** [Makefile:24: test] Error 1",
        "##[error]Process completed with exit code 2.",
    ]
    return "".join(
        f"2026-11-20T06:{12 + i // 60:02}:{i % 60:02}.{number_of(str(i), 7)}Z {line}\n"
        for i, line in enumerate(lines)
    )


def _tests(facts: Facts) -> Iterator[str]:
    for path, _, _ in facts.files:
        if path.startswith("tests/") and path.rsplit("/", 1)[1].startswith("test_") and path.endswith(".py"):
            for node in ast.walk(ast.parse(facts.text(path))):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    yield f"{path}::{node.name}"


def _pod_log(modules: tuple[Module, ...]) -> Iterator[str]:
    for i, module in enumerate(modules * 4):
        at = f"2026-11-20T07:{i // 60 % 60:02}:{i % 60:02}.{number_of(f'{module.path}{i}', 3)}Z"
        yield f"{at} INFO  proxy: tools/call {module.path} answered in {number_of(str(i)) % 40} ms"
        yield f"{at} DEBUG gate: {module.lines} lines decoded and compared: equal"
        if i % 37 == 36:
            yield f"{at} ERROR gate: {module.path}: decoded, and not equal; the original was sent"
            yield "Traceback (most recent call last):"
            yield f'  File "{module.path}", line {module.lines // 2}, in compare'
            yield "ValueError: 1.0 is not '1.0'"


def _loki(modules: tuple[Module, ...]) -> Iterator[dict[str, object]]:
    for i, module in enumerate(modules * 3):
        level = "error" if i % 29 == 28 else "info"
        yield {
            "timestamp": f"17961967{i:03}000000000",
            "line": f"level={level} room={module.room} path={module.path} took={number_of(str(i)) % 40}ms "
            f"trace={sha_of(f'{module.path}{i}')[:16]}",
            "labels": {
                "app": "terse",
                "namespace": module.room,
                "detected_level": level,
                "filename": f"/var/log/pods/{module.room}/app/0.log",
                "node_name": f"node-{i % 3}",
                "service_name": "terse",
            },
        }
