// A number to set: its name, a slider, and a box for the exact value. Rates move on a log scale, counts
// on a plain one. The slider's range stays while it is used, and moves where a value leaves it.

import { element, button } from "./element.js";
import { digits, literal } from "./editing.js";
import { numberBox, put } from "./number_box.js";
import { settle } from "./sheet.js";

const STEPS = 100; // slider steps in a factor of ten
const ranges = new Map();

// `set(value)` is called as the slider moves or a number is typed; `remove()` where one may.
export function knob({ key, name, label, value, hint, log, set, remove }) {
  const number = Number(value);
  const slider = element("input", {
    type: "range", "aria-label": label, "data-focus": `slider ${key}`, ...span(key, number, log),
  });
  slider.value = toSlider(number, log);
  slider.setAttribute("aria-valuetext", written(number, log));
  const box = numberBox({
    "aria-label": `${label}, exactly`, "data-focus": `box ${key}`, step: log ? "any" : 1, min: 0, inputmode: "decimal",
  });
  put(box, value);
  slider.addEventListener("input", () => {
    const moved = fromSlider(Number(slider.value), log);
    put(box, moved);
    slider.setAttribute("aria-valuetext", moved);
    set(moved);
  });
  slider.addEventListener("change", settle);
  box.addEventListener("input", () => {
    const typed = box.value.trim(), least = log ? Number.MIN_VALUE : 0;
    const good = typed !== "" && Number(typed) >= least && (log || Number.isInteger(Number(typed)));
    if (good) box.removeAttribute("aria-invalid");
    else box.setAttribute("aria-invalid", "true");
    if (!good) return;
    slider.value = toSlider(Number(typed), log);
    set(log ? literal(typed) : String(Number(typed)));
  });
  box.addEventListener("change", settle);
  return element("div", { class: "knob", dataset: { knob: key } },
    element("span", { class: "name", title: name }, breakable(name)),
    slider, box,
    remove ? button("×", remove, { class: "remove", label: `Remove ${label}` }) : element("span"),
    hint ? element("span", { class: "hint" }, hint) : null,
  );
}

// A long name breaks behind an underscore before it breaks anywhere.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

// Shows another value in a knob that is there, and leaves alone what is being typed or moved and means it.
export function turn(node, value, log) {
  const [slider, box] = node.querySelectorAll("input");
  const name = node.dataset.knob, number = Number(value);
  Object.entries(span(name, number, log)).forEach(([key, end]) => slider.setAttribute(key, end));
  if (fromSlider(Number(slider.value), log) !== written(number, log)) slider.value = toSlider(number, log);
  slider.setAttribute("aria-valuetext", written(number, log));
  put(box, value);
}

function span(name, value, log) {
  let [low, high] = ranges.get(name) ?? [1, 0];
  if (log && !(value >= 10 ** low && value <= 10 ** high)) {
    const power = Math.log10(value > 0 ? value : 1);
    [low, high] = [Math.floor(power - 1), Math.ceil(power + 1)];
  } else if (!log && !(value <= high)) {
    [low, high] = [0, Math.max(10, 2 * value)];
  }
  ranges.set(name, [low, high]);
  return { min: low, max: high, step: log ? 1 / STEPS : 1 };
}

function toSlider(value, log) {
  return log ? Math.log10(value > 0 ? value : 1) : value;
}

function fromSlider(place, log) {
  return written(log ? 10 ** place : place, log);
}

// A rate to as many digits as a slider can mean; a count is exact.
function written(value, log) {
  return log ? digits(value) : String(value);
}
