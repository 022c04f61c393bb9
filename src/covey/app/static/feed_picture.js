// A while of a feed: what is there as an area, what is published as a line, one count below the other.
// Where the line leaves the area's edge, a reader is off.

import { drawn, element } from "./element.js";
import { short } from "./numbers.js";

const WIDE = 600, HIGH = 60; // of each, in the picture's own units
const MOST = 4; // counts that are drawn

export function feedPicture({ names, times, real, published }) {
  const span = times.at(-1);
  const lines = names.slice(0, MOST).map((name, i) => {
    const top = 1.1 * Math.max(1, ...real[i], ...published[i]);
    const there = steps(times, real[i], top), shown = steps(times, published[i], top);
    return element("div", { class: "line" }, element("span", {}, name),
      drawn("svg", {
        viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
        "aria-label": `${name}: what is there and what is published, for ${short(span)}; off by ${short(off(real[i], published[i]))} on average`,
      }, drawn("path", { class: "there", d: `${there}V${HIGH}H0Z` }), drawn("path", { class: "shown", d: shown })));
  });
  return element("figure", { class: "feed" }, element("figcaption", {}, `One path, simulated, for ${short(span)}:`,
    element("i", { class: "key" }), "there", element("i", { class: "key shown" }), "published"), lines);
}

// Counts that stay until the next moment, as a path.
function steps(times, counts, top) {
  return times.map((time, at) => {
    const x = (WIDE * time / times.at(-1)).toFixed(1), y = (HIGH * (1 - counts[at] / top)).toFixed(1);
    return at ? `H${x}V${y}` : `M${x} ${y}`;
  }).join("");
}

function off(real, published) {
  return real.reduce((sum, count, at) => sum + Math.abs(count - published[at]), 0) / real.length;
}
