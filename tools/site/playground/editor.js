// A text area over its own text in colours.
import { pieces } from "./highlight.js";

// The largest text, in characters: data belong into files.
export const mostText = 1_000_000;
// Longer texts are shown without colours.
const mostColoured = 100_000;

export class Editor {
  // changed is called with the text after each edit, refused with the length of a text that
  // is too long, moved when the cursor moved.
  constructor({ text, shade, gutter, frame }, { changed, refused, moved }) {
    Object.assign(this, { text, shade, gutter, frame, changed, moved });
    this.diagnostics = [];
    this.last = text.value;
    const tooLong = (more) => {
      const length = text.value.length - (text.selectionEnd - text.selectionStart) + more.length;
      if (length > mostText) refused(length);
      return length > mostText;
    };
    text.addEventListener("paste", (e) => {
      if (tooLong(e.clipboardData ? e.clipboardData.getData("text/plain") : "")) e.preventDefault();
    });
    text.addEventListener("beforeinput", (e) => {
      if (e.cancelable && tooLong(e.data || "")) e.preventDefault();
    });
    text.addEventListener("input", () => {
      if (text.value.length > mostText) { // by a way that does not ask before
        refused(text.value.length);
        text.value = this.last;
        return;
      }
      this.last = text.value;
      this.diagnostics = [];
      this.draw();
      changed(text.value);
    });
    text.addEventListener("scroll", () => this.follow());
    for (const kind of ["keyup", "click", "select"]) text.addEventListener(kind, () => moved());
    new ResizeObserver(() => this.follow()).observe(frame);
    this.draw();
  }

  get value() { return this.text.value; }

  // set replaces the text; undo brings the one before back where the browser can.
  set(value) {
    if (value === this.text.value) return;
    this.text.value = value;
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = this.text.scrollLeft = 0;
    this.last = value;
    this.diagnostics = [];
    this.draw();
    this.changed(value);
  }

  follow() {
    this.shade.scrollTop = this.text.scrollTop;
    this.shade.scrollLeft = this.text.scrollLeft;
    this.gutter.scrollTop = this.text.scrollTop;
  }

  // mark shows what is wrong: objects with line, column, end_column, severity.
  mark(diagnostics) {
    this.diagnostics = diagnostics;
    this.draw();
  }

  // at are the diagnostics on the line of the cursor, those under it first.
  at() {
    const before = this.text.value.slice(0, this.text.selectionStart).split("\n");
    const line = before.length;
    const column = [...before[line - 1]].length + 1;
    const under = (d) => d.column <= column && column <= d.end_column;
    return this.diagnostics.filter((d) => d.line === line).sort((a, b) => under(b) - under(a));
  }

  // go puts the cursor at a place.
  go(line, column) {
    const lines = this.text.value.split("\n");
    let at = 0;
    for (let k = 0; k + 1 < line && k < lines.length; k++) at += lines[k].length + 1;
    at += [...(lines[line - 1] || "")].slice(0, column - 1).join("").length;
    this.text.focus();
    this.text.setSelectionRange(at, at);
    const height = parseFloat(getComputedStyle(this.text).lineHeight) || 20;
    this.text.scrollTop = Math.max(0, (line - 4) * height);
    this.moved();
  }

  draw() {
    const value = this.text.value;
    const lines = value.split("\n");
    const plain = value.length > mostColoured;
    this.frame.classList.toggle("plain", plain);
    const worst = new Map();
    for (const d of this.diagnostics) {
      if (d.line && worst.get(d.line) !== "error") worst.set(d.line, d.severity);
    }
    this.gutter.replaceChildren(...(plain ? [] : lines.flatMap((_, k) => {
      const number = document.createElement("span");
      number.textContent = (worst.has(k + 1) ? "●" : "") + (k + 1) + "\n";
      if (worst.has(k + 1)) number.className = worst.get(k + 1);
      return [number];
    })), document.createTextNode("\n\n\n"));
    this.shade.replaceChildren(...(plain ? [] : lines.flatMap((line, k) => [...this.line(line, k + 1), "\n"])), "\n");
    this.follow();
  }

  // line is a line as nodes: stretches of one colour, underlined where something is wrong.
  line(line, number) {
    const marks = pieces(line);
    const wrong = this.diagnostics.filter((d) => d.line === number).map((d) => {
      const chars = [...line]; // columns count characters, places UTF-16 units
      const from = chars.slice(0, d.column - 1).join("").length;
      const to = Math.max(from + 1, chars.slice(0, d.end_column - 1).join("").length);
      return [from, to, "wrong " + d.severity];
    });
    const cuts = new Set([0, line.length]);
    for (const [from, to] of [...marks, ...wrong]) cuts.add(Math.min(from, line.length)).add(Math.min(to, line.length));
    const at = [...cuts].sort((a, b) => a - b);
    return at.slice(1).map((to, k) => {
      const from = at[k];
      const names = [...marks, ...wrong].filter((m) => m[0] <= from && to <= m[1]).map((m) => m[2]);
      if (names.length === 0) return document.createTextNode(line.slice(from, to));
      const span = document.createElement("span");
      span.className = names.join(" ");
      span.textContent = line.slice(from, to);
      return span;
    });
  }
}
