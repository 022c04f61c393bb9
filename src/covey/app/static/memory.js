// Nothing is lost when a tab closes: the text stands in the address, packed, behind # where no server
// sees it, and in the browser's own store, sealed: another program may listen at this address tomorrow.

import { clear, seal, sealBy, unsealed } from "./seal.js";
import { sheet, onText } from "./sheet.js";

const MARK = "#s=";
const MOST = 8e6; // bytes of a text
const PAUSE = 250; // milliseconds without a change before the address is written
let timer = 0, turn = 0, place = "", stamp = null;

// Keeps the text from now on; `file` is the word for the file that it belongs to, "" for none.
export function keep(file) {
  place = `covey:${file}`;
  onText(() => {
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE);
    remember();
  });
  addEventListener("pagehide", () => clearTimeout(timer));
}

// The address is written later: a draft that stands beside the same one is newer than it.
async function remember() {
  const mine = (turn += 1);
  try {
    const sealed = await seal({ text: sheet.text, stamp: memory.stamp, hash: location.hash });
    if (mine === turn) localStorage.setItem(place, sealed);
  } catch {
    // no store, or a full one: the address has it
  }
}

// The file that the text goes back to, as far as it is known: what it holds, and its stamp when the text
// was begun, which the tab keeps when it is reloaded.
export const memory = {
  saved: null,
  get stamp() {
    return stamp;
  },
  set stamp(value) {
    stamp = value;
    inTab(() => sessionStorage.setItem(`${place}:stamp`, JSON.stringify(value)));
  },
};

// The stamp that the tab had before it was reloaded; undefined in a new one.
export function stampBefore() {
  const kept = inTab(() => sessionStorage.getItem(`${place}:stamp`));
  return kept === null ? undefined : JSON.parse(kept);
}

// What was kept for the file: {text, stamp}, or null. `key` seals it, from now on as well.
export async function draft(file, key) {
  try {
    await sealBy(key);
    clear("covey:");
    const found = await unsealed(localStorage.getItem(`covey:${file}`));
    return typeof found?.text === "string" ? found : null;
  } catch {
    return null;
  }
}

// A text put aside for as long as the tab is there, beside the one on the page; null is none.
export function putAside(text) {
  inTab(() => (text === null ? sessionStorage.removeItem(place) : sessionStorage.setItem(place, text)));
}

export function aside() {
  return inTab(() => sessionStorage.getItem(place));
}

// What the tab's store gives; null where there is none, or it is full: then it is gone with the page.
function inTab(act) {
  try {
    return act() ?? null;
  } catch {
    return null;
  }
}

async function write() {
  const text = sheet.text, address = await link(text);
  if (text !== sheet.text) return; // another one is on its way
  history.replaceState(null, "", address);
  remember();
}

// Calls `listener(text)` when somebody opens another link where the page is open already; null is one
// that cannot be read.
export function onLink(listener) {
  addEventListener("hashchange", async () => {
    if (hasLink()) listener(await linked());
  });
}

export function hasLink() {
  return location.hash.startsWith(MARK);
}

// The address with a text in it.
export async function link(text) {
  return location.pathname + MARK + toWord(await squeezed(text, new CompressionStream("deflate-raw")));
}

// The text in the address, or null where there is none that can be read.
export async function linked() {
  if (!hasLink()) return null;
  try {
    const bytes = fromWord(location.hash.slice(MARK.length));
    const found = await squeezed(bytes, new DecompressionStream("deflate-raw"));
    return new TextDecoder("utf-8", { fatal: true }).decode(found);
  } catch {
    return null;
  }
}

// The data, packed or unpacked; no more of it than a scenario file may have.
async function squeezed(data, through) {
  const parts = [];
  let length = 0;
  for await (const part of new Blob([data]).stream().pipeThrough(through)) {
    parts.push(part);
    length += part.length;
    if (length > MOST) throw new RangeError("too long");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toWord(bytes) {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromWord(word) {
  return Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
