// What a snapshot shows: how probable every observation is, for this team and for the one that it
// differs from most, side by side.

import { element, byId, button } from "./element.js";
import { percentOf } from "./numbers.js";

const FIRST = 10; // observations that are shown before one asks for more
const WIDEST = 62; // percent of the column that the longest bar takes
let whole = false;

export function showDistributions(found) {
  const count = whole ? found.outcomes.length : Math.min(FIRST, found.outcomes.length);
  const scale = Math.max(...found.team, ...found.other, Number.MIN_VALUE);
  const rows = found.outcomes.slice(0, count).map((counts, i) => element("tr",
    { class: i === found.marked ? "marked" : null },
    element("th", { scope: "row", class: "name" }, counts.flatMap((n, j) => seen(found.names[j], n))),
    element("td", { class: "bars" },
      bar("team", found.team[i], scale, `distributions.team[${i}]`),
      bar("other", found.other[i], scale, `distributions.other[${i}]`))));
  const toggle = () => {
    whole = !whole;
    showDistributions(found);
  };
  const more = found.outcomes.length - FIRST;
  byId("distributions").querySelector(".fill").replaceChildren(
    element("p", { class: "key" },
      element("span", {}, element("i", { class: "team" }), found.whom),
      element("span", {}, element("i", { class: "other" }), `with ${found.neighbour}`)),
    element("table", { class: "distributions" },
      element("thead", {}, element("tr", {},
        element("th", { scope: "col" }, "what is seen"),
        element("th", { scope: "col" }, "how probable that is"))),
      element("tbody", {}, rows)),
    element("p", { class: "small" }, found.marked === null ? "" : "The marked one gives most away. ",
      found.of > found.shown ? found.note : ""),
    ...(more > 0 ? [button(whole ? "fewer" : `${more} more`, toggle, { "aria-expanded": String(whole) })] : []));
}

function seen(name, count) {
  return [element("span", { class: "seen" }, `${name} `, element("b", {}, count)), " "];
}

function bar(side, chance, scale, name) {
  const drawn = element("i", { class: side });
  drawn.style.width = `${(WIDEST * chance) / scale}%`;
  return element("div", { class: "bar" }, chance > 0 ? drawn : null, percentOf(chance, name));
}
