// The answer first: a sentence, the figures behind it, and how it was computed.

import { element, byId, button } from "./element.js";
import { asNumber, percent, percentOf, short, shortOf, figure } from "./numbers.js";
import { goTo } from "./editor.js";
import { knownModel } from "./model.js";
import { figures } from "./table.js";

const TALLEST = 400; // pixels that the box keeps once it has had them
const QUIET = 800; // milliseconds without a change before the answer is spoken
const WRONG = {
  input: "The file does not say a team yet.", too_large: "This team is too large to compute exactly.",
  time: "This takes too long here.", stopped: "Stopped.", unsupported: "This cannot be computed.",
};
let box, numbers, last = null, later = null, speaking = 0;

export function startHeadline() {
  box = element("div", { class: "verdict" });
  numbers = element("dl", { class: "figures" });
  byId("verdict").append(box, numbers);
  new ResizeObserver(() => {
    if (box.dataset.width !== String(box.clientWidth)) box.style.minHeight = "";
    box.dataset.width = box.clientWidth;
  }).observe(box);
}

export function showHeadline(found) {
  last = found;
  const [, ...rest] = found.said;
  fill("verdict",
    element("p", { class: "head" }),
    ...rest.map((sentence) => element("p", {}, sentence)),
    ...[found.about, ...(knownModel()?.warnings ?? [])].filter(Boolean)
      .map((caution) => element("p", {}, element("strong", {}, "Worth a look: "), caution)),
    element("p", { class: "small how" }, how(found)));
  byId("answer").classList.remove("is-behind", "is-empty");
  byId("glimpse").textContent = `right ${percent(found.guess, "up")} · leakage ${short(found.leakage)}`;
  showVerdict();
  showFigures();
  speak(`Right after one snapshot ${percent(found.guess, "up")}, leakage ${short(found.leakage)}.`);
}

// What follows must not jump while a slider moves: until then the box grows where it has to, and stays so.
function fill(kind, ...children) {
  const stays = kind === "verdict" && document.activeElement?.type === "range";
  const high = stays ? Math.min(box.offsetHeight, TALLEST) : 0;
  box.className = kind;
  box.replaceChildren(...children);
  box.style.minHeight = stays ? `${high}px` : "";
}

// {snapshots, guess, note} of the last of many snapshots, `old` where it is of a text before; {} where it
// cannot be known, null while it is not known yet.
export function showLater(found) {
  later = found;
  if (!last) return;
  showFigures();
  if (!box.classList.contains("is-wrong") && !box.classList.contains("is-new")) showVerdict();
}

// Of many snapshots, once that is known of this text; before, of one. The word that says how bad it is has a colour.
function showVerdict() {
  const said = later?.verdict && !later.old ? later.verdict : last.said[0];
  const [level] = said.match(/^(Low|Moderate|High)/);
  box.dataset.level = level.toLowerCase();
  box.querySelector(".head").replaceChildren(element("strong", { class: "level" }, level), said.slice(level.length));
}

function showFigures() {
  const { delta, epsilon } = last.epsilon_at;
  const factor = Math.exp(asNumber(last.leakage));
  const most = mostExposed(last.exposed);
  const all = [
    ["right after one snapshot", percentOf(last.guess, "headline.guess", "up"), "50% is guessing"],
    afterMany(),
    [`ε at δ = ${short(delta)}`, shortOf(epsilon, "headline.epsilon_at.epsilon", "up"), "an event is at most e^ε times as likely, plus δ"],
    ["one possibility ruled out", percentOf(last.settled, "headline.settled", "up"), "of snapshots fit one team only"],
    ["odds shift at worst", figure(short(factor), Number.isFinite(factor) ? factor : "inf", "headline.factor"),
      `leakage ${short(last.leakage)}`],
    ["most exposed", most[0], `leakage ${short(most[1])}`],
  ];
  numbers.replaceChildren(...figures(all));
}

function afterMany() {
  if (later === null) return ["after many snapshots", "…", "being computed"];
  if (!later.snapshots) return ["after many snapshots", "–", "see below why not"];
  const { snapshots, guess, note, old } = later;
  const right = element("span", { class: old ? "is-old" : "" }, percentOf(guess, "snapshots.guess_upper", "up"));
  return [`after ${snapshots.toLocaleString("en")} snapshots`, right, old ? "before this change" : note];
}

function mostExposed(exposed) {
  const all = Object.entries(exposed).sort((a, b) => asNumber(b[1]) - asNumber(a[1]));
  const alike = all.length > 1 && asNumber(all[0][1]) === asNumber(all.at(-1)[1]);
  return alike ? ["all alike", all[0][1]] : all[0] ?? ["nobody", 0];
}

function how(found) {
  const states = found.states ? ` on ${found.states.toLocaleString("en")} states` : "";
  return `Computed by ${found.method}${states}${found.why ? ` (${found.why})` : ""}.`;
}

export function ageLater() {
  if (later?.snapshots) later.old = true;
  else later = null;
}

export function showWrong(error) {
  fill("verdict is-wrong",
    element("p", { class: "head" }, WRONG[error.kind] ?? "There is no answer."),
    element("p", {}, error.message),
    ...(error.line ? [element("p", {}, button(`Go to line ${error.line}`, () => goTo(error.line)))] : []));
  byId("answer").classList.add("is-behind");
  byId("glimpse").textContent = "no answer: see the file";
  speak(error.message);
}

// While a team is being made: what is missing yet, such as what the `idle` ones do.
export function showNothing(idle = []) {
  const next = idle.length ? `Say next, under “What happens”, what ${idle.join(" and ")} ${idle.length > 1 ? "take" : "takes"} part in.`
    : "Tell who is there and what they do, and the answer stands here.";
  fill("verdict is-new",
    element("p", { class: "head" }, next),
    element("ol", {},
      element("li", {}, "Who is there: add the types of robots, and things that they share."),
      element("li", {}, "What happens: who meets whom, who uses what."),
      element("li", {}, "What is seen: which of it looks alike from outside.")));
  byId("answer").classList.add("is-empty");
  byId("glimpse").textContent = "no answer yet";
}

// For those who cannot see it, once it stands still.
function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    byId("spoken").textContent = text;
  }, QUIET);
}
