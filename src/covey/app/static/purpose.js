// What the team is for: named measures that a design keeps, and their values now.

import { element, byId, button, refill } from "./element.js";
import { asName, entries, free, withValue } from "./editing.js";
import { reactions, named, species, said } from "./reactions.js";
import { withoutLast } from "./removing.js";
import { shortOf } from "./numbers.js";
import { sheet, change, onText, settle } from "./sheet.js";

let values = {};

export function startPurpose() {
  const place = byId("purpose").querySelector(".fill");
  onText(() => render(place));
}

export function showPerformance(found) {
  values = found ?? {};
  render(byId("purpose").querySelector(".fill"));
}

function render(place) {
  const all = entries(sheet.text, "performance");
  refill(place,
    element("p", { class: "hint" }, "What must not suffer when the team gives away less: how often a task is finished, "
      + "how many are free."),
    all.length ? element("ul", { class: "lines" }, all.map(row)) : null, adder());
}

function row(measure) {
  return element("li", {},
    element("div", { class: "line" }, element("b", {}, measure.name),
      Object.hasOwn(values, measure.name) ? shortOf(values[measure.name], `performance.${measure.name}`) : null,
      element("code", {}, measure.raw.replace(/^["']|["']$/g, ""))),
    button("×", () => {
      settle();
      change(withoutLast(sheet.text, "performance", measure.name));
    }, { class: "remove", label: `Remove ${measure.name}` }));
}

// What can be counted: how often a reaction happens, either way, and how many are in a count.
function choices() {
  const found = [];
  for (const [place, reaction] of reactions(sheet.text).entries()) {
    const label = reaction.name || reaction.right.map(said).join(" and ");
    if (reaction.both) found.push({ label: `how often it is over: ${label}`, place, back: true });
    found.push({ label: `how often it ${reaction.both ? "begins" : "happens"}: ${label}`, place, back: false });
  }
  for (const sum of entries(sheet.text, "observe")) {
    if (!sum.name.includes("$")) found.push({ label: `how many are ${sum.name}`, sum: sum.name });
  }
  return found;
}

function adder() {
  const all = choices();
  const select = element("select", { "aria-label": "What is counted" },
    all.map(({ label }, i) => element("option", { value: i }, label)));
  return element("form", {
    class: "adder",
    onsubmit: (event) => {
      event.preventDefault();
      if (select.value === "") return;
      settle();
      change(withMeasure(sheet.text, all[Number(select.value)]));
    },
  }, select, button("+ keep this", null, { type: "submit", disabled: !all.length }));
}

function withMeasure(text, { place, back, sum }) {
  const taken = entries(text, "performance").map((key) => key.name);
  if (sum) return withValue(text, "performance", free(asName(sum), taken), JSON.stringify(`mean(${sum})`));
  const all = reactions(text), reaction = all[place];
  const { activity, members } = species(reaction.right[0] ?? "");
  const usual = asName(activity || members.join("_")) || "step";
  const called = reaction.name || free(usual, all.map((other) => other.name));
  const next = named(text, reaction, called);
  // A family has a name for each of its lines: all of them together are meant.
  const pattern = called.replace(/\$\{?\w+\}?.*$/, "*");
  const stem = free(asName(`${pattern.replace("*", "")}${back ? "_done" : ""}`) || "throughput", taken);
  const way = back && pattern === called ? "'" : "";
  return withValue(next, "performance", stem, JSON.stringify(`rate(${pattern}${way})`));
}
