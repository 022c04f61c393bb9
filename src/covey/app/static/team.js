// Who is there: types, whose robots must not be told apart, and resources that they share. And how
// fast things happen. Each is a number of the file.

import { element, byId, button } from "./element.js";
import { asName, entries, valueOf, withValue, withoutKey } from "./editing.js";
import { knob, turn } from "./knob.js";
import { notice } from "./notice.js";
import { mentions, reactions } from "./reactions.js";
import { withoutMember } from "./removing.js";
import { change, onText, settle, sheet } from "./sheet.js";
import { unquoted } from "./toml.js";

const KINDS = {
  types: {
    one: "type", add: "+ a type of robot", example: "carrier", first: "4", label: (name) => `Robots of type ${name}`,
    lead: "Types of robots, and how many of each. Who is of which type is to stay private, where [secret] names nothing else.",
  },
  resources: {
    one: "resource", add: "+ a shared thing", example: "dock", first: "2", label: (name) => `Pieces of ${name}`,
    lead: "Shared things, such as charging docks. Nothing about them is private.",
  },
  rates: {
    log: true, label: (name) => `Rate ${name}`,
    lead: "How often something happens per unit of time, for each robot, or each pair, that could do it: "
      + "“What happens” says which. Once in 20 minutes is a rate of 0.05. The slider goes in factors, the box is exact.",
  },
};

export function startTeam() {
  byId("team").querySelector(".fill").append(title(), group("types"), group("resources"));
  byId("rates").querySelector(".fill").append(group("rates"));
  onText(() => {
    for (const table of Object.keys(KINDS)) show(table);
    byId("rates").hidden = !entries(sheet.text, "rates").length;
  });
}

// What the scenario is called.
function title() {
  const box = element("input", { type: "text", "aria-label": "Title", maxlength: 120, autocomplete: "off" });
  box.addEventListener("input", () => {
    change(withValue(sheet.text, "", "title", JSON.stringify(box.value)), { joins: "title" });
  });
  onText((text) => {
    const said = unquoted(valueOf(text, "title") ?? "");
    if (box.value !== said) box.value = said; // not while one types: the cursor would go
  });
  return element("p", { class: "titled" }, box);
}

function group(table) {
  const { lead, one } = KINDS[table];
  return element("div", { class: "group" }, element("p", { class: "hint" }, lead),
    element("div", { class: "knobs", id: `knobs-${table}` }), one ? adder(table) : null);
}

// A short form for one more: a name and how many.
function adder(table) {
  const { one, add, example, first } = KINDS[table];
  const name = element("input", {
    type: "text", placeholder: example, "aria-label": `Name of the new ${one}`, required: true, maxlength: 40,
    autocomplete: "off",
  });
  const count = element("input", {
    type: "number", min: 0, step: 1, value: first, "aria-label": `How many of the new ${one}`, required: true,
  });
  return element("form", {
    class: "adder",
    onsubmit: (event) => {
      event.preventDefault();
      const taken = ["types", "resources"].flatMap((other) => entries(sheet.text, other)).map((key) => key.name);
      const chosen = asName(name.value);
      if (taken.includes(chosen)) return notice(`There is a “${chosen}” already.`);
      if (!chosen) return;
      settle();
      change(withValue(sheet.text, table, chosen, String(Number(count.value))));
      name.value = "";
      name.focus();
    },
  }, name, count, button(add, null, { type: "submit" }));
}

// The numbers of a table. Their knobs are made anew only where names or hints change, so that a slider
// is never taken from the hand that moves it.
function show(table) {
  const { label, log } = KINDS[table], place = byId(`knobs-${table}`);
  const keys = entries(sheet.text, table).map((key) => ({ ...key, raw: key.raw.replaceAll("_", "") }));
  const numbers = keys.filter((key) => Number.isFinite(Number(key.raw)));
  const made = JSON.stringify(numbers.map((key) => [key.name, key.comment, removable(table, key.name)]));
  if (place.dataset.made === made) return numbers.forEach((key, i) => turn(place.children[i], key.raw, log));
  place.dataset.made = made;
  place.replaceChildren(...numbers.map(({ name, raw, comment }) => knob({
    key: `${table}.${name}`, name, label: label(name), value: raw, hint: comment, log,
    set: (value) => change(withValue(sheet.text, table, name, value), { joins: `${table}.${name}` }),
    remove: removable(table, name) ? () => remove(table, name) : null,
  })));
}

// A rate that something goes by cannot go by itself.
function removable(table, name) {
  return table !== "rates" || !reactions(sheet.text).some((one) => one.family || mentions(one, name));
}

function remove(table, name) {
  settle();
  if (table === "rates") return change(withoutKey(sheet.text, `rates.${name}`));
  const { text, removed } = withoutMember(sheet.text, table, name);
  change(text);
  notice(`${name} is gone${removed ? `, and ${removed} with it` : ""}. Undo brings it back.`);
}
