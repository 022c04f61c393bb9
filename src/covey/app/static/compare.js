// Two variants side by side: A, which was kept, and B, which is on the page.

import { element, byId, button } from "./element.js";
import { ask } from "./ask.js";
import { answer, onAnswer } from "./answer.js";
import { sheet, change, settle } from "./sheet.js";
import { aside, putAside } from "./memory.js";
import { scan } from "./toml.js";
import { asNumber, percent, short, figure } from "./numbers.js";
import { table } from "./table.js";

const MOST = 12; // differences that are listed
const ROWS = [
  ["right after one snapshot", "guess", (share) => percent(share, "up")],
  ["leakage", "leakage", short],
  ["one possibility ruled out", "settled", (share) => percent(share, "up")],
];
let kept = null; // {text, headline, performance, wrong}

export function startCompare() {
  byId("compare").addEventListener("click", () => (kept ? end() : begin()));
  onAnswer(show);
}

// Goes on with what was kept when the page was reloaded.
export function resumeCompare() {
  const text = aside();
  if (text !== null) keep(text);
}

function begin() {
  keep(sheet.text);
  byId("comparison").scrollIntoView({ block: "nearest" });
}

function keep(text) {
  kept = { text, headline: null, performance: {} };
  putAside(text);
  byId("compare").setAttribute("aria-pressed", "true");
  if (answer.text === text) Object.assign(kept, { headline: answer.headline, performance: answer.performance });
  else askKept();
  show();
}

function end() {
  kept = null;
  putAside(null);
  byId("compare").setAttribute("aria-pressed", "false");
  byId("comparison").hidden = true;
}

// The kept one, where the page had moved on before its answer was there.
function askKept() {
  const asked = kept;
  ask("kept", { question: "answer", tab: crypto.randomUUID(), text: kept.text }, {
    part: (name, value) => {
      if (name === "headline" || name === "performance") asked[name] = value;
    },
    error: ({ message }) => {
      asked.wrong = `A has no answer, so there is nothing to compare with: ${message}`;
    },
    done: show,
  });
}

function show() {
  if (!kept) return;
  byId("comparison").hidden = false;
  if (!kept.headline || !answer.headline) {
    const words = kept.wrong ?? (kept.headline ? "B has no answer, so there is nothing to compare with."
      : "The answer for A is not there yet.");
    byId("comparison").querySelector(".fill").replaceChildren(
      element("p", { class: "small" }, words), element("div", { class: "row" }, button("End", end)));
    return;
  }
  const names = new Set([...Object.keys(kept.performance), ...Object.keys(answer.performance)]);
  const rows = [
    ...ROWS.map(([words, key, said]) => row(words, key, kept.headline[key], answer.headline[key], said)),
    row(`ε at δ = ${short(kept.headline.epsilon_at.delta)}`, "epsilon", kept.headline.epsilon_at.epsilon,
      answer.headline.epsilon_at.epsilon, (epsilon) => short(epsilon, 3, "up")),
    ...[...names].map((name) => row(name, name, own(kept.performance, name), own(answer.performance, name), short)),
  ];
  byId("comparison").querySelector(".fill").replaceChildren(
    table(["", "A: kept", "B: now"], rows), differences(),
    element("div", { class: "row" }, button("Change sides", swap), button("End", end)));
}

// A measure that only one of the two has is none in the other.
function own(measures, name) {
  return Object.hasOwn(measures, name) ? measures[name] : undefined;
}

function row(words, name, a, b, said) {
  const shown = (value, side) => (value === undefined ? "–" : figure(said(value), value, `${side}.${name}`));
  const [from, to] = [asNumber(a), asNumber(b)];
  const way = to < from ? " ↓" : to > from ? " ↑" : "";
  return [words, shown(a, "A"), element("span", {}, shown(b, "B"), way)];
}

// What is set differently, key by key.
function differences() {
  const values = (text) => new Map([...scan(text).keys].map(([name, key]) => [name, text.slice(key.start, key.end)]));
  const a = values(kept.text), b = values(sheet.text);
  const names = [...new Set([...a.keys(), ...b.keys()])].filter((name) => differ(a.get(name), b.get(name)));
  if (!names.length) {
    return element("p", { class: "small" }, "Both are the same so far: change something, and see both here.");
  }
  const brief = (value) => (value === undefined ? "none" : value.includes("\n") ? "…" : value);
  return element("ul", { class: "lines small" }, names.slice(0, MOST).map((name) => element("li", {},
    element("code", {}, name), ` ${brief(a.get(name))} → ${brief(b.get(name))}`)));
}

// Whether two values as they are written mean something else: 0.20 is 0.2.
function differ(one, other) {
  return one !== other && !(Number(one) === Number(other));
}

function swap() {
  const other = kept.text;
  keep(sheet.text);
  settle();
  change(other);
}
