// Questions that take longer than a slider's: asked when the answer stands and one looks at their
// place, with progress and a way to stop; until then what stood there before stays, dimmed.

import { element, byId, button } from "./element.js";
import { ask, stop } from "./ask.js";
import { onText } from "./sheet.js";
import { onAnswer, answer } from "./answer.js";

const PAUSE = 350; // milliseconds without a change before it is asked

// A question at the section `id`; `show(parts)` fills `.fill` with {part name: value}.
// `options()` are its options, or null where it should not be asked now.
export function longer(id, { question = id, options = () => ({}), show, wrong = () => {}, reset = () => {} }) {
  const section = byId(id);
  const status = element("div", { class: "waiting", hidden: true });
  section.querySelector(".fill").before(status);
  let inView = false, shownFor = null, asking = null, timer = 0;
  const old = (is) => section.querySelector(".fill").classList.toggle("is-old", is);

  const begin = () => {
    const chosen = options();
    if (answer.text === null || !inView || chosen === null) return;
    const key = JSON.stringify([answer.text, chosen]);
    if (key === shownFor || key === asking) return;
    asking = key;
    old(true);
    const parts = {};
    let error = null;
    ask(question, { text: answer.text, ...chosen }, {
      part: (name, value) => {
        parts[name] = value;
      },
      progress: (said) => wait(said),
      error: (found) => {
        error = found;
      },
      done: () => {
        asking = null;
        shownFor = key;
        status.hidden = true;
        old(false);
        if (error) {
          status.hidden = false;
          status.replaceChildren(element("span", {}, error.message));
          wrong(error);
        } else show(parts);
      },
      lost: () => {
        asking = null;
      },
    });
  };
  const wait = ({ done, total, text }) => {
    status.hidden = false;
    const bar = element("progress", { "aria-label": section.querySelector("h2").textContent });
    if (total) Object.assign(bar, { max: total, value: done });
    status.replaceChildren(bar, element("span", {}, text || ""), button("Stop", () => {
      stop(question);
      status.replaceChildren(element("span", {}, "Stopped."), button("Go on", () => {
        status.hidden = true;
        asking = null;
        begin();
      }));
    }));
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
    if (asking !== null) stop(question);
    asking = null;
    status.hidden = true;
    if (shownFor !== null) old(true);
    reset();
  });
  onAnswer(soon);
  return { soon };
}
