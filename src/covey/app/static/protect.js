// Cure one: what to publish instead of the truth, so that no glance shifts the odds by more than a
// factor, or that nobody is right more often than so; what that costs, and one draw of it.

import { element, byId, button } from "./element.js";
import { longer } from "./longer.js";
import { percentOf, percent, short, shortOf, asNumber } from "./numbers.js";
import { hundred } from "./hundred.js";
import { tablePicture } from "./table_picture.js";
import { publisher } from "./publish.js";
import { save } from "./saving.js";

export const cure = { mechanism: null };
const AIMS = {
  epsilon: { min: -2, max: 1, step: 0.02, value: Math.log10(0.5), words: (x) => short(x), name: "ε at most" },
  guess: { min: 50.5, max: 95, step: 0.5, value: 60, words: (x) => percent(x), name: "right at most" },
};

export function startProtect() {
  const place = byId("protect").querySelector(".fill");
  const slider = element("input", { type: "range" });
  const shown = element("output", { class: "aim" });
  const kinds = Object.keys(AIMS).map((kind) => element("input", { type: "radio", name: "aim", value: kind, checked: kind === "epsilon" }));
  const places = Object.fromEntries(Object.entries(AIMS).map(([kind, { value }]) => [kind, value]));
  const result = element("div", { class: "result" });
  const kind = () => kinds.find((radio) => radio.checked).value;
  const aim = () => (kind() === "epsilon" ? Number((10 ** Number(slider.value)).toPrecision(3)) : Number((Number(slider.value) / 100).toPrecision(4)));
  const turned = () => {
    const { min, max, step, name } = AIMS[kind()];
    Object.assign(slider, { min, max, step });
    slider.value = places[kind()];
    slider.setAttribute("aria-label", name);
    told();
  };
  const told = () => {
    places[kind()] = Number(slider.value);
    shown.textContent = AIMS[kind()].words(aim());
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  place.before(
    element("p", { class: "hint" }, "Publish counts through a table of chances that now and then says something near the truth. covey finds the table that costs least."),
    element("div", { class: "aims" },
      element("div", { class: "choice", role: "radiogroup", "aria-label": "What is promised" },
        element("label", {}, kinds[0], element("span", {}, "one glance shifts the odds by at most e", element("sup", {}, "ε"))),
        element("label", {}, kinds[1], "whatever is seen, an observer is right at most …")),
      element("div", { class: "knob aim-knob" }, slider, shown)));
  place.append(result);
  const question = longer("protect", {
    options: () => ({ [kind()]: aim() }),
    show: (found) => {
      cure.mechanism = found.mechanism;
      result.replaceChildren(...told_of(found));
    },
    wrong: () => {
      cure.mechanism = null;
    },
  });
  slider.addEventListener("input", () => {
    told();
    place.classList.add("is-old");
    question.soon();
  });
  for (const radio of kinds) radio.addEventListener("change", () => {
    turned();
    question.soon();
  });
  turned();
}

function told_of(found) {
  const times = 100 * found.unchanged;
  const facts = [
    ["leakage", shortOf(found.leakage, "protect.leakage"), `${short(found.leakage_before)} before`],
    ["right after one glance", percentOf(found.guess, "protect.guess"), `${percent(found.guess_before)} before`],
    ["counts are off by", shortOf(found.loss, "protect.loss"), "robots on average"],
  ];
  return [
    element("p", { class: "outcome" }, found.said),
    element("div", { class: "cure" },
      element("figure", { class: "truth" }, hundred(times), element("figcaption", {}, "the truth is published ", percentOf(found.unchanged, "protect.unchanged"), " of the time")),
      element("dl", { class: "figures" }, facts.map(([title, value, note]) => element("div", {}, element("dt", {}, title), element("dd", {}, value, element("small", {}, note)))))),
    publisher(found),
    element("div", { class: "row" }, button("Download the mechanism", () => save("mechanism.json", found.mechanism, "application/json"), { class: "main" })),
    element("details", {}, element("summary", {}, "The table of chances"), tablePicture(found)),
    compared(found),
  ].filter(Boolean);
}

function compared(found) {
  if (!found.compared?.length) return null;
  const rows = found.compared.map((one) => element("tr", {}, element("td", { class: "name" }, one.name),
    element("td", { class: "number" }, short(one.leakage)), element("td", { class: "number" }, percent(one.guess)), element("td", { class: "number" }, short(asNumber(one.loss)))));
  return element("details", {}, element("summary", {}, `${rows.length} usual ways to say less, for comparison`),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Other ways to say less" }, element("table", {},
      element("thead", {}, element("tr", {}, ["published", "leakage", "right", "off by"].map((word, i) => element("th", { scope: "col", class: i ? "number" : null }, word)))),
      element("tbody", {}, rows))));
}
