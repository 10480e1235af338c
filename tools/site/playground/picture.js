// Draws scenes, which the engine makes of a solution: panels of points, circles, lines, bars
// and cells. See package internal/scene. Pictures are on white paper whatever the page has,
// as their colours are made for it.
import { begin, short, ticks } from "./plot.js";

const ink = "#303a46", rule = "#d5dae1";

// shape is that of nested arrays.
export function shape(v) {
  const out = [];
  for (; Array.isArray(v); v = v[0]) out.push(v.length);
  return out;
}

function rgb(s) { return [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16)); }

// colourOf is the colour of a value between the stops of a mark; of none it is grey.
function colourOf(mark, v) {
  const stops = mark.stops || [];
  if (v === null || v === undefined || !stops.length || !mark.scale) return "#bdbdbd";
  const { lo, hi } = mark.scale;
  const t = (hi > lo ? Math.min(Math.max((v - lo) / (hi - lo), 0), 1) : 0.5) * (stops.length - 1);
  const k = Math.min(Math.floor(t), Math.max(stops.length - 2, 0));
  const a = rgb(stops[k]), b = rgb(stops[Math.min(k + 1, stops.length - 1)]);
  return `rgb(${a.map((c, i) => Math.round(c + (b[i] - c) * (t - k))).join(" ")})`;
}

// panel draws one; the canvas has its size. time, of 0 to 1, is the place of what moves; null: all
// of its way at once.
export function panel(canvas, p, time = null) {
  const { g, width, height } = begin(canvas);
  g.fillStyle = "#fff";
  g.fillRect(0, 0, width, height);
  const scaled = p.marks.find((m) => m.stops && m.scale && m.scale.hi > m.scale.lo);
  const legend = p.marks.filter((m) => m.label);
  g.font = "12px system-ui, sans-serif";
  const yTicks = p.yticks || ticks(p.y.lo, p.y.hi, Math.max(2, Math.min(6, height / 50))).map((v) => ({ at: v, label: short(v) }));
  const left = Math.min(width / 3, 14 + (p.ylabel ? 16 : 0) + Math.max(20, ...yTicks.map((t) => g.measureText(t.label).width)));
  const right = scaled ? 66 : 10;
  const top = 8 + (legend.length ? 18 : 0), bottom = 22 + (p.xlabel ? 16 : 0);
  const w = width - left - right, h = height - top - bottom;
  let { lo: x0, hi: x1 } = p.x, { lo: y0, hi: y1 } = p.y;
  if (p.equal) { // one unit: the range that has room to spare is widened
    const unit = Math.min(w / (x1 - x0), h / (y1 - y0));
    const dx = (w / unit - (x1 - x0)) / 2, dy = (h / unit - (y1 - y0)) / 2;
    x0 -= dx; x1 += dx; y0 -= dy; y1 += dy;
  }
  const X = (v) => left + ((v - x0) / (x1 - x0)) * w;
  const Y = (v) => (p.down ? top + ((v - y0) / (y1 - y0)) * h : top + h - ((v - y0) / (y1 - y0)) * h);
  const unit = w / (x1 - x0);

  g.strokeStyle = rule; g.fillStyle = ink; g.lineWidth = 1;
  g.textAlign = "center"; g.textBaseline = "alphabetic";
  const xTicks = p.xticks || ticks(x0, x1, Math.max(2, Math.min(8, width / 60))).map((v) => ({ at: v, label: short(v) }));
  const each = Math.ceil((xTicks.length * (8 + Math.max(...xTicks.map((t) => g.measureText(t.label).width)))) / w);
  xTicks.forEach((t, k) => {
    g.beginPath(); g.moveTo(X(t.at), top); g.lineTo(X(t.at), top + h); g.stroke();
    if (!p.xticks || k % each === 0) g.fillText(t.label, X(t.at), top + h + 14);
  });
  if (p.xlabel) g.fillText(p.xlabel, left + w / 2, height - 4);
  g.textAlign = "right"; g.textBaseline = "middle";
  for (const t of p.yticks || ticks(y0, y1, Math.max(2, Math.min(6, height / 50))).map((v) => ({ at: v, label: short(v) }))) {
    g.beginPath(); g.moveTo(left, Y(t.at)); g.lineTo(left + w, Y(t.at)); g.stroke();
    g.fillText(t.label, left - 5, Y(t.at));
  }
  if (p.ylabel) {
    g.save(); g.translate(10, top + h / 2); g.rotate(-Math.PI / 2);
    g.textAlign = "center"; g.fillText(p.ylabel, 0, 0);
    g.restore();
  }
  g.save();
  g.beginPath(); g.rect(left - 1, top - 1, w + 2, h + 2); g.clip();
  for (const m of p.marks) draw[m.kind]?.(g, m, X, Y, unit, time);
  g.restore();
  g.strokeStyle = ink; g.lineWidth = 1;
  g.strokeRect(left, top, w, h);

  g.textBaseline = "middle"; g.textAlign = "left";
  let at = left;
  for (const m of legend) {
    g.fillStyle = m.color || ink;
    g.fillRect(at, 6, 12, 8);
    g.fillStyle = ink;
    g.fillText(m.label, at + 16, 11);
    at += 30 + g.measureText(m.label).width;
  }
  if (scaled) {
    const x = width - right + 10, n = Math.round(Math.min(h, 160)), { lo, hi } = scaled.scale;
    for (let k = 0; k < n; k++) { g.fillStyle = colourOf(scaled, hi - ((hi - lo) * k) / n); g.fillRect(x, top + k, 12, 1.5); }
    g.fillStyle = ink;
    g.fillText(short(hi), x + 16, top + 6);
    g.fillText(short(lo), x + 16, top + n - 6);
  }
}

