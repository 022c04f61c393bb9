// How numbers are written, as everywhere in covey: infinite is ∞, shares are in percent, and what is a
// bound is rounded outward ("up" where it is one from above, "down" from below). Each stands in a <data>
// element with its exact value and the name that a test can hold it against.

import { element } from "./element.js";

// JSON has infinity as the string "inf".
export function asNumber(value) {
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
}

// A number in so many digits: the nearest, or, of one that is not negative, the next that is not below
// ("up") or not above ("down"). Digits are those of the shortest text that is read back as the number.
export function rounded(number, count, way) {
  if (way === "nearest") return Number(number.toPrecision(count));
  const [written, tens] = number.toExponential().split("e");
  const digits = written.replace(".", "");
  const more = way === "up" && digits.length > count ? 1 : 0;
  return Number(`${Number(digits.slice(0, count)) + more}e${Number(tens) - Math.min(count, digits.length) + 1}`);
}

export function short(value, count = 3, way = "nearest") {
  const number = asNumber(value);
  if (number === null || number === undefined) return "–";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const kept = rounded(number, count, way);
  const plain = Math.abs(kept) >= 1e-4 || kept === 0 ? String(kept) : kept.toExponential();
  return plain.replaceAll("-", "−");
}

export function percent(value, way = "nearest") {
  const number = asNumber(value);
  if (!Number.isFinite(number)) return "∞";
  const [digits, tens] = number.toExponential().split("e");
  const share = Number(`${digits}e${Number(tens) + 2}`); // 100 times, without a rounding
  if (share < 1) return `${short(share, 2, way)}%`;
  const close = share > 99.9 && share < 100; // never 100% where it is not
  const count = close ? 6 : Math.floor(Math.log10(share)) + 2;
  return `${String(rounded(share, count, close && way === "nearest" ? "down" : way))}%`;
}

// A number that a test can find.
export function figure(text, value, name) {
  return element("data", { value: String(value), "data-is": name }, text);
}

export function percentOf(value, name, way) {
  return figure(percent(value, way), value, name);
}

export function shortOf(value, name, way) {
  return figure(short(value, 3, way), value, name);
}
