// The answer as tables.
import { shape } from "./picture.js";

const node = (tag, props = {}, ...children) => {
  const n = Object.assign(document.createElement(tag), props);
  n.append(...children);
  return n;
};
export { node };

export const show = (v, digits = 6) => (v === null || v === undefined ? "none" : v === 0 ? "0" : String(Number(v.toPrecision(digits))));

// The most rows and columns of a variable that the table has; JSON has all.
const mostRows = 200, mostColumns = 50;

const good = new Set(["converged", "solved"]);

// head are the lines above everything: name and value.
export function head(answer) {
  const out = [];
  const line = (name, text, kind = "", wide = false) => out.push(node("div", { className: wide ? "wide" : "" }, node("dt", { textContent: name }), node("dd", { textContent: text, className: kind })));
  line("status", answer.status, good.has(answer.status) ? "good" : answer.status === "solving" ? "" : "bad");
  const off = answer.objective_error > 1e-9 * Math.abs(answer.objective) && answer.objective !== 0 ? ` ± ${show(answer.objective_error, 2)}` : "";
  line("objective", show(answer.objective, 10) + off);
  line("violation", show(answer.max_violation, 3) + (answer.feasible ? "" : ", not feasible"));
  if (answer.iterations !== undefined) line("iterations", `${answer.iterations}` + (answer.starts > 1 ? ` from ${answer.starts} starts` : ""));
  if (answer.seconds) line("time", `${show(answer.seconds.compile + answer.seconds.solve, 3)} s`);
  if (answer.message) line("", answer.message, "", true);
  if (answer.answer) line("answer", answer.answer, answer.proved ? "good" : "", true);
  return out;
}

// labels are the indices of a dimension of n entries.
const labels = (axis, n) => Array.from({ length: n }, (_, k) => (axis ? [].concat(axis[k]).join(" ") : String(k + 1)));

// block is a variable as a table.
function block(name, value, axes = []) {
  const s = shape(value);
  const table = node("table", {}, node("caption", { textContent: name + (s.length ? `[${s.join(",")}]` : "") }));
  const cells = (tag, texts) => texts.map((t) => node(tag, { textContent: t }));
  if (s.length === 0) {
    table.append(node("tr", {}, ...cells("td", [show(value)])));
    return table;
  }
  // Rows run over all dimensions but the last; a vector has a row per entry.
  const dims = s.length === 1 ? s : s.slice(0, -1);
  const width = s.length === 1 ? 1 : Math.min(s[s.length - 1], mostColumns);
  const heads = s.length === 1 ? [] : labels(axes[s.length - 1], width);
  if (heads.length) table.append(node("tr", {}, node("th"), ...heads.map((t) => node("th", { textContent: t, scope: "col" }))));
  const names = dims.map((n, d) => labels(axes[d], n));
  const total = dims.reduce((a, b) => a * b, 1);
  for (let k = 0; k < Math.min(total, mostRows); k++) {
    let rest = k;
    const at = dims.map((_, d) => {
      const step = dims.slice(d + 1).reduce((a, b) => a * b, 1);
      const i = Math.floor(rest / step);
      rest %= step;
      return i;
    });
    let row = at.reduce((v, i) => v[i], value);
    if (s.length === 1) row = [row];
    table.append(node("tr", {}, node("th", { textContent: at.map((i, d) => names[d][i]).join(","), scope: "row" }), ...cells("td", row.slice(0, width).map((v) => show(v)))));
  }
  if (total > mostRows || (s.length > 1 && s[s.length - 1] > mostColumns)) table.append(node("tr", {}, node("td", { colSpan: width + 1, textContent: "… the rest is in the JSON" })));
  return table;
}

export function tables(answer) {
  // A complex variable has a table for each of its parts.
  const parts = ([name, v]) => (v && v.re !== undefined ? [[`re(${name})`, v.re, name], [`im(${name})`, v.im, name]] : [[name, v, name]]);
  const of = (values) => Object.entries(values || {}).flatMap(parts).map(([title, v, name]) => block(title, v, (answer.indices || {})[name]));
  return [...of(answer.variables), ...of(answer.lets)];
}

// split says how the problem is split, from the summary of a check.
export function split(summary) {
  const row = (name, part, count) => node("tr", {},
    node("th", { textContent: name + (count > 1 ? ` ×${count}` : ""), scope: "row" }),
    node("td", {}, part.curvature, ...(part.linearised.length ? [node("br"), `linearised: ${part.linearised.slice(0, 6).join(", ")}${part.linearised.length > 6 ? `, and ${part.linearised.length - 6} more` : ""}`] : [])));
  const sizes = Object.entries(summary.shapes).map(([name, s]) => name + (s.length ? `[${s.join(",")}]` : "")).join(", ");
  return [
    node("p", { textContent: `${summary.variables} variable${summary.variables === 1 ? "" : "s"}: ${sizes}` }),
    node("table", {},
      node("caption", { textContent: "How the procedure sees the problem" }),
      row(summary.objective.sense, summary.objective, 1),
      ...summary.constraints.map((c) => row(c.name, c, c.count))),
    ...(summary.data.length ? [node("p", { textContent: "Data: " + summary.data.map((d) => `${d.name} (${d.rows} × ${d.columns})`).join(", ") })] : []),
  ];
}
