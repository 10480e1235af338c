// A problem in the fragment of the address, which browsers do not send: base64url of
// compressed JSON {text, example, files}.

// The longest link: longer ones are cut by programs that pass them on.
export const mostLink = 60_000;

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const to64 = (bytes) => {
  let s = "";
  for (let k = 0; k < bytes.length; k += 0x8000) s += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return btoa(s);
};
const from64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));

export { to64, from64 };

// fragment is the problem as text behind a #. Without CompressionStream it is not compressed.
export async function fragment(problem) {
  const bytes = new TextEncoder().encode(JSON.stringify(problem));
  const url = (b) => to64(b).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (typeof CompressionStream !== "function") return "dc0=" + url(bytes);
  return "dc1=" + url(await through(new CompressionStream("deflate"), bytes));
}

// problem reads a fragment; null if it has none, an error if it is damaged.
export async function problem(hash) {
  const found = /^#dc([01])=([\w-]+)$/.exec(hash);
  if (!found) {
    if (/^#dc/.test(hash)) throw new Error("The link is damaged: it holds no problem.");
    return null;
  }
  try {
    let bytes = from64(found[2].replaceAll("-", "+").replaceAll("_", "/"));
    if (found[1] === "1") bytes = await through(new DecompressionStream("deflate"), bytes);
    const out = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof out.text !== "string") throw new Error("no text");
    return out;
  } catch {
    throw new Error("The link is damaged: it holds no problem.");
  }
}
