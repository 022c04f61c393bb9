// Privacy against performance: every point is a setting that can be taken.

import { element, drawn, button } from "./element.js";
import { percent, short } from "./numbers.js";

const WIDE = 420, HIGH = 230, LEFT = 56, RIGHT = WIDE - 16, TOP = 14, BOTTOM = HIGH - 40; // pixels
const SIZE = 7; // pixels: a point's radius
const PRIVATE = new Set(["guess", "leakage", "total_variation", "epsilon", "stream_guess"]);
const right = (measures) => measures.stream_guess ?? measures.guess; // of all that is published, where that is the aim

// `points` are [{measures, text}]; `take(text)` is called with the one that is taken.
export function front(points, before, take) {
  const measure = Object.keys(before).find((name) => !PRIVATE.has(name));
  const across = (measures) => measures[measure], up = (measures) => 100 * right(measures);
  const all = [...points.map((point) => point.measures), before];
  const x = scale(all.map(across), LEFT, RIGHT), y = scale(all.map(up), BOTTOM, TOP);
  const place = (measures) => ({ cx: x.at(across(measures)), cy: y.at(up(measures)) });
  const says = ({ measures }) => `right ${percent(right(measures))}, ${measure} ${short(across(measures))}`;
  const svg = drawn("svg", {
    viewBox: `0 0 ${WIDE} ${HIGH}`, class: "front", role: "group", "aria-label": `Privacy against ${measure}`,
  }, axes(x, y, measure));
  svg.append(drawn("circle", { ...place(before), r: 6, class: "now" }, drawn("title", {}, "now")));
  const shown = element("div", { class: "row chosen" },
    element("span", { class: "small" }, "Click a point to see it."));
  for (const point of apart(points, (point) => place(point.measures))) {
    const words = says(point);
    const dot = drawn("circle", {
      ...place(point.measures), r: SIZE, class: "point", role: "button", tabindex: 0, "aria-label": words,
    }, drawn("title", {}, words));
    const choose = () => {
      for (const other of svg.querySelectorAll(".point")) other.classList.toggle("is-chosen", other === dot);
      const taken = button("Take this", () => take(point.text), { label: `Take this: ${words}` });
      shown.replaceChildren(element("span", {}, words), taken);
    };
    dot.addEventListener("click", choose);
    dot.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
    svg.append(dot);
  }
  const caption = element("figcaption", {}, "Lower is more private, further right achieves more; the ring is now.");
  return element("figure", {}, svg, caption, shown);
}

// The points without those that would lie on another one.
function apart(points, place) {
  const kept = [];
  for (const point of points) {
    const { cx, cy } = place(point);
    const free = kept.every((other) => Math.hypot(cx - place(other).cx, cy - place(other).cy) > SIZE);
    if (free) kept.push(point);
  }
  return kept;
}

function scale(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values);
  const pad = 0.08 * (high - low || Math.abs(high) || 1);
  const ends = [low - pad, high + pad];
  return { ends, at: (value) => from + ((value - ends[0]) / (ends[1] - ends[0])) * (to - from) };
}

function axes(x, y, measure) {
  const group = drawn("g", { class: "axes" });
  for (const mark of ticks(...y.ends, 4)) {
    group.append(drawn("path", { class: "grid", d: `M${LEFT} ${y.at(mark)}H${RIGHT}` }),
      drawn("text", { x: LEFT - 6, y: y.at(mark) + 4, "text-anchor": "end" }, `${mark}%`));
  }
  for (const mark of ticks(...x.ends, 4)) {
    group.append(drawn("text", { x: x.at(mark), y: BOTTOM + 17, "text-anchor": "middle" }, String(mark)));
  }
  const middle = (LEFT + RIGHT) / 2;
  group.append(drawn("path", { class: "axis", d: `M${LEFT} ${BOTTOM}H${RIGHT}` }),
    drawn("text", { class: "name", x: middle, y: HIGH - 5, "text-anchor": "middle" }, measure));
  return group;
}
