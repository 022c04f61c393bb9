// The file itself: the text with numbered lines, and what is wrong with it at its line, as one types.

import { element, byId, button } from "./element.js";
import { sheet, change, onText, settle } from "./sheet.js";

const LINE = 1.5; // em, as in the style sheet
const PAUSE = 1000; // milliseconds after which what is typed is a step of its own

let area, gutter, band, message;

export function startEditor() {
  area = element("textarea", {
    spellcheck: "false", wrap: "off", autocapitalize: "off", autocomplete: "off", "aria-label": "The scenario file",
    "aria-describedby": "wrong",
  });
  gutter = element("pre", { class: "gutter", "aria-hidden": "true" });
  band = element("div", { class: "fault", hidden: true });
  message = element("p", { id: "wrong", class: "wrong", role: "status", hidden: true });
  byId("text").querySelector(".fill").append(
    element("p", { class: "hint" }, "All of the above writes here, and what you write here shows above. ",
      element("code", {}, "#"), " begins a comment; a comment behind a number is its hint."),
    element("div", { class: "editor" }, gutter, element("div", { class: "paper" }, band, area)), message);
  let pause = 0;
  area.addEventListener("input", () => {
    change(area.value, { joins: "typing", by: "typing" });
    clearTimeout(pause);
    pause = setTimeout(settle, PAUSE);
  });
  onText((text, by) => {
    if (by !== "typing") replace(text);
    number(text);
  });
}

// Another text; where somebody is at work in it, the cursor stays where it was.
function replace(text) {
  const at = area.selectionStart;
  area.value = text;
  if (document.activeElement === area) area.setSelectionRange(at, at);
}

function number(text) {
  const count = text.split("\n").length;
  if (area.rows === count + 1) return;
  area.rows = count + 1;
  gutter.textContent = Array.from({ length: count }, (_, i) => i + 1).join("\n");
}

// Shows an error at its line, or, with null, that there is none.
export function showFault(error) {
  const line = error?.line ?? null;
  if (error) area.setAttribute("aria-invalid", "true");
  else area.removeAttribute("aria-invalid");
  band.hidden = line === null;
  if (line !== null) band.style.top = `${(line - 1) * LINE}em`;
  message.hidden = error === null;
  message.replaceChildren();
  if (!error) return;
  if (line !== null) message.append(button(`line ${line}`, () => goTo(line)), " ");
  message.append(error.message);
}

export function goTo(line) {
  const lines = sheet.text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  band.scrollIntoView({ block: "center" });
}
