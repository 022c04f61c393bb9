// One draw of the mechanism: what is there, and what would be published this time.

import { element, button } from "./element.js";
import { ask } from "./ask.js";

let typed = {};

export function publisher({ mechanism, counts: names, outcomes }) {
  const first = outcomes[Math.floor(outcomes.length / 2)] ?? [];
  const known = outcomes.some((outcome) => outcome.every((n, i) => n === Number(typed[names[i]])));
  const boxes = names.map((name, i) => element("label", {}, `${name} `, element("input", {
    type: "number", min: 0, step: 1, value: known ? typed[name] : first[i] ?? 0, "aria-label": `${name}, in truth`, dataset: { count: name },
    oninput: (event) => {
      typed = { ...counts(), [name]: event.target.value };
    },
  })));
  const counts = () => Object.fromEntries(boxes.map((box) => {
    const input = box.querySelector("input");
    return [input.dataset.count, Number(input.value)];
  }));
  const said = element("output", { class: "published", "aria-live": "polite" });
  const draw = () => ask("publish", { mechanism, counts: counts() }, {
    part: (name, value) => {
      if (name !== "publish") return;
      said.replaceChildren("published: ", ...Object.entries(value.published).flatMap(([key, n], i) => [i ? ", " : "", `${key} `, element("b", { dataset: { published: key } }, n)]));
    },
    error: (error) => said.replaceChildren(error.message),
  });
  return element("form", {
    class: "publish", onsubmit: (event) => {
      event.preventDefault();
      draw();
    },
  }, element("span", { class: "small" }, "Try it. In truth:"), boxes, button("Publish one", null, { type: "submit" }), said);
}
