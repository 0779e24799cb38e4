"""`terse cli NAME TOOL …`: a server as a local command, with flags from its schemas and smaller results.

Read by hand, and with late imports: a call is to take no longer than its server needs.
"""

from __future__ import annotations

import os

from terse.cli import console
from terse.shell import background, known, place
from terse.shell.exchange import Gone, Late, Lost
from terse.shell.line import WAIT_SECONDS, Line, read
from terse.shell.session import Answer, begin, called, listed, renewed
from terse.shell.unusable import Unusable, Wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from terse.shell.arguments import Given
    from terse.shell.background import Running
    from terse.shell.result import Blob, Output
    from terse.shell.source import Source
    from terse.shell.tools import Tool

HELP = """Usage: terse cli NAME [OPTION]…                          the tools of a server
       terse cli NAME TOOL --help                         the flags of a tool
       terse cli NAME [OPTION]… TOOL [--FLAG VALUE]…      call it
       terse cli NAME [TOOL …] -- COMMAND [ARGUMENT]…     a server that is new, by a name that you choose
       terse cli NAME URL

An MCP server as a local command: its tools are subcommands, their arguments are flags, and results are made
smaller by rules, as `terse proxy` makes them. The first call starts the server in the background; later ones
use it, and its session: a repeat is told as one, and what was set aside is fetched with
`terse cli NAME retrieve HANDLE`. It ends after ten minutes without a call.

NAME is a server of ~/.config/terse/servers.json, a document as MCP clients have it, or of --config FILE. With
`-- COMMAND`, or a URL, it is written into the former, together with -e, --cwd, -H and --transport.

Flags of a tool:
  --max-results 5          also --max_results and --maxResults; as the schema names it, or with dashes
  --draft, --no-draft      true and false
  --label a --label b      a list: one flag for each of its values, or the list as JSON
  --filter.state open      a member of an object; or --filter '{"state": "open"}'
  --body @FILE, --body -   the text of a file, or stdin; @@ begins a text that begins with @
  --arguments JSON         all of them, or those that are not given as flags; also @FILE and -
  VALUE                    where just one argument has to be given, its value alone will do

Results (these may stand before TOOL, and after it unless the tool has a flag of that name):
  --json                   the whole result as JSON, structuredContent and all
  --raw                    as the server gave it, with no rule run
  --output FILE            put the image, sound or file of the result there; of several, FILE-2, FILE-3 …
  --wait SECONDS           give up an answer after: 600 if not given

Servers (before TOOL):
  --config FILE            take the server from this document: JSON or YAML, or the JSON itself
  --no-daemon              run the server for this call only, and leave nothing behind
  --idle SECONDS           end the process in the background when it was not called for: 600 if not given
  --stop                   end it now; without NAME, all of them
  --list                   the servers that have a name, and those that run; without NAME
  --forget                 take NAME out of ~/.config/terse/servers.json, and end it
  --alias                  print a line for your shell's start file that makes NAME a command
  --help                   this page; after a tool, the tool's

Of `terse proxy`, which says more of them (before TOOL):
  --rules PATH, --store FILE, --memory SIZE, -e NAME=VALUE, --cwd FOLDER, -H 'NAME: VALUE', --transport KIND,
  --timeout SECONDS, --no-login, --login-timeout SECONDS

Completion of tools, flags and values: terse --install-completion.

Examples:
  terse cli memory -- npx -y @modelcontextprotocol/server-memory
  terse cli files list_directory --path . -- npx -y @modelcontextprotocol/server-filesystem .

Exit codes: 0 done; 1 the tool says that it failed, on stderr; 2 not done: a wrong argument, a server
that does not start.
"""

RETRIES = 3


def main(arguments: list[str]) -> int:
    """Do what a command line says, and return the exit code.

    Args:
        arguments: what follows `terse cli`.
    """
    if not hasattr(os, "fork"):
        return _complain("servers run in the background on Linux and macOS only")
    try:
        return _run(read(arguments))
    except Unusable as refusal:
        return _complain(str(refusal))
    except Exception as error:
        return console.failed(error)


