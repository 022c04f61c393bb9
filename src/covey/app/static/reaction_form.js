// A form that says what happens: who does what with whom, after how long it begins and how long it
// lasts. What it writes into the file stands below it before it is written.

import { element, button, refill } from "./element.js";
import { entries } from "./editing.js";
import { COUNTED, KINDS, happenings, withHappening } from "./happening.js";
import { short } from "./numbers.js";
import { sheet, change, settle } from "./sheet.js";

const EVERY = ""; // no name of a type

// The form, and `show()`, which asks anew what there is to choose from.
export function reactionForm() {
  let picked = {}; // what was chosen or typed; the rest is by default
  const kind = element("select", { "aria-label": "What kind of thing happens" },
    Object.entries(KINDS).map(([name, { title }]) => element("option", { value: name }, title)));
  const body = element("div", { class: "asked" });
  const meant = element("p", { class: "hint" });
  const preview = element("pre", { "aria-label": "What this writes into the file" });
  const add = button("Add it", null, { type: "submit", class: "main" });
  const said = () => answers(kind.value, picked);
  const write = () => {
    const now = said();
    preview.textContent = now.missing ? "" : happenings(sheet.text, now).map((one) => one.line).join("\n");
    meant.textContent = meaning(now);
    preview.hidden = add.disabled = Boolean(now.missing);
  };
  const pick = (name, again) => (event) => {
    picked[name] = event.target.value;
    if (again) show();
    else write();
  };
  const show = () => {
    refill(body, ...fields(said(), pick));
    write();
  };
  kind.addEventListener("change", () => {
    picked = {};
    show();
  });
  const node = element("form", {
    class: "making",
    onsubmit: (event) => {
      event.preventDefault();
      const now = said();
      if (now.missing) return;
      picked = {};
      settle();
      node.closest("details").open = false;
      change(withHappening(sheet.text, now));
    },
  }, kind, body, meant, preview, element("div", { class: "row" }, add));
  return { node, show };
}

function names(table) {
  return entries(sheet.text, table).map((key) => key.name);
}

// What the form says: what was picked where that is still there, else what is likely.
function answers(kind, picked) {
  const types = names("types"), others = kind === "uses" ? names("resources") : types;
  const first = KINDS[kind];
  const alone = kind === "together" || types.length < 2;
  const who = [...types, ...(alone ? [] : [EVERY])].includes(picked.who) ? picked.who : alone ? types[0] : EVERY;
  const likely = kind === "together" ? others[1] ?? others[0] : others[0];
  const other = others.includes(picked.other) ? picked.other : likely;
  const word = picked.word ?? first.word;
  const paces = (who === EVERY ? types : [who]).map((name) => ({
    who: name, begins: picked[`begins ${name}`] ?? first.begins, lasts: picked[`lasts ${name}`] ?? first.lasts,
  }));
  const missing = !types.length ? "Add a type of robot to the team first."
    : kind === "uses" && !others.length ? "Add a shared thing to the team first." : "";
  const counts = kind === "shift" ? [] : names("observe");
  return {
    kind, types, others, alone, who, other, word, paces, missing, counts,
    counted: ["together", "uses"].includes(kind) ? picked.counted ?? COUNTED[0] : null,
    seen: counts.length ? picked.seen ?? continuous(word) : "",
  };
}

function fields(now, pick) {
  if (now.missing) return [element("p", { class: "sentence" }, now.missing)];
  return [
    element("p", { class: "sentence" }, ...sentence(now, pick)),
    ...counted(now, pick),
    ...now.paces.map((one) => pace(one, now, pick)),
    ...seenAs(now, pick),
  ];
}

function sentence(now, pick) {
  const whos = now.types.map((name) => [name, name]);
  if (!now.alone) whos.unshift([EVERY, "robot of any type"]);
  const who = choice("Who", whos, now.who, pick("who", true));
  const other = choice("With whom or what", now.others.map((name) => [name, name]), now.other, pick("other", true));
  const word = element("input", {
    type: "text", "aria-label": "What they do, in a word", value: now.word, size: 9, maxlength: 30, required: true,
    autocomplete: "off", "data-focus": "word", oninput: pick("word", false),
  });
  return {
    together: ["One ", who, " and one ", other, " meet to ", word],
    uses: ["One ", who, " takes one ", other, " to ", word],
    alone: ["One ", who, " goes to ", word],
    shift: ["Any ", who, " may come and go; call it ", word],
  }[now.kind];
}

function choice(label, options, chosen, onchange) {
  const select = element("select", { "aria-label": label, "data-focus": label, onchange },
    options.map(([value, text]) => element("option", { value }, text)));
  select.value = chosen;
  return select;
}

// Whether it begins the sooner the more there are to begin it with.
function counted(now, pick) {
  if (!now.counted) return [];
  const words = { each: `while any ${another(now)} is free`, pair: `the sooner, the more ${now.other}s are free` };
  const options = COUNTED.map((name) => [name, words[name]]);
  return [element("p", { class: "sentence" },
    "This begins ", choice("When it begins", options, now.counted, pick("counted", true)))];
}

// After how long it begins, and how long it lasts, on average.
function pace({ who, begins, lasts }, now, pick) {
  const box = (name, value, label) => element("input", {
    type: "number", min: 1e-9, step: "any", value, "aria-label": `${label}, ${who}`, required: true,
    "data-focus": `${name} ${who}`, oninput: pick(`${name} ${who}`, false),
  });
  const first = box("begins", begins, "After how long it begins"), last = box("lasts", lasts, "How long it lasts");
  const words = {
    shift: [now.paces.length > 1 ? `A ${who} comes each ` : "One comes each ", " and stays for "],
    pair: [`One ${who} and one ${another(now)} begin after `, " and take "],
  }[now.counted ?? now.kind] ?? [`Each ${who} begins after `, " and takes "];
  return element("p", { class: "sentence" }, words[0], first, words[1], last, " on average");
}

function another({ who, other }) {
  return who === other ? `other ${other}` : other;
}

// What those times are the times of: to take a pair's for a robot's is the mistake to make.
function meaning(now) {
  if (now.missing || !now.counted) return "";
  const { who, begins } = now.paces[0], things = `${another(now)}s`, after = (many) => short(Number(begins) / many, 4);
  if (now.counted === "each") return `With one ${another(now)} free or with ten, a free ${who} begins after ${after(1)} on average.`;
  return `With one ${another(now)} free a ${who} begins after ${after(1)}, with two ${things} free after ${after(2)}, `
    + `with ten after ${after(10)}.`;
}

// Under which name it is seen, where the file says what is seen.
function seenAs(now, pick) {
  if (!now.counts.length) return [];
  const box = element("input", {
    type: "text", list: "counts", value: now.seen, "aria-label": "Seen as", size: 10, maxlength: 30,
    autocomplete: "off", "data-focus": "seen", oninput: pick("seen", false),
  });
  return [
    element("p", { class: "sentence" }, "From outside it is counted as ", box,
      element("span", { class: "hint" }, " (empty: it is not seen)")),
    element("datalist", { id: "counts" }, now.counts.map((name) => element("option", { value: name }))),
  ];
}

// pick → picking, charge → charging
function continuous(word) {
  return `${/[^e]e$/.test(word) ? word.slice(0, -1) : word}ing`;
}
