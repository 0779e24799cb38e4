"""Writes policies/samples and policies/tools.lock: what real servers answer, about this very project.

    python policies/make_samples.py            write them
    python policies/make_samples.py --check    exit 1 and name the stale ones

Everything said in them is read from one commit of this repository (`sampling/facts.py`): its files, its
history, the functions and docstrings of its modules. Every run writes the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sampling import atlassian, browser, databases, filesystem, github, kubernetes, logs, tools
from sampling.facts import Facts, NoHistory

POLICIES = Path(__file__).resolve().parent
LARGEST = 60_000
"""Bytes of the largest sample: enough to be like life, and small enough to be read in a review."""

MAKERS = (
    github.samples,
    atlassian.samples,
    kubernetes.samples,
    databases.samples,
    browser.samples,
    logs.samples,
    filesystem.samples,
)


def made() -> dict[str, str]:
    """Every file by its path below policies.

    Raises:
        NoHistory: the commit that all facts are read from is not in this clone.
    """
    facts = Facts()
    samples = {f"samples/{path}": text for maker in MAKERS for path, text in maker(facts)}
    return {**samples, "tools.lock": tools.lock()}


def main(arguments: list[str]) -> int:
    try:
        samples = made()
    except NoHistory as missing:
        print(f"the samples cannot be made here: {missing}", file=sys.stderr)
        return 2
    stale = [path for path, text in sorted(samples.items()) if _on_disk(path) != text.encode()]
    stale += [path for path in _all_on_disk() if path not in samples]
    for path in stale:
        print(f"{'stale' if arguments == ['--check'] else 'written'}: {path}")
        if arguments != ["--check"]:
            _write(path, samples.get(path))
    large = [path for path, text in samples.items() if len(text.encode()) > LARGEST]
    for path in large:
        print(f"over {LARGEST} bytes: {path}", file=sys.stderr)
    return 1 if large or (stale and arguments == ["--check"]) else 0


def _on_disk(path: str) -> bytes | None:
    file = POLICIES / path
    return file.read_bytes() if file.exists() else None


def _all_on_disk() -> list[str]:
    samples = (POLICIES / "samples").rglob("*")
    return sorted(file.relative_to(POLICIES).as_posix() for file in samples if file.is_file())


def _write(path: str, text: str | None) -> None:
    file = POLICIES / path
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
