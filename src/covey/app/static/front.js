// Privacy against performance: every point is a setting that can be taken.

import { element, drawn, button } from "./element.js";
import { percent, short } from "./numbers.js";

const WIDE = 420, HIGH = 230, LEFT = 52, FOOT = 40, TOP = 14, RIGHT = 16;
const PRIVATE = new Set(["guess", "leakage", "total_variation", "epsilon"]);

export function front(points, before, take) {
  const measure = Object.keys(points[0].measures).find((name) => !PRIVATE.has(name)) ?? "guess";
  const shown = element("div", { class: "row chosen" }, element("span", { class: "small" }, "Click a point to see it."));
  const x = scale([...points.map((p) => p.measures[measure]), before[measure]], LEFT, WIDE - RIGHT);
  const y = scale([...points.map((p) => 100 * p.measures.guess), 100 * before.guess], HIGH - FOOT, TOP);
  const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "front", role: "group", "aria-label": `Privacy against ${measure}` });
  svg.append(axes(x, y, measure));
  svg.append(drawn("path", { class: "grid", d: points.map((p, i) => `${i ? "L" : "M"}${x.at(p.measures[measure])} ${y.at(100 * p.measures.guess)}`).join("") }));
  svg.append(drawn("circle", { cx: x.at(before[measure]), cy: y.at(100 * before.guess), r: 5, class: "now" }, drawn("title", {}, "now")));
  points.forEach((point, i) => {
    const says = `right ${percent(point.measures.guess)}, ${measure} ${short(point.measures[measure])}`;
    const dot = drawn("circle", { cx: x.at(point.measures[measure]), cy: y.at(100 * point.measures.guess), r: 7, class: "point", role: "button", tabindex: 0, "aria-label": says }, drawn("title", {}, says));
    const choose = () => {
      for (const other of svg.querySelectorAll(".point")) other.classList.toggle("is-chosen", other === dot);
      shown.replaceChildren(element("span", {}, says), button("Take this", () => take(point.text), { label: `Take this: ${says}`, dataset: { point: i } }));
    };
    dot.addEventListener("click", choose);
    dot.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
    svg.append(dot);
  });
  return element("figure", {}, svg, element("figcaption", {}, "Lower is more private, right achieves more; the ring is now."), shown);
}

function scale(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values), pad = 0.08 * (high - low || Math.abs(high) || 1);
  const ends = [low - pad, high + pad];
  return { ends, at: (value) => from + ((value - ends[0]) / (ends[1] - ends[0])) * (to - from) };
}

function axes(x, y, measure) {
  const group = drawn("g", { class: "axes" });
  for (const mark of ticks(...y.ends, 4)) {
    group.append(drawn("path", { class: "grid", d: `M${LEFT} ${y.at(mark)}H${WIDE - RIGHT}` }), drawn("text", { x: LEFT - 6, y: y.at(mark) + 4, "text-anchor": "end" }, `${mark} %`));
  }
  for (const mark of ticks(...x.ends, 4)) {
    group.append(drawn("text", { x: x.at(mark), y: HIGH - FOOT + 17, "text-anchor": "middle" }, String(mark)));
  }
  group.append(drawn("path", { class: "axis", d: `M${LEFT} ${HIGH - FOOT}H${WIDE - RIGHT}` }), drawn("text", { class: "name", x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 5, "text-anchor": "middle" }, measure));
  return group;
}
