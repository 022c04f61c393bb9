// A mechanism as a picture: what is there down, what is published across; the area of a square is the
// probability, and the truth is grey.

import { drawn, element } from "./element.js";
import { percent } from "./numbers.js";
import { scrolled } from "./table.js";

const CELL = 14, LETTER = 6.2; // pixels
const SMALLEST = 0.4; // pixels: a square that would not be seen

export function tablePicture({ counts, outcomes, instead, table }) {
  if (table === null) {
    const size = `${outcomes.length} × ${instead.length}`;
    return element("p", { class: "hint" }, `${size} chances: too many for a picture. They are in the file.`);
  }
  const words = (outcome) => outcome.join(", ");
  const room = (all) => 12 + LETTER * Math.max(...all.map((outcome) => words(outcome).length));
  const left = room(outcomes), top = room(instead);
  const wide = left + CELL * instead.length + 4, high = top + CELL * outcomes.length + 4;
  const svg = drawn("svg", {
    viewBox: `0 0 ${wide} ${high}`, class: "chances", role: "img",
    "aria-label": "The chance of every published outcome, for every true one",
  });
  svg.style.maxWidth = `${1.3 * wide}px`;
  instead.forEach((outcome, j) => {
    const at = `translate(${left + CELL * (j + 0.75)} ${top - 5}) rotate(-90)`;
    svg.append(drawn("text", { transform: at }, words(outcome)));
  });
  outcomes.forEach((outcome, i) => {
    svg.append(drawn("text", { x: left - 5, y: top + CELL * (i + 0.75), "text-anchor": "end" }, words(outcome)));
    instead.forEach((other, j) => {
      const side = 0.92 * CELL * Math.sqrt(table[i][j]);
      if (side < SMALLEST) return;
      svg.append(drawn("rect", {
        x: left + CELL * (j + 0.5) - side / 2, y: top + CELL * (i + 0.5) - side / 2, width: side, height: side,
        class: words(outcome) === words(other) ? "true" : "said",
      }, drawn("title", {}, `${words(outcome)} → ${words(other)}: ${percent(table[i][j])}`)));
    });
  });
  const says = `Counts are ${counts.join(", ")}. Down: what is there; across: what is published.`;
  return element("figure", {}, scrolled("The table of chances", svg), element("figcaption", {}, says));
}