def _run(line: Line) -> int:
    if line.name is None:
        if "--list" in line.flags:
            return _list()
        if "--stop" in line.flags:
            return _stop(None)
        asks_for_help = line.flags & {"--help", "-h"}
        if not asks_for_help and (line.values or line.passed or line.words or line.server):
            raise Unusable("name the server: terse cli NAME …; terse cli --list shows those that have a name")
        console.write(HELP)
        return console.OK
    if "--list" in line.flags:
        raise Unusable("--list stands alone: terse cli --list")
    if line.server:
        _keep(line)
    if "--forget" in line.flags:
        was_known = known.forget(line.name)
        _stop(line.name)
        if not was_known:
            raise Unusable(f"there is no server {line.name} in {known.path()}")
        return console.OK
    if "--stop" in line.flags:
        return _stop(line.name)
    if "--alias" in line.flags:
        return _alias(line)
    source = line.source()
    if "--no-daemon" in line.flags:
        with background.attached(source, begin) as (running, tools):
            return _Call(line, source, running, tools).made()
    running = background.current(source) or _started(source, None)
    try:
        return _Call(line, source, running, place.read(source.tools) or b"[]").made()
    finally:
        for said in background.news(source):
            console.write_error(_safe(said) + "\n")


class _Call:
    """One call of a tool, or a look at them."""

    def __init__(self, line: Line, source: Source, running: Running, tools: bytes) -> None:
        self._line = line
        self._source = source
        self._running = running
        self._listed = tools
        self._stdin: str | None = None
        self._wait = line.seconds("--wait", WAIT_SECONDS)

    def made(self) -> int:
        """
        Raises:
            Unusable: it cannot be.
        """
        from terse.shell.tools import read as read_tools

        line = self._line
        if line.tool is None or line.flags & {"--help", "-h"}:
            self._refresh()
            return self._help(read_tools(self._listed))
        try:
            tool, given = self._prepared(read_tools(self._listed))
        except Wrong:
            if not self._refresh():
                raise
            tool, given = self._prepared(read_tools(self._listed))
        if given.own.keys() & {"--help", "-h"}:
            return self._tool_help(tool)
        if "--wait" in given.own:
            line.values["--wait"] = given.own["--wait"]
            self._wait = line.seconds("--wait", WAIT_SECONDS)
        answer = self._answer(tool, given)
        if answer.tools_changed:
            self._refresh()
        return _printed(answer, line, given, f"{line.name} {tool.name}")

    def _prepared(self, tools: list[Tool]) -> tuple[Tool, Given]:
        from terse.shell.arguments import given as read_arguments
        from terse.shell.flags import Flags
        from terse.shell.tools import named
        from terse.shell.validity import check

        assert self._line.name is not None
        assert self._line.tool is not None
        tool = named(self._line.tool, tools, self._line.name)
        try:
            given = read_arguments(self._line.words, Flags(tool.schema), self._read)
            if not given.own.keys() & {"--help", "-h"}:
                check(given.arguments, tool.schema, is_sure=given.is_sure)
        except Wrong as reason:
            raise Wrong(f"{tool.name}: {reason}") from None
        return tool, given

    def _answer(self, tool: Tool, given: Given) -> Answer:
        from terse.payload.exact import dump

        raw = "--raw" in self._line.flags or "--raw" in given.own
        arguments = dump(given.arguments)
        for _ in range(RETRIES):
            try:
                return called(self._running, tool.name, arguments, self._wait, raw=raw)
            except Lost:
                self._renew()
            except Late:
                raise Unusable(
                    f"{self._line.name} {tool.name}: no answer in {self._wait:g} s: it was told that nobody "
                    "waits; --wait SECONDS waits longer"
                ) from None
            except Gone:
                raise Unusable(
                    f"{self._line.name}: its process ended while it was asked: whether {tool.name} was done "
                    "is not known"
                ) from None
        raise Unusable(f"{self._line.name} is busy, or ends again and again: see {self._source.log}")

    def _refresh(self) -> bool:
        """Ask for the tools; whether they are other ones than before."""
        for _ in range(RETRIES):
            try:
                fresh = listed(self._running, self._wait)
                break
            except Lost:
                self._renew()
            except (Gone, Late):
                raise Unusable(f"{self._line.name} does not list its tools") from None
        else:
            raise Unusable(f"{self._line.name} is busy, or ends again and again: see {self._source.log}")
        if fresh == self._listed:
            return False
        self._listed = fresh
        if "--no-daemon" not in self._line.flags:
            place.write(self._source.tools, fresh)
        return True

    def _renew(self) -> None:
        if "--no-daemon" in self._line.flags:
            raise Unusable(f"{self._line.name} has ended")
        try:
            self._running = renewed(self._source, self._running)
        except Lost:
            self._running = _started(self._source, self._running)

    def _help(self, tools: list[Tool]) -> int:
        from terse.shell.page import tools_page
        from terse.shell.tools import named

        if self._line.tool is not None:
            return self._tool_help(named(self._line.tool, tools, str(self._line.name)))
        console.write(tools_page(f"terse cli {self._line.name}", tools))
        return console.OK

    def _tool_help(self, tool: Tool) -> int:
        from terse.shell.page import tool_page

        console.write(tool_page(f"terse cli {self._line.name}", tool))
        return console.OK

    def _read(self, word: str) -> str:
        """
        Raises:
            Unusable: it cannot be read.
        """
        from terse.cli.files import read_bytes

        if word == "-":
            if self._stdin is None:
                self._stdin = _text(read_bytes("-"), "stdin")
            return self._stdin
        return _text(read_bytes(word[1:]), word[1:])


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unusable(f"{name} is not UTF-8 text (byte {error.start})") from None


