// Cure one: a public reference team that moves along with the real one, by sliders; what it costs, and
// a while of it beside the truth.

import { element, byId, button } from "./element.js";
import { feedPicture } from "./feed_picture.js";
import { hundred } from "./hundred.js";
import { knob, turn } from "./knob.js";
import { longer } from "./longer.js";
import { knownModel } from "./model.js";
import { percentOf, short, shortOf } from "./numbers.js";
import { save } from "./saving.js";
import { figures } from "./table.js";

let chosen = {}; // robots of the reference by type; empty: as the server begins with

export function startStandIn() {
  const fill = byId("stand_in").querySelector(".fill");
  const knobs = element("div", { class: "knobs" });
  const result = element("div", { class: "result" }), picture = element("div");
  fill.before(element("p", { class: "hint" }, "Publish a public reference team in place of yours. It moves along with yours, "
    + "and gives away nothing, however long somebody watches. Choose it without looking at your team: by what everybody knows."));
  fill.append(knobs, result, picture);
  const question = longer("stand_in", {
    options: () => ({ reference: known() }),
    show: (found) => {
      chosen = found.stand_in;
      turnAll(knobs, (type, robots) => {
        chosen = { ...chosen, [type]: Number(robots) };
        fill.classList.add("is-old");
        question.soon();
      });
      result.replaceChildren(...parts(found));
      picture.classList.toggle("is-old", !found.hour);
      if (found.hour) picture.replaceChildren(feedPicture(found.hour));
      else if (found.coupling === "greedy" && !found.rough) picture.replaceChildren();
    },
    wrong: () => {
      for (const place of [knobs, result, picture]) place.replaceChildren();
      delete knobs.dataset.made;
    },
  });
}

// The reference, as long as it is one of the types that there are.
function known() {
  const types = Object.keys(knownModel()?.types ?? {});
  return Object.keys(chosen).sort().join() === types.sort().join() ? chosen : {};
}

// A slider for each type; those that are there are turned, so that none is taken from the hand that moves it.
function turnAll(place, set) {
  const types = Object.entries(chosen), made = JSON.stringify(Object.keys(chosen));
  if (place.dataset.made === made) return types.forEach(([, robots], i) => turn(place.children[i], String(robots), false));
  place.dataset.made = made;
  place.replaceChildren(...types.map(([name, robots]) => knob({
    key: `stand_in.${name}`, name, label: `How many ${name} the stand-in has`, value: String(robots),
    set: (value) => set(name, value),
  })));
}

function parts(found) {
  const sure = found.confidence === null ? "" : `, with ${short(100 * found.confidence)}% confidence`;
  const note = found.rough ? "robots on average; a first approximation" : `robots on average${sure}`;
  return [
    ...found.said.map((sentence) => element("p", { class: "outcome" }, sentence)),
    element("div", { class: "cure" },
      element("figure", { class: "truth" }, hundred(100 * found.unchanged), element("figcaption", {},
        "the truth is published ", percentOf(found.unchanged, "stand_in.unchanged", "down"), " of the time")),
      element("dl", { class: "figures" }, figures([
        ["right after any number of snapshots", percentOf(0.5, "stand_in.guess"), "as by guessing"],
        ["counts are off by", shortOf(found.loss, "stand_in.loss", "up"), note],
        ["the least there can be", shortOf(found.least, "stand_in.least", "down"), "robots on average"],
      ]))),
    found.file ? element("div", { class: "row" }, button("Download the stand-in",
      () => save("stand-in.json", found.file, "application/json"), { class: "main" }),
    element("span", { class: "hint" }, "covey publish stand-in.json publishes it from a log or live.")) : null,
  ].filter(Boolean);
}
