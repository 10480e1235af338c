// Colours of the language, from the grammar that editors use, tools/editors/vscode.

let rules = [];

// learn takes a TextMate grammar of patterns without begin and end.
export function learn(grammar) {
  rules = grammar.patterns.map(({ include }) => {
    const rule = grammar.repository[include.slice(1)];
    return { pattern: new RegExp(rule.match, "duy"), name: rule.name, captures: rule.captures || {} };
  });
}

const kind = (name) => name.split(".")[0];

// pieces are the coloured stretches of a line: [from, to, class], in order.
export function pieces(line) {
  const out = [];
  for (let at = 0; at < line.length;) {
    let found = null;
    for (const rule of rules) {
      rule.pattern.lastIndex = at;
      const match = rule.pattern.exec(line);
      if (match && match[0].length > 0) {
        found = { rule, match };
        break;
      }
    }
    if (!found) {
      // A word is passed as a whole, so that no rule begins within it.
      const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
      word.lastIndex = at;
      at += word.test(line) ? word.lastIndex - at : 1;
      continue;
    }
    const { rule, match } = found;
    if (rule.name) {
      out.push([at, at + match[0].length, kind(rule.name)]);
    }
    for (const [k, capture] of Object.entries(rule.captures)) {
      const place = match.indices[k];
      if (place) out.push([place[0], place[1], kind(capture.name)]);
    }
    at += match[0].length;
  }
  return out;
}
