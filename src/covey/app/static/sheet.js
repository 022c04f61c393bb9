// The one state of the page: the text of the scenario. Every control is an edit of it; undo and redo
// go through the texts before and after; whoever shows something of it is told when it changes.

const MOST = 500; // steps that can be undone
const listeners = [];
let past = [], future = [], joined = null;

export const sheet = { text: "" };

// Calls `listener(text, why)` now and whenever the text changes.
export function onText(listener) {
  listeners.push(listener);
}

// Takes a new text. Changes one after the other with the same `joins`, such as those of one slider as
// it is dragged, are undone in one step.
export function change(text, { joins = null, by = null } = {}) {
  if (text === sheet.text) return;
  if (joins === null || joins !== joined) {
    past.push(sheet.text);
    if (past.length > MOST) past.shift();
  }
  joined = joins;
  future = [];
  take(text, by);
}

// Ends what `joins` joined: the next change is a step of its own.
export function settle() {
  joined = null;
}

export function undo() {
  if (!past.length) return;
  future.push(sheet.text);
  joined = null;
  take(past.pop(), "undo");
}

export function redo() {
  if (!future.length) return;
  past.push(sheet.text);
  joined = null;
  take(future.pop(), "undo");
}

export function canUndo() {
  return past.length > 0;
}

export function canRedo() {
  return future.length > 0;
}

// The first text, which nothing came before.
export function begin(text) {
  past = [];
  future = [];
  joined = null;
  take(text, "begin");
}

function take(text, by) {
  sheet.text = text;
  for (const listener of listeners) listener(text, by);
}
