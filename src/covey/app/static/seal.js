// What the browser's store keeps is sealed (AES-GCM) by a key that covey alone gives out, and is thrown away
// after some weeks.

const WEEKS = 4;
const LIFE = WEEKS * 7 * 24 * 3600 * 1000; // milliseconds
let key = null;

// Seals by a key from now on, 32 bytes in base64.
export async function sealBy(word) {
  key = await crypto.subtle.importKey("raw", bytes(word), "AES-GCM", false, ["encrypt", "decrypt"]);
}

// A value as a text that only the key opens; fails where there is no key.
export async function seal(value) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plain));
  return JSON.stringify({ until: Date.now() + LIFE, iv: word(iv), sealed: word(sealed) });
}

// The value in such a text; null where there is none, or it is sealed by another key.
export async function unsealed(text) {
  const { iv, sealed } = JSON.parse(text ?? "{}");
  if (!sealed) return null;
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(iv) }, key, bytes(sealed));
  return JSON.parse(new TextDecoder().decode(plain));
}

// Throws away what has been kept for too long under names that begin like this, or was never sealed.
export function clear(beginning) {
  for (const name of Object.keys(localStorage).filter((one) => one.startsWith(beginning))) {
    if (!(ends(localStorage.getItem(name)) > Date.now())) localStorage.removeItem(name);
  }
}

function ends(text) {
  try {
    const { sealed, until } = JSON.parse(text);
    return sealed ? until : 0;
  } catch {
    return 0;
  }
}

function word(data) {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
