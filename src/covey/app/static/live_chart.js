// The report's chart (chart.js, exploring.js), kept on the page and given other numbers.

import { element } from "./element.js";
import { asNumber } from "./numbers.js";

const charts = new WeakMap();

// Shows the lines [{name, x, y, colour, dash}] in `place`, in the chart that is there already.
export function chart(place, { x, y, lines }, says) {
  const data = { x, y, lines: lines.map((line) => ({ ...line, y: line.y.map(drawable) })) };
  const there = charts.get(place);
  if (there && there.frame.isConnected) return there.show(data);
  const figure = element("figure", { class: "chart" }, element("div", { class: "live" }));
  place.replaceChildren(figure);
  const made = new Chart(figure, data, says);
  explore(made);
  charts.set(place, made);
}

// How often an observer is right, as a chart shows it: by how much more often than a coin.
export const ABOVE = "right: points above guessing (50%)";

export function aboveCoin(shares) {
  return shares.map((share) => 100 * (share - 0.5));
}

// Infinity is null in a chart.
function drawable(value) {
  const number = asNumber(value);
  return Number.isFinite(number) ? number : null;
}
