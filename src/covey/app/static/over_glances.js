// What many glances give away: how often an observer is right after so many of them.

import { element, byId } from "./element.js";
import { chart } from "./live_chart.js";
import { longer } from "./longer.js";
import { showLater } from "./headline.js";
import { short } from "./numbers.js";

export function startGlances() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("glances").querySelector(".fill").append(picture, words);
  longer("glances", {
    show: ({ glances: found }) => {
      const x = found.glances, share = (list) => list.map((value) => 100 * (1 + value) / 2);
      const lines = [{ name: "an observer is right", x, y: found.guess.map((value) => 100 * value), colour: 0, dash: "solid" }];
      if (found.upper) lines.push({ name: "at most", x, y: share(found.upper), colour: 1, dash: "dash" });
      lines.push({ name: "a coin", x: [x[0], x.at(-1)], y: [50, 50], colour: -1, dash: "sparse" });
      if (x.length > 1) chart(picture, { x: "glances", y: "right, in %", lines }, "How often an observer is right, over the number of glances");
      words.textContent = [found.said].flat().join(" ");
      showLater({ glances: x.at(-1), guess: found.guess.at(-1), note: `one each ${short(found.every)}` });
    },
    wrong: () => showLater(null),
  });
}
