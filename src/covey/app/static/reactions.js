// The lines of `network.reactions`: read for show, added, and taken away. How they read in the text
// is all that is known here; what they mean is the server's to say.

import { scan, lineEnd, remembered, unquoted } from "./toml.js";
import { entries, withValue } from "./editing.js";

const SPECIES = /([\p{L}\p{N}_$]*)\{([^{}]*)\}/u;

// Every reaction as it is written: {source, from, to, name, left, right, both, rates, rest}.
export const reactions = remembered((text) => {
  const key = scan(text).keys.get("network.reactions");
  if (!key) return [];
  const found = [];
  const long = /^("""|''')/.test(text.slice(key.start, key.start + 3));
  const start = key.start + (long ? 3 : 1), end = key.end - (long ? 3 : 1);
  for (let from = start; from < end; ) {
    const to = Math.min(lineEnd(text, from), end);
    const source = text.slice(from, to).replace(/#.*/, "").trim();
    if (source) found.push({ ...parts(source), source, from, to });
    from = to + 1;
  }
  return found;
});

function parts(source) {
  const named = /^([^:{}@]+):/.exec(source);
  const name = named ? named[1].trim() : "";
  const [sides, ...rest] = source.slice(named ? named[0].length : 0).split("@");
  const [left, right = ""] = sides.split(/<?->|⇌|→/);
  const [rates, words = ""] = rest.join("@").split(/\sfor\s/);
  return {
    name, left: terms(left), right: terms(right), both: /<->|⇌/.test(sides),
    rates: ratesOf(rates ?? ""), family: words.trim(),
  };
}

// What stands between the commas that are in no bracket.
function ratesOf(words) {
  let depth = 0, current = "";
  const found = [];
  for (const sign of words) {
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (sign === "," && depth === 0) {
      found.push(current.trim());
      current = "";
    } else current += sign;
  }
  if (current.trim()) found.push(current.trim());
  return found;
}

// Whether a reaction goes by the rate of that name.
export function mentions({ rates }, name) {
  return rates.some((rate) => (rate.match(/[\p{L}\p{N}_]+/gu) ?? []).includes(name));
}

// The species of a sum such as `2 {A} + work{A,B}`, in its order.
export function terms(sum) {
  let depth = 0, current = "";
  const found = [];
  for (const sign of `${sum}+`) {
    if (sign === "{") depth += 1;
    if (sign === "}") depth -= 1;
    if (sign === "+" && depth === 0) {
      if (current.trim()) found.push(current.trim());
      current = "";
    } else current += sign;
  }
  return found;
}

// What a species is: {activity, members}.
export function species(term) {
  const match = SPECIES.exec(term);
  if (!match) return { activity: term.trim(), members: [] };
  return { activity: match[1], members: match[2].split(",").map((word) => word.trim()) };
}

// Every species of the text once, in its order; null where families stand for more.
export function speciesOf(text) {
  const all = reactions(text);
  if (all.some((reaction) => reaction.family)) return null;
  const found = new Map();
  for (const term of all.flatMap((reaction) => [...reaction.left, ...reaction.right])) {
    const one = term.replace(/^\s*\d+\s+/, "");
    if (one !== "0" && !found.has(bare(one))) found.set(bare(one), one);
  }
  return [...found.values()];
}

// Types and resources that take part in nothing; none where families stand for more.
export function idle(text) {
  const all = speciesOf(text);
  if (all === null) return [];
  const busy = new Set(all.flatMap((term) => species(term).members));
  const members = ["types", "resources"].flatMap((table) => entries(text, table)).map((key) => key.name);
  return members.filter((name) => !busy.has(name));
}

// A species without coefficient and spaces, its members in order: {B, A} and {A,B} are one.
export function bare(term) {
  const { activity, members } = species(term.replace(/^\s*\d+\s+/, ""));
  return members.length ? `${activity}{${[...members].sort().join(",")}}` : activity;
}

// A species as people say it: "carrier", "pick: carrier, picker".
export function said(term) {
  const { activity, members } = species(term);
  if (!members.length) return activity;
  return activity ? `${activity}: ${members.join(", ")}` : members.join(" + ");
}

export function withReaction(text, line) {
  const key = scan(text).keys.get("network.reactions");
  if (!key) return withValue(text, "network", "reactions", `"""\n${line}\n"""`);
  const raw = text.slice(key.start, key.end);
  if (/^("""|''')/.test(raw)) {
    const quote = raw.slice(0, 3);
    const inside = raw.slice(3, -3).replace(/\s+$/, "");
    const lead = inside.startsWith("\n") ? "" : "\n";
    const block = `${quote}${lead}${inside}\n${line}\n${quote}`;
    return text.slice(0, key.start) + block + text.slice(key.end);
  }
  const inside = unquoted(raw).trim();
  const block = `"""\n${inside ? `${inside}\n` : ""}${line}\n"""`;
  return text.slice(0, key.start) + block + text.slice(key.end);
}

export function withoutReaction(text, reaction) {
  const end = text[reaction.to] === "\n" ? reaction.to + 1 : reaction.to;
  return text.slice(0, reaction.from) + text.slice(end);
}

// Gives a reaction that has no name one, so that it can be counted.
export function named(text, reaction, name) {
  if (reaction.name) return text;
  const line = text.slice(reaction.from, reaction.to);
  const lead = /^\s*/.exec(line)[0];
  return `${text.slice(0, reaction.from)}${lead}${name}: ${line.slice(lead.length)}${text.slice(reaction.to)}`;
}
