// One draw of the mechanism: what is there, and what would be published this time.

import { element, button } from "./element.js";
import { ask } from "./ask.js";

let typed = null; // counts that were tried, as long as the mechanism knows them

export function publisher({ mechanism, counts: names, outcomes }) {
  const known = typed && outcomes.some((outcome) => outcome.join() === typed.join());
  const first = known ? typed : outcomes[Math.floor(outcomes.length / 2)];
  const boxes = names.map((name, i) => element("input", {
    type: "number", min: 0, step: 1, value: first[i], "aria-label": `${name}, in truth`, required: true,
  }));
  const said = element("output", { class: "published" });
  const draw = (event) => {
    event.preventDefault();
    typed = boxes.map((box) => Number(box.value));
    const counts = Object.fromEntries(names.map((name, i) => [name, typed[i]]));
    ask("publish", { mechanism, counts }, {
      part: (_, { published, unknown }) => said.replaceChildren("Published: ", ...names.flatMap((name, i) => [
        i ? ", " : "", `${name} `, element("b", { dataset: { published: name } }, published[name]),
      ]), unknown ? " (this team is never seen so: drawn for the nearest that it is)" : ""),
      error: (error) => said.replaceChildren(error.message),
    });
  };
  return element("form", { class: "publish", onsubmit: draw },
    element("span", { class: "small" }, "Try it. In truth:"),
    boxes.map((box, i) => element("label", {}, `${names[i]} `, box)),
    button("Publish one", null, { type: "submit" }), said);
}
