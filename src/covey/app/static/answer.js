// The answer to every change. The newest question cancels the one before it, unless that is all but
// answered: so quick answers are seen while a slider is dragged. What stands on the page stays until
// the new answer is there, and is dimmed where that takes a while.

import { byId } from "./element.js";
import { ask, stop } from "./ask.js";
import { sheet, onText } from "./sheet.js";
import { learn } from "./model.js";
import { entries } from "./editing.js";
import { idle } from "./reactions.js";
import { showFault } from "./editor.js";
import { onReturn } from "./connection.js";
import { showHeadline, showLater, showWrong, showNothing } from "./headline.js";
import { showDistributions } from "./distributions.js";
import { showExposed } from "./exposed.js";
import { showProfile } from "./profile.js";
import { showMeans } from "./means.js";
import { showPerformance } from "./purpose.js";
import { Waiting } from "./waiting.js";

const PATIENCE = 150; // milliseconds before the old answer is dimmed
const GRACE = 120; // milliseconds that a question in flight has before a newer one cancels it
const SHOWN = {
  model: learn, headline: showHeadline, means: showMeans, distributions: showDistributions, exposed: showExposed, profile: showProfile,
};
const listeners = [];
let dimmer = 0, waiting;
let since = null; // when the question in flight was asked
let changed = 0; // when the text was changed
let overdue = 0; // the timer that cancels it for a newer one

// The last answer, and the text that it is of: null while it is not known.
export const answer = { headline: null, performance: {}, text: null };

// Calls `listener()` when an answer is complete, or it is clear that there is none.
export function onAnswer(listener) {
  listeners.push(listener);
}

export function startAnswer() {
  waiting = new Waiting(byId("computing"), "the answer");
  onText(question);
  onReturn(question);
}

// The text has changed.
function question() {
  answer.text = null;
  changed = performance.now();
  clearTimeout(overdue);
  byId("answer").setAttribute("aria-busy", "true");
  const left = since === null ? 0 : since + GRACE - performance.now();
  if (left > 0) overdue = setTimeout(begin, left);
  else begin();
}

function begin() {
  const text = sheet.text;
  clearTimeout(overdue);
  clearTimeout(dimmer);
  if (!entries(text, "network").length) return nothing();
  since = performance.now();
  dimmer = setTimeout(() => byId("answer").classList.add("is-old"), PATIENCE);
  waiting.begin(halt);
  const found = { headline: null, means: null, performance: {} };
  let wrong = null;
  ask("answer", { text }, {
    part: (name, value) => {
      if (name in found) found[name] = value;
      SHOWN[name]?.(value, text);
    },
    progress: (so) => waiting.progress(so),
    error: (error) => {
      wrong = error;
    },
    done: () => {
      if (text !== sheet.text) return begin();
      finish();
      showFault(wrong);
      if (!found.means) showMeans(null);
      Object.assign(answer, found, { text: wrong ? null : text });
      if (!wrong) showPerformance(found.performance);
      else if (unfinished(text, wrong)) showNothing(idle(text));
      else showWrong(wrong);
      for (const listener of listeners) listener();
      requestAnimationFrame(measure);
    },
    lost: () => {
      finish();
      byId("answer").classList.add("is-behind", "is-old");
      showLater({});
    },
  });
}

// How long it took from the change to the answer on the screen, for whoever measures it.
function measure() {
  performance.clearMeasures("answer");
  performance.measure("answer", { start: changed, end: performance.now() });
}

// Whether all that is wrong is that somebody takes part in nothing yet.
function unfinished(text, { key }) {
  return idle(text).some((name) => key === `types.${name}` || key === `resources.${name}`);
}

function halt() {
  stop("answer");
  finish();
  byId("answer").classList.add("is-behind");
  waiting.say("Stopped: below is the answer from before.", "Ask again", question);
}

function finish() {
  since = null;
  clearTimeout(overdue);
  clearTimeout(dimmer);
  waiting.clear();
  byId("answer").removeAttribute("aria-busy");
  byId("answer").classList.remove("is-old");
}

// There is nothing to ask yet.
function nothing() {
  stop("answer");
  finish();
  showFault(null);
  showMeans(null);
  showNothing();
}
