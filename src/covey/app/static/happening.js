// What a form says that happens, as it is written into the file: a line for each type, the rates that
// it goes by, and the new species among what is seen.

import { asName, digits, entries, free, withValue } from "./editing.js";
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

// `said` is {kind, other, word, seen, paces: [{who, begins, lasts}]}. What would be written for it:
// [{line, made, rates: [[name, value, comment], …]}].
export function happenings(text, { kind, other, word, paces }) {
  const rates = entries(text, "rates").map((key) => key.name);
  const titles = reactions(text).map((reaction) => reaction.name);
  const one = asName(word) || KINDS[kind].word;
  return paces.map(({ who, begins, lasts }) => {
    const stem = asName(paces.length > 1 ? `${one}_${who}` : one);
    const [title, start, end] = [free(stem, titles), free(stem, rates), free(`${stem}_done`, rates)];
    titles.push(title);
    rates.push(start, end);
    const [left, right] = KINDS[kind].sides({ who, other, word: one });
    const whose = paces.length > 1 ? ` for a ${who}` : "";
    const [first, last] = kind === "shift" ? [`how often a ${who} comes`, `how soon a ${who} leaves`]
      : [`how often ${one} begins${whose}`, `how soon it is over${whose}`];
    return {
      line: `${title}: ${left} <-> ${right} @ ${start}, ${end}`, made: right,
      rates: [[start, digits(1 / Number(begins)), first], [end, digits(1 / Number(lasts)), last]],
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
