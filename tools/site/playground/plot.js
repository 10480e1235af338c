// Drawings on a canvas, in the colours of the page and sharp on every screen.

// begin clears a canvas and gives its context, in CSS pixels, with its size.
export function begin(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  g.lineWidth = 1.5;
  return { g, width, height };
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// short is a number in few characters.
export function short(v) {
  if (v === 0) return "0";
  const a = Math.abs(v);
  return a >= 1e5 || a < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(4)));
}

// ticks are round numbers between lo and hi, about so many.
export function ticks(lo, hi, about) {
  const raw = (hi - lo) / about;
  if (!(raw > 0) || !Number.isFinite(raw)) return [lo];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const out = [];
  for (let v = Math.ceil(lo / step) * step; v <= hi + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

// course draws the best objective so far by iteration, with each start as a faint line behind it, the
// bound of a proof as a dashed one, and the answer as a dot. rows are [start, iteration, objective,
// violation, feasible]; sign is 1 to minimise and -1 to maximise; bound may be null.
export function course(canvas, rows, sign, bound) {
  const { g, width, height } = begin(canvas);
  const left = 62, right = 12, top = 8, bottom = 20;
  const n = rows.length;
  if (n === 0) return;
  const w = width - left - right, h = height - top - bottom;
  const x = (k) => left + (n === 1 ? w / 2 : (k / (n - 1)) * w);
  let least = null, first = -1;
  const best = rows.map((r, k) => {
    if (r[4] && r[2] !== null && (least === null || sign * r[2] < sign * least)) least = r[2];
    if (least !== null && first < 0) first = k;
    return least;
  });
  // The axis leaves out the worst points, which starts begin with, never the best one.
  const values = rows.map((r) => r[2]).filter((v) => v !== null).sort((a, b) => sign * (a - b));
  if (values.length === 0) return;
  const shown = values.slice(0, Math.max(1, Math.ceil(values.length * 0.7)));
  if (least !== null) shown.push(least);
  if (bound !== null) shown.push(bound);
  let lo = Math.min(...shown), hi = Math.max(...shown);
  if (!(hi > lo)) { const d = Math.abs(lo) || 1; lo -= d / 2; hi += d / 2; }
  const pad = (hi - lo) * 0.08;
  lo -= pad; hi += pad;
  const y = (v) => top + h - ((v - lo) / (hi - lo)) * h;
  g.fillStyle = colour("dim");
  g.strokeStyle = colour("line");
  g.lineWidth = 1;
  g.textAlign = "right"; g.textBaseline = "middle";
  for (const v of ticks(lo, hi, 4)) {
    g.beginPath(); g.moveTo(left, y(v)); g.lineTo(left + w, y(v)); g.stroke();
    g.fillText(short(v), left - 6, y(v));
  }
  g.textBaseline = "alphabetic"; g.textAlign = "center";
  for (const v of ticks(1, n, 5).filter(Number.isInteger)) g.fillText(String(v), x(v - 1), height - 5);
  g.save();
  g.beginPath(); g.rect(left, top - 2, w + 2, h + 4); g.clip();
  g.strokeStyle = colour("start");
  g.globalAlpha = 0.7;
  g.beginPath();
  rows.forEach((r, k) => {
    if (r[2] === null) return;
    if (k > 0 && rows[k - 1][0] === r[0] && rows[k - 1][2] !== null) g.lineTo(x(k), y(r[2])); else g.moveTo(x(k), y(r[2]));
  });
  g.stroke();
  g.globalAlpha = 1;
  if (bound !== null) {
    g.strokeStyle = colour("bound");
    g.setLineDash([5, 4]);
    g.beginPath(); g.moveTo(left, y(bound)); g.lineTo(left + w, y(bound)); g.stroke();
    g.setLineDash([]);
  }
  if (first >= 0) {
    g.strokeStyle = g.fillStyle = colour("best");
    g.lineWidth = 2.5;
    g.beginPath();
    g.moveTo(x(first), y(best[first]));
    for (let k = first + 1; k < n; k++) { g.lineTo(x(k), y(best[k - 1])); g.lineTo(x(k), y(best[k])); }
    g.stroke();
  }
  g.restore();
  if (first >= 0) {
    g.fillStyle = colour("best");
    g.beginPath(); g.arc(x(best.indexOf(least)), y(least), 4.5, 0, 7); g.fill();
  }
}
