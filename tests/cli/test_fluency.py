"""`terse fluency` as a process, against a model on this machine that is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from terse.capture.results import results
from terse.cli.policy import default_plan
from terse.fluency.selection import items
from terse.fluency.trial import WITHHELD
from terse.tokens import vocabulary
from tests.cli.conftest import Terse
from tests.fluency.fake import Fake, Reply, chat

NO_KEYS = {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": ""}


@pytest.fixture
def fake() -> Iterator[Fake]:
    with Fake() as server:
        yield server


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Eight results with records."""
    folder = tmp_path / "samples"
    folder.mkdir()
    for file in range(8):
        rows = [
            {
                "id": 100 * file + n,
                "state": ("open", "shut", "late")[n % 3 if n < 12 else 0],
                "size": n * 7 + file,
            }
            for n in range(30)
        ]
        (folder / f"list-{file}.json").write_text(json.dumps(rows))
    return folder


def _answers(samples: Path) -> dict[str, str]:
    found = items(results([str(samples)], []), default_plan(), vocabulary(), 40, 8000)
    return {item.question.words + item.raw[:20]: item.answer for item in found} | {
        item.question.words + item.emitted[:60]: item.answer for item in found
    }


def _model(samples: Path, fake: Fake, blind_to: str = WITHHELD) -> None:
    """Make the server know every answer, but for prompts that hold some words."""
    known = _answers(samples)

    def reply(body: Any) -> Reply:
        user = body["messages"][-1]["content"]
        shown, _, words = user.removeprefix("Tool result:\n\n").rpartition("\n\nQuestion: ")
        if blind_to in user or shown == WITHHELD:
            return chat("unknown")
        return chat(known.get(words + shown[:20]) or known.get(words + shown[:60]) or "unknown")

    fake.reply = reply


def _run(terse: Terse, fake: Fake, *arguments: str) -> Any:
    return terse(
        "fluency",
        "samples",
        "--endpoint",
        fake.url,
        "--model",
        "m-1",
        "--questions",
        "40",
        *arguments,
        **NO_KEYS,
    )


def test_a_model_that_reads_both_forms_passes(terse: Terse, fake: Fake, samples: Path) -> None:
    """Four requests a question; the report has the model, the shares and the verdict."""
    _model(samples, fake)

    done = _run(terse, fake, "--output", "json")

    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["pairs"] == 40
    assert [arm["right"] for arm in facts["arms"].values()] == [40, 40, 40, 0]
    assert len(fake.requests) == 160
    assert b"160 requests" in done.stderr
    assert b"sent to 127.0.0.1" in done.stderr


def test_a_form_that_is_read_worse_is_exit_code_one(terse: Terse, fake: Fake, samples: Path) -> None:
    """A build can fail on it."""
    _model(samples, fake, blind_to="JSON outline")

    done = _run(terse, fake)

    assert done.returncode == 1, done.stderr
    assert b"read worse" in done.stdout


def test_a_model_that_answers_nonsense_has_no_report(terse: Terse, fake: Fake, samples: Path) -> None:
    """No figures are printed where they would say nothing."""
    fake.reply = lambda body: chat("bananas")

    done = _run(terse, fake)

    assert done.returncode == 2
    assert done.stdout == b""
    assert b"no report: the model answers no question from the original" in done.stderr


def test_malformed_answers_end_the_run(terse: Terse, fake: Fake, samples: Path) -> None:
    """One line that shows what came."""
    fake.reply = lambda body: Reply(200, b"<html>hello</html>")

    done = _run(terse, fake)

    assert done.returncode == 2
    assert b"no report: the first 4 requests failed: a malformed answer: <html>hello</html>" in done.stderr
    assert len(fake.requests) == 4


def test_a_refused_key_ends_the_run_at_the_first_request(terse: Terse, fake: Fake, samples: Path) -> None:
    """Nothing more is sent to a server that will not answer."""
    fake.reply = lambda body: Reply(401, b'{"error":{"message":"invalid key"}}')

    done = _run(terse, fake)

    assert done.returncode == 2
    assert b"status 401: invalid key" in done.stderr
    assert len(fake.requests) == 1


def test_too_few_questions_are_no_report(terse: Terse, fake: Fake, samples: Path) -> None:
    """Thirty pairs at least."""
    _model(samples, fake)

    done = terse("fluency", "samples", "--endpoint", fake.url, "--model", "m", "--questions", "5", **NO_KEYS)

    assert done.returncode == 2
    assert b"5 questions answered in all arms are too few: 30 at least" in done.stderr


def test_a_dry_run_sends_nothing(terse: Terse, fake: Fake, samples: Path) -> None:
    """The questions with their answers, the same every time; no endpoint is needed."""
    first, second = (
        terse("fluency", "samples", "--dry-run", "--questions", "6", **NO_KEYS) for _ in range(2)
    )

    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert b"nothing was sent" in first.stdout
    assert fake.requests == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--endpoint is missing"),
        (("--endpoint", "https://api.example.com/v1"), "--model is missing"),
        (("--endpoint", "https://api.example.com/v1", "--model", "m"), "OPENAI_API_KEY is not set"),
        (("--endpoint", "nowhere", "--model", "m"), "'nowhere' is no address"),
        (("--dry-run", "nothing-here"), "no such file or folder: nothing-here"),
        (("--dry-run", "small.txt"), "nothing to ask"),
        (("--dry-run", "--rules", "nothing.terse"), "nothing.terse"),
    ],
)
def test_bad_input_is_one_line_and_two(
    terse: Terse, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    """Before anything is sent."""
    (tmp_path / "small.txt").write_text("small")

    done = terse("fluency", *arguments, **NO_KEYS)

    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr
