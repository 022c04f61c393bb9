// A mechanism as a picture: what is there down, what is published across; the area of a square is the
// probability, and the truth is grey.

import { drawn, element } from "./element.js";

const CELL = 14, MOST = 60; // pixels; rows or columns beyond which there is no picture

export function tablePicture({ counts, outcomes: seen, instead: published, table }) {
  if (seen.length > MOST || published.length > MOST) {
    return element("p", { class: "hint" }, `${seen.length} × ${published.length} chances: too many for a picture. They are in the file.`);
  }
  const words = (outcome) => outcome.join(", ");
  const left = 12 + 6.2 * Math.max(...seen.map((outcome) => words(outcome).length));
  const top = 12 + 6.2 * Math.max(...published.map((outcome) => words(outcome).length));
  const wide = left + CELL * published.length + 4, high = top + CELL * seen.length + 4;
  const svg = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, class: "chances", role: "img", "aria-label": "The chance of every published outcome, for every true one" });
  svg.style.maxWidth = `${wide * 1.3}px`;
  published.forEach((outcome, j) => svg.append(drawn("text", { x: 0, y: 0, transform: `translate(${left + CELL * (j + 0.75)} ${top - 5}) rotate(-90)` }, words(outcome))));
  seen.forEach((outcome, i) => {
    svg.append(drawn("text", { x: left - 5, y: top + CELL * (i + 0.75), "text-anchor": "end" }, words(outcome)));
    published.forEach((other, j) => {
      const side = CELL * Math.sqrt(table[i][j]) * 0.92;
      if (side < 0.4) return;
      const at = (place, from) => from + CELL * (place + 0.5) - side / 2;
      const truth = words(outcome) === words(other);
      svg.append(drawn("rect", { x: at(j, left), y: at(i, top), width: side, height: side, class: truth ? "true" : "said" },
        drawn("title", {}, `${words(outcome)} → ${words(other)}: ${(100 * table[i][j]).toPrecision(3)} %`)));
    });
  });
  return element("figure", {}, element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The table of chances" }, svg),
    element("figcaption", {}, `Counts are ${counts.join(", ")}. Down: what is there; across: what is published.`));
}
