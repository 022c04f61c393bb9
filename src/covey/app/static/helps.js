// The single changes that help most, each computed exactly, each one click away.

import { element, byId, button } from "./element.js";
import { longer } from "./longer.js";
import { percent, percentOf, short, asNumber } from "./numbers.js";
import { withValue } from "./editing.js";
import { sheet, change, settle } from "./sheet.js";
import { notice } from "./notice.js";

export function startHelps() {
  longer("helps", {
    show: ({ helps: found }) => {
      const place = byId("helps").querySelector(".fill");
      const all = found.changes ?? found;
      place.replaceChildren(
        element("p", { class: "small" }, all.length ? "One thing is changed at a time, and everything computed anew." : "None of the single changes that were tried helps so that one could see it."),
        element("ol", { class: "changes" }, all.map(row)));
    },
  });
}

function row(one) {
  const infinite = !Number.isFinite(asNumber(one.leakage)) && !Number.isFinite(asNumber(one.leakage_before));
  return element("li", {},
    element("p", {}, element("strong", {}, one.change)),
    element("div", { class: "effect" },
      element("p", {}, "right ", percentOf(one.guess, "helps.guess"), ` instead of ${percent(one.guess_before)}`,
        infinite ? "" : `; leakage ${short(one.leakage)} instead of ${short(one.leakage_before)}`),
      one.set ? button("Take this", () => take(one), { label: `Take this: ${one.change}` }) : null));
}

function take(one) {
  settle();
  change(Object.entries(one.set).reduce((text, [name, value]) => withDotted(text, name, value), sheet.text));
  notice(`Taken: ${one.change}. Undo brings the old back.`);
}

// `rates.meet` = 0.1 in the text.
export function withDotted(text, name, value) {
  const [, table, key] = /^([^.]+)\.(.*)$/s.exec(name);
  return withValue(text, table, key, String(value));
}