def _started(source: Source, broken: Running | None) -> Running:
    from terse.cli.proxied import Unusable as NoServer
    from terse.cli.proxied import chosen_server
    from terse.proxy.servers import Local

    if not source.config.startswith("{") and not os.path.exists(source.config):
        hint = "" if source.config != known.path() else f": terse cli {source.name} -- COMMAND makes it"
        raise Unusable(f"there is no {source.config}{hint}")

    def resolve(source: Source) -> str:
        try:
            _, server = chosen_server(None, source.config, source.name, [], None)
        except NoServer as reason:
            raise Unusable(str(reason)) from None
        if isinstance(server, Local):
            return repr((server.command, server.args, sorted(server.env.items()), server.cwd))
        return repr((server.url, sorted(server.headers.items()), server.transport))

    return background.started(source, resolve, _document(source), begin, broken)


def _document(source: Source) -> str:
    if source.config.startswith("{"):
        return source.config
    try:
        with open(source.config, encoding="utf-8", errors="replace") as file:
            return file.read(known.MAX_BYTES)
    except OSError:
        return ""


# ---- what is printed -----------------------------------------------------------------------------------


def _printed(answer: Answer, line: Line, given: Given, called: str) -> int:
    from terse.shell.result import Output, whole

    if answer.result is None:
        return _complain(f"{called}: {answer.error}", console.FINDINGS)
    output = Output(answer.raw, answer.result)
    code = console.FINDINGS if output.is_error else console.OK
    target = given.own.get("--output", line.values.get("--output"))
    missing = target is not None and not output.blobs
    if target is not None:
        _save(output.blobs, target)
    if "--json" in line.flags or "--json" in given.own:
        _write(f"{whole(answer.raw)}\n", 1)
    else:
        _write(output.text, 2 if output.is_error else 1)
        _note(output, target)
    if missing:
        return _complain(f"there is nothing but text in the result: {target} was not written", code or 1)
    return code


def _save(blobs: list[Blob], target: str) -> None:
    from terse.cli.files import shown

    base, end = os.path.splitext(target)
    for number, blob in enumerate(blobs, 1):
        path = target if number == 1 else f"{base}-{number}{end}"
        if blob.data is None:
            raise Unusable(f"{blob.kind}: its data is not base64, and is not written")
        try:
            with open(path, "wb") as file:
                file.write(blob.data)
        except OSError as error:
            raise Unusable(f"cannot write {shown(path)}: {error.strerror}") from None


def _note(output: Output, target: str | None) -> None:
    """On stderr, one line each: stdout is text only."""
    for blob in output.blobs if target is None else ():
        size = "broken data" if blob.data is None else f"{len(blob.data):,} bytes"
        name = f"{blob.name}, " if blob.name else ""
        console.write_error(_safe(f"[{name}{blob.kind}, {size}: --output FILE keeps it]") + "\n")


