// How far long work is, with a way to stop it. Work that is done at once shows nothing, so that
// nothing flickers.

import { element, button } from "./element.js";

const PATIENCE = 400; // milliseconds that work may take before it is spoken of

export class Waiting {
  // In `place`, for the work that is called `name`.
  constructor(place, name) {
    this.place = place;
    this.name = name;
    this.timer = 0;
    place.classList.add("waiting");
    this.clear();
  }

  // It has begun; `stop()` ends it.
  begin(stop) {
    this.clear();
    this.stop = stop;
    this.timer = setTimeout(() => this.draw({}), PATIENCE);
    this.since = performance.now();
  }

  // It is so far: {done, total, text}.
  progress(so) {
    if (performance.now() - this.since >= PATIENCE) this.draw(so);
  }

  draw({ done, total, text }) {
    clearTimeout(this.timer);
    if (!this.bar?.isConnected) {
      this.bar = element("progress", { "aria-label": this.name });
      this.words = element("span", { class: "words" });
      this.place.hidden = false;
      this.place.replaceChildren(this.bar, this.words, button("Stop", this.stop, { label: `Stop: ${this.name}` }));
    }
    if (total) Object.assign(this.bar, { max: total, value: done });
    else this.bar.removeAttribute("value");
    this.words.textContent = text ?? "";
  }

  // A sentence instead, and what can be done about it.
  say(text, words = "", act = null) {
    clearTimeout(this.timer);
    this.place.hidden = false;
    this.place.replaceChildren(element("span", { class: "words" }, text), ...(act ? [button(words, act)] : []));
  }

  clear() {
    clearTimeout(this.timer);
    this.place.hidden = true;
    this.place.replaceChildren();
  }
}
