// What a glance gives away, by when it is taken.

import { element, byId } from "./element.js";
import { chart } from "./live_chart.js";
import { longer } from "./longer.js";

const SAYS = "How often an observer is right after one glance, over the time of the glance";

export function startTime() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("time").querySelector(".fill").append(picture, words);
  longer("time", {
    show: (found) => {
      const x = found.times;
      const lines = [
        { name: "right after one glance", x, y: found.guess.map((value) => 100 * value), colour: 0, dash: "solid" },
        { name: "a coin", x: [x[0], x.at(-1)], y: [50, 50], colour: -1, dash: "sparse" },
      ];
      if (x.length > 1) chart(picture, { x: "time", y: "right, in %", lines }, SAYS);
      words.textContent = found.said;
    },
  });
}
