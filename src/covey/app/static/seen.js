// What is seen: each species lies in a box, the boxes are the counts that an observer has. A species is
// dragged, or picked up and put down by click or key; arrow keys move it to the box above or below.

import { element, byId, button, refill } from "./element.js";
import { asName, entries, free } from "./editing.js";
import { bare, terms, said, species, speciesOf } from "./reactions.js";
import { face } from "./chip.js";
import { byActivity, counts, goingBy, moved, without } from "./counting.js";
import { notice } from "./notice.js";
import { sheet, change, onText, settle } from "./sheet.js";
import { knownModel, onModel } from "./model.js";

const UNSEEN = ""; // no name of a count
let held = null; // the species that is picked up

export function startSeen() {
  onText(render);
  onModel(render);
}

// The species of the text; those that families stand for are known to the server only.
function known() {
  return speciesOf(sheet.text) ?? knownModel()?.species ?? [];
}

function take(text) {
  held = null;
  settle();
  const stay = new Set(counts(text)?.map((count) => count.name));
  const gone = (counts(sheet.text) ?? []).filter(({ name }) => !stay.has(name));
  const needed = gone.map(({ name }) => [name, goingBy(sheet.text, name)]).find(([, users]) => users.length);
  if (needed) notice(`${needed[0]} stays: ${needed[1].join(", ")} would not know what to go by.`);
  if (needed || text === sheet.text) render();
  else change(text);
}

function render() {
  const place = byId("seen").querySelector(".fill");
  const written = counts(sheet.text), all = known();
  if (written === null) return refill(place, ...families());
  if (!written.length) return refill(place, ...everything(all));
  const used = new Set(written.flatMap((count) => count.terms.map(bare)));
  const boxes = [...written, { name: UNSEEN, terms: all.filter((term) => !used.has(bare(term))) }];
  const order = boxes.map((box) => box.name);
  refill(place,
    element("p", { class: "hint" }, "What is in one box looks alike from outside. Drag a chip to another box, or click "
      + "it and then the place."),
    ...boxes.map((box) => boxNode(box, order)), adder(order, all));
}

function boxNode({ name, terms: inside }, order) {
  const words = name === UNSEEN ? "not seen" : name;
  const empty = name === UNSEEN ? "everything is counted" : "empty";
  const here = held !== null && inside.some((term) => bare(term) === bare(held));
  const put = held === null || here ? null : button("put here", () => take(moved(sheet.text, held, name)), {
    class: "put", label: `Put ${said(held)} into ${words}`,
  });
  const node = element("div", {
    class: name === UNSEEN ? "bin unseen-bin" : "bin", role: "group", "aria-label": words, dataset: { bin: name },
    ondragover: (event) => {
      event.preventDefault();
      node.classList.add("over");
    },
    ondragleave: () => node.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      const term = known().find((one) => bare(one) === event.dataTransfer.getData("text/plain"));
      if (term) take(moved(sheet.text, term, name));
    },
  },
  element("div", { class: "head" }, element("span", { class: "name" }, words),
    name === UNSEEN ? null : button("×", () => take(without(sheet.text, name)), {
      class: "remove", label: `Do not publish ${name}`,
    })),
  element("div", { class: "chips" },
    inside.length ? inside.map((term) => chipNode(term, name, order)) : element("span", { class: "hint" }, empty),
    put));
  return node;
}

function chipNode(term, inside, order) {
  const up = held !== null && bare(held) === bare(term);
  return element("button", {
    type: "button", class: "chip", draggable: "true", "aria-pressed": String(up), "data-focus": `chip ${bare(term)}`,
    "aria-label": said(term), title: "Drag it, click it, or move it with the arrow keys",
    ondragstart: (event) => event.dataTransfer.setData("text/plain", bare(term)),
    onclick: () => {
      held = up ? null : term;
      render();
    },
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      const next = order[order.indexOf(inside) + step];
      if (next === undefined) return;
      event.preventDefault();
      take(moved(sheet.text, term, next));
    },
  }, ...face(term));
}

// One more count. It needs something to count: what is picked up, or what is not seen, or a part of another.
function adder(order, all) {
  const name = element("input", {
    type: "text", placeholder: "resting", "aria-label": "Name of the new count", required: true, maxlength: 40,
    autocomplete: "off",
  });
  return element("form", {
    class: "adder",
    onsubmit: (event) => {
      event.preventDefault();
      const written = counts(sheet.text);
      const used = new Set(written.flatMap((count) => count.terms.map(bare)));
      const term = held ?? all.find((one) => !used.has(bare(one)))
        ?? written.find((count) => count.terms.length > 1)?.terms.at(-1);
      if (term) take(moved(sheet.text, term, free(asName(name.value) || "seen", order)));
    },
  }, name, button("+ a count", null, { type: "submit" }));
}

function everything(all) {
  if (!all.length) return [element("p", { class: "hint" }, "Say first what happens.")];
  const resources = new Set(entries(sheet.text, "resources").map((key) => key.name));
  // Shared things by themselves are no robots: nobody counts them.
  const robots = all.filter((term) => !species(term).members.every((one) => resources.has(one)));
  return [
    element("p", { class: "hint" }, "Every kind of group is counted by itself, so that whoever looks sees each type. "
      + "Usually only what robots do can be told apart."),
    element("div", { class: "chips" }, all.map((term) => element("span", { class: "chip" }, ...face(term)))),
    element("div", { class: "row" },
      button("Count by what they do instead", () => take(byActivity(sheet.text, robots)))),
  ];
}

function families() {
  return [
    element("p", { class: "hint" }, "This file writes its counts as families, with weights, thresholds or overlaps; change them in the text."),
    ...Object.entries(knownModel()?.sums ?? {}).map(([name, sum]) => element("div", { class: "bin" },
      element("div", { class: "head" }, element("span", { class: "name" }, name)),
      /[<>=!]/.test(sum) ? element("p", {}, sum)
        : element("div", { class: "chips" }, terms(sum).map((term) => element("span", { class: "chip" }, ...face(term)))))),
  ];
}
