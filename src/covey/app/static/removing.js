// Something taken out of the text, with all that would make no sense without it: a reaction with the
// rates, rules and measures that are of it alone and the species that are in no other, a type or
// resource with the reactions that it takes part in.

import { entries, valueOf, withoutKey, withoutTable, withValue } from "./editing.js";
import { scan } from "./toml.js";
import { bare, mentions, reactions, species, terms, withoutReaction } from "./reactions.js";

// {text, removed}: the text without the type or resource, and what else went, in words.
export function withoutMember(text, table, name) {
  const has = (term) => species(term).members.includes(name);
  let next = text, lines = 0;
  for (;;) {
    const gone = reactions(next).find((reaction) => [...reaction.left, ...reaction.right].some(has));
    if (!gone) break;
    next = withoutHappening(next, gone);
    lines += 1;
  }
  next = unprotected(withoutKey(withoutKey(next, `${table}.${name}`), `initial.${name}`), name);
  return { text: withoutSpecies(next, has), removed: lines ? `${lines} of what happens` : "" };
}

// Without a type among those that are protected.
function unprotected(text, name) {
  const raw = valueOf(text, "adversary.protect") ?? "";
  const listed = [...raw.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other);
  const kept = listed.filter((other) => other !== name);
  if (kept.length === listed.length) return text;
  return kept.length ? withValue(text, "adversary", "protect", JSON.stringify(kept))
    : withoutLast(text, "adversary", "protect");
}

export function withoutHappening(text, reaction) {
  let next = withoutReaction(text, reaction);
  const left = reactions(next);
  if (left.some((other) => other.family) || reaction.family) return next; // what they stand for is not known here
  for (const { name } of entries(text, "rates")) {
    const used = left.some((other) => mentions(other, name));
    if (mentions(reaction, name) && !used) next = withoutKey(next, `rates.${name}`);
  }
  if (reaction.name && !left.some((other) => other.name === reaction.name)) {
    for (const { name, raw } of entries(text, "performance")) {
      if (raw.includes(`rate(${reaction.name})`) || raw.includes(`rate(${reaction.name}')`)) {
        next = withoutLast(next, "performance", name);
      }
    }
    next = withoutRule(next, reaction.name);
  }
  const there = new Set(left.flatMap((other) => [...other.left, ...other.right]).map(bare));
  return withoutSpecies(next, (term) => !there.has(bare(term)));
}

// Without the rule under [control] that a reaction of that name goes by, a line or a table of its own.
function withoutRule(text, name) {
  const { keys, tables } = scan(text), dotted = `control.${name}`;
  if (keys.has(dotted)) return withoutLast(text, "control", name);
  return tables.has(dotted) ? withoutTable(text, dotted) : text;
}

// Without a count, and the measures that name it.
export function withoutCount(text, name) {
  return withoutMeasures(withoutLast(text, "observe", name), (term) => term === name);
}

// Without the measures under [performance] that are means of something that goes.
function withoutMeasures(text, goes) {
  let next = text;
  for (const { name, raw } of entries(text, "performance")) {
    const means = [...raw.matchAll(/mean\(([^()]*)\)/g)].flatMap(([, sum]) => terms(sum));
    if (means.some(goes)) next = withoutLast(next, "performance", name);
  }
  return next;
}

// Without the species that go, in what is seen and in what is measured.
function withoutSpecies(text, goes) {
  const counted = new Set(entries(text, "observe").map(({ name }) => name));
  let next = withoutMeasures(text, (term) => !counted.has(term) && goes(term));
  for (const { name, raw } of entries(text, "observe")) {
    if (!/^["']/.test(raw) || / for /.test(raw)) continue;
    const all = terms(raw.slice(1, -1)), kept = all.filter((term) => !goes(term));
    if (!kept.length) next = withoutCount(next, name);
    else if (kept.length < all.length) next = withValue(next, "observe", name, JSON.stringify(kept.join(" + ")));
  }
  return next;
}

// Without a key, and without its table where it was the last one in it.
export function withoutLast(text, table, name) {
  const next = withoutKey(text, `${table}.${name}`);
  return entries(next, table).length ? next : withoutTable(next, table);
}
