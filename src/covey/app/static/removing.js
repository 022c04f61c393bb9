// A type or a resource taken out of the text, with all that would make no sense without it: the
// reactions that it takes part in, its places in what is seen, and where it starts.

import { entries, withValue, withoutKey, withoutTable } from "./editing.js";
import { bare, reactions, species, terms, withoutReaction } from "./reactions.js";

// {text, removed}: the new text, and what else went, in words.
export function withoutMember(text, table, name) {
  const has = (term) => species(term).members.includes(name);
  let next = withoutKey(withoutKey(text, `${table}.${name}`), `initial.${name}`);
  let lines = 0;
  for (;;) {
    const gone = reactions(next).find((reaction) => [...reaction.left, ...reaction.right].some(has));
    if (!gone) break;
    next = withoutReaction(next, gone);
    lines += 1;
  }
  next = withoutSpecies(next, has);
  return { text: next, removed: lines ? `${lines} ${lines === 1 ? "line" : "lines"} of what happens` : "" };
}

// A reaction taken out, and the species that nothing else has out of what is seen.
export function withoutHappening(text, reaction) {
  const next = withoutReaction(text, reaction);
  const left = new Set(reactions(next).flatMap((other) => [...other.left, ...other.right]).map(bare));
  const gone = new Set([...reaction.left, ...reaction.right].map(bare).filter((term) => !left.has(term)));
  // Families stand for species that cannot be told from the text: then all stay.
  if (reactions(next).some((other) => other.family) || reaction.family) return next;
  return withoutSpecies(next, (term) => gone.has(bare(term)));
}

function withoutSpecies(text, goes) {
  let next = text;
  for (const sum of entries(text, "observe")) {
    if (!/^["']/.test(sum.raw) || / for /.test(sum.raw)) continue;
    const all = terms(sum.raw.slice(1, -1));
    const kept = all.filter((term) => !goes(term));
    if (kept.length === all.length) continue;
    next = kept.length
      ? withValue(next, "observe", sum.name, JSON.stringify(kept.join(" + ")))
      : withoutKey(next, `observe.${sum.name}`);
  }
  return entries(text, "observe").length && !entries(next, "observe").length ? withoutTable(next, "observe") : next;
}
