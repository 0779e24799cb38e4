// Starts `terse lsp` for rule files and hands its answers to VS Code. There is nothing to build.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = vscode.workspace.getConfiguration("terse").get("command");
  // Paths in findings are relative to the workspace, as on the command line.
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    "terse",
    "terse",
    { command, args, transport: TransportKind.stdio, options: { cwd: folder } },
    { documentSelector: [{ scheme: "file", language: "terse" }] },
  );
  try {
    await client.start();
  } catch (error) {
    const install = "pipx install 'terse[lsp]', or set terse.command to its whole path";
    vscode.window.showErrorMessage(`terse: cannot start ${command} (${error.message}): ${install}`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
