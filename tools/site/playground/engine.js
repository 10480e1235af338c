// An engine in a worker that can be ended whatever it does.

// The compressed engine is unpacked here where the browser can, so that the server need not
// compress it.
async function bytes(report) {
  const unpacks = typeof DecompressionStream === "function";
  const response = await fetch(unpacks ? "dcopt.wasm.gz" : "dcopt.wasm");
  if (!response.ok) throw new Error(`the engine could not be loaded: ${response.status} ${response.statusText}`);
  let seen = 0;
  const total = Number(response.headers.get("Content-Length")) || 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(chunk, out) {
      seen += chunk.length;
      if (total) report(Math.min(1, seen / total));
      out.enqueue(chunk);
    },
  }));
  const plain = unpacks && response.headers.get("Content-Encoding") !== "gzip" ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  return new Response(plain, { headers: { "Content-Type": "application/wasm" } });
}

// load compiles the engine once; the workers share the module.
export async function load(report) {
  if (typeof WebAssembly !== "object") throw new Error("This browser has no WebAssembly, which the engine needs. The text is kept; the program dcopt solves it.");
  const response = await bytes(report);
  if (WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  // files is a Map of names to Uint8Array, which the engine reads whenever it begins.
  constructor(module, files) {
    this.module = module;
    this.files = files;
    this.next = 1;
    this.begin();
  }

  begin() {
    this.waiting = new Map(); // id: {resolve, reject, news}
    const worker = new Worker("worker.js");
    this.worker = worker;
    this.ready = new Promise((resolve, reject) => {
      this.giveUp = reject;
      worker.onerror = (e) => { e.preventDefault(); this.fail(worker, e.message || "the worker failed"); reject(new Error("the worker failed")); };
      worker.onmessage = ({ data: m }) => {
        const job = this.waiting.get(m.id);
        switch (m.kind) {
          case "ready":
            for (const [name, data] of this.files) worker.postMessage({ kind: "put", name, data });
            resolve();
            break;
          case "answer":
            this.waiting.delete(m.id);
            if (job) job.resolve(JSON.parse(m.json));
            break;
          case "news":
            if (job && job.news) job.news(JSON.parse(m.json));
            break;
          case "died":
            this.fail(worker, m.reason);
        }
      };
    });
    this.ready.catch(() => {});
    worker.postMessage({ kind: "start", module: this.module });
  }

  // fail begins anew after the engine has died.
  fail(worker, reason) {
    if (worker !== this.worker) return;
    const text = /out of memory|memory\.grow|Out of bounds/i.test(reason) ? "The engine ran out of memory. The problem is too large for a browser." : "The engine failed: " + reason.split("\n")[0];
    this.restart(new Error(text));
  }

  // restart ends what runs; those who wait for it get the error.
  restart(err) {
    const waiting = this.waiting;
    this.worker.onmessage = null;
    this.worker.terminate();
    this.giveUp(err); // who waits for the engine to begin
    this.begin();
    for (const job of waiting.values()) job.reject(err);
  }

  // An engine that is given up before it is ready has the files when it begins anew.
  put(name, data) { this.ready.then(() => this.worker.postMessage({ kind: "put", name, data }), () => {}); }
  drop(name) { this.ready.then(() => this.worker.postMessage({ kind: "drop", name }), () => {}); }

  // ask sends a request, whose kind is check, format or solve, as soon as the engine is ready; request
  // is an object of starts, seed, effort and global, of a solve.
  ask(kind, text, news, request) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, news });
      this.ready.then(() => { if (this.waiting.has(id)) this.worker.postMessage({ kind, id, text, request }); }, reject);
    });
  }

  // stop asks the engine to end its requests with their best points, and ends it if one has no answer in time.
  stop(wait) {
    const asked = [...this.waiting.keys()];
    if (asked.length === 0) return;
    const worker = this.worker;
    this.ready.then(() => worker.postMessage({ kind: "stop" }), () => {});
    setTimeout(() => {
      if (asked.some((id) => this.waiting.has(id))) this.restart(new Stopped());
    }, wait);
  }
}

// Stopped says that an engine was ended from outside.
export class Stopped extends Error {
  constructor() { super("stopped"); }
}
