// What a glance gives away, by when it is taken.

import { element, byId } from "./element.js";
import { asNumber } from "./numbers.js";
import { chart } from "./live_chart.js";
import { longer } from "./longer.js";

export function startTime() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("time").querySelector(".fill").append(picture, words);
  longer("time", {
    show: (found) => {
      const x = found.times;
      const lines = [{ name: "right after one glance, in %", x, y: found.total_variation.map((value) => 50 * (1 + asNumber(value))), colour: 0, dash: "solid" }];
      lines.push({ name: "a coin", x: [x[0], x.at(-1)], y: [50, 50], colour: -1, dash: "sparse" });
      if (x.length > 1) chart(picture, { x: "time", y: "right, in %", lines }, "How often an observer is right after one glance, over the time of the glance");
      words.textContent = found.said;
    },
  });
}
