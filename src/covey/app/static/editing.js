// What a control changes in the text: a number in place, a key more or fewer, a table more. Comments
// and everything else stay as they are.

import { scan } from "./toml.js";

// In which order a file has its tables, where one is added.
const ORDER = [
  "types", "resources", "rates", "sets", "network", "initial", "observe", "performance", "adversary",
  "time", "release",
];

// The names and values of a table as they stand in the text, in their order.
export function entries(text, table) {
  const found = [...scan(text).keys.values()].filter((key) => key.table === table);
  return found.map((key) => ({ ...key, raw: text.slice(key.start, key.end) }));
}

export function valueOf(text, dotted) {
  const key = scan(text).keys.get(dotted);
  return key ? text.slice(key.start, key.end) : null;
}

// The text with `dotted` = `literal`, which stands where the old value stood, or is added.
export function withValue(text, table, name, literal, comment = "") {
  const { keys, tables } = scan(text);
  const key = keys.get(table ? `${table}.${name}` : name);
  if (key) {
    const shorter = key.end - key.start - literal.length;
    return text.slice(0, key.start) + literal + aligned(text.slice(key.end), shorter);
  }
  const line = `${written(name)} = ${literal}${comment ? `   # ${comment}` : ""}`;
  if (!table) return `${line}\n${text}`;
  const place = tables.get(table);
  const last = [...keys.values()].filter((other) => other.table === table).at(-1);
  if (!place && last) return `${text.slice(0, last.to)}\n${table}.${line}${text.slice(last.to)}`; // dotted keys
  if (!place) return withTable(text, table, line);
  if (!place.inline) return `${text.slice(0, place.end)}\n${line}${text.slice(place.end)}`;
  const some = [...keys.values()].some((other) => other.table === table);
  const inside = text.slice(0, place.end - 1).trimEnd();
  return `${inside}${some ? "," : ""} ${written(name)} = ${literal} ${text.slice(place.end - 1)}`;
}

// What follows a value that became shorter by so much: a comment behind it stays in its column.
function aligned(rest, shorter) {
  return rest.replace(/^ +(?=#)/, (space) => " ".repeat(Math.max(1, space.length + shorter)));
}

export function withoutKey(text, dotted) {
  const { keys, tables } = scan(text);
  const key = keys.get(dotted);
  if (!key) return text;
  if (!tables.get(key.table)?.inline) return text.slice(0, key.from) + text.slice(key.to + 1);
  const head = text.slice(0, key.start).replace(/[^,{]*$/, "");
  const rest = text.slice(key.end);
  if (/^\s*,/.test(rest)) return head + rest.replace(/^\s*,/, "");
  return head.replace(/,$/, "") + rest;
}

// The text without a table: its header and all up to the next one.
export function withoutTable(text, name) {
  const { tables } = scan(text);
  const place = tables.get(name);
  if (!place || place.inline) return withoutKey(text, name);
  const later = [...tables.values()].filter((other) => !other.inline && other.from > place.from);
  const end = later.length ? Math.min(...later.map((other) => other.from)) : text.length;
  return `${text.slice(0, place.from).trimEnd()}\n\n${text.slice(end)}`;
}

function withTable(text, table, line) {
  const { tables } = scan(text);
  const later = ORDER.slice(ORDER.indexOf(table) + 1)
    .map((name) => tables.get(name))
    .filter((place) => place && !place.inline)
    .map((place) => place.from);
  const block = `[${table}]\n${line}\n`;
  if (!later.length) return `${text.trimEnd()}\n\n${block}`;
  const at = Math.min(...later);
  return `${text.slice(0, at)}${block}\n${text.slice(at)}`;
}

// A key as TOML wants it.
export function written(name) {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

// A number as one would type it: three digits, no more than the control can mean.
export function digits(value) {
  return String(Number(Number(value).toPrecision(3)));
}

// A number that was typed, as TOML wants it: .5 and 05 are none there.
export function literal(typed) {
  return /^(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(typed) ? typed : String(Number(typed));
}

// A word that can be a name in a file: letters, digits and underscores.
export function asName(text) {
  return text.trim().replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^_+|_+$/g, "");
}

// The name, or the first of name_2, name_3, … that is not taken.
export function free(name, taken) {
  const used = new Set(taken);
  for (let i = 1; ; i++) {
    const tried = i === 1 ? name : `${name}_${i}`;
    if (!used.has(tried)) return tried;
  }
}
