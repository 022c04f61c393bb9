// What many snapshots give away: how often an observer is right after so many of them.

import { element, byId } from "./element.js";
import { ABOVE, aboveCoin, chart } from "./live_chart.js";
import { longer } from "./longer.js";
import { ageLater, showLater } from "./headline.js";
import { short } from "./numbers.js";
import { onText } from "./sheet.js";

const SAYS = "How often an observer is right, over the number of snapshots";

export function startSnapshots() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("snapshots").querySelector(".fill").append(picture, words);
  longer("snapshots", {
    always: true,
    show: (found) => {
      const x = found.snapshots;
      // Null where nothing was drawn: then it is certain.
      const sure = found.confidence === null ? "" : `, with ${short(100 * found.confidence)}% confidence`;
      const lines = [
        { name: "right", x, y: aboveCoin(found.guess), colour: 0, dash: "solid" },
        { name: `at most${sure}`, x, y: aboveCoin(found.guess_upper), colour: 1, dash: "dash" },
      ];
      if (x.length > 1) chart(picture, { x: "snapshots", y: ABOVE, lines }, SAYS);
      words.textContent = (found.rough ? "A first approximation. " : "") + found.later;
      // Where paths were drawn it is the upper bound that is said, here as in every sentence.
      const note = `at most${sure}; ${found.rough ? "a first approximation" : `one ${found.each}`}`;
      showLater({ snapshots: x.at(-1), guess: found.guess_upper.at(-1), note, verdict: found.verdict });
    },
    wrong: () => showLater({}),
  });
  onText(ageLater);
}
