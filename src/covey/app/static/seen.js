// What is seen: each species lies in a box, the boxes are the counts that an observer has. A species is
// dragged, or picked up and put down by click or key; arrow keys move it to the box above or below.

import { element, byId, button, refill } from "./element.js";
import { entries, withValue, withoutKey, withoutTable, asName, free } from "./editing.js";
import { terms, said, species } from "./reactions.js";
import { bare } from "./removing.js";
import { face } from "./chip.js";
import { sheet, change, onText, settle } from "./sheet.js";
import { knownModel, onModel } from "./model.js";

const UNSEEN = "\u0000unseen"; // no name of a sum
let held = null; // the species that is picked up

export function startSeen() {
  const place = byId("seen").querySelector(".fill");
  const show = () => render(place);
  onText(show);
  onModel(show);
}

// The sums as they are written: [{name, terms}], or null where one is over a set.
function sums() {
  const found = entries(sheet.text, "observe");
  if (found.some((key) => !/^["'][^"']*["']$/.test(key.raw) || / for |\$/.test(key.raw + key.name))) return null;
  return found.map((key) => ({ name: key.name, terms: terms(key.raw.slice(1, -1)) }));
}

function render(place) {
  const model = knownModel();
  const written = sums();
  if (written === null) return refill(place, ...families(model));
  const all = model?.species ?? [];
  if (!written.length) return refill(place, ...everything(all));
  const used = new Set(written.flatMap((sum) => sum.terms.map(bare)));
  const boxes = [...written, { name: UNSEEN, terms: all.filter((term) => !used.has(bare(term))) }];
  const order = boxes.map((box) => box.name);
  refill(place,
    element("p", { class: "hint" }, "Drag a chip to another count, or click it and then the place. Chips in one count look alike."),
    boxes.map((box) => boxNode(box, order)), adder(order));
}

function boxNode({ name, terms: inside }, order) {
  const hidden = name === UNSEEN;
  const words = hidden ? "Not seen" : name;
  const node = element("div", {
    class: hidden ? "bin unseen-bin" : "bin", role: "group", "aria-label": hidden ? "Not seen" : `Seen as ${name}`, dataset: { bin: name },
    ondragover: (event) => {
      event.preventDefault();
      node.classList.add("over");
    },
    ondragleave: () => node.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      move(event.dataTransfer.getData("text/plain"), name);
    },
  },
  element("div", { class: "head" }, element("span", { class: "name" }, words),
    hidden ? null : button("×", () => drop(name), { class: "remove", label: `Do not publish ${name}` })),
  element("div", { class: "chips" }, inside.length ? inside.map((term) => chipNode(term, name, order)) : element("span", { class: "hint" }, hidden ? "everything is counted somewhere" : "empty: put something here"),
    held && !inside.some((term) => bare(term) === bare(held)) ? button("put here", () => move(held, name), { class: "put", label: `Put ${said(held)} into ${words}` }) : null));
  return node;
}

function chipNode(term, inside, order) {
  const up = held !== null && bare(held) === bare(term);
  return element("button", {
    type: "button", class: "chip", draggable: "true", "aria-pressed": String(up), "data-focus": `chip ${bare(term)}`,
    "aria-label": `${said(term)}${up ? ", picked up" : ""}`, title: "Drag it, click it, or move it with the arrow keys",
    ondragstart: (event) => event.dataTransfer.setData("text/plain", term),
    onclick: () => {
      held = up ? null : term;
      render(byId("seen").querySelector(".fill"));
    },
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      const next = order[order.indexOf(inside) + step];
      if (event.key === "Escape") held = null;
      if (!step || next === undefined) return;
      event.preventDefault();
      move(term, next);
    },
  }, ...face(term));
}

// The species into another sum. A sum that is left empty goes.
function move(term, into) {
  const all = sums();
  held = null;
  if (!term || all === null || !knownModel()?.species.some((one) => bare(one) === bare(term))) return;
  let text = sheet.text;
  for (const sum of all) {
    const kept = sum.terms.filter((other) => bare(other) !== bare(term));
    const next = sum.name === into ? [...kept, term] : kept;
    if (next.join() === sum.terms.join()) continue;
    text = next.length
      ? withValue(text, "observe", sum.name, JSON.stringify(next.join(" + ")))
      : withoutKey(text, `observe.${sum.name}`);
  }
  settle();
  change(text);
}

function drop(name) {
  settle();
  const text = withoutKey(sheet.text, `observe.${name}`);
  change(entries(text, "observe").length ? text : withoutTable(text, "observe"));
}

// One more count: it needs something to count, so it starts with what is picked up or not yet seen.
function adder(order) {
  const name = element("input", { type: "text", placeholder: "resting", "aria-label": "Name of the new count", required: true, maxlength: 40, autocomplete: "off" });
  return element("form", {
    class: "adder",
    onsubmit: (event) => {
      event.preventDefault();
      const chosen = free(asName(name.value) || "seen", order);
      const all = sums();
      const used = new Set(all.flatMap((sum) => sum.terms.map(bare)));
      const term = held ?? knownModel()?.species.find((one) => !used.has(bare(one))) ?? all.find((sum) => sum.terms.length > 1)?.terms.at(-1);
      if (!term) return;
      let text = sheet.text;
      for (const sum of all.filter((one) => one.terms.some((other) => bare(other) === bare(term)))) {
        const kept = sum.terms.filter((other) => bare(other) !== bare(term));
        text = kept.length ? withValue(text, "observe", sum.name, JSON.stringify(kept.join(" + "))) : withoutKey(text, `observe.${sum.name}`);
      }
      held = null;
      settle();
      change(withValue(text, "observe", chosen, JSON.stringify(term)));
    },
  }, name, button("+ a count", null, { type: "submit" }));
}

function everything(all) {
  return [
    element("p", { class: "hint" }, "Every kind of group is counted by itself: who looks sees each type. Usually only activities can be told apart."),
    element("div", { class: "chips" }, all.map((term) => element("span", { class: "chip" }, ...face(term)))),
    button("Count by activity instead", () => byActivity(all), { disabled: !all.length }),
  ];
}

// One sum for each activity.
function byActivity(all) {
  const groups = new Map();
  for (const term of all) {
    const { activity, members } = species(term);
    const name = members.length ? activity || "free" : `count_${activity}`;
    groups.set(name, [...(groups.get(name) ?? []), term]);
  }
  // Shared things by themselves are not robots: they are not looked at.
  const resources = new Set(entries(sheet.text, "resources").map((key) => key.name));
  const robots = (term) => !species(term).members.every((member) => resources.has(member));
  let text = sheet.text;
  for (const [name, inside] of groups) {
    const kept = inside.filter(robots);
    if (kept.length) text = withValue(text, "observe", name, JSON.stringify(kept.join(" + ")));
  }
  settle();
  change(text);
}

function families(model) {
  return [
    element("p", { class: "hint" }, "This file writes its counts as families; change them in the text."),
    ...Object.entries(model?.sums ?? {}).map(([name, sum]) => element("div", { class: "bin" },
      element("div", { class: "head" }, element("span", { class: "name" }, name)),
      element("div", { class: "chips" }, terms(sum).map((term) => element("span", { class: "chip" }, ...face(term)))))),
  ];
}
