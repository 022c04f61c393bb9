// What many glances give away: how often an observer is right after so many of them.

import { element, byId } from "./element.js";
import { chart } from "./live_chart.js";
import { longer } from "./longer.js";
import { showLater } from "./headline.js";
import { short } from "./numbers.js";

const SAYS = "How often an observer is right, over the number of glances";

export function startGlances() {
  const picture = element("div"), words = element("p", { class: "small" });
  byId("glances").querySelector(".fill").append(picture, words);
  longer("glances", {
    show: (found) => {
      const x = found.glances, percents = (list) => list.map((value) => 100 * value);
      const lines = [
        { name: "an observer is right", x, y: percents(found.guess), colour: 0, dash: "solid" },
        { name: "certainly at most", x, y: percents(found.guess_upper), colour: 1, dash: "dash" },
        { name: "a coin", x: [x[0], x.at(-1)], y: [50, 50], colour: -1, dash: "sparse" },
      ];
      if (x.length > 1) chart(picture, { x: "glances", y: "right, in %", lines }, SAYS);
      words.textContent = (found.rough ? "A first approximation. " : "") + found.later;
      const note = found.rough ? "a first approximation" : `one each ${short(found.every)}`;
      showLater({ glances: x.at(-1), guess: found.guess.at(-1), note });
    },
    wrong: () => showLater(null),
  });
}
