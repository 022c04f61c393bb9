// What a form says that happens, as it is written into the file: a line for each type, the rates that
// it goes by, and the new species among what is seen.

import { asName, entries, free, withValue } from "./editing.js";
import { reactions, terms, withReaction } from "./reactions.js";

// Each kind: its title, a word for it, how long it takes to begin and how long it lasts at first, and
// the two sides of its reaction.
export const KINDS = {
  together: {
    title: "Two meet and work together", word: "pick", begins: "5", lasts: "2",
    sides: ({ who, other, word }) => [`{${who}} + {${other}}`, `${word}{${who},${other}}`],
  },
  uses: {
    title: "A robot uses a shared thing", word: "charge", begins: "20", lasts: "10",
    sides: ({ who, other, word }) => [`{${who}} + {${other}}`, `${word}{${who},${other}}`],
  },
  alone: {
    title: "A robot does something by itself", word: "rest", begins: "10", lasts: "2",
    sides: ({ who, word }) => [`{${who}}`, `${word}{${who}}`],
  },
  shift: {
    title: "Robots come and go", word: "shift", begins: "3", lasts: "10",
    sides: ({ who }) => ["0", `{${who}}`],
  },
};

// What takes two: whether `begins` is how long each robot needs while there is one to take ("each"), or
// how long one robot and one of the others need ("pair"; twice as many, twice as soon).
export const COUNTED = ["each", "pair"];

// How a reaction begins: the rate as the line has it, its value, and what it is per. A robot that meets
// another of its type begins with it, so that half of them begin in so long; mass action counts any two
// of a type twice.
function beginning({ kind, who, other, counted, name, begins }) {
  const often = 1 / Number(begins), same = who === other, half = same ? " / 2" : "";
  if (kind === "shift") return { rate: name, value: often, per: "in all" };
  if (kind === "alone") return { rate: name, value: often, per: `per ${who}` };
  const another = same ? `another ${other}` : `a ${other}`;
  if (counted === "pair") {
    const per = same ? `per ordered pair of ${who}s` : `per ${who} and per free ${other}`;
    return { rate: name, value: same ? often / 2 : often, per };
  }
  const law = `[${name} * {${who}}${half} * ({${other}} > ${same ? 1 : 0})]`;
  return { rate: law, value: often, per: `per ${who}, while ${another} is free` };
}

// `said` is {kind, other, word, counted, seen, paces: [{who, begins, lasts}]}. What would be written for
// it: [{line, made, rates: [[name, value, comment], …]}]. A rate law knows rates and counts by their names,
// so that a rate has none of theirs.
export function happenings(text, { kind, other, word, counted, paces }) {
  const taken = ["rates", "observe"].flatMap((table) => entries(text, table)).map((key) => key.name);
  const titles = reactions(text).map((reaction) => reaction.name);
  const one = asName(word) || KINDS[kind].word;
  return paces.map(({ who, begins, lasts }) => {
    const stem = asName(paces.length > 1 ? `${one}_${who}` : one);
    const [title, start, end] = [free(stem, titles), free(`${stem}_begin`, taken), free(`${stem}_done`, taken)];
    titles.push(title);
    taken.push(start, end);
    const [left, right] = KINDS[kind].sides({ who, other, word: one });
    const { rate, value, per } = beginning({ kind, who, other, counted, name: start, begins });
    const [first, last] = kind === "shift" ? [`how often a ${who} comes`, `how often one leaves, per ${who}`]
      : [`how often ${one} begins`, `how often it is over, per ${one} that has begun`];
    return {
      line: `${title}: ${left} <-> ${right} @ ${rate}, ${end}`, made: right,
      rates: [[start, String(value), `${first}, ${per}`], [end, String(1 / Number(lasts)), last]],
    };
  });
}

// The text with all of that in it; `seen` is the name of the count that it is seen as, or "".
export function withHappening(text, said) {
  const all = happenings(text, said);
  let next = text;
  for (const { line, rates } of all) {
    for (const [name, value, comment] of rates) next = withValue(next, "rates", name, value, comment);
    next = withReaction(next, line);
  }
  const sum = asName(said.seen);
  if (!sum) return next;
  const old = entries(next, "observe").find((key) => key.name === sum);
  const counted = [...(old ? terms(old.raw.slice(1, -1)) : []), ...all.map((one) => one.made)];
  return withValue(next, "observe", sum, JSON.stringify(counted.join(" + ")));
}
