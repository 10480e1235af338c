// Starts "dcopt lsp" for .dc files and keeps it running.
"use strict";

const vscode = require("vscode");

// client is the connection to the server, library what it is made by. A folder without
// node_modules has no library: colours and brackets are there all the same.
let client;
let library;
try {
  library = require("vscode-languageclient/node");
} catch {
  library = undefined;
}

function make() {
  const command = vscode.workspace.getConfiguration("dcopt").get("path") || "dcopt";
  const run = { command, args: ["lsp"], transport: library.TransportKind.stdio };
  return new library.LanguageClient("dcopt", "dcopt", { run, debug: run }, {
    documentSelector: [{ language: "dc", scheme: "file" }, { language: "dc", scheme: "untitled" }],
  });
}

async function start() {
  if (!library) {
    return;
  }
  client = make();
  try {
    await client.start();
  } catch (e) {
    client = undefined;
    const command = vscode.workspace.getConfiguration("dcopt").get("path") || "dcopt";
    vscode.window.showErrorMessage(`dcopt: cannot start "${command} lsp" (${e.message || e}). Install dcopt, or set dcopt.path.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) {
    await old.stop();
  }
}

// solve saves the problem and solves it in a terminal.
async function solve() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "dc" || !(await editor.document.save())) {
    return;
  }
  const command = vscode.workspace.getConfiguration("dcopt").get("path") || "dcopt";
  const task = new vscode.Task({ type: "dcopt" }, vscode.TaskScope.Workspace, "solve", "dcopt", new vscode.ProcessExecution(command, ["solve", editor.document.fileName]));
  await vscode.tasks.executeTask(task);
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("dcopt.restart", async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand("dcopt.solve", solve),
    vscode.workspace.onDidChangeConfiguration(async (e) => {
      if (e.affectsConfiguration("dcopt.path")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
