// What a snapshot gives away, by when it is taken.

import { element, byId } from "./element.js";
import { ABOVE, aboveCoin, chart } from "./live_chart.js";
import { longer } from "./longer.js";

const SAYS = "How often an observer is right after one snapshot, over the time of the snapshot";

export function startTime() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("time").querySelector(".fill").append(picture, words);
  longer("time", {
    show: (found) => {
      const x = found.times;
      const line = { name: "right after one snapshot", x, y: aboveCoin(found.guess), colour: 0, dash: "solid" };
      if (x.length > 1) chart(picture, { x: found.unit ? `time in ${found.unit}s` : "time", y: ABOVE, lines: [line] }, SAYS);
      words.textContent = found.said;
    },
  });
}
