// Who is exposed: every type, by how often one look tells it from another.

import { element, byId } from "./element.js";
import { percentOf, shortOf } from "./numbers.js";

export function showExposed(found) {
  const most = Math.max(...found.map((one) => one.total_variation), 1e-300);
  byId("exposed").querySelector(".fill").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "a robot of type"), element("th", { scope: "col" }, "is told right"), element("th", { scope: "col", class: "number" }, "leakage"))),
    element("tbody", {}, found.map((one) => {
      const drawn = element("i", { class: "team" });
      drawn.style.width = `${(50 * one.total_variation) / most}%`;
      return element("tr", {}, element("th", { scope: "row", class: "name" }, one.type),
        element("td", {}, element("div", { class: "bar" }, drawn, percentOf((1 + one.total_variation) / 2, `exposed.${one.type}.right`))),
        element("td", { class: "number" }, shortOf(one.leakage, `exposed.${one.type}.leakage`)));
    }))));
}
