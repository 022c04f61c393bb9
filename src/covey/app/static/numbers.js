// How numbers are written, as everywhere in covey: infinite is ∞, shares are in percent. Each stands
// in a <data> element with its exact value and the name that a test can hold it against.

import { element } from "./element.js";

// JSON has infinity as the string "inf".
export function asNumber(value) {
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
}

export function short(value, count = 3) {
  const number = asNumber(value);
  if (number === null || number === undefined) return "–";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const rounded = Number(number.toPrecision(count));
  const plain = Math.abs(rounded) >= 1e-4 || rounded === 0 ? String(rounded) : rounded.toExponential();
  return plain.replaceAll("-", "−");
}

export function percent(value) {
  const share = 100 * asNumber(value);
  if (!Number.isFinite(share)) return "∞";
  if (share === 0) return "0 %";
  if (share < 0.01) return `${share.toExponential(1).replace("-", "−")} %`;
  if (share < 1) return `${share.toPrecision(2)} %`;
  if (share < 100 && share > 99.9) return `${trimmed(Math.floor(share * 1e4) / 1e4)} %`;
  return `${share.toFixed(1).replace(/\.0$/, "")} %`;
}

function trimmed(share) {
  return String(Number(share.toFixed(4)));
}

// A number that a test can find.
export function figure(text, value, name) {
  return element("data", { value: String(value), "data-is": name }, text);
}

export function percentOf(value, name) {
  return figure(percent(value), value, name);
}

export function shortOf(value, name) {
  return figure(short(value), value, name);
}
