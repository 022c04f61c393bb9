// What a glance shows: how probable every observation is, for this team and for the one that it
// differs from most, side by side.

import { element, byId, button } from "./element.js";
import { percentOf } from "./numbers.js";

const FIRST = 10; // observations that are shown before one asks for more
const WIDEST = 62; // percent of the column that the longest bar takes
let whole = false;

export function showLaws(found) {
  const place = byId("laws").querySelector(".fill");
  const count = whole ? found.outcomes.length : Math.min(FIRST, found.outcomes.length);
  const scale = Math.max(...found.team, ...found.other, 1e-300);
  const rows = found.outcomes.slice(0, count).map((counts, i) => element("tr", { class: i === found.marked ? "marked" : null },
    element("th", { scope: "row", class: "name" }, counts.map((n, j) => element("span", { class: "seen" }, `${found.names[j]} `, element("b", {}, n)))),
    element("td", { class: "bars" }, bar("team", found.team[i], scale, `laws.team[${i}]`), bar("other", found.other[i], scale, `laws.other[${i}]`))));
  const more = found.outcomes.length > FIRST ? button(whole ? "fewer" : `${found.outcomes.length - FIRST} more`, () => {
    whole = !whole;
    showLaws(found);
  }, { "aria-expanded": String(whole) }) : null;
  place.replaceChildren(
    element("p", { class: "key" },
      element("span", {}, element("i", { class: "team" }), "this team"),
      element("span", {}, element("i", { class: "other" }), found.neighbour ? `with ${found.neighbour}` : "the other team")),
    element("table", { class: "laws" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "what is seen"), element("th", { scope: "col" }, "how probable that is"))),
      element("tbody", {}, rows)),
    element("p", { class: "small" },
      found.marked === null || found.marked === undefined ? "" : "The marked one gives most away. ",
      found.of > found.outcomes.length ? `Of ${found.of.toLocaleString("en")} these differ most. ` : ""),
    ...(more ? [more] : []));
}

function bar(side, chance, scale, name) {
  const drawn = element("i", { class: side });
  drawn.style.width = `${(WIDEST * chance) / scale}%`;
  return element("div", { class: "bar" }, chance > 0 ? drawn : null, percentOf(chance, name));
}
