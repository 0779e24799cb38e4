"""The names of all metrics and attributes, with what they mean: `docs/telemetry.md` is made from them."""

from __future__ import annotations

from typing import NamedTuple


class Metric(NamedTuple):
    """
    Attributes:
        kind: `counter` or `histogram`.
        unit: as UCUM has it.
        attributes: the names of those that it has, beside `COMMON`.
    """

    name: str
    kind: str
    unit: str
    about: str
    attributes: tuple[str, ...] = ()


class Attribute(NamedTuple):
    name: str
    about: str


METHOD, TOOL, OPERATION, ERROR = (
    "mcp.method.name",
    "gen_ai.tool.name",
    "gen_ai.operation.name",
    "error.type",
)
SERVER, CLIENT, WHAT, RULE, CLASS = (
    "terse.server",
    "terse.client",
    "terse.what",
    "terse.rule",
    "terse.class",
)
TIER, FORM, REPEAT, KEPT, BOUND, FAULT = (
    "terse.tier",
    "terse.form",
    "terse.repeat",
    "terse.retrieved",
    "terse.bound",
    "terse.fault",
)
LINES, FIRST = "terse.lines", "terse.first_retrieve"

COMMON = (SERVER, METHOD, TOOL, WHAT)
"""What every metric can be split by."""

ATTRIBUTES = (
    Attribute(METHOD, "`tools/call` or `tools/list`"),
    Attribute(
        TOOL,
        "the server's name of the tool; of `retrieve` that of the tool whose result is fetched; `_OTHER` "
        "beyond the first 1,000 names of a process, and for a name of over 128 characters",
    ),
    Attribute(OPERATION, "`execute_tool` for calls"),
    Attribute(ERROR, "`tool_error` where the result says `isError`, `_OTHER` for an error of the protocol"),
    Attribute(SERVER, "the name that rules know the server by"),
    Attribute(CLIENT, "the client's name as it gives it (spans only)"),
    Attribute(WHAT, "`result`, `list`, `retrieve`, `definition`, `refusal` or `error`"),
    Attribute(RULE, "the rule that applied; absent where none did"),
    Attribute(CLASS, "`exact`, `lossless`, `recoverable` or `lossy`"),
    Attribute(TIER, "a step of the chain that changed something; of a span, the list of them"),
    Attribute(LINES, "the field lines that changed something, as the rule has them (spans only)"),
    Attribute(FORM, "where the model finds the result: `text`, `joined` or `structured`"),
    Attribute(REPEAT, "`dedup` or `diff` where the result was sent as what changed"),
    Attribute(KEPT, "of `retrieve`: `value` or `whole`; absent where nothing was kept under the handle"),
    Attribute(FIRST, "of `retrieve`: nothing was fetched with this handle before (spans only)"),
    Attribute(BOUND, "`lose at most`, `spend at most` or `fit in`; of a span, the list of them"),
    Attribute(FAULT, "`rule`, `step`, `gate`, `late`, `too large` or `other`; of a span, the list of them"),
)

MESSAGES = Metric(
    "terse.messages",
    "counter",
    "{message}",
    "messages that were sent to clients",
    (RULE, CLASS, FORM, REPEAT, KEPT, ERROR),
)
TOKENS_IN = Metric(
    "terse.tokens.received",
    "counter",
    "{token}",
    "tokens that a model would have been shown without terse, of messages whose tokens were counted",
    (RULE, CLASS),
)
TOKENS_OUT = Metric(
    "terse.tokens.sent",
    "counter",
    "{token}",
    "tokens that it was shown, of the same messages",
    (RULE, CLASS),
)
BYTES_IN = Metric(
    "terse.bytes.received", "counter", "By", "bytes of the messages as they came", (RULE, CLASS)
)
BYTES_OUT = Metric("terse.bytes.sent", "counter", "By", "bytes of them as they were sent", (RULE, CLASS))
TIERS = Metric("terse.tiers", "counter", "{result}", "results that a step of a chain changed", (RULE, TIER))
ASIDE = Metric("terse.aside.values", "counter", "{value}", "values that were set aside", (RULE,))
ASIDE_TOKENS = Metric("terse.aside.tokens", "counter", "{token}", "their tokens", (RULE,))
BOUNDS = Metric("terse.bounds", "counter", "{result}", "results in which a bound was hit", (RULE, BOUND))
FAULTS = Metric("terse.faults", "counter", "{result}", "results in which something of ours failed", (FAULT,))
ADDED = Metric(
    "terse.added.duration",
    "histogram",
    "s",
    "how long a message waited here: from when it had come in whole until it was sent",
    (RULE,),
)
DURATION = Metric(
    "mcp.server.operation.duration",
    "histogram",
    "s",
    "from when a call was forwarded until its answer was sent",
    (OPERATION, ERROR),
)

METRICS = (
    *(MESSAGES, TOKENS_IN, TOKENS_OUT, BYTES_IN, BYTES_OUT, TIERS, ASIDE, ASIDE_TOKENS, BOUNDS, FAULTS),
    *(ADDED, DURATION),
)

ADDED_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
DURATION_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""As OpenTelemetry's conventions for MCP have them (semantic-conventions-genai, docs/gen-ai/mcp.md)."""
