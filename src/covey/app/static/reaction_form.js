// A form that writes a reaction: who does what with whom, how often it begins and how soon it is over.
// It adds the line, the rates that it goes by, and the new species to what is seen.

import { element, button, refill } from "./element.js";
import { entries, withValue, asName, free } from "./editing.js";
import { reactions, withReaction, terms } from "./reactions.js";
import { sheet, change, settle } from "./sheet.js";

const EACH = "\u0000each"; // no name of a type
const KINDS = {
  together: { title: "Two meet and work together", word: "pick", begin: "0.2", end: "0.5" },
  uses: { title: "A robot uses a shared thing", word: "charge", begin: "0.05", end: "0.1" },
  alone: { title: "A robot does something by itself", word: "rest", begin: "0.1", end: "0.5" },
  shift: { title: "Robots come and go", word: "shift", begin: "0.3", end: "0.1" },
};

export function reactionForm() {
  const kind = element("select", { "aria-label": "What kind of thing happens" },
    Object.entries(KINDS).map(([name, { title }]) => element("option", { value: name }, title)));
  const sentence = element("p", { class: "sentence" });
  const numbers = element("div", { class: "asked" });
  const seen = element("p", { class: "sentence" });
  const preview = element("pre", { "aria-label": "What this writes into the file" });
  const fields = { kind };
  const node = element("form", { class: "making" }, kind, sentence, numbers, seen, preview,
    element("div", { class: "row" }, button("Add it", null, { type: "submit", class: "main" })));
  const show = () => build(fields, { sentence, numbers, seen }, () => preview.replaceChildren(lines(fields).map((line) => line.text).join("\n")));
  kind.addEventListener("change", () => {
    fields.word = null;
    show();
  });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = withAll(sheet.text, fields);
    if (text === null) return;
    settle();
    fields.word = null;
    change(text);
    node.closest("details").open = false;
  });
  return { node, show };
}

function names(table) {
  return entries(sheet.text, table).map((key) => key.name);
}

function choice(label, options, chosen, changed) {
  const select = element("select", { "aria-label": label, onchange: changed },
    options.map(([value, text]) => element("option", { value }, text)));
  select.value = options.some(([value]) => value === chosen) ? chosen : options[0]?.[0] ?? "";
  return select;
}

// The fields for the kind that is chosen, with what was chosen before.
function build(fields, places, preview) {
  const kind = fields.kind.value, first = KINDS[kind];
  const types = names("types"), resources = names("resources");
  const again = () => build(fields, places, preview);
  const robots = types.map((name) => [name, name]);
  const whom = kind === "uses" ? resources.map((name) => [name, name]) : robots;
  if (kind !== "together" && types.length > 1) robots.unshift([EACH, "every robot"]);
  const who = choice("Who", robots, fields.who?.value ?? (kind === "together" ? types[0] : EACH), again);
  const other = choice("With whom or what", whom, fields.other?.value ?? (kind === "together" ? types[1] : ""), again);
  const word = element("input", {
    type: "text", "aria-label": "In a word: what they do", value: fields.word?.value ?? first.word, size: 9, maxlength: 30,
    required: true, oninput: preview, autocomplete: "off",
  });
  Object.assign(fields, { who, other, word });
  const said = {
    together: ["One ", who, " and one ", other, " meet; in a word: ", word],
    uses: ["One ", who, " takes one ", other, "; in a word: ", word],
    alone: ["One ", who, " begins to ", word, " and comes back"],
    shift: ["", who, " come and go; in a word: ", word],
  }[kind];
  const missing = !types.length ? "Add a type of robot first." : kind === "uses" && !resources.length ? "Add a shared thing to the team first." : "";
  refill(places.sentence, missing ? [missing] : said);
  fields.missing = missing;
  fields.paces = (who.value === EACH ? types : [who.value]).map((name) => pace(name, kind, first, fields, preview));
  refill(places.numbers, missing ? [] : fields.paces.map((one) => one.node));
  seenAs(fields, kind, places.seen, preview);
  preview();
}

