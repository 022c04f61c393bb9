// The answer to every change. The newest question cancels the one before it; what stands on the page
// stays until the new answer is there, and is dimmed where that takes a while.

import { byId } from "./element.js";
import { ask } from "./ask.js";
import { sheet, onText } from "./sheet.js";
import { learn } from "./model.js";
import { reactions } from "./reactions.js";
import { entries } from "./editing.js";
import { showFault } from "./editor.js";
import { onReturn } from "./connection.js";
import { showHeadline, showWaiting, showWrong, showNothing } from "./headline.js";
import { showLaws } from "./laws.js";
import { showExposed } from "./exposed.js";
import { showProfile } from "./profile.js";
import { showPerformance } from "./purpose.js";
import { showCommands } from "./downloads.js";

const PATIENCE = 150; // milliseconds before the old answer is dimmed
const settled = [];
let dimmer = 0;

export const answer = { headline: null, performance: {}, text: null };

// Calls `listener()` when an answer is complete.
export function onAnswer(listener) {
  settled.push(listener);
}

export function startAnswer() {
  onText(question);
  onReturn(question);
}

const SHOWN = {
  model: learn, headline: showHeadline, laws: showLaws, exposed: showExposed, profile: showProfile,
  performance: showPerformance, commands: showCommands,
};

function question() {
  const text = sheet.text;
  clearTimeout(dimmer);
  if (!reactions(text).length && !entries(text, "network").length) return nothing(text);
  dimmer = setTimeout(() => byId("answer").classList.add("is-old"), PATIENCE);
  byId("answer").setAttribute("aria-busy", "true");
  let wrong = null;
  ask("answer", { text }, {
    part: (name, value) => {
      if (name === "headline" || name === "performance") answer[name] = value;
      SHOWN[name]?.(value);
    },
    progress: (progress) => showWaiting(progress, question),
    error: (error) => {
      wrong = error;
    },
    done: () => {
      finish();
      showFault(wrong);
      answer.text = wrong ? null : text;
      if (wrong) return showWrong(wrong);
      for (const listener of settled) listener();
    },
    lost: finish,
  });
}

function finish() {
  clearTimeout(dimmer);
  byId("answer").removeAttribute("aria-busy");
  byId("answer").classList.remove("is-old");
}

function nothing() {
  finish();
  showFault(null);
  answer.text = null;
  showNothing();
}
