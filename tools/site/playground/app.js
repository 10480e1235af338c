// The playground: an editor, two engines (one checks while the other solves), the answer.
import { head, node, show, split, tables } from "./answer.js";
import { Editor, mostText } from "./editor.js";
import { Engine, load, Stopped } from "./engine.js";
import { learn } from "./highlight.js";
import { fill } from "./help.js";
import { about, moves, panel } from "./picture.js";
import { begin, course } from "./plot.js";
import { from64, fragment, mostLink, problem, to64 } from "./share.js";
import { keep, kept, mostKept } from "./store.js";

const $ = (id) => document.getElementById(id);
const encoder = new TextEncoder();

// The largest data file, in bytes: an engine in a browser has few gigabytes.
const mostFile = 64 << 20;
// A stop that has had no answer for so many milliseconds ends the engine.
const patience = 400;
// A check that takes longer is given up for a newer one.
const longCheck = 2000;
// What moves takes so many milliseconds for its way, and stands still for a part of it at the end.
const wayTime = 6000, standing = 0.15;

let examples = [];       // {name, title, group, about, text, files: {name: text}}
let first = { name: "", answer: null }; // the example that the page opens with
let example = "";        // name of the one whose data the problem uses
const own = new Map();   // data files of the user
const shared = new Map(); // all files that the engines have: those of the example, and own
let checker = null, solver = null;
let summary = null, answer = null, answerJSON = "";
let answered = null;     // the state of the answer that is shown, see question; null: there is none
let rows = [], best = null, bound = null, scene = null, solving = 0, sign = 1;
let chosen = false;      // the user has chosen a tab

function say(text, kind = "error") {
  $("message").className = kind;
  $("message").textContent = text;
}

// --- the text

const editor = new Editor({ text: $("text"), shade: $("shade"), gutter: $("gutter"), frame: $("editor") }, {
  changed: () => { later(store, 300); later(check, 250); age(); },
  refused: (length) => say(`That would be a text of ${length.toLocaleString("en")} characters; the editor takes ${mostText.toLocaleString("en")}. The text is as it was. Add numbers as a file, with Add data.`),
  moved: hint,
});

const timers = new Map();
function later(f, ms) {
  clearTimeout(timers.get(f));
  timers.set(f, setTimeout(f, ms));
}

function store() {
  if (!keep({ text: editor.value, example, files: own })) say("The browser keeps nothing for this page: save the text elsewhere before you close it.", "note");
}

function hint() {
  const found = editor.at();
  $("hint").replaceChildren(...found.slice(0, 2).flatMap((d) => [node("span", { className: d.severity, textContent: `${d.severity}: ${d.message}` }), ...(d.help ? [` — ${d.help}`] : []), node("br")]));
}

let checking = 0, checked = null; // the time since when a check runs; the text checked last
async function check() {
  if (!checker) return;
  if (checking) { // one is under way
    if (performance.now() - checking > longCheck) checker.restart(new Stopped());
    else later(check, 250);
    return;
  }
  checking = performance.now();
  const text = editor.value;
  try {
    const out = await checker.ask("check", text);
    if (text === editor.value) {
      diagnosed(out);
      checked = text;
    }
  } catch (err) {
    if (err instanceof Stopped) later(check, 50); // given up for a newer one: its text may be the same
    else say(err.message);
  } finally {
    checking = 0;
    if (text !== editor.value) later(check, 50);
  }
}

function diagnosed(out) {
  summary = out.summary || null;
  if (summary) sign = summary.objective.sense === "maximise" ? -1 : 1;
  editor.mark(out.diagnostics);
  hint();
  list(out.diagnostics);
  $("split").replaceChildren(...(summary ? split(summary) : [node("p", { textContent: "The problem has mistakes." })]));
}

function list(diagnostics) {
  $("diagnostics").replaceChildren(...(diagnostics.length === 0 ? [] : [node("ul", {}, ...diagnostics.map((d) => {
    const place = d.file ? `${d.file}: ` : d.line ? `line ${d.line}: ` : "";
    const button = node("button", { type: "button", className: d.severity, textContent: `${place}${d.severity}: ${d.message}` }, ...(d.help ? [node("small", { textContent: d.help })] : []), ...(d.notes || []).map((n) => node("small", { textContent: (n.line ? `line ${n.line}: ` : "") + n.message })));
    if (d.line && !d.file) button.onclick = () => editor.go(d.line, d.column);
    return node("li", {}, button);
  }))]));
}

