// A share as so many of a hundred dots.

import { drawn } from "./element.js";

export function hundred(count) {
  const whole = Math.round(count);
  const svg = drawn("svg", { viewBox: "0 0 100 100", class: "hundred", role: "img", "aria-label": `${whole} of 100` });
  for (let i = 0; i < 100; i++) {
    const place = { cx: 5 + 10 * (i % 10), cy: 5 + 10 * Math.floor(i / 10) };
    svg.append(drawn("circle", i < whole ? { ...place, r: 3.8, class: "yes" } : { ...place, r: 2.9, class: "no" }));
  }
  return svg;
}
