// A box for a number of the file. While one types in it, it has every digit; else as many as fit into it,
// so that none is cut off, and all of them in its title.

import { element } from "./element.js";

const FITS = 8; // characters, as wide as the styles make a box

export function numberBox(attributes) {
  const box = element("input", { type: "number", ...attributes });
  box.addEventListener("focus", () => {
    if (box.dataset.exact) box.value = box.dataset.exact;
  });
  box.addEventListener("input", () => keep(box, box.value));
  box.addEventListener("blur", () => {
    if (box.value !== "") box.value = fitted(box.value);
  });
  return box;
}

// A value in a box; where one types there, what is typed stays as it is, unless it means another number.
export function put(box, value) {
  const typing = document.activeElement === box;
  const means = box.value === "" ? "" : Number(box.value), said = value === "" ? "" : Number(value);
  keep(box, value);
  if (!typing) box.value = fitted(value);
  else if (means !== said) box.value = value;
}

function keep(box, value) {
  box.dataset.exact = value;
  box.title = fitted(value) === String(value) ? "" : value;
}

// A number in as many digits as fit.
export function fitted(value) {
  const text = String(value), number = Number(value);
  if (text.length <= FITS) return text;
  for (let count = FITS; count > 1; count--) {
    const rounded = String(Number(number.toPrecision(count)));
    if (rounded.length <= FITS) return rounded;
  }
  return number.toExponential(1);
}
