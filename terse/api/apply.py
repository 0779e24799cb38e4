"""One result through a plan. What goes wrong in here gives the result as it came, and says so."""

from __future__ import annotations

import json
from typing import NamedTuple, TypeVar

from terse.api.applied import Applied
from terse.api.shapes import NotAResult, Shape, shape_of
from terse.fields.marks import RETRIEVE
from terse.guarantee import lowest
from terse.memory.session import Session as Memory
from terse.payload.blocks import join
from terse.payload.call import Call
from terse.payload.exact import NotExact, parse_unambiguous
from terse.plan.model import Plan
from terse.plan.result import Answered, run_result
from terse.plan.trace import Outcome, StepStatus
from terse.tokens import Vocabulary

R = TypeVar("R")

MAX_CHARACTERS = 8 * 1024 * 1024
"""Of all texts of a result: more is left as it came. The proxy has the same bound for a message."""


class Ran(NamedTuple):
    """What is noted of a result once it is sent."""

    call: Call
    outcomes: tuple[Outcome, ...]


def apply(
    plan: Plan,
    result: R,
    call: Call | str,
    memory: Memory,
    vocabulary: Vocabulary,
    *,
    retrieve_tool: str | None = None,
    counted: bool = True,
) -> tuple[Applied[R], Ran | None]:
    """
    Args:
        retrieve_tool: None: the model cannot fetch what would be set aside.
        counted: False: tokens are counted only where the run needs to know; `Applied` says 0. A small
            result then costs no vocabulary.

    Returns:
        what is to be sent, and what to note of it; None where no rules were run.

    Raises:
        ValueError: the call is a text, and not `server/tool`.
    """
    named = named_call(call)
    shape = Shape(result, ())
    try:
        shape = shape_of(result)
        if sum(map(len, shape.texts)) > MAX_CHARACTERS:
            return _as_it_came(shape, "too large: over 8 Mi characters"), None
        asked = exact_call(named, is_error=shape.is_error)
        if not shape.texts:
            return _as_it_came(shape), None
        answered = run_result(
            plan,
            shape.texts,
            asked,
            memory,
            vocabulary,
            joined=join(shape.texts) if shape.may_be_one and not asked.is_error else None,
            can_retrieve=retrieve_tool is not None,
            retrieve_tool=retrieve_tool or RETRIEVE,
        )
        return _applied(shape, answered, vocabulary if counted else None), Ran(asked, answered.outcomes)
    except (KeyboardInterrupt, SystemExit):
        raise
    except NotAResult as error:
        return _as_it_came(shape, str(error)), None
    # Not only Exception: a panic in a tokenizer's native code arrives as a BaseException. Its words may
    # quote the payload.
    except BaseException as error:
        return _as_it_came(shape, type(error).__name__), None


def named_call(call: Call | str) -> Call:
    """
    Raises:
        ValueError: it is a text, and not `server/tool`.
    """
    if isinstance(call, Call):
        return call
    server, slash, tool = call.partition("/")
    if not (server and slash and tool):
        raise ValueError(f"a call is written server/tool, not {call[:80]!r}")
    return Call(server, tool)


def exact_call(call: Call, *, is_error: bool = False) -> Call:
    """The call with arguments as rules compare them: numbers as JSON writes them.

    Raises:
        ValueError, TypeError: the arguments are no JSON object.
    """
    arguments = parse_unambiguous(json.dumps(dict(call.arguments)))
    if not isinstance(arguments, dict):
        raise NotExact("arguments that are no object")
    return Call(call.server, call.tool, arguments, call.is_error or is_error)


def _applied(shape: Shape, answered: Answered, vocabulary: Vocabulary | None) -> Applied[R]:
    outcomes, texts = answered.outcomes, answered.texts
    changed = texts != shape.texts
    tokens_in = sum(map(vocabulary.count, shape.texts)) if vocabulary is not None else 0
    ruled = [outcome.trace.rule.name for outcome in outcomes if outcome.trace.rule is not None]
    handles = [handle for outcome in outcomes for handle in _handles(outcome)]
    return Applied(
        result=shape.with_texts(texts) if changed else shape.given,
        texts=texts,
        guarantee=lowest(outcome.guarantee for outcome in outcomes),
        rules=tuple(dict.fromkeys(ruled)),
        tokens_in=tokens_in,
        tokens_out=sum(map(vocabulary.count, texts)) if changed and vocabulary is not None else tokens_in,
        handles=tuple(dict.fromkeys(handles)),
        fault=_fault(answered),
    )


def _handles(outcome: Outcome) -> tuple[str, ...]:
    whole = outcome.trace.whole
    return outcome.trace.handles if whole is None else (*outcome.trace.handles, whole)


def _fault(answered: Answered) -> str | None:
    """What failed on the way to what is sent. Not the words of the failure: they may quote the result."""
    for outcome in (*answered.outcomes, *answered.untaken):
        if outcome.trace.gate.failed:
            return outcome.trace.gate.verdict.partition(":")[0]
        for step in outcome.trace.steps:
            if step.status is StepStatus.FAILED:
                return f"{step.label} failed"
    return None


def _as_it_came(shape: Shape, fault: str | None = None) -> Applied[R]:
    return Applied(shape.given, shape.texts, fault=fault)
