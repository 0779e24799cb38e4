"""Completion, in the shells themselves: tools, flags, values; and what a server says can be no command."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from terse.cli.main import COMMANDS
from tests.shell.lines import Shell

TERSE = Path(sys.executable).parent / "terse"

CASES = [
    ("terse cli ", {"notebook"}),
    ("terse cli notebook ", {"list-notes", "write-note", "add", "archive", "picture"}),
    ("terse cli notebook list-n", {"list-notes"}),
    ("terse cli notebook list_n", {"list_notes"}),
    ("terse cli notebook list-notes --", {"--state", "--max-results", "--draft", "--no-draft", "--json"}),
    ("terse cli notebook list-notes --state ", {"open", "closed", "all"}),
    ("terse cli notebook list-notes --state cl", {"closed"}),
    ("terse cli notebook list-notes --filter.", {"--filter.state", "--filter.tags"}),
    ("terse cli notebook list-notes --filter.state ", {"open", "closed"}),
    ("terse cli notebook --js", {"--json"}),
    ("terse cli --li", {"--list"}),
    ("terse che", {"check"}),
    ("terse proxy --ru", {"--rules"}),
    ("terse serve --", {"--listen", "--rules"}),
    ("terse stats --by ", {"tool", "rule", "server", "client", "day"}),
    ("terse ", {command.name for command in COMMANDS}),
]


def _script(shell: Shell, name: str) -> str:
    done = subprocess.run(
        [TERSE],
        env={**shell.environment, "_TERSE_COMPLETE": f"source_{name}"},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def _offered(shell: Shell, command: Sequence[str]) -> set[str]:
    path = f"{TERSE.parent}:{shell.environment['PATH']}"
    done = subprocess.run(
        command,
        env={**shell.environment, "PATH": path},
        cwd=shell.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=90,
        check=False,
    )
    return set(done.stdout.decode().splitlines())


@pytest.fixture(scope="module")
def known(notebook: Shell) -> Shell:
    """One whose tools were listed."""
    if not TERSE.exists():
        pytest.skip("terse is not installed in this environment, only on its path")
    notebook.out("notebook")
    return notebook


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_bash(known: Shell, line: str, offered: set[str]) -> None:
    """The script that typer gives, in a bash: the words as bash parts them."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed here")
    script = f"""{_script(known, "bash")}
read -ra COMP_WORDS <<< "$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_terse_completion terse
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    found = _offered(known, ["bash", "--norc", "-c", script, "_", line])

    assert offered <= found
    assert len(found) >= len(offered)


@pytest.mark.parametrize(("line", "offered"), CASES[1::2])
def test_fish(known: Shell, line: str, offered: set[str]) -> None:
    """In a fish, with what each is."""
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed here")
    script = f"{_script(known, 'fish')}\ncomplete -C {json.dumps(line)}"
    found = _offered(known, ["fish", "--no-config", "-c", script])

    assert offered <= {row.partition("\t")[0] for row in found}


@pytest.mark.parametrize(("line", "offered"), CASES[1::2])
def test_zsh(known: Shell, line: str, offered: set[str]) -> None:
    """In a zsh: what the script evaluates, with `_arguments` that prints what it is given."""
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed here")
    # What zsh itself does with a specification of this form, in its function _arguments.
    script = f"""
compdef() {{ :; }}
_files() {{ :; }}
_arguments() {{
  local action="${{1#*: :}}" ws
  eval ws\\=\\( ${{action[3,-3]}} \\)
  print -rl -- "${{ws[@]%%:*}}"
}}
{_script(known, "zsh")}
words=(${{(s: :)1}})
[[ "$1" == *" " ]] && words+=("")
CURRENT=$#words
_terse_completion
"""
    found = _offered(known, ["zsh", "-f", "-c", script, "_", line])

    assert offered <= found


HOSTILE = """
import json, sys
tools = [
    {"name": "go", "description": "`touch A` $(touch B) \\"; touch C; '; touch D; ')) ; touch E",
     "inputSchema": {"type": "object", "properties": {
         "x": {"enum": ["$(touch F)", "`touch G`", "a;touch H", "fine"], "description": "$(touch I)"},
         "$(touch J)": {"type": "string"}}}},
    {"name": "$(touch K)", "inputSchema": {"type": "object"}},
    {"name": "'; touch L; '", "inputSchema": {"type": "object"}},
]
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "x", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": tools}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_what_a_server_says_is_no_command(shell: Shell, name: str) -> None:
    """Names, values and descriptions are made for a shell to run them: none is run, none is offered."""
    if not TERSE.exists() or shutil.which(name) is None:
        pytest.skip(f"terse, or {name}, is not installed here")
    shell.knows(hostile=[sys.executable, "-c", HOSTILE])
    shell.run("hostile")
    for line, offered in (("terse cli hostile ", {"go"}), ("terse cli hostile go --x ", {"fine"})):
        found = {
            "bash": test_bash,
            "zsh": test_zsh,
            "fish": test_fish,
        }[name]
        found(shell, line, offered)

    # What would have been touched has a name of one letter.
    assert not [path for path in shell.folder.iterdir() if len(path.name) == 1]
