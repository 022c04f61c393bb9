// Cure two: rates that give away less and keep what the team is for. It runs in the background, shows
// the best so far, and can be stopped; each point of the front is a file to take.

import { element, byId, button, refill } from "./element.js";
import { ask, stop } from "./ask.js";
import { entries } from "./editing.js";
import { sheet, change, onText, settle } from "./sheet.js";
import { front } from "./front.js";
import { percentOf, short, shortOf, asNumber } from "./numbers.js";
import { digits } from "./editing.js";
import { notice } from "./notice.js";
import { Waiting } from "./waiting.js";

const chosen = new Map(); // what was set per rate and measure, as long as the page is open
let waiting, result, running = false;

export function startDesign() {
  const place = byId("design").querySelector(".fill");
  const form = element("form", { class: "designing", onsubmit: start });
  const status = element("div");
  waiting = new Waiting(status, "the design");
  result = element("div", { class: "result" });
  place.append(element("p", { class: "hint" }, "covey looks for rates that give away less while the team achieves as much."), form, status, result);
  let shown = "";
  onText((text) => {
    const now = JSON.stringify([entries(text, "rates").map((key) => [key.name, key.raw]), entries(text, "performance").map((key) => key.name)]);
    if (now !== shown) refill(form, ...fields(text));
    shown = now;
    if (!running) result.classList.toggle("is-old", result.childElementCount > 0);
  });
}

function fields(text) {
  const rates = entries(text, "rates"), measures = entries(text, "performance");
  if (!rates.length) return [element("p", { class: "hint" }, "Give the rates names under “How fast” first.")];
  return [
    element("fieldset", {}, element("legend", {}, "What may change, from – to"),
      rates.map(({ name, raw }) => row(`rates.${name}`, name, [digits(Number(raw) / 2), digits(Number(raw) * 2)]))),
    element("fieldset", {}, element("legend", {}, "What must be kept, in percent of now"),
      measures.length ? measures.map(({ name }) => row(`keep.${name}`, name, ["95"]))
        : element("p", { class: "hint" }, "Nothing is said: add it under ", element("a", { href: "#purpose" }, "What the team is for"), ", or covey may well slow everything down.")),
    element("div", { class: "row" },
      element("label", {}, element("input", { type: "checkbox", name: "front", checked: chosen.get("front") ?? false, disabled: !measures.length, onchange: (event) => chosen.set("front", event.target.checked) }), " also a front: privacy against performance"),
      button("Look for it", null, { type: "submit", class: "main" })),
  ];
}

// A checkbox with a name, and one or two numbers.
function row(key, name, numbers) {
  const tick = element("input", { type: "checkbox", checked: chosen.get(key) ?? true, onchange: (event) => chosen.set(key, event.target.checked), dataset: { of: key } });
  const labels = numbers.length > 1 ? ["least", "most"] : ["percent"];
  return element("div", { class: "may" }, element("label", { class: "name" }, tick, ` ${name}`),
    numbers.map((value, i) => element("input", { type: "number", min: 0, step: "any", value, "aria-label": `${name}, ${labels[i]}`, dataset: { number: key } })));
}

function asked(form) {
  const vary = {}, keep = {};
  for (const tick of form.querySelectorAll("[data-of]")) {
    if (!tick.checked) continue;
    const [kind, name] = [tick.dataset.of.split(".")[0], tick.dataset.of.replace(/^[^.]*\./, "")];
    const numbers = [...form.querySelectorAll("[data-number]")].filter((box) => box.dataset.number === tick.dataset.of).map((box) => Number(box.value));
    if (kind === "rates") vary[tick.dataset.of] = numbers;
    else keep[name] = numbers[0] / 100;
  }
  return { vary, keep, minimise: "guess", ...(chosen.get("front") && Object.keys(keep).length ? { front: 6 } : {}) };
}

function start(event) {
  event.preventDefault();
  const options = asked(event.target);
  if (!Object.keys(options.vary).length) return notice("Choose at least one rate that may change.");
  running = true;
  result.classList.add("is-old");
  waiting.begin(halt);
  let error = null;
  ask("design", { text: sheet.text, ...options }, {
    part: (name, value) => {
      if (name !== "design") return;
      result.replaceChildren(...told(value));
      result.classList.remove("is-old");
    },
    progress: (so) => waiting.progress(so),
    error: (found) => {
      error = found;
    },
    done: () => {
      running = false;
      waiting.clear();
      if (error) waiting.say(error.message);
      result.classList.remove("is-old");
    },
    lost: () => {
      running = false;
      waiting.say("The connection was lost: start it again.");
    },
  });
}

function halt() {
  stop("design");
  running = false;
  waiting.say("Stopped.");
}

function told(found) {
  const measures = Object.keys(found.before).filter((name) => name in found.after);
  return [
    element("table", { class: "narrow" },
      element("thead", {}, element("tr", {}, ["", "now", "then"].map((word, i) => element("th", { scope: "col", class: i ? "number" : null }, word)))),
      element("tbody", {}, measures.map((name) => element("tr", {}, element("th", { scope: "row", class: "name" }, WORDS[name] ?? name),
        element("td", { class: "number" }, value(name, found.before[name], "before")), element("td", { class: "number" }, value(name, found.after[name], "after")))))),
    element("p", { class: "outcome" }, Object.entries(found.values).map(([name, x]) => element("span", { class: "chip" }, name.replace(/^rates\./, ""), " ", element("b", {}, short(x))))),
    element("div", { class: "row" }, button("Take this", () => take(found.text), { class: "main" }), element("span", { class: "small" },
      found.rough ? "The best so far." : `${found.evaluations} settings tried; a search proves no optimum.`)),
    found.front?.length ? front(found.front, found.before, take) : null,
  ].filter(Boolean);
}

const WORDS = { guess: "right after one glance", leakage: "leakage", total_variation: "total variation", epsilon: "ε" };

function value(name, number, side) {
  return name === "guess" ? percentOf(number, `design.${side}.guess`) : shortOf(asNumber(number), `design.${side}.${name}`);
}

function take(text) {
  settle();
  change(text);
  notice("Taken. Undo brings the old back.");
}
