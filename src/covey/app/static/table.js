// A table of rows [name, cell, …]: the first cell names the row, all others are numbers.

import { element } from "./element.js";

export function table(head, rows, attributes = {}) {
  const number = (i) => (i ? { class: "number" } : { class: "name" });
  return element("table", attributes,
    element("thead", {}, element("tr", {}, head.map((word, i) => element("th", { scope: "col", ...number(i) }, word)))),
    element("tbody", {}, rows.map(([name, ...cells]) => element("tr", {},
      element("th", { scope: "row", class: "name" }, name),
      cells.map((cell) => element("td", { class: "number" }, cell))))));
}

// What is wider than the page scrolls by itself, by hand and by key.
export function scrolled(label, child) {
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, child);
}

// Numbers in boxes: [title, value, note] each.
export function figures(all) {
  return all.map(([title, value, note]) => element("div", {},
    element("dt", {}, title), element("dd", {}, value, element("small", {}, note))));
}
