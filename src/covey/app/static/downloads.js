// What one can leave with: the report, the file, the numbers, and the commands that give the same ones.

import { element, byId, button } from "./element.js";
import { ask, stop } from "./ask.js";
import { sheet } from "./sheet.js";
import { cure, downloadMechanism } from "./protect.js";
import { designed } from "./design.js";
import { notice } from "./notice.js";
import { save } from "./saving.js";

const SAID = 2000; // milliseconds between two words about how far it is, which are spoken too
let file = "fleet.toml";

export function startDownloads(name) {
  file = name ?? file;
  byId("downloads").querySelector(".sheet").append(
    button("Report (HTML)", () => fetched("report", (value) => save(value.name, value.html, "text/html"))),
    button("Scenario (TOML)", () => hand(file, sheet.text)),
    button("Mechanism (JSON)", mechanism),
    button("Numbers (CSV)", () => fetched("csv", ({ files }) => {
      for (const [table, text] of Object.entries(files)) save(table, text, "text/csv");
    })),
    button("Python", () => fetched("commands", ({ python }) => save("covey_app.py", python), byHand())),
    button("Shell commands", () => fetched("commands", ({ shell }) => save("covey_app.sh", `${shell.join("\n")}\n`),
      byHand())));
}

// What the commands have to be told so that they give the numbers of the page.
function byHand() {
  return { file, ...cure.asked, ...(designed.text === sheet.text ? designed.asked : {}) };
}

function hand(name, text) {
  save(name, text);
  close();
}

function mechanism() {
  close();
  downloadMechanism();
}

// What the server has to make first; it may take a while, and may be stopped.
function fetched(question, got, options = {}) {
  close();
  const reword = notice("Being made …", [["Stop", () => stop(question)]]);
  let wrong = null, said = 0;
  ask(question, { text: sheet.text, ...options }, {
    part: (name, value) => name === question && got(value),
    progress: ({ text }) => {
      if (performance.now() - said < SAID) return;
      said = performance.now();
      reword(`Being made: ${text}`);
    },
    error: (error) => {
      wrong = error;
    },
    done: () => notice(wrong ? wrong.message : "Downloaded."),
    lost: () => notice(""),
  });
}

function close() {
  byId("downloads").open = false;
}
