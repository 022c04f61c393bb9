// Where things stand in a scenario's text. A scan, not a parser: it finds tables, keys, the spans of
// their values and the comments behind them, and goes on after a line that it cannot read, so that
// the controls still work while somebody types. What a text means is the server's to say.

const BARE = /[A-Za-z0-9_-]+/y;
const BASIC = /"(?:[^"\\\n]|\\.)*"/y;
const LITERAL = /'[^'\n]*'/y;
const LONG_BASIC = /"""(?:[^\\]|\\[^])*?"""/y;
const LONG_LITERAL = /'''[^]*?'''/y;
const SCALAR = /[^\s,#\]}]+/y;
const SPACE = /[ \t]*/y;
const DEEPEST = 100; // brackets within each other, of which a scenario has two
const REST = /[ \t]*(?:#[ \t]*([^\n]*))?/y;

// {tables: Map of name to {start, end, inline}, keys: Map of dotted name to
//  {table, name, start, end, from, to, comment}}: start and end hold the value, from and to its lines.
export const scan = remembered((text) => {
  const found = { tables: new Map(), keys: new Map() };
  let at = 0, table = "";
  while (at < text.length) {
    if (/[\s]/.test(text[at])) at += 1;
    else if (text[at] === "#") at = lineEnd(text, at);
    else if (text[at] === "[") [table, at] = header(text, at, found);
    else at = entry(text, at, table, found);
  }
  return found;
});

// The function of a text, done once for the text that all parts of the page ask about in turn. What it
// gives is shared: nobody changes it.
export function remembered(work) {
  let last = null, found = null;
  return (text) => {
    if (text !== last) [last, found] = [text, work(text)];
    return found;
  };
}

function header(text, at, found) {
  const end = lineEnd(text, at), from = lineStart(text, at);
  const name = keyParts(text, at + 1)?.parts.join(".") ?? "";
  found.tables.set(name, { from, end, inline: false });
  return [name, end];
}

// One `key = value  # comment`.
function entry(text, at, table, found) {
  const key = keyParts(text, at);
  const start = key && text[key.end] === "=" ? after(text, key.end + 1) : -1;
  const end = start < 0 ? -1 : valueEnd(text, start);
  if (end < 0) return lineEnd(text, at);
  const parts = table ? [table, ...key.parts] : key.parts;
  REST.lastIndex = end;
  const comment = REST.exec(text)?.[1]?.trim() ?? "";
  const place = { start, end, from: lineStart(text, at), to: lineEnd(text, end), comment };
  note(found, parts, place);
  if (text[start] === "{") inlineTable(text, start, parts, place, found);
  return place.to;
}

function note(found, parts, place) {
  const name = parts[parts.length - 1], table = parts.slice(0, -1).join(".");
  found.keys.set(parts.join("."), { ...place, table, name });
  const known = found.tables.get(table);
  if (known && !known.inline) known.end = Math.max(known.end, place.to);
}

function inlineTable(text, start, parts, place, found) {
  found.tables.set(parts.join("."), { from: start, end: place.end, inline: true });
  let at = start + 1;
  while (at < place.end - 1) {
    at = after(text, at);
    const key = keyParts(text, at);
    if (!key || text[key.end] !== "=") return;
    const first = after(text, key.end + 1), last = valueEnd(text, first);
    if (last < 0) return;
    note(found, [...parts, ...key.parts], { ...place, start: first, end: last, comment: "" });
    at = after(text, last);
    if (text[at] === ",") at += 1;
  }
}

// The parts of a key, `a."b c".d`, and where what follows it stands.
function keyParts(text, at) {
  const parts = [];
  let end = after(text, at);
  for (;;) {
    const word = matched(BARE, text, end) ?? matched(BASIC, text, end) ?? matched(LITERAL, text, end);
    if (word === null) return null;
    parts.push(unquoted(word));
    end = after(text, end + word.length);
    if (text[end] !== ".") return { parts, end };
    end = after(text, end + 1);
  }
}

export function unquoted(word) {
  if (word[0] === "'") return word.slice(1, -1);
  if (word[0] !== '"') return word;
  try {
    return JSON.parse(word);
  } catch {
    return word.slice(1, -1);
  }
}

function valueEnd(text, at, depth = 0) {
  for (const kind of [LONG_BASIC, LONG_LITERAL, BASIC, LITERAL]) {
    const word = matched(kind, text, at);
    if (word !== null) return at + word.length;
  }
  if (text[at] === "[" || text[at] === "{") return bracketEnd(text, at, depth + 1);
  const word = matched(SCALAR, text, at);
  return word === null ? -1 : at + word.length;
}

function bracketEnd(text, at, depth) {
  if (depth > DEEPEST) return -1;
  const open = text[at], close = open === "[" ? "]" : "}";
  let end = at + 1;
  while (end < text.length && text[end] !== close) {
    if (/[\s,=.]/.test(text[end])) end += 1;
    else if (text[end] === "#") end = lineEnd(text, end);
    else end = valueEnd(text, end, depth);
    if (end < 0) return -1;
  }
  return end < text.length ? end + 1 : -1;
}

function matched(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function after(text, at) {
  SPACE.lastIndex = at;
  return at + SPACE.exec(text)[0].length;
}

export function lineStart(text, at) {
  return text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text, at) {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
