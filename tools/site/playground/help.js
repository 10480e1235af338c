// The language card and the list of functions, in a dialog.
import { node } from "./answer.js";

// spoken is a cell of a table: what is between backticks is code.
const spoken = (text) => text.split("`").map((part, k) => (k % 2 ? node("code", { textContent: part }) : part));

// fill makes the tables, which are lists of rows of cells, and the field that finds rows in them.
export function fill(dialog, tables) {
  const box = dialog.querySelector("#tables"), field = dialog.querySelector("#find");
  box.replaceChildren(...tables.map(([head, ...rows]) => node("table", {},
    node("thead", {}, node("tr", {}, ...head.map((text) => node("th", { scope: "col" }, ...spoken(text))))),
    node("tbody", {}, ...rows.map((cells) => node("tr", {}, ...cells.map((text) => node("td", {}, ...spoken(text)))))))));
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const table of box.children) {
      for (const row of table.tBodies[0].rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      table.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
    }
  };
}
