// Cure two: what to publish instead of the truth, so that no snapshot shifts the odds by more than a
// factor, or that nobody is right more often than so; what that costs, and one draw of it.

import { element, byId, button } from "./element.js";
import { longer } from "./longer.js";
import { notice } from "./notice.js";
import { sheet } from "./sheet.js";
import { percentOf, percent, short, shortOf } from "./numbers.js";
import { hundred } from "./hundred.js";
import { tablePicture } from "./table_picture.js";
import { publisher } from "./publish.js";
import { save } from "./saving.js";
import { figures, scrolled, table } from "./table.js";

// The mechanism that is shown, what was promised, and the text that it is for, for whoever downloads it.
export const cure = { mechanism: null, asked: {}, text: null };

// What can be promised: where its slider starts and ends, what a place on it means, and how that is said.
const AIMS = {
  epsilon: {
    name: "ε at most", words: ["one snapshot shifts the odds by at most e", element("sup", {}, "ε")],
    min: -2, max: 1, step: 0.02, place: -0.3, value: (place) => Number((10 ** place).toPrecision(2)), said: short,
  },
  guess: {
    name: "right at most", words: ["whatever is seen, an observer is right at most …"],
    min: 50.5, max: 95, step: 0.5, place: 60, value: (place) => place / 100, said: percent,
  },
};

export function startProtect() {
  const fill = byId("protect").querySelector(".fill");
  const places = Object.fromEntries(Object.entries(AIMS).map(([kind, { place }]) => [kind, place]));
  const slider = element("input", { type: "range" });
  const shown = element("output", { class: "aim" });
  const kinds = Object.keys(AIMS).map((kind) => element("input", {
    type: "radio", name: "aim", value: kind, checked: kind === "epsilon",
  }));
  const kind = () => kinds.find((radio) => radio.checked).value;
  const aim = () => AIMS[kind()].value(places[kind()]);
  const tell = () => {
    shown.textContent = AIMS[kind()].said(aim());
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  const choose = () => {
    const { min, max, step, name } = AIMS[kind()];
    Object.assign(slider, { min, max, step });
    slider.value = places[kind()];
    slider.setAttribute("aria-label", name);
    tell();
  };
  const result = element("div", { class: "result" });
  fill.before(
    element("p", { class: "hint" }, "Publish counts through a table of chances that now and then says something near "
      + "the truth. covey finds the table that costs least."),
    element("div", { class: "aims" },
      element("div", { class: "choice", role: "radiogroup", "aria-label": "What is promised" },
        kinds.map((radio) => element("label", {}, radio, element("span", {}, AIMS[radio.value].words)))),
      element("div", { class: "knob aim-knob" }, slider, shown)));
  fill.append(result);
  const question = longer("protect", {
    options: () => ({ [kind()]: aim() }),
    show: (found, { text, ...asked }) => {
      Object.assign(cure, { mechanism: found.mechanism, asked, text });
      result.replaceChildren(...parts(found));
    },
    wrong: () => {
      cure.mechanism = null;
    },
  });
  slider.addEventListener("input", () => {
    places[kind()] = Number(slider.value);
    tell();
    fill.classList.add("is-old");
    question.soon();
  });
  for (const radio of kinds) {
    radio.addEventListener("change", () => {
      choose();
      question.soon();
    });
  }
  choose();
}

// Hands out the mechanism, if it is one for the team on the page.
export function downloadMechanism() {
  if (cure.mechanism && cure.text === sheet.text) {
    return save("mechanism.json", cure.mechanism, "application/json");
  }
  byId("protect").scrollIntoView();
  notice(cure.mechanism ? "The team has changed since: its mechanism is being made here."
    : "Choose first what is promised: the mechanism is made here.");
}

function parts(found) {
  return [
    element("p", { class: "outcome" }, found.said),
    element("div", { class: "cure" },
      element("figure", { class: "truth" }, hundred(100 * found.unchanged),
        element("figcaption", {},
          "the truth is published ", percentOf(found.unchanged, "protect.unchanged"), " of the time")),
      element("dl", { class: "figures" }, figures([
        ["leakage", shortOf(found.upper, "protect.upper", "up"), `${short(found.leakage_before)} before`],
        ["right after one snapshot", percentOf(found.guess, "protect.guess", "up"), `${percent(found.guess_before)} before`],
        ...("stream_guess" in found
          ? [["right after all that is published", percentOf(found.stream_guess, "protect.stream_guess", "up"), "at most"]] : []),
        ["counts are off by", shortOf(found.loss, "protect.loss"), "robots on average"],
      ]))),
    ...(found.stream || found.why_no_stream ? [element("p", {}, "The promise is for one snapshot. ", found.stream
      ?? `What all of them give away through the table is not known: ${found.why_no_stream}.`)] : []),
    publisher(found),
    element("div", { class: "row" }, button("Download the mechanism", downloadMechanism, { class: "main" })),
    element("details", {}, element("summary", {}, "The table of chances"), tablePicture(found)),
    ...compared(found.compared),
  ];
}

function compared(others) {
  if (!others.length) return [];
  const rows = others.map((one) => [one.name, short(one.leakage, 3, "up"), percent(one.guess, "up"), short(one.loss)]);
  return [element("details", {}, element("summary", {}, `${rows.length} usual ways to say less, for comparison`),
    scrolled("Other ways to say less", table(["published", "leakage", "right", "off by"], rows)))];
}