// draw has a function per kind of mark.
const draw = {
  points(g, m, X, Y) {
    m.x.forEach((x, k) => {
      g.fillStyle = m.stops ? colourOf(m, m.v[k]) : m.color;
      g.beginPath(); g.arc(X(x), Y(m.y[k]), 3.5, 0, 7); g.fill();
    });
  },
  circles(g, m, X, Y, unit) {
    g.lineWidth = 1.5;
    m.x.forEach((x, k) => {
      g.fillStyle = g.strokeStyle = m.stops ? colourOf(m, m.v[k]) : m.color;
      g.beginPath(); g.arc(X(x), Y(m.y[k]), m.r[k] * unit, 0, 7);
      g.globalAlpha = 0.25; g.fill(); g.globalAlpha = 1; g.stroke();
    });
  },
  rects(g, m, X, Y, unit) {
    g.lineWidth = 1.5;
    g.fillStyle = g.strokeStyle = m.color;
    m.x.forEach((x, k) => {
      const a = Y(m.y[k]), b = Y(m.y[k] + m.h[k]);
      const box = [X(x), Math.min(a, b), m.w[k] * unit, Math.abs(a - b)];
      g.globalAlpha = 0.25; g.fillRect(...box); g.globalAlpha = 1; g.strokeRect(...box);
    });
  },
  labels(g, m, X, Y) {
    g.fillStyle = m.color;
    g.textAlign = "center"; g.textBaseline = "middle";
    m.x.forEach((x, k) => g.fillText(m.texts[k], X(x), Y(m.y[k]) - (m.above ? 11 : 0)));
  },
  lines(g, m, X, Y) {
    for (const l of m.lines) {
      g.strokeStyle = m.color;
      g.lineWidth = 0.75 + 1.25 * l.strength;
      g.setLineDash(l.dashed ? [5, 4] : []);
      g.beginPath();
      l.x.forEach((x, k) => (k ? g.lineTo(X(x), Y(l.y[k])) : g.moveTo(X(x), Y(l.y[k]))));
      g.stroke();
    }
    g.setLineDash([]);
  },
  bars(g, m, X, Y, unit) {
    g.fillStyle = m.color;
    m.x.forEach((x, k) => {
      const a = Y(m.base ? m.base[k] : 0), b = Y(m.y[k]);
      g.fillRect(X(x - m.width / 2), Math.min(a, b), Math.max(1, m.width * unit), Math.max(1, Math.abs(a - b)));
    });
  },
  cells(g, m, X, Y) {
    const column = (j) => X(m.x[0] + ((m.x[1] - m.x[0]) * j) / m.cols);
    const row = (i) => Y(m.y[0] + ((m.y[1] - m.y[0]) * i) / m.rows);
    for (let k = 0; k < m.v.length; k++) {
      const i = Math.floor(k / m.cols), j = k % m.cols;
      const x = column(j), y = Math.min(row(i), row(i + 1));
      g.fillStyle = colourOf(m, m.v[k]);
      g.fillRect(x, y, column(j + 1) - x + 0.5, Math.abs(row(i + 1) - row(i)) + 0.5);
    }
  },
  motion(g, m, X, Y, unit, time) {
    draw.lines(g, m, X, Y);
    const { x, y } = m.lines[0], last = x.length - 1;
    const disc = (at, alpha) => {
      const k = Math.min(Math.floor(at), Math.max(last - 1, 0)), part = Math.min(at - k, 1), next = Math.min(k + 1, last);
      g.globalAlpha = alpha;
      g.beginPath(); g.arc(X(x[k] + (x[next] - x[k]) * part), Y(y[k] + (y[next] - y[k]) * part), m.r[0] * unit, 0, 7); g.fill();
    };
    g.fillStyle = m.color;
    if (time === null) for (const [at, alpha] of [[0, 0.15], [last / 3, 0.15], [(2 * last) / 3, 0.15], [last, 0.6]]) disc(at, alpha);
    else for (const [at, alpha] of [[0, 0.15], [time * last, 0.75]]) disc(at, alpha);
    g.globalAlpha = 1;
  },
};

// moves reports whether something of a panel moves.
export const moves = (p) => p.marks.some((m) => m.kind === "motion");

// about is a panel in words.
export const about = (p) => [p.title, [...new Set(p.marks.map((m) => m.kind))].join(", "), p.xlabel && p.ylabel ? `${p.ylabel} over ${p.xlabel}` : ""].filter(Boolean).join(": ");
