// Who is there: types, whose robots must not be told apart, and resources that they share. And how
// fast things happen. Each is a number of the file.

import { element, byId, button } from "./element.js";
import { asName, digits, entries, valueOf, withValue, withoutKey } from "./editing.js";
import { unquoted } from "./toml.js";
import { knob, turn } from "./knob.js";
import { change, sheet, onText, settle } from "./sheet.js";
import { withoutMember } from "./removing.js";
import { reactions } from "./reactions.js";
import { notice } from "./notice.js";

const KINDS = {
  types: {
    one: "type", more: "a type of robot", placeholder: "carrier", value: "4",
    lead: "Types of robots, and how many of each. Who is of which type is to stay private.",
  },
  resources: {
    one: "resource", more: "a shared thing", placeholder: "dock", value: "2",
    lead: "Shared things, such as charging docks. Nothing about them is private.",
  },
};

export function startTeam() {
  const team = byId("team").querySelector(".fill");
  team.append(title());
  for (const table of Object.keys(KINDS)) team.append(group(table));
  const rates = element("div", { class: "knobs", id: "knobs-rates" });
  byId("rates").querySelector(".fill").append(
    element("p", { class: "hint" }, "Times per unit of time. The slider goes in factors, the box is exact."), rates,
  );
  onText(() => {
    show("types", byId("knobs-types"), false);
    show("resources", byId("knobs-resources"), false);
    show("rates", rates, true);
    byId("rates").hidden = !entries(sheet.text, "rates").length;
  });
}

// What the scenario is called.
function title() {
  const box = element("input", { type: "text", "aria-label": "Title", maxlength: 120, autocomplete: "off" });
  box.addEventListener("input", () => change(withValue(sheet.text, "", "title", JSON.stringify(box.value)), { joins: "title" }));
  onText((text) => {
    if (document.activeElement !== box) box.value = unquoted(valueOf(text, "title") ?? "");
  });
  return element("p", { class: "titled" }, box);
}

function group(table) {
  const kind = KINDS[table];
  return element("div", { class: "group" },
    element("p", { class: "hint" }, kind.lead),
    element("div", { class: "knobs", id: `knobs-${table}` }),
    adder(table, kind),
  );
}

// A short form for one more: a name and how many.
function adder(table, kind) {
  const name = element("input", {
    type: "text", placeholder: kind.placeholder, "aria-label": `Name of the new ${kind.one}`, required: true,
    maxlength: 40, autocomplete: "off",
  });
  const count = element("input", {
    type: "number", min: 0, step: 1, value: kind.value, "aria-label": `How many of the new ${kind.one}`,
  });
  return element("form", {
    class: "adder",
    onsubmit: (event) => {
      event.preventDefault();
      const taken = ["types", "resources"].flatMap((other) => entries(sheet.text, other)).map((key) => key.name);
      const chosen = asName(name.value);
      if (!chosen) return;
      if (taken.includes(chosen)) return notice(`There is a “${chosen}” already.`);
      settle();
      change(withValue(sheet.text, table, chosen, digits(Math.max(0, Math.round(Number(count.value) || 0)))));
      name.value = "";
      name.focus();
    },
  }, name, count, button(`+ ${kind.more}`, null, { type: "submit" }));
}

// The knobs of a table. They are made anew only where names or hints change, so that a slider is never
// taken from the hand that moves it.
function show(table, place, log) {
  const keys = entries(sheet.text, table).filter((key) => !Number.isNaN(Number(key.raw.replaceAll("_", ""))));
  const signature = JSON.stringify(keys.map((key) => [key.name, key.comment]));
  if (place.dataset.signature === signature) {
    keys.forEach((key, i) => turn(place.children[i], key.raw.replaceAll("_", ""), log));
    return;
  }
  place.dataset.signature = signature;
  place.replaceChildren(...keys.map((key) => knob({
    name: `${table}.${key.name}`,
    label: { types: `Robots of type ${key.name}`, resources: `Pieces of ${key.name}`, rates: `Rate ${key.name}` }[table],
    value: key.raw.replaceAll("_", ""), hint: key.comment, log,
    set: (value) => change(withValue(sheet.text, table, key.name, value), { joins: `${table}.${key.name}`, by: "knob" }),
    remove: remover(table, key.name),
  })));
}

function remover(table, name) {
  if (table !== "rates") {
    return () => {
      const { text, removed } = withoutMember(sheet.text, table, name);
      settle();
      change(text);
      notice(removed ? `${name} is gone, and what only it did (${removed}). Undo brings it back.` : `${name} is gone. Undo brings it back.`);
    };
  }
  // A rate that something goes by cannot be taken away by itself.
  const used = reactions(sheet.text).some((reaction) => reaction.source.split("@").pop().includes(name));
  if (used) return null;
  return () => {
    settle();
    change(withoutKey(sheet.text, `rates.${name}`));
  };
}