// --- files

function listFiles() {
  const item = (name, data, mine) => node("li", {}, `${name} (${data.length < 2000 ? data.length + " B" : Math.round(data.length / 1000) + " kB"})`, ...(mine ? [node("button", { type: "button", textContent: "×", ariaLabel: `Remove ${name}`, onclick: () => { own.delete(name); use(); } })] : []));
  $("files").replaceChildren(...[...shared].map(([name, data]) => item(name, data, own.has(name))));
}

// use gives the engines the files of the example and those of the user.
function use() {
  const found = examples.find((e) => e.name === example);
  const all = new Map(found ? Object.entries(found.files).map(([name, text]) => [name, encoder.encode(text)]) : []);
  for (const [name, data] of own) all.set(name, data);
  for (const engine of [checker, solver]) {
    if (!engine) continue;
    for (const name of shared.keys()) if (!all.has(name)) engine.drop(name);
    for (const [name, data] of all) if (shared.get(name) !== data) engine.put(name, data);
  }
  shared.clear();
  for (const [name, data] of all) shared.set(name, data);
  age();
  listFiles();
  later(store, 300);
  later(check, 0);
}

const known = /\.(csv|json|npy|mtx)(\.gz)?$/i;

async function take(files) {
  const wrong = [];
  for (const file of files) {
    if (file.size > mostFile) {
      wrong.push(`${file.name} has ${Math.round(file.size / 1e6)} MB; at most ${mostFile >> 20} MB can be used here. The program dcopt reads larger ones.`);
    } else if (/\.dc$/i.test(file.name)) {
      const text = await file.text();
      if (text.length > mostText || text.includes("\0")) wrong.push(`${file.name} is no problem file: ${text.includes("\0") ? "it is not text" : "it is too long"}.`);
      else editor.set(text);
    } else if (!known.test(file.name)) {
      wrong.push(`${file.name} is of a kind that problems do not read: want .csv, .json, .npy or .mtx (also with .gz), or a problem .dc.`);
    } else {
      try {
        own.set(file.name, new Uint8Array(await file.arrayBuffer()));
      } catch (err) {
        wrong.push(`${file.name} cannot be read: ${err.message}`);
      }
    }
  }
  use();
  let size = 0;
  for (const data of own.values()) size += data.length;
  if (wrong.length) say(wrong.join(" "));
  else if (size > mostKept) say("Data of more than 1 MB are forgotten when the page is closed; the text is kept.", "note");
  else say("");
}

// --- solving

function state(text) { $("state").textContent = text; }

function running(on) {
  $("solve").disabled = on || !solver;
  $("stop").disabled = !on;
}

// request has the settings beside the text; an error if one is wrong.
function request() {
  const starts = $("starts").value.trim(), seed = $("seed").value.trim();
  if (starts && !/^[1-9]\d{0,5}$/.test(starts)) throw new Error(`Starts ${starts}: want a whole number from 1 to 999999, or nothing.`);
  if (seed && !/^\d{1,18}$/.test(seed)) throw new Error(`Seed ${seed}: want a whole number of at most 18 digits, or nothing.`);
  return { starts: Number(starts), seed, effort: $("effort").value, global: $("prove").checked };
}

// question is what an answer is to: the text, the example if it has data, the files of the user.
function question() {
  const found = examples.find((e) => e.name === example);
  return [editor.value, found && Object.keys(found.files).length ? example : "", ...[...own].flat()];
}

// age greys an answer that is to another question.
function age() {
  const now = question();
  const old = answered !== null && !solving && (now.length !== answered.length || now.some((part, k) => part !== answered[k]));
  $("right").classList.toggle("stale", old);
  $("stale").hidden = !old;
}

