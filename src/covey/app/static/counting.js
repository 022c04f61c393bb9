// The counts under [observe] as edits of the text: a species into another one, one fewer, all anew.

import { entries, withValue } from "./editing.js";
import { bare, mentions, reactions, species, terms } from "./reactions.js";
import { scan } from "./toml.js";
import { withoutCount } from "./removing.js";

// The counts as they are written, [{name, terms}]; null where one of them is over a set.
export function counts(text) {
  const found = entries(text, "observe");
  if (found.some((key) => !/^["'][^"']*["']$/.test(key.raw) || / for |\$/.test(key.raw + key.name))) return null;
  const written = found.map((key) => ({ name: key.name, terms: terms(key.raw.slice(1, -1)) }));
  const all = written.flatMap((count) => count.terms);
  if (all.some((term) => /^\d|[<>=!]/.test(term)) || new Set(all.map(bare)).size < all.length) return null;
  return written;
}

// The species in the count `into`, which is made where it is not there, and in no other; "" is in none.
// A count that is left empty goes.
export function moved(text, term, into) {
  let next = text;
  const all = counts(text);
  for (const count of all) {
    const kept = count.terms.filter((other) => bare(other) !== bare(term));
    if (count.name === into) kept.push(term);
    if (kept.join() !== count.terms.join()) next = withTerms(next, count.name, kept);
  }
  return into && !all.some((count) => count.name === into) ? withTerms(next, into, [term]) : next;
}

export function without(text, name) {
  return withTerms(text, name, []);
}

// What goes by a count, and would not know what to do without it: reactions by their rate laws, and rules.
export function goingBy(text, name) {
  const law = ({ rates }) => ({ rates: rates.filter((rate) => rate.includes("[")) });
  const laws = reactions(text).filter((one) => mentions(law(one), name)).map((one) => one.name || one.source);
  const rules = [...scan(text).keys].filter(([dotted]) => dotted.startsWith("control."));
  return [...laws, ...rules.filter(([, key]) => mentions({ rates: [text.slice(key.start, key.end)] }, name))
    .map(([dotted]) => dotted)];
}

// One count for each thing that robots do.
export function byActivity(text, all) {
  const groups = new Map();
  for (const term of all) {
    const name = species(term).activity || "free";
    groups.set(name, [...(groups.get(name) ?? []), term]);
  }
  return [...groups].reduce((next, [name, inside]) => withTerms(next, name, inside), text);
}

function withTerms(text, name, all) {
  if (all.length) return withValue(text, "observe", name, JSON.stringify(all.join(" + ")));
  return withoutCount(text, name);
}
