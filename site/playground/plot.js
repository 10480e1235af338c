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

// course draws objective and violation by iteration; rows are [start, iteration, objective,
// violation].
export function course(canvas, rows) {
  const { g, width, height } = begin(canvas);
  const left = 56, right = 44, top = 8, bottom = 20;
  const n = rows.length;
  if (n === 0) return;
  const w = width - left - right, h = height - top - bottom;
  const x = (k) => left + (n === 1 ? w / 2 : (k / (n - 1)) * w);
  // The objective's axis leaves out the extremes of first iterations.
  const values = rows.map((r) => r[2]).filter((v) => v !== null).sort((a, b) => a - b);
  let lo = values[0], hi = values[Math.min(values.length - 1, Math.ceil(values.length * 0.95))];
  if (!(hi > lo)) { const d = Math.abs(lo) || 1; lo -= d / 2; hi += d / 2; }
  const pad = (hi - lo) * 0.06;
  lo -= pad; hi += pad;
  const y = (v) => top + h - ((v - lo) / (hi - lo)) * h;
  const floor = 1e-12;
  const logs = rows.map((r) => Math.log10(Math.max(floor, r[3] ?? floor)));
  const vlo = Math.floor(Math.min(...logs, -8)), vhi = Math.ceil(Math.max(...logs, 0));
  const yv = (l) => top + h - ((l - vlo) / (vhi - vlo)) * h;
  g.fillStyle = colour("dim");
  g.strokeStyle = colour("line");
  g.textAlign = "right"; g.textBaseline = "middle";
  for (const v of ticks(lo, hi, 4)) {
    g.beginPath(); g.moveTo(left, y(v)); g.lineTo(left + w, y(v)); g.stroke();
    g.fillText(short(v), left - 6, y(v));
  }
  g.textAlign = "left";
  for (let l = vhi; l >= vlo; l -= Math.max(1, Math.round((vhi - vlo) / 4))) g.fillText("1e" + l, left + w + 6, yv(l));
  g.textBaseline = "alphabetic"; g.textAlign = "center";
  for (const v of ticks(1, n, 5).filter(Number.isInteger)) g.fillText(String(v), x(v - 1), height - 5);
  g.save();
  g.beginPath(); g.rect(left, top - 2, w + 2, h + 4); g.clip();
  const line = (name, at) => {
    g.strokeStyle = g.fillStyle = colour(name);
    let open = false, start = -1;
    g.beginPath();
    rows.forEach((r, k) => {
      const v = at(r, k);
      if (v === null) { open = false; return; }
      if (open && r[0] === start) g.lineTo(x(k), v); else g.moveTo(x(k), v);
      open = true; start = r[0];
    });
    g.stroke();
    if (n <= 60) rows.forEach((r, k) => { const v = at(r, k); if (v !== null) { g.beginPath(); g.arc(x(k), v, 2, 0, 7); g.fill(); } });
  };
  line("violation", (_, k) => yv(logs[k]));
  line("objective", (r) => (r[2] === null ? null : y(r[2])));
  g.restore();
}
