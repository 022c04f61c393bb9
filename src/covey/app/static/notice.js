// A sentence about what was just done, for a while; for screen readers as well.

import { byId, button } from "./element.js";

const SHOWN = 8000; // milliseconds
let timer = 0;

// `actions` are [words, function] pairs; with any, the notice stays until it is answered. What comes back
// sets other words, as long as it stands, and leaves its buttons: one that is being pressed must not go.
export function notice(text, actions = []) {
  const place = byId("notice"), words = document.createTextNode(text);
  clearTimeout(timer);
  place.hidden = !text;
  const close = () => notice("");
  place.replaceChildren(words, ...actions.map(([name, act]) => button(name, () => {
    close();
    act();
  })), button("×", close, { class: "remove", label: "Close" }));
  if (text && !actions.length) timer = setTimeout(close, SHOWN);
  return (other) => {
    words.data = other;
  };
}
