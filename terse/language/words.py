"""What each word of the language means, one sentence each: for hover texts, completion and the docs.

Tiers, options and codes carry their own sentences; these are the words of the grammar.
"""

from __future__ import annotations

ITEMS: dict[str, str] = {
    "terse": "`terse 1`: the edition of the language; the first line of every file.",
    "import": '`import "path"`: everything in that file, once; the path is relative to this file.',
    "chain": "`chain NAME = tier then tier …`: gives steps a name that `use` takes.",
    "profile": "`profile NAME { … }`: a bundle of field lines, used by `apply NAME`.",
    "rule": "`rule NAME { … }`: chooses what happens to a call; exactly one rule applies, the narrowest.",
    "override": "`override rule NAME { … }`: replaces an imported rule whole.",
    "guard": "`guard NAME { … }`: restricts; every guard that matches applies, and nothing undoes one.",
    "tools": "`tools SERVER/TOOL, … { … }`: what the agent is shown of these tools.",
    "test": '`test "sentence" { … }`: calls, the answers they are given, and what is expected of the last.',
}
"""Words that begin an item."""

LINES: dict[str, str] = {
    "on": "`on server/tool, …`: the calls this is about; `*` stands for any run of characters in its half.",
    "except": "`except server/tool, …`: takes calls away; it does not make anything narrower.",
    "when": "`when …`: a condition; every `when` line of a rule must hold.",
    "use": "`use chain`: lossless steps, from left to right; one that makes nothing shorter is dropped.",
    "apply": "`apply profile, …`: the field lines of these profiles, as if they stood here.",
    "keep": "`keep …`: these values come out unchanged, whatever else the rule does.",
    "remove": "`remove … [over N unit]`: these values are gone. Lossy: the only word that loses anything.",
    "shorten": "`shorten … to N unit`: what is longer is cut; the rest is set aside, unless it says "
    "`and remove the rest`.",
    "set aside": "`set aside … [over N unit]`: a short handle stands for these values; the agent can fetch "
    "them for the rest of the session. Recoverable.",
    "fit in": "`fit in N tokens { … }`: field lines tried one after another until the result fits.",
    "lose at most": "`lose at most N%`: the share of the tokens that `remove` may take; what is beyond is "
    "set aside.",
    "spend at most": "`spend at most N ms`: the time for the chain; the steps done by then stand.",
    "require": "`require CLASS`: in a rule it is checked, in a guard it is enforced.",
    "because": '`because "…"`: the reason, for whoever reviews this; `explain` shows it.',
    "never store": "`never store`: nothing of such a result is kept in memory or on disk.",
    "never use": "`never use tier, …`: these tiers do not run for such calls.",
    "compress": "`compress LEVEL [for tool, …]`: how much of a tool's description the agent is shown.",
    "present": "`present in place` or `present wrapped`: every tool stays a tool of its own, or all are "
    "reached through three tools of the proxy.",
    "show": "`show tool, …`: the agent is shown only these tools.",
    "hide": "`hide tool, …`: the agent is not shown these tools, and cannot call them.",
    "rename": "`rename tool to tool`: the agent is shown the tool under another name.",
    "call": "`call server/tool(argument: value)`: a call of the test's session.",
    "given": '`given "file"`: what the tool answers.',
    "expect": "`expect …`: what must be true of the last call's result.",
}
"""Words that begin a line of a block."""

INSIDE: dict[str, str] = {
    "payload": "`payload is KIND`, `payload has FIELD, …`, `payload over N unit`: what the result is.",
    "field": "`field PATH is KIND`, `field PATH over N unit`: the first value that the path finds.",
    "argument": "`argument NAME is …`, `matches …`, `exists`, `is missing`: what the call asked for.",
    "call repeats": "`call repeats [within N calls]`: the same call was made before in this session.",
    "session": "`session over N tokens`: so many tokens were sent to this client so far.",
    "is": "one of these.",
    "has": "each of these selectors finds something.",
    "matches": "the whole argument is matched; `*` stands for any run of characters.",
    "exists": "the call has this argument; one that is null is there.",
    "is missing": "the call does not have this argument.",
    "within": "so many calls ago at most.",
    "over": "larger than this; without the limit itself.",
    "under": "smaller than this; without the limit itself.",
    "in place": "every tool stays a tool of its own, and is described in fewer words. The default.",
    "wrapped": "the client sees `list_tools`, `get_tool_schema` and `invoke_tool` in place of the tools.",
    "or": "one of several kinds; between conditions there is no `or`: write two rules.",
    "to": "what stays of each value, or the new name of a tool.",
    "then": "the next step of a chain.",
    "for": "only for these tools.",
    "every": "`every KEY`: that key at any depth.",
    "everything": "the whole payload; with rows, the rows of its longest list of objects.",
    "lines matching": "`lines matching /regex/`: the lines of a text in which the regex is found.",
    "code blocks": "the fenced blocks of a markdown text.",
    "terminal codes": "colours and cursor movements in a text.",
    "first": "its beginning stays.",
    "last": "its end stays.",
    "from both ends": "its beginning and its end stay.",
    "and remove the rest": "what is cut off is gone and cannot be fetched. Lossy.",
    "saving": "`saving over N%`: tokens saved, of the result as it came.",
    "keeps": "`keeps FIELD, …`: these values are in what was sent, unchanged.",
    "text": "`text`: any text that is not JSON; in a test, a text that stands in what was sent.",
    "no rule": "no rule applies: the result passes as it came.",
    "no text": "a text that does not stand in what was sent.",
}
"""Words inside a line."""

CLASSES: dict[str, str] = {
    "exact": "exact: the same bytes.",
    "lossless": "lossless: decodes to an equal value.",
    "recoverable": "recoverable: all of it can be fetched in this session.",
    "lossy": "lossy: something is gone.",
}

KINDS: dict[str, str] = {
    "json": "JSON: a list, an object, or records.",
    "records": "JSON: a list of objects.",
    "object": "JSON: one object.",
    "log": "text: lines with times or levels.",
    "markdown": "text: Markdown.",
    "code": "text: source code.",
    "diff": "text: a unified diff.",
    "html": "text: HTML.",
    "csv": "text: CSV or TSV.",
    "binary": "what is no text.",
}

LEVELS: dict[str, str] = {
    "low": "full descriptions.",
    "medium": "the first sentence of each description.",
    "high": "names and arguments.",
    "max": "names only.",
}

SENTENCES: dict[str, str] = {**LEVELS, **KINDS, **CLASSES, **INSIDE, **LINES, **ITEMS}
"""All of them, by the word as it is written."""
