// Questions that take longer than a slider's: asked when the answer stands and one looks at their
// place, with progress and a way to stop; until then what stood there before stays, dimmed.

import { element, byId } from "./element.js";
import { ask, stop } from "./ask.js";
import { onText } from "./sheet.js";
import { onAnswer, answer } from "./answer.js";
import { onReturn } from "./connection.js";
import { Waiting } from "./waiting.js";

const PAUSE = 350; // milliseconds without a change before it is asked

// The question `id`, answered in the section of that name; `show(value, asked)` is called with its part, and
// again where a better one follows a first approximation. `options()` are what it is asked with. What is
// part of the headline is asked `always`, wherever one looks.
export function longer(id, { options = () => ({}), show, wrong = () => {}, always = false }) {
  const section = byId(id), fill = section.querySelector(".fill"), heading = section.querySelector("h2");
  const place = element("div");
  const head = element("div", { class: "heading" });
  heading.before(head);
  head.append(heading, place);
  const waiting = new Waiting(place, heading.textContent);
  let inView = false, asking = null, timer = 0;
  let shownFor = null; // what was asked for what stands there, once that is complete

  const halt = () => {
    stop(id);
    asking = null;
    waiting.say("Stopped.", "Go on", begin);
  };
  const begin = () => {
    if (answer.text === null || !(inView || always)) return;
    const asked = { text: answer.text, ...options() };
    const key = JSON.stringify(asked);
    if (key === shownFor) fill.classList.remove("is-old"); // back again where it was
    if (key === shownFor || key === asking) return;
    asking = key;
    waiting.begin(halt);
    fill.classList.add("is-old");
    let error = null;
    ask(id, asked, {
      part: (name, value) => {
        if (name !== id) return;
        fill.classList.remove("is-old");
        shownFor = null;
        show(value, asked);
      },
      progress: (so) => waiting.progress(so),
      error: (found) => {
        error = found;
      },
      done: () => {
        asking = null;
        shownFor = error ? null : key;
        fill.classList.toggle("is-old", error !== null);
        if (!error) return waiting.clear();
        waiting.say(error.message);
        wrong(error);
      },
      lost: () => {
        asking = null;
        waiting.clear();
      },
    });
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(begin, PAUSE);
  };

  new IntersectionObserver((seen) => {
    inView = seen.at(-1).isIntersecting;
    if (inView) soon();
  }, { rootMargin: "200px" }).observe(section);
  onText(() => {
    clearTimeout(timer);
    if (asking !== null) stop(id);
    asking = null;
    waiting.clear();
    fill.classList.add("is-old");
  });
  onAnswer(soon);
  onReturn(soon);
  return { soon };
}