// clear takes the answer away.
function clear() {
  rows = []; best = bound = scene = answer = answered = null; answerJSON = "";
  for (const id of ["head", "pictures", "table", "json"]) $(id).replaceChildren();
  $("course").hidden = $("play").hidden = true;
  $("save").disabled = $("snap").disabled = true;
  age();
}

async function solve() {
  if (!solver || solving) return;
  say("");
  let asked;
  try {
    asked = request();
  } catch (err) {
    return say(err.message);
  }
  clear();
  const mine = solving = performance.now(), asking = question();
  running(true);
  state("solving");
  const clock = setInterval(() => state(`solving, ${((performance.now() - mine) / 1000).toFixed(0)} s${rows.length ? `, iteration ${rows.length}` : ""}${best ? `, objective ${show(best.objective)}` : ""}`), 250);
  let out;
  try {
    out = await solver.ask("solve", asking[0], (news) => {
      rows.push(...news.iterations);
      if (news.bound !== undefined) bound = news.bound;
      if (news.best) { best = news.best; scene = news.scene || scene; }
      draw();
    }, asked);
  } catch (err) {
    if (err instanceof Stopped) {
      out = best ? { result: { status: "cancelled", ...best, iterations: rows.length, message: "the step under way took too long to wait for; this is the best point so far" }, scene } : null;
      if (!out) say("Stopped before there was a point.", "note");
    } else {
      say(err.message);
    }
  }
  if (out && out.stopped) {
    out = null;
    say("Stopped before there was a point.", "note");
  }
  clearInterval(clock);
  solving = 0;
  running(false);
  if (!out || !out.result) clear();
  if (!out) state("stopped");
  else if (!out.result) {
    state("the problem has mistakes");
    diagnosed(out);
    const first = out.diagnostics[0];
    if (first && first.line) editor.go(first.line, first.column);
    else if (first) say(first.message);
  } else {
    state(out.result.status);
    present(out, asking);
  }
}

function stop() {
  if (!solving) return;
  state("stopping");
  solver.stop(patience);
}

// --- the answer

let due = 0;
function draw() {
  if (due) return;
  due = requestAnimationFrame(() => {
    due = 0;
    $("course").hidden = rows.length < 2;
    $("bound-key").hidden = bound === null;
    if (rows.length > 1 && !$("picture").hidden) course($("plot"), thinned(rows), sign, bound);
    if (!answer && best) {
      $("head").replaceChildren(...head({ ...best, status: "solving" }));
      if (scene) picture();
    }
  });
}

// thinned are at most some thousand rows of a long run, the best ones among them.
function thinned(all) {
  if (all.length <= 3000) return all;
  let least = Infinity;
  return all.filter((r, k) => {
    const better = r[4] && r[2] !== null && sign * r[2] < least;
    if (better) least = sign * r[2];
    return better || k % Math.ceil(all.length / 3000) === 0;
  });
}

// time is the place of what moves, of 0 to 1; null where nothing does.
let time = null;
const still = matchMedia("(prefers-reduced-motion: reduce)");

function picture() {
  const panels = scene ? scene.panels : [];
  const box = $("pictures");
  while (box.children.length > panels.length) box.lastChild.remove();
  panels.forEach((p, k) => {
    let figure = box.children[k];
    if (!figure) {
      figure = node("figure", {}, node("canvas", { className: "paper" }), node("figcaption"));
      figure.firstChild.setAttribute("role", "img");
      box.append(figure);
    }
    const canvas = figure.firstChild;
    canvas.setAttribute("aria-label", about(p));
    figure.lastChild.textContent = p.title || "";
    if (!$("picture").hidden) panel(canvas, p, moves(p) ? time : null);
  });
  $("snap").disabled = panels.length === 0;
}

// play lets move what moves, for as long as it can be seen, from the place where it stands.
let playing = 0;
function play(on) {
  cancelAnimationFrame(playing);
  playing = 0;
  const able = Boolean(answer && scene && scene.panels.some(moves));
  $("play").hidden = !able;
  if (!able) time = null;
  $("play").textContent = able && on ? "Pause" : "Play";
  if (!able || !on) return;
  let before = performance.now();
  const step = (now) => {
    playing = requestAnimationFrame(step);
    if (now - before < 30) return;
    time = ((time ?? 0) + Math.min(now - before, 100) / wayTime) % (1 + standing);
    before = now;
    if ($("picture").hidden || document.hidden) return;
    [...$("pictures").children].forEach((figure, k) => {
      const p = scene.panels[k];
      if (moves(p)) panel(figure.firstChild, p, Math.min(time, 1));
    });
  };
  playing = requestAnimationFrame(step);
}

