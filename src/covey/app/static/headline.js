// The answer first: a sentence, the figures behind it, and how it was computed.

import { element, byId, button } from "./element.js";
import { asNumber, percent, percentOf, short, shortOf, figure } from "./numbers.js";
import { stop } from "./ask.js";
import { goTo } from "./editor.js";

let box, figures, waiting;
let later = null; // what many glances give away, once it is known

export function startHeadline() {
  box = element("div", { class: "verdict", "aria-live": "polite", "aria-atomic": "true" });
  waiting = element("div", { class: "waiting", hidden: true });
  figures = element("dl", { class: "figures" });
  byId("verdict").append(box, waiting, figures);
}

export function showHeadline(found) {
  waiting.hidden = true;
  showTitle();
  const [first, ...rest] = found.said;
  box.className = "verdict";
  box.replaceChildren(
    element("p", { class: "head" }, first),
    ...rest.map((sentence) => element("p", {}, sentence)),
    element("p", { class: "small how" }, how(found)));
  showFigures(found);
  byId("glimpse").textContent = `right ${percent(found.guess)} · leakage ${short(found.leakage)}`;
  last = found;
}
let last = null;

// Called with what the glances give away, when that is known.
export function showLater(found) {
  later = found;
  if (last) showFigures(last);
}

function showFigures(found) {
  const { delta, epsilon } = found.epsilon_at ?? {};
  const factor = Math.exp(asNumber(found.leakage));
  const most = mostExposed(found.exposed);
  const all = [
    ["right after one glance", percentOf(found.guess, "headline.guess"), "a coin is right 50 %"],
    later && [`after ${later.glances.toLocaleString("en")} glances`, percentOf(later.guess, "glances.guess"), later.note],
    [`ε at δ = ${delta}`, shortOf(epsilon, "headline.epsilon_at.epsilon"), "holds but for a chance of δ"],
    ["settled outright", percentOf(found.settled, "headline.settled"), "of glances are possible for one team only"],
    ["worst shift of the odds", figure(short(Number.isFinite(factor) ? factor : "inf"), Number.isFinite(factor) ? factor : "inf", "headline.factor"), `leakage ${short(found.leakage)}`],
    most && ["most exposed", most[0], `leakage ${short(most[1])}`],
  ].filter(Boolean);
  figures.replaceChildren(...all.map(([title, value, note]) => element("div", {},
    element("dt", {}, title), element("dd", {}, value, element("small", {}, note)))));
}

function mostExposed(exposed) {
  const all = Object.entries(exposed ?? {}).sort((a, b) => asNumber(b[1]) - asNumber(a[1]));
  if (all.length > 1 && asNumber(all[0][1]) === asNumber(all[1][1])) return ["all alike", all[0][1]];
  return all[0];
}

function how(found) {
  const kind = found.approximate ? "a first approximation" : "computed";
  const states = found.states ? ` on ${found.states.toLocaleString("en")} states` : "";
  const time = found.seconds === undefined ? "" : `, ${found.seconds < 1 ? `${Math.max(1, Math.round(1000 * found.seconds))} ms` : `${found.seconds.toFixed(1)} s`}`;
  return `${kind}: ${found.method}${states}${found.why ? ` (${found.why})` : ""}${time}`;
}

// While a long question is being answered.
export function showWaiting({ done, total, text }, again) {
  waiting.hidden = false;
  const bar = element("progress", { "aria-label": "The answer" });
  if (total) Object.assign(bar, { max: total, value: done });
  waiting.replaceChildren(bar, element("span", {}, text || "computing"), button("Stop", () => {
    stop("answer");
    byId("answer").removeAttribute("aria-busy");
    waiting.replaceChildren(element("span", {}, "Stopped; this is the answer from before."), button("Ask again", again));
  }));
}

export function showWrong(error) {
  waiting.hidden = true;
  box.className = "verdict is-wrong";
  const words = { input: "The file does not say a team yet.", too_large: "This team is too large to compute exactly.", time: "This takes too long here.", stopped: "Stopped.", unsupported: "This cannot be computed." };
  box.replaceChildren(
    element("p", { class: "head" }, words[error.kind] ?? "There is no answer."),
    element("p", {}, error.message),
    ...(error.line ? [element("p", {}, button(`Go to line ${error.line}`, () => goTo(error.line)))] : []));
  byId("answer").classList.add("is-behind");
}

export function showNothing() {
  waiting.hidden = true;
  box.className = "verdict is-new";
  box.replaceChildren(
    element("p", { class: "head" }, "Tell what your robots do, and the answer stands here."),
    element("ol", {},
      element("li", {}, "Who is there: add the types of robots, and things that they share."),
      element("li", {}, "What happens: who meets whom, who uses what."),
      element("li", {}, "What is seen: which of it looks alike from outside.")));
  byId("answer").classList.add("is-behind");
}

function showTitle() {
  byId("answer").classList.remove("is-behind");
}
