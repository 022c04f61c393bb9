// When the observer looks, and how often: `adversary.at`, `release.every` and `release.until`; and the unit of time.

import { element, byId } from "./element.js";
import { literal, valueOf, withValue } from "./editing.js";
import { numberBox, put } from "./number_box.js";
import { withoutLast } from "./removing.js";
import { unquoted } from "./toml.js";
import { sheet, change, onText, settle } from "./sheet.js";

export function startMoment() {
  const time = number("The time of the look", 0);
  const steady = radio("steady", "once it has settled (in the long run)");
  const at = radio("at", "at the time ");
  const every = number("Time from one look to the next", 0);
  const until = number("How long they go on", 0);
  const place = byId("moment").querySelector(".fill");
  place.append(
    element("div", { class: "choice", role: "radiogroup", "aria-label": "When the observer looks" },
      element("span", { class: "small" }, "The observer looks "),
      steady.node, element("span", { class: "pair" }, at.node, time)),
    element("p", { class: "sentence" }, "and again every ", every, " for ", until, "."),
    element("p", { class: "hint" }, "Leave these empty where nobody knows."),
    element("p", { class: "sentence" }, "Times are counted in ", unit(), "."));
  steady.input.addEventListener("change", () => set(withValue(sheet.text, "adversary", "at", '"steady"')));
  at.input.addEventListener("change", () => {
    if (!(Number(time.value) >= 0) || time.value === "") put(time, "10");
    set(withValue(sheet.text, "adversary", "at", literal(time.dataset.exact)));
  });
  time.addEventListener("input", () => {
    if (time.value === "" || !(Number(time.value) >= 0)) return;
    at.input.checked = true;
    set(withValue(sheet.text, "adversary", "at", literal(time.value)), "adversary.at");
  });
  for (const [name, box] of [["every", every], ["until", until]]) {
    box.addEventListener("change", () => released(name, box.value));
  }
  onText((text) => {
    const said = valueOf(text, "adversary.at");
    const steadily = said === null || /steady/.test(said);
    steady.input.checked = steadily;
    at.input.checked = !steadily;
    put(time, steadily ? "" : said);
    put(every, valueOf(text, "release.every") ?? "");
    put(until, valueOf(text, "release.until") ?? "");
  });
}

// What times are counted in, and rates are per: `time.unit`.
function unit() {
  const box = element("select", { "aria-label": "Unit of time" },
    ...["", "second", "minute", "hour", "day"].map((one) => element("option", { value: one }, one ? `${one}s` : "units that the file does not name")));
  box.addEventListener("change", () =>
    set(box.value ? withValue(sheet.text, "time", "unit", JSON.stringify(box.value)) : withoutLast(sheet.text, "time", "unit")));
  onText((text) => {
    box.value = unquoted(valueOf(text, "time.unit") ?? "");
  });
  return box;
}

function released(name, value) {
  set(Number(value) > 0 ? withValue(sheet.text, "release", name, literal(value)) : withoutLast(sheet.text, "release", name));
}

function set(text, joins = null) {
  if (joins === null) settle();
  change(text, { joins });
}

function number(label, min) {
  return numberBox({ min, step: "any", "aria-label": label });
}

function radio(value, words) {
  const input = element("input", { type: "radio", name: "at", value });
  return { input, node: element("label", {}, input, words) };
}
