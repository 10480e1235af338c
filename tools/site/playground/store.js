// What the page keeps from one visit to the next, in localStorage.
import { from64, to64 } from "./share.js";

const place = "dcopt.playground";
// The most bytes of data files that are kept: browsers give a page some megabytes.
export const mostKept = 1_000_000;

// keep stores {text, example, files}; false if the browser refuses.
export function keep({ text, example, files }) {
  const kept = {};
  let size = 0;
  for (const [name, data] of files) {
    if ((size += data.length) > mostKept) break;
    kept[name] = to64(data);
  }
  try {
    localStorage.setItem(place, JSON.stringify({ text, example, files: kept }));
    return true;
  } catch {
    return false;
  }
}

// kept is what keep stored; null if there is nothing.
export function kept() {
  try {
    const out = JSON.parse(localStorage.getItem(place));
    if (!out || typeof out.text !== "string") return null;
    return { text: out.text, example: out.example || "", files: new Map(Object.entries(out.files || {}).map(([name, s]) => [name, from64(s)])) };
  } catch {
    return null;
  }
}
