// For every ε the least δ with which (ε, δ) holds.

import { byId } from "./element.js";
import { chart } from "./live_chart.js";

const SAYS = "δ for every ε: an event is at most e^ε times as likely for one team as for another, plus δ";

export function showProfile({ epsilon: x, delta: y }) {
  const place = byId("profile").querySelector(".fill");
  if (x.length < 2) return place.replaceChildren("No snapshot gives anything away.");
  chart(place, { x: "ε", y: "δ", lines: [{ name: "δ(ε)", x, y, colour: 0, dash: "solid" }] }, SAYS);
}
