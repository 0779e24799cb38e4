"""What is noted of each message that the proxy sent of its own making, or could have: sizes, names, time.

Whoever keeps such notes (the ledger, telemetry) is an `Observer`, handed to
`terse.proxy.session.ProxySession`.
INVARIANT: a record holds no content and no arguments: of a call only the name of its tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

import msgspec

from terse.guarantee import Guarantee

What = Literal["result", "list", "retrieve", "definition", "refusal", "error"]
"""What a message was.

- `result`: the result of a call; also one with `isError`, see `Record.is_error`.
- `list`: a page of the server's tools, where rules may change it: any other goes by without being looked at.
- `retrieve`: what the proxy's own tool gave of what was set aside, or of a whole that was sent as a change.
- `definition`: what the proxy's own tools gave of the list: a schema, the names of wrapped tools.
- `refusal`: a call that the proxy answered in the server's place: a hidden tool, a missing argument.
- `error`: a call that the server answered with an error of the protocol: it has no result.
"""

Form = Literal["text", "joined", "structured"]
"""Where the model finds a result: in its texts, in one text that stands for all of them, or in
`structuredContent`, which such a client shows in place of the texts."""

Bound = Literal["lose at most", "spend at most", "fit in"]
"""A bound that was hit: values were spared that a line would have lost; steps were left out for want of time
(also where the rule says nothing of time, and the default holds); the result is larger than it was to fit
in."""

Fault = Literal["rule", "step", "gate", "late", "too large", "other"]
"""What went wrong, of ours. All but `step` had the message sent as it came.

- `rule`: choosing or running the rule failed.
- `step`: a step of the chain raised; the others stand.
- `gate`: what was made did not decode to what came.
- `late`: it was not ready in time, or waited behind one that was not.
- `too large`: the message is over the proxy's limit.
- `other`: reading or writing the message failed.
"""

Kept = Literal["value", "whole"]
"""What is fetched with a handle: a value that a rule set aside, or the whole of a result that was sent as
what changed since an earlier one."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message that was sent to the client.

    Tokens are exact, of what the client shows its model: the texts of a result, or its `structuredContent`
    written compactly; of a list, name, description and inputSchema of each tool, written compactly. They are
    None where they were not counted: they are counted once the message is sent, and only where nothing
    waits for that (a message that no rule touches and that is over
    `terse.proxy.rewriting.MAX_COUNTED_BYTES`, too much that waits to be counted, an end that comes before).
    Sums over records have to leave both out then, or to say so; bytes are always there.

    Savings are `tokens_in - tokens_out`. Net of what they cost: from the sum over results and lists, take off
    `tokens_out` of every `retrieve` and `definition`. What explains a short form stands in the result and
    is in its `tokens_out`, as are the marks of what was set aside; our own tools' definitions are in that
    of the list. A `refusal` costs a call, and no tokens are taken off for it but its own.

    Attributes:
        at: when it had been sent: seconds since 1970, by the clock of the machine.
        what: what it was.
        client: the client's name as it gives it, or `--client`; empty if it never said.
        server: the name that rules know it by.
        tool: the server's name of the tool. Of `retrieve` that of the tool whose result holds the handle, so
            that what a tool's results cost stands with it; empty where the handle is from before this
            session, or made up. Of `definition` that which was asked about, as the client calls it; empty of
            a list of names. Of `list` empty.
        is_error: the result says `isError`, or is an error.
        rule: the rule that applied; of a result with several texts, that of the longest one that has a
            rule. Of `retrieve` the rule under which it was set aside. None where there is none, and of
            anything else.
        guarantee: what the client can rely on, of the whole message: the lowest of its texts. `EXACT` where
            it was sent as it came.
        lines: the field lines that changed something, as the rule has them (`remove every *_url`), in order.
        tiers: the steps of the chain that did, by name, without their options, in order.
        tokens_in: as the client would have been shown it without the proxy; 0 of what the proxy adds.
        tokens_out: as it was shown it.
        bytes_in, bytes_out: of the whole message, line end included; `bytes_in` is 0 of what the proxy adds.
        milliseconds: by the wall clock, from when the message had come in whole until it was sent; 0 of one
            that was forwarded at once. For what the proxy answers itself, from the call on.
        call_milliseconds: from when the call was forwarded until its answer was sent; None where that is not
            known.
        repeat: it was sent as what changed: `dedup` (nothing did) or `diff`; None: in full.
        aside_values, aside_tokens: distinct values that this result set aside, and their tokens (None as
            above).
        retrieved: of `retrieve`, what the handle stands for; None where nothing is kept under it.
        is_first: of `retrieve`: nothing was fetched with this handle before. Over a tool, the sum of
            `aside_values` less the number of its first retrieves of a `value` is what nobody ever asked
            for, but that a value set aside twice counts twice.
        bounds, faults: see there; each once.
        form: see there; `text` of anything but results.
        traceparent, tracestate: the W3C trace context of the request (its `_meta`), None if it had none. For
            telemetry; not to be stored.
    """

    at: float
    what: What
    client: str
    server: str
    tool: str
    bytes_in: int
    bytes_out: int
    milliseconds: float
    is_error: bool = False
    rule: str | None = None
    guarantee: Guarantee = Guarantee.EXACT
    lines: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    call_milliseconds: float | None = None
    repeat: Literal["dedup", "diff"] | None = None
    aside_values: int = 0
    aside_tokens: int | None = 0
    retrieved: Kept | None = None
    is_first: bool = False
    bounds: tuple[Bound, ...] = ()
    faults: tuple[Fault, ...] = ()
    form: Form = "text"
    traceparent: str | None = None
    tracestate: str | None = None


Observer = Callable[[Record], None]
"""Takes each record, once, in the thread that rewrites the results of its connection, after the message was
sent and when no result waits. It is to return at once (put it in a queue), and may be called from the
threads of several connections at a time. What it raises is said on stderr once, and disturbs nothing."""


def numbers(record: Record) -> Counter[str]:
    """What a record adds to sums over all of them.

    Returns:
        by name: `results`, `lists`, `retrieves`, `definitions`, `refusals`, `errors` (messages, by what they
        were: see `What`), `bytes_in`, `bytes_out`, `tokens_in`, `tokens_out`, `tokens_fetched` (what was
        fetched later, to be taken off the savings), `not_counted` (messages whose tokens nobody knows, and
        which are in none of these sums).
    """
    made = Counter({f"{record.what}s": 1, "bytes_in": record.bytes_in, "bytes_out": record.bytes_out})
    if record.tokens_in is None or record.tokens_out is None:
        made["not_counted"] = 1
    elif record.what in ("retrieve", "definition"):
        made["tokens_fetched"] = record.tokens_out
    else:
        made["tokens_in"], made["tokens_out"] = record.tokens_in, record.tokens_out
    return made
