"""The VS Code extension: every file that it names is there, and its client starts the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import terse

FOLDER = Path(__file__).parent.parent.parent / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))

# `vscode` and the client library are there only inside VS Code: these stand in for them.
STAND_INS = """
const Module = require("module");
const told = [];
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return {
    workspace: {
      getConfiguration: () => ({ get: () => JSON.parse(process.argv[2]) }),
      workspaceFolders: [{ uri: { fsPath: "/rules" } }],
    },
    window: { showErrorMessage: (text) => told.push(text) },
  };
  if (name === "vscode-languageclient/node") return {
    TransportKind: { stdio: 0 },
    LanguageClient: class {
      constructor(...given) { told.push(given); }
      async start() { if (process.argv[3]) throw new Error(process.argv[3]); }
      async stop() { told.push("stopped"); }
    },
  };
  return load(name, ...rest);
};
const extension = require(process.argv[1]);
extension.activate().then(() => extension.deactivate()).then(() => console.log(JSON.stringify(told)));
"""


def test_every_file_that_it_names_is_there() -> None:
    """A wrong path would make an extension that installs and does nothing."""
    contributes = PACKAGE["contributes"]
    named = [PACKAGE["main"], *(each["configuration"] for each in contributes["languages"])]
    named += [each["path"] for each in contributes["grammars"]]

    assert all((FOLDER / name).is_file() for name in named)
    assert (FOLDER / "README.md").is_file()
    assert (FOLDER / "LICENSE").is_file()


def test_language_and_grammar_are_one() -> None:
    """Files that end in .terse get the language, and the language the grammar of that scope."""
    [language] = PACKAGE["contributes"]["languages"]
    [grammar] = PACKAGE["contributes"]["grammars"]
    colours = json.loads((FOLDER / grammar["path"]).read_text(encoding="utf-8"))

    assert language["extensions"] == [".terse"]
    assert grammar["language"] == language["id"]
    assert grammar["scopeName"] == colours["scopeName"]


def test_it_is_of_this_version_and_needs_one_package() -> None:
    """The extension is released with terse, and bundles nothing but the client of the protocol."""
    assert PACKAGE["version"] == terse.__version__
    assert list(PACKAGE["dependencies"]) == ["vscode-languageclient"]


def test_indentation_follows_blocks() -> None:
    """A line that opens a block indents the next; a brace in a text or a comment does not."""
    configuration = json.loads((FOLDER / "language-configuration.json").read_text(encoding="utf-8"))
    rules = configuration["indentationRules"]
    opens = re.compile(rules["increaseIndentPattern"])

    assert opens.match("rule lists {")
    assert opens.match("  fit in 3k tokens { # then these")
    assert not opens.match('  because "{"')
    assert not opens.match("  # {")
    assert re.match(rules["decreaseIndentPattern"], "  }")


@pytest.mark.parametrize("failure", ["", "spawn terse ENOENT"])
def test_the_client_starts_the_server(failure: str) -> None:
    """It runs the configured command in the workspace's folder, or says how to install terse."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    command = PACKAGE["contributes"]["configuration"]["properties"]["terse.command"]["default"]

    done = subprocess.run(
        [node, "-e", STAND_INS, "--", str(FOLDER / "client.js"), json.dumps(command), failure],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    client, *rest = json.loads(done.stdout)
    assert client[2]["command"] == "terse"
    assert client[2]["args"] == ["lsp"]
    assert client[2]["options"] == {"cwd": "/rules"}
    assert client[3]["documentSelector"] == [{"scheme": "file", "language": "terse"}]
    assert rest[-1] == "stopped"
    assert ("terse[lsp]" in rest[0]) == bool(failure)
