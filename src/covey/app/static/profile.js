// For every ε the δ that has to be granted: how rare what gives more away is.

import { byId } from "./element.js";
import { chart } from "./live_chart.js";

export function showProfile(found) {
  const place = byId("profile").querySelector(".fill");
  const x = found.epsilon, y = found.delta;
  if (x.length < 2) return place.replaceChildren("No glance gives anything away.");
  chart(place, { x: "ε", y: "δ", lines: [{ name: "δ(ε)", x, y, colour: 0, dash: "solid" }] }, "The probability δ that has to be granted, for every ε");
}
