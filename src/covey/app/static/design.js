// Cure three: rates that give away less and keep what the team is for. It runs in the background, shows
// the best so far, and can be stopped; each point of the front is a file to take.

import { element, byId, button, refill } from "./element.js";
import { ask, stop } from "./ask.js";
import { entries, digits, valueOf, withValue } from "./editing.js";
import { sheet, change, onText, settle } from "./sheet.js";
import { front } from "./front.js";
import { percentOf, short, shortOf } from "./numbers.js";
import { notice } from "./notice.js";
import { table } from "./table.js";
import { Waiting } from "./waiting.js";

const POINTS = 6; // of a front
const WORDS = new Map([
  ["guess", "right after one snapshot"], ["leakage", "leakage"], ["total_variation", "total variation"],
  ["epsilon", "ε"], ["stream_guess", "right after all that is published"],
]);
// What was looked for last, and for which text, for whoever wants to do it by hand.
export const designed = { asked: {}, text: null };
const chosen = new Map(); // what was ticked and typed, as long as the page is open and has these rates
let waiting, result;

export function startDesign() {
  const form = element("form", { class: "designing", onsubmit: begin });
  const status = element("div");
  waiting = new Waiting(status, "the design");
  result = element("div", { class: "result" });
  byId("design").querySelector(".fill").append(
    element("p", { class: "hint" }, "covey looks for rates that give away less while the team achieves as much."),
    form, status, result);
  let shown = "", named = "";
  onText((text) => {
    const now = JSON.stringify([entries(text, "rates"), entries(text, "performance")].map(
      (keys) => keys.map((key) => [key.name, key.raw])));
    const names = JSON.stringify(entries(text, "rates").map(({ name }) => name));
    if (names !== named) chosen.clear();
    if (now !== shown) refill(form, ...fields(text));
    [shown, named] = [now, names];
    result.classList.toggle("is-old", designed.text !== text);
  });
}

function fields(text) {
  const rates = entries(text, "rates"), measures = entries(text, "performance");
  if (!rates.length) return [element("p", { class: "hint" }, "No rate has a name: add something that happens.")];
  const none = element("p", { class: "hint" }, "Nothing is said: add it under ",
    element("a", { href: "#purpose" }, "What the team is for"), ", or covey may well slow everything down.");
  return [
    element("fieldset", {}, element("legend", {}, "What may change, from – to"),
      rates.map(({ name, raw }) => row(`rates.${name}`, name, [digits(Number(raw) / 2), digits(2 * Number(raw))]))),
    element("fieldset", {}, element("legend", {}, "What must be kept, in percent of now"),
      measures.length ? measures.map(({ name }) => row(`keep.${name}`, name, ["95"])) : none),
    element("div", { class: "row" },
      element("label", {}, tick("front", false, !measures.length), " and the whole trade-off, privacy against performance"),
      button("Look for it", null, { type: "submit", class: "main" })),
  ];
}

function tick(key, first, disabled = false) {
  return element("input", {
    type: "checkbox", checked: !disabled && (chosen.get(key) ?? first), disabled, dataset: { tick: key },
    onchange: (event) => chosen.set(key, event.target.checked),
  });
}

// A checkbox with a name, and one or two numbers.
function row(key, name, numbers) {
  const labels = numbers.length > 1 ? ["least", "most"] : ["percent"];
  return element("div", { class: "may", dataset: { may: key } },
    element("label", { class: "name" }, tick(key, true), ` ${name}`),
    numbers.map((value, i) => element("input", {
      type: "number", min: 0, step: "any", value: chosen.get(`${key} ${i}`) ?? value, required: true,
      "aria-label": `${name}, ${labels[i]}`, oninput: (event) => chosen.set(`${key} ${i}`, event.target.value),
    })));
}

// What the form asks for.
function asked(form) {
  const vary = {}, keep = {};
  for (const one of form.querySelectorAll("[data-may]")) {
    const [ticked, ...numbers] = one.querySelectorAll("input");
    const key = one.dataset.may, values = numbers.map((box) => Number(box.value));
    if (!ticked.checked) continue;
    if (key.startsWith("rates.")) vary[key] = values;
    else keep[key.replace("keep.", "")] = values[0] / 100;
  }
  const all = form.querySelector("[data-tick=front]").checked && Object.keys(keep).length;
  return { vary, keep, ...(all ? { front: POINTS } : {}) };
}

function begin(event) {
  event.preventDefault();
  const options = asked(event.target);
  if (!Object.keys(options.vary).length) return notice("Choose at least one rate that may change.");
  result.classList.add("is-old");
  waiting.begin(halt);
  const text = sheet.text;
  Object.assign(designed, { asked: options, text });
  let error = null;
  ask("design", { text, ...options }, {
    part: (name, value) => {
      if (name !== "design") return;
      result.replaceChildren(...parts(value, (found) => take(found, text)));
      result.classList.toggle("is-old", text !== sheet.text);
    },
    progress: (so) => waiting.progress(so),
    error: (found) => {
      error = found;
    },
    done: () => end(error?.message),
    lost: () => end("The connection was lost: start it again."),
  });
}

function halt() {
  stop("design");
  end("Stopped.");
}

function end(message) {
  waiting.clear();
  if (message) waiting.say(message);
}

function parts(found, take) {
  const names = Object.keys(found.before).filter((name) => name in found.after);
  const rows = names.map((name) => [WORDS.get(name) ?? name, ...["before", "after"].map((side) => {
    const written = name.endsWith("guess") ? percentOf : shortOf;
    return written(found[side][name], `design.${side}.${name}`);
  })]);
  const values = Object.entries(found.values).map(([name, value]) => element("span", { class: "chip" },
    name.replace(/^rates\./, ""), element("b", {}, short(value))));
  const note = found.rough ? "The best so far." : `${found.evaluations} settings tried; a search proves no optimum.`;
  const unknown = found.why_no_stream && `What all that is published gives away is not known: ${found.why_no_stream}.`;
  return [
    table(["", "now", "then"], rows, { class: "narrow" }),
    element("p", { class: "outcome" }, values),
    ...(unknown ? [element("p", { class: "small" }, unknown)] : []),
    element("div", { class: "row" }, button("Take this", () => take(found.text), { class: "main" }),
      element("span", { class: "small" }, note)),
    ...(found.front.length > 1 ? [front(found.front, found.before, take)] : []),
  ];
}

// Takes what was found for a text; where the page has moved on since, only the rates that are different in it.
function take(found, text) {
  const same = text === sheet.text;
  const rates = entries(found, "rates").filter(({ name, raw }) => raw !== valueOf(text, `rates.${name}`));
  settle();
  change(same ? found : rates.reduce((next, { name, raw }) => withValue(next, "rates", name, raw), sheet.text));
  notice(same ? "Taken. Undo brings the old back."
    : "Only the rates are taken, as the rest has changed since. Undo brings the old back.");
}
