// The bar at the top: the title, examples to start from, undo and redo, save, a link, light and dark.

import { element, byId } from "./element.js";
import { change, onText, sheet, settle, undo, redo, canUndo, canRedo } from "./sheet.js";
import { valueOf } from "./editing.js";
import { unquoted } from "./toml.js";
import { link, memory } from "./memory.js";
import { notice } from "./notice.js";
import { request } from "./session.js";

const BLANK = `title = "My robots"

[types]

[resources]

[rates]
`;

export function startBar(start) {
  examples(start);
  theme();
  saving(start);
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
  byId("link").addEventListener("click", copy);
  addEventListener("keydown", keys);
  onText((text) => {
    const title = valueOf(text, "title");
    byId("title").textContent = title ? unquoted(title) : "A team of robots";
    document.title = `${byId("title").textContent} · covey`;
    byId("undo").disabled = !canUndo();
    byId("redo").disabled = !canRedo();
  });
  const menu = byId("downloads");
  addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

function examples(start) {
  const select = byId("examples");
  select.append(
    element("option", { value: "" }, "Start from …"),
    element("option", { value: "blank" }, "nothing: a team of your own"),
    element("optgroup", { label: "Examples" },
      start.examples.map(({ title }, i) => element("option", { value: i }, title))));
  if (start.file) select.append(element("option", { value: "file" }, `the file ${start.file}`));
  select.addEventListener("change", async () => {
    const chosen = select.value;
    select.value = "";
    if (chosen === "") return;
    if (chosen === "file" && !(await fresh())) return;
    settle();
    change(chosen === "blank" ? BLANK : chosen === "file" ? memory.saved : start.examples[Number(chosen)].text);
    byId("model").scrollTo(0, 0);
    byId("answer").scrollTo(0, 0);
  });
}

function theme() {
  const root = document.documentElement;
  const kept = localStorage.getItem("covey theme");
  if (kept) root.dataset.theme = kept;
  byId("theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
    localStorage.setItem("covey theme", root.dataset.theme);
  });
}

function saving(start) {
  const save = byId("save");
  if (!start.file || !start.writable) return;
  save.hidden = false;
  save.title = `Save to ${start.file} (Ctrl S)`;
  const mark = () => save.classList.toggle("is-unsaved", sheet.text !== memory.saved);
  onText(mark);
  const now = async () => {
    const text = sheet.text;
    const answer = await post("/api/save", { text, stamp: memory.stamp });
    if (answer === null) return notice("covey cannot be reached: nothing was saved. The text is kept here.");
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) {
      Object.assign(memory, { stamp: said.stamp, saved: text });
      mark();
      return notice(`Saved to ${start.file}.`);
    }
    if (answer.status !== 409) return notice(said.message ?? "It was not saved.");
    notice(said.message ?? "The file was changed by somebody else meanwhile.", [
      ["Take the file's", async () => (await fresh()) && change(memory.saved)],
      ["Save mine over it", async () => (await fresh()) && save.click()],
    ]);
  };
  let last = Promise.resolve(); // one after the other: each goes by the stamp of the one before it
  save.addEventListener("click", () => {
    last = last.then(now);
  });
}

// Whether the file could be read anew.
async function fresh() {
  const answer = await request("/api/start").catch(() => null);
  const said = await answer?.json().catch(() => null);
  const read = Boolean(answer?.ok && !said?.wrong);
  if (read) Object.assign(memory, { stamp: said.stamp, saved: said.text });
  else notice(said?.wrong ?? "covey cannot be reached.");
  return read;
}

function post(address, body) {
  const headers = { "Content-Type": "application/json" };
  return request(address, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => null);
}

async function copy() {
  const address = location.origin + (await link(sheet.text));
  history.replaceState(null, "", address);
  const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
  notice(copied ? "The address of this very scenario is on the clipboard: open it where covey app runs."
    : "The address of the page is now this very scenario: copy it from above.");
}

// One undo for all: what is typed into the file is a change of the text as well. A line that is being
// typed elsewhere has the browser's own.
function keys(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "s" && event.target.matches("input[type=text]")) return;
  if (key === "s" && !byId("save").hidden) byId("save").click();
  else if (key === "z" && event.shiftKey) redo();
  else if (key === "z") undo();
  else if (key === "y") redo();
  else return;
  event.preventDefault();
}
