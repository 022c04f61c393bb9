// What happens, line by line in the words of the file, each with a way to take it out, and the form
// that writes one more.

import { element, byId, button, refill } from "./element.js";
import { chip } from "./chip.js";
import { withoutHappening } from "./removing.js";
import { bare, reactions } from "./reactions.js";
import { reactionForm } from "./reaction_form.js";
import { sheet, change, onText, settle } from "./sheet.js";
import { notice } from "./notice.js";

export function startHappens() {
  const list = element("ul", { class: "lines" });
  const empty = element("p", { class: "hint" }, "Nothing happens yet. Say below what your robots do.");
  const form = reactionForm();
  const add = element("details", { class: "add", id: "add-happening" },
    element("summary", {}, "+ Something that happens"), form.node);
  add.addEventListener("toggle", form.show);
  byId("happens").querySelector(".fill").append(list, empty, add);
  onText(() => {
    const all = reactions(sheet.text);
    refill(list, all.map(row));
    empty.hidden = all.length > 0;
    if (!all.length) add.open = true;
    form.show();
  });
}

function row(reaction, place) {
  const [sign, words] = reaction.both ? ["⇄", "to and fro"] : ["→", "becomes"];
  const rates = reaction.rates.map((rate, i) =>
    detail(i ? "back at" : "at", rate, per(rate, i ? reaction.right : reaction.left)));
  if (reaction.family) rates.push(detail("for", reaction.family));
  return element("li", {},
    element("div", { class: "line" },
      reaction.name ? element("span", { class: "called" }, reaction.name) : null,
      side(reaction.left),
      element("span", { class: "arrow", role: "img", "aria-label": words }, sign),
      side(reaction.right)),
    element("div", { class: "rates" }, rates),
    button("×", () => remove(place), {
      class: "remove", label: `Remove ${reaction.name || reaction.source}`, "data-focus": `reaction ${place}`,
    }));
}

function detail(words, code, after = "") {
  return element("span", {}, `${words} `, element("code", {}, code), after);
}

// What a rate is per: a rate law in brackets is the whole rate, any other is for each way to take the left side.
function per(rate, side) {
  const names = side.flatMap((term) => Array(Number(/^\d+(?=\s)/.exec(term)?.[0] ?? 1)).fill(bare(term)));
  if (rate.startsWith("[") || side.join() === "0") return " in all";
  if (names.length < 2) return " each";
  if (names.length > 2) return ` per ${names.length} that meet`;
  return names[0] === names[1] ? " per ordered pair" : " per pair";
}

function side(terms) {
  if (!terms.length || terms.join() === "0") return element("span", { class: "chip none" }, "outside");
  return terms.flatMap((term, i) => (i ? [element("span", { class: "plus" }, "+"), chip(term)] : [chip(term)]));
}

function remove(place) {
  settle();
  change(withoutHappening(sheet.text, reactions(sheet.text)[place]));
  notice("That happens no more. Undo brings it back.");
}
