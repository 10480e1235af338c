// The engine in a worker. Messages from the page: {kind: "start", module}, then {kind: "put",
// name, data}, {kind: "drop", name}, {kind: "check" | "format", id, text}, {kind: "solve", id, text,
// request} and {kind: "stop"}. Messages to the page: {kind: "ready"}, {kind: "answer", id, json},
// {kind: "news", id, json} and {kind: "died", reason}.
"use strict";
importScripts("wasm_exec.js");

let why = ""; // the last lines of the runtime, should it die

async function start(module) {
  const log = console.error;
  // The runtime writes its last words by console.error and console.log.
  console.error = console.log = (...words) => { why = (why + words.join(" ") + "\n").slice(-2000); };
  self.dcoptReady = () => postMessage({ kind: "ready" });
  const go = new Go();
  go.exit = () => {};
  try {
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await go.run(instance);
    postMessage({ kind: "died", reason: why });
  } catch (err) {
    postMessage({ kind: "died", reason: why + String(err) });
  }
  console.error = log;
}

// tried calls the engine; where its memory ends, the call throws.
function tried(f) {
  try {
    return f();
  } catch (err) {
    postMessage({ kind: "died", reason: why + String(err) });
  }
}

onmessage = ({ data: m }) => {
  switch (m.kind) {
    case "start":
      start(m.module);
      break;
    case "put":
      tried(() => self.dcopt.put(m.name, m.data));
      break;
    case "drop":
      tried(() => self.dcopt.drop(m.name));
      break;
    case "check":
    case "format": {
      const json = tried(() => self.dcopt[m.kind](m.text));
      if (json !== undefined) postMessage({ kind: "answer", id: m.id, json });
      break;
    }
    case "solve":
      tried(() => self.dcopt.solve(m.text,
        (json) => postMessage({ kind: "answer", id: m.id, json }),
        (json) => postMessage({ kind: "news", id: m.id, json }),
        m.request));
      break;
    case "stop":
      tried(() => self.dcopt.stop());
  }
};
