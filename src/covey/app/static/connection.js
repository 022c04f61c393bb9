// Whether covey can be reached. Where it cannot, the page says so, keeps the text, and tries again
// until it can; then whoever waits is told.

import { byId } from "./element.js";
import { request } from "./session.js";

const FIRST = 500, LONGEST = 5000; // milliseconds between tries
const waiting = [];
let down = false;

// Calls `listener` when covey is there again.
export function onReturn(listener) {
  waiting.push(listener);
}

export function isDown() {
  return down;
}

export function lost() {
  if (down) return;
  down = true;
  tell("covey cannot be reached. Your text is kept here; trying again …");
  setTimeout(retry, FIRST, FIRST);
}

export function found() {
  if (!down) return;
  down = false;
  tell("");
  for (const listener of waiting) listener();
}

async function retry(wait) {
  if (!down) return;
  const next = Math.min(2 * wait, LONGEST);
  try {
    const answer = await request("/api/start");
    if (answer.status === 403) {
      tell("covey was started again: open the address that it printed. Your text is kept here.");
    } else if (answer.ok) return found();
  } catch {
    // not there yet
  }
  setTimeout(retry, next, next);
}

function tell(text) {
  const banner = byId("lost");
  banner.textContent = text;
  banner.hidden = !text;
}
