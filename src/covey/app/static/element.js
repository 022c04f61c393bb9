// Elements made in one expression. Whatever is a string is set as text, never as markup, so that a
// scenario's words stay words.

// element("button", { class: "x", onclick: f, "aria-label": "…" }, "text", other, …)
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  give(node, attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function drawn(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  give(node, attributes);
  node.append(...children);
  return node;
}

// A button that says what it does. `label` is for those who cannot see a sign such as ×.
export function button(text, onclick, { label, ...attributes } = {}) {
  const named = label ? { "aria-label": label, title: label } : {};
  return element("button", { type: "button", onclick, ...named, ...attributes }, text);
}

export function byId(id) {
  return document.getElementById(id);
}

// The children of a node, replaced; the one that had the focus, known by its data-focus, has it again.
export function refill(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (focused) node.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

function give(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
}
