// Two variants side by side: the one that was kept, and the one on the page.

import { element, byId, button } from "./element.js";
import { ask } from "./ask.js";
import { answer, onAnswer } from "./answer.js";
import { sheet, change, settle } from "./sheet.js";
import { scan } from "./toml.js";
import { asNumber, percent, short, figure } from "./numbers.js";

let kept = null; // {text, headline, performance}

export function startCompare() {
  byId("compare").addEventListener("click", () => (kept ? end() : begin()));
  onAnswer(show);
}

async function begin() {
  kept = { text: sheet.text, headline: null, performance: {} };
  byId("compare").setAttribute("aria-pressed", "true");
  if (answer.text === kept.text) Object.assign(kept, { headline: answer.headline, performance: answer.performance });
  show();
  byId("comparison").scrollIntoView({ block: "nearest" });
}

function end() {
  kept = null;
  byId("compare").setAttribute("aria-pressed", "false");
  byId("comparison").hidden = true;
}

// The kept one is asked again where its answer is not known, as after the sides were changed.
function known() {
  if (kept.headline) return true;
  const asked = kept;
  ask("answer of A", { question: "answer", tab: crypto.randomUUID(), text: kept.text }, {
    part: (name, value) => {
      if (name === "headline" || name === "performance") asked[name] = value;
    },
    done: () => asked.headline && show(),
  });
  return false;
}

function show() {
  if (!kept) return;
  byId("comparison").hidden = false;
  if (!known() || !answer.headline) return;
  const names = new Set([...Object.keys(kept.performance), ...Object.keys(answer.performance)]);
  const rows = [
    ["right after one glance", "guess", percent],
    ["leakage", "leakage", short],
    ["settled outright", "settled", percent],
    ["ε at δ", "epsilon_at", (value) => short(value.epsilon)],
  ].map(([words, key, said]) => row(words, key, kept.headline[key], answer.headline[key], said));
  for (const name of names) rows.push(row(name, name, kept.performance[name], answer.performance[name], short));
  byId("comparison").querySelector(".fill").replaceChildren(
    element("table", {},
      element("thead", {}, element("tr", {}, ["", "A: kept", "B: now"].map((word, i) => element("th", { scope: "col", class: i ? "number" : null }, word)))),
      element("tbody", {}, rows)),
    differences(),
    element("div", { class: "row" }, button("Change sides", swap), button("End", end)));
}

function row(words, name, a, b, said) {
  const shown = (value, side) => (value === undefined ? "–" : figure(said(value), value.epsilon ?? value, `${side}.${name}`));
  const [from, to] = [a, b].map((value) => asNumber(value?.epsilon ?? value));
  const arrow = from === to || from === undefined || to === undefined ? "" : to < from ? " ↓" : " ↑";
  return element("tr", {}, element("th", { scope: "row" }, words), element("td", { class: "number" }, shown(a, "A")), element("td", { class: "number" }, shown(b, "B"), arrow));
}

function differences() {
  const values = (text) => new Map([...scan(text).keys].map(([name, key]) => [name, text.slice(key.start, key.end)]));
  const [a, b] = [values(kept.text), values(sheet.text)];
  const names = [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name) && !/\n/.test(a.get(name) ?? b.get(name)));
  const short_ = (value) => (value === undefined ? "none" : value);
  if (a.get("network.reactions") !== b.get("network.reactions")) names.push("network.reactions");
  if (!names.length) return element("p", { class: "small" }, "Both are the same so far: change something, and see both here.");
  return element("ul", { class: "lines small" }, names.slice(0, 12).map((name) => element("li", {}, element("code", {}, name),
    name === "network.reactions" ? " differs" : ` ${short_(a.get(name))} → ${short_(b.get(name))}`)));
}

function swap() {
  const other = kept.text;
  kept = { text: sheet.text, headline: answer.headline, performance: answer.performance };
  settle();
  change(other);
}
