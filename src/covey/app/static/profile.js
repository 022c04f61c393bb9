// For every ε the δ that has to be granted: how rare what gives more away is.

import { byId } from "./element.js";
import { chart } from "./live_chart.js";

const SAYS = "The probability δ that has to be granted, for every ε";

export function showProfile({ epsilon: x, delta: y }) {
  const place = byId("profile").querySelector(".fill");
  if (x.length < 2) return place.replaceChildren("No glance gives anything away.");
  chart(place, { x: "ε", y: "δ", lines: [{ name: "δ(ε)", x, y, colour: 0, dash: "solid" }] }, SAYS);
}
