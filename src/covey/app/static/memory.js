// Nothing is lost when a tab closes: the text stands in the address, packed, behind # where no server
// sees it, and in the browser's own store.

import { sheet, onText } from "./sheet.js";

const MARK = "#s=";
const MOST = 8e6; // bytes of a text
const PAUSE = 250; // milliseconds without a change before the address is written
let timer = 0, place = "";

// Keeps the text from now on; `file` is the name of the file that it belongs to, or null.
export function keep(file) {
  place = `covey:${file ?? ""}`;
  onText((text) => {
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE);
    try {
      localStorage.setItem(place, JSON.stringify({ text, stamp: memory.stamp }));
    } catch {
      // no store, or a full one: the address has it
    }
  });
  addEventListener("pagehide", () => clearTimeout(timer));
}

// The stamp of the file that the text started from.
export const memory = { stamp: null };

// What was kept for the file: {text, stamp}, or null.
export function draft(file) {
  try {
    const found = JSON.parse(localStorage.getItem(`covey:${file ?? ""}`));
    return typeof found?.text === "string" ? found : null;
  } catch {
    return null;
  }
}

async function write() {
  history.replaceState(null, "", await link(sheet.text));
}

// The address with a text in it.
export async function link(text) {
  return location.pathname + MARK + toWord(await squeezed(text, new CompressionStream("deflate-raw")));
}

// The text in the address, or null.
export async function linked() {
  if (!location.hash.startsWith(MARK)) return null;
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
