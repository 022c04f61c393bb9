// Who is exposed: every type, by how often one look tells it from another; or every other thing that is secret.

import { element, byId } from "./element.js";
import { knownModel } from "./model.js";
import { percentOf, shortOf } from "./numbers.js";
import { table } from "./table.js";

const WIDEST = 50; // percent of the column that the longest bar takes

export function showExposed(found) {
  const most = Math.max(...found.map((one) => one.total_variation), Number.MIN_VALUE);
  const rows = found.map(({ type, total_variation: distance, leakage }) => {
    const drawn = element("i", { class: "team" });
    drawn.style.width = `${(WIDEST * distance) / most}%`;
    const right = percentOf((1 + distance) / 2, `exposed.${type}.right`);
    return [type, element("div", { class: "bar" }, drawn, right), shortOf(leakage, `exposed.${type}.leakage`)];
  });
  const { secret } = knownModel(); // empty where it is the type of a robot
  byId("exposed").querySelector(".fill").replaceChildren(
    table([secret ? "about" : "a robot of type", "is told right", "leakage"], rows, { class: "exposed" }),
    element("p", { class: "small" }, secret ? `What is compared: ${secret}; ` : "A robot of a type is compared with the same robot having any other type; ",
    "guessing is right 50% of the time."));
}
