// A sentence about what was just done, for a while; for screen readers as well.

import { byId, button } from "./element.js";

const SHOWN = 8000; // milliseconds
let timer = 0;

// `actions` are [words, function] pairs; with any, the notice stays until it is answered.
export function notice(text, actions = []) {
  const place = byId("notice");
  clearTimeout(timer);
  place.hidden = !text;
  const close = () => notice("");
  place.replaceChildren(text, ...actions.map(([words, act]) => button(words, () => {
    close();
    act();
  })), button("×", close, { class: "remove", label: "Close" }));
  if (text && !actions.length) timer = setTimeout(close, SHOWN);
}