def _write(text: str, descriptor: int) -> None:
    """To a terminal, with what would command it escaped; anywhere else, as it is."""
    if not text:
        return
    if os.isatty(descriptor):
        text = _safe(text)
    if descriptor == 2:
        console.write_error(text)
    else:
        console.write_bytes(text.encode("utf-8", "surrogatepass"))


def _safe(text: str) -> str:
    from terse.hidden import visible

    return visible(text, "\n\t")


def _complain(message: str, code: int = console.UNUSABLE) -> int:
    console.write_error(f"terse: {_safe(message)}\n")
    return code


# ---- servers -------------------------------------------------------------------------------------------


def _keep(line: Line) -> None:
    """Write a new server into the user's document."""
    assert line.name is not None
    if "--config" in line.values:
        raise Unusable("--config says which server it is: leave out the command or URL")
    passed = line.passed
    entry: dict[str, Any]
    if len(line.server) == 1 and line.server[0].startswith(("http://", "https://")):
        headers = dict(_pair(each, ":", "-H: write 'NAME: VALUE'") for each in passed.pop("-H", []))
        entry = {"url": line.server[0], **({"headers": headers} if headers else {})}
        if "--transport" in passed:
            entry["type"] = passed.pop("--transport")[0]
    else:
        env = dict(_pair(each, "=", "-e: write NAME=VALUE") for each in passed.pop("-e", []))
        command, *words = line.server
        cwd = passed.pop("--cwd", None)
        entry = {"command": command, "args": words, **({"env": env} if env else {})}
        stands = known.entries(known.path()).get(line.name)
        if cwd is None and isinstance(stands, dict) and {**stands, "cwd": ""} == {**entry, "cwd": ""}:
            # The same command in another folder is the same server.
            return
        entry["cwd"] = os.getcwd() if cwd is None else cwd[0]
    if known.keep(line.name, entry):
        console.write_error(f"terse: {line.name} is in {known.path()} now\n")


def _pair(text: str, sign: str, wrong: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found or not name.strip():
        raise Unusable(wrong)
    return name.strip(), value.strip() if sign == ":" else value


def _stop(name: str | None) -> int:
    stopped = 0
    for path in background.known_states():
        facts = background.read_state(path)
        if name is None or (facts is not None and facts.get("name") == name):
            stopped += background.stopped(path)
    if name is not None and not stopped:
        console.write_error(f"terse: {_safe(name)} does not run\n")
    return console.OK


def _list() -> int:
    from time import time

    rows: dict[str, list[str]] = {}
    for name, entry in known.entries(known.path()).items():
        what = (entry.get("url") or entry.get("command") or "") if isinstance(entry, dict) else ""
        args = entry.get("args") if isinstance(entry, dict) else None
        if isinstance(args, list) and "url" not in entry:
            what = " ".join([what, *map(str, args)])
        rows[name] = [what.partition("?")[0], "does not run"]
    for path in background.known_states():
        facts = background.found(path)
        if facts is not None:
            minutes = int(time() - facts.get("since", time())) // 60
            source = facts.get("config") or "--config {…}"
            row = rows.setdefault(facts["name"], [source, ""])
            row[1] = f"runs, process {facts['pid']}, for {minutes} min"
    if not rows:
        console.write("no server has a name yet: terse cli NAME -- COMMAND\n")
    widest = max(map(len, rows), default=0)
    for name, (what, state) in rows.items():
        console.write(_safe(f"{name.ljust(widest)}  {state}: {what[:120]}") + "\n")
    return console.OK


def _alias(line: Line) -> int:
    import re
    import shlex

    assert line.name is not None
    words = ["terse", "cli", line.name, *line.options()]
    if "--config" in line.values:
        config = line.values["--config"]
        words += ["--config", config if config.lstrip().startswith("{") else os.path.abspath(config)]
    name = re.sub(r"[^A-Za-z0-9_-]", "-", line.name)
    console.write(f"alias {name}={shlex.quote(shlex.join(words))}\n")
    return console.OK