// present shows an answer of the engine to a question.
function present(out, asked) {
  answer = out.result;
  answered = asked;
  scene = out.scene || null;
  answerJSON = JSON.stringify(answer);
  bound = answer.bound ?? null;
  if (rows.length === 0) rows = (answer.history || []).map((it) => [0, it.iteration, it.objective, it.max_violation, it.max_violation <= 1e-6 ? 1 : 0]);
  $("head").replaceChildren(...head(answer));
  $("table").replaceChildren(...tables(answer));
  $("json").textContent = answerJSON.length > 200_000 ? answerJSON.slice(0, 200_000) + "\n… Save JSON has all" : JSON.stringify(answer, null, 1).replace(/\[\s+(-?[\d.e+-]+(?:,\s+-?[\d.e+-]+)*)\s+\]/g, (_, list) => `[${list.replace(/\s+/g, " ")}]`);
  if (!chosen) tab(scene ? "picture" : "table");
  $("save").disabled = false;
  time = null;
  draw();
  picture();
  play(!still.matches);
  age();
}

function tab(name) {
  for (const t of document.querySelectorAll("[role=tab]")) {
    const on = t.id === "tab-" + name;
    t.setAttribute("aria-selected", on);
    t.tabIndex = on ? 0 : -1;
    $(t.getAttribute("aria-controls")).hidden = !on;
  }
  if (name === "picture") { draw(); picture(); }
}

