// The single changes that help most, each computed exactly, each one click away.

import { element, byId, button } from "./element.js";
import { longer } from "./longer.js";
import { percent, percentOf, short, asNumber } from "./numbers.js";
import { withValue, withoutTable } from "./editing.js";
import { sheet, change, settle } from "./sheet.js";
import { notice } from "./notice.js";

export function startHelps() {
  longer("helps", {
    show: (all) => {
      const place = byId("helps").querySelector(".fill");
      place.replaceChildren(
        element("p", { class: "small" }, all.length ? "One thing is changed at a time, and everything computed anew."
          : "None of the single changes that were tried helps so that one could see it."),
        element("ol", { class: "changes" }, all.map(row)));
    },
  });
}

function row(one) {
  const { before, after } = one;
  const bounded = Number.isFinite(asNumber(after.leakage)) || Number.isFinite(asNumber(before.leakage));
  return element("li", {},
    element("p", {}, element("strong", {}, one.change)),
    element("div", { class: "effect" },
      element("p", {}, "right ", percentOf(after.guess, "helps.after.guess"), ` instead of ${percent(before.guess)}`,
        bounded ? `; leakage ${short(after.leakage)} instead of ${short(before.leakage)}` : ""),
      one.set ? button("Take this", () => take(one), { label: `Take this: ${one.change}` }) : null));
}

function take(one) {
  settle();
  change(Object.entries(one.set).reduce((text, [name, value]) => withSetting(text, name, value), sheet.text));
  notice(`Taken: ${one.change}. Undo brings the old back.`);
}

// `rates.meet` = 0.1 in the text; or all of what is seen, `observe` = {name: sum}.
function withSetting(text, name, value) {
  if (name === "observe") {
    const count = (next, [sum, terms]) => withValue(next, "observe", sum, JSON.stringify(terms));
    return Object.entries(value).reduce(count, withoutTable(text, "observe"));
  }
  const [, table, key] = /^([^.]+)\.(.*)$/s.exec(name);
  return withValue(text, table, key, String(value));
}
