// What the server says that the text means; the last that could be read, where the text is broken.

const listeners = [];
let model = null;

export function knownModel() {
  return model;
}

// Calls `listener(model, text)` with what a text means, whenever that is learnt.
export function onModel(listener) {
  listeners.push(listener);
}

export function learn(value, text) {
  model = value;
  for (const listener of listeners) listener(value, text);
}