// download gives the user a file.
function download(blob, name) {
  const link = node("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function save() { download(new Blob([answerJSON + "\n"], { type: "application/json" }), "answer.json"); }

// snap saves the pictures, one below the other, as they are on the screen.
function snap() {
  if ($("picture").hidden) tab("picture");
  const all = [...document.querySelectorAll("#pictures canvas")];
  const sheet = node("canvas", { width: Math.max(...all.map((c) => c.width)), height: all.reduce((sum, c) => sum + c.height, 0) });
  const g = sheet.getContext("2d");
  let top = 0;
  for (const c of all) { g.drawImage(c, 0, top); top += c.height; }
  sheet.toBlob((blob) => download(blob, "picture.png"));
}

async function share() {
  const files = {};
  for (const [name, data] of own) files[name] = to64(data);
  const hash = await fragment({ text: editor.value, example, files });
  if (hash.length > mostLink) {
    say(`The link would have ${hash.length.toLocaleString("en")} characters, more than programs pass on. Leave data files out, or send the problem as a file.`);
    return;
  }
  history.replaceState(null, "", "#" + hash);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied: it holds the problem and your data files.", "note");
  } catch {
    say("The link is in the address bar: it holds the problem and your data files.", "note");
  }
}

async function format() {
  if (!checker) return;
  try {
    const out = await checker.ask("format", editor.value);
    if (out.text !== undefined) editor.set(out.text);
    else diagnosed(out);
  } catch (err) {
    if (!(err instanceof Stopped)) say(err.message);
  }
}

// open shows an example with its data.
function open(name) {
  const found = examples.find((e) => e.name === name);
  if (!found) return;
  example = name;
  own.clear();
  editor.set(found.text);
  use();
  history.replaceState(null, "", location.pathname + location.search);
  clear();
  chosen = false;
}

// openFirst shows the first example with its answer, which was computed when the page was built.
function openFirst() {
  open(first.name);
  if (first.answer) present(first.answer, question());
}

function wire() {
  $("solve").onclick = solve;
  $("stop").onclick = stop;
  $("format").onclick = format;
  $("share").onclick = share;
  $("save").onclick = save;
  $("snap").onclick = snap;
  $("play").onclick = () => play(!playing);
  $("card").onclick = () => $("help").showModal();
  $("help").onclick = (e) => { if (e.target === $("help")) $("help").close(); };
  $("upload").onclick = () => $("picker").click();
  $("picker").onchange = async () => { await take($("picker").files); $("picker").value = ""; };
  $("examples").onchange = () => open($("examples").value);
  document.addEventListener("keydown", (e) => {
    if (e.key === "F1") { e.preventDefault(); if (!$("help").open) $("help").showModal(); }
    if ($("help").open) return;
    if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { e.preventDefault(); solve(); }
    else if (e.key === "Escape" && solving) { e.preventDefault(); stop(); }
    else if (e.altKey && e.shiftKey && e.code === "KeyF") { e.preventDefault(); format(); }
  });
  const names = ["picture", "table", "json", "split"];
  for (const name of names) {
    const t = $("tab-" + name);
    t.onclick = () => { chosen = true; tab(name); };
    t.onkeydown = (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const next = names[(names.indexOf(name) + step + names.length) % names.length];
      chosen = true;
      tab(next);
      $("tab-" + next).focus();
    };
  }
  const frame = $("editor");
  document.addEventListener("dragover", (e) => { e.preventDefault(); frame.classList.add("over"); });
  document.addEventListener("dragleave", () => frame.classList.remove("over"));
  document.addEventListener("drop", (e) => {
    frame.classList.remove("over");
    if (e.dataTransfer.files.length) { e.preventDefault(); take(e.dataTransfer.files); }
  });
  addEventListener("pagehide", store);
  addEventListener("hashchange", () => fromLink().catch((err) => say(err.message)));
  const again = () => { if (rows.length) draw(); if (scene) picture(); };
  new ResizeObserver(() => requestAnimationFrame(again)).observe($("right"));
  still.addEventListener("change", () => play(!still.matches));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

// fromLink shows the problem of the address; false if it has none.
async function fromLink() {
  const named = /^#example=([\w/]+)$/.exec(location.hash);
  if (named) {
    if (!examples.some((e) => e.name === named[1])) throw new Error(`There is no example ${named[1]}.`);
    if (named[1] === first.name) openFirst();
    else open(named[1]);
    $("examples").value = example;
    return true;
  }
  const found = await problem(location.hash);
  if (!found) return false;
  example = typeof found.example === "string" ? found.example : "";
  own.clear();
  for (const [name, data] of Object.entries(found.files || {})) own.set(name, from64(data));
  editor.set(found.text);
  use();
  return true;
}

async function main() {
  wire();
  begin($("plot"));
  const data = fetch("data.json").then((r) => r.json());
  try {
    const { grammar, problems, first: name, answer, help } = await data;
    learn(grammar);
    fill($("help"), help);
    examples = problems;
    first = { name, answer };
    const groups = new Map();
    for (const p of problems) {
      if (!groups.has(p.group)) groups.set(p.group, node("optgroup", { label: p.group }));
      groups.get(p.group).append(node("option", { value: p.name, textContent: p.title, title: p.about }));
    }
    $("examples").append(...groups.values());
  } catch {
    say("The examples could not be loaded; is the page complete?");
  }
  try {
    if (!(await fromLink())) {
      const before = kept();
      if (before) {
        example = before.example;
        for (const [name, bytes] of before.files) own.set(name, bytes);
        editor.set(before.text);
        if (example === first.name && before.text === examples.find((e) => e.name === first.name)?.text) openFirst();
      } else if (examples.length) openFirst();
    }
  } catch (err) {
    say(err.message);
    if (examples.length) openFirst();
  }
  $("examples").value = example;
  use();
  editor.draw();
  try {
    const module = await load((part) => state(`loading the engine, ${Math.round(100 * part)} %`));
    checker = new Engine(module, shared);
    solver = new Engine(module, shared);
    await Promise.all([checker.ready, solver.ready]);
    running(false);
    state("ready");
    later(check, 0);
  } catch (err) {
    state("no engine");
    say(err.message);
  }
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js").catch(() => {});
}

// For tests and for the console of the browser.
window.playground = { answer: () => answerJSON, text: () => editor.value, solver: () => solver, checked: () => checked, playing: () => playing !== 0 };

main();