// How often it begins and how soon it ends, for one type.
function pace(name, kind, first, fields, preview) {
  const old = fields.paces?.find((one) => one.name === name && one.kind === kind);
  const box = (value, label) => element("input", {
    type: "number", min: 0, step: "any", value, "aria-label": label, required: true, oninput: preview,
  });
  const begin = box(old?.begin.value ?? first.begin, `How often it begins, ${name}`);
  const end = box(old?.end.value ?? first.end, `How often it ends, ${name}`);
  const words = kind === "shift" ? ["come", "per unit of time; each leaves"] : ["begins", "per unit of time; ends"];
  const whose = kind === "together" ? "it" : name;
  return { name, kind, begin, end, node: element("p", { class: "sentence" }, `${whose}: ${words[0]} `, begin, ` ${words[1]} `, end, " (1 / how long it takes)") };
}

// Under which name the new species is seen; only where the file says what is seen.
function seenAs(fields, kind, place, preview) {
  const sums = names("observe");
  if (!sums.length || kind === "shift" || fields.missing) {
    fields.sum = null;
    return refill(place);
  }
  const list = element("datalist", { id: "sums" }, sums.map((name) => element("option", { value: name })));
  const typed = fields.sum?.dataset.typed ? fields.sum.value : continuous(fields.word.value);
  fields.sum = element("input", {
    type: "text", list: "sums", value: typed, "aria-label": "Seen as", size: 10, maxlength: 30, autocomplete: "off",
    dataset: fields.sum?.dataset.typed ? { typed: "yes" } : {},
    oninput: () => {
      fields.sum.dataset.typed = "yes";
      preview();
    },
  });
  fields.word.addEventListener("input", () => {
    if (!fields.sum.dataset.typed) fields.sum.value = continuous(fields.word.value);
  });
  refill(place, ["An observer counts it as ", fields.sum, " (empty: it is not seen)"], list);
}

// pick → picking, charge → charging
function continuous(word) {
  return /e$/.test(word) && !/ee$/.test(word) ? `${word.slice(0, -1)}ing` : `${word}ing`;
}

// What will be written: a line for each type, with the rates that it goes by.
function lines(fields) {
  if (fields.missing) return [];
  const kind = fields.kind.value, word = asName(fields.word.value) || KINDS[kind].word;
  const taken = [...names("rates")], called = reactions(sheet.text).map((reaction) => reaction.name);
  return fields.paces.map(({ name, begin, end }) => {
    const many = fields.paces.length > 1;
    const stem = many ? `${word}_${name}` : word;
    const start = free(asName(stem), taken);
    taken.push(start);
    const finish = free(`${asName(stem)}_done`, taken);
    taken.push(finish);
    const other = fields.other.value;
    const lone = `{${name}}`;
    const [left, right] = {
      together: [`${lone} + {${other}}`, `${word}{${name},${other}}`],
      uses: [`${lone} + {${other}}`, `${word}{${name},${other}}`],
      alone: [lone, `${word}{${name}}`],
      shift: ["0", lone],
    }[kind];
    const title = free(asName(stem), called);
    called.push(title);
    return {
      text: `${title}: ${left} <-> ${right} @ ${start}, ${finish}`, made: kind === "shift" ? lone : right,
      rates: [
        [start, begin.value, kind === "shift" ? `how often a ${name} comes` : `how often ${word} begins${many ? ` for a ${name}` : ""}`],
        [finish, end.value, kind === "shift" ? `how soon a ${name} leaves` : `how soon it ends${many ? ` for a ${name}` : ""}`],
      ],
    };
  });
}

// The text with the lines, their rates and the sum; null where a number is missing.
function withAll(text, fields) {
  const all = lines(fields);
  if (!all.length) return null;
  let next = text;
  for (const line of all) {
    for (const [name, value, comment] of line.rates) {
      if (!(Number(value) > 0)) return null;
      next = withValue(next, "rates", name, value, comment);
    }
    next = withReaction(next, line.text);
  }
  const sum = fields.sum && fields.sum.value.trim() ? asName(fields.sum.value) : "";
  if (!sum) return next;
  const old = entries(next, "observe").find((key) => key.name === sum);
  const seen = [...(old ? terms(old.raw.slice(1, -1)) : []), ...all.map((line) => line.made)];
  return withValue(next, "observe", sum, JSON.stringify(seen.join(" + ")));
}
