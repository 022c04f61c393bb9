// How many there are on average of what is seen: a rate that is not the one meant shows here first.

import { element, byId } from "./element.js";
import { short, figure } from "./numbers.js";

// `found` is {lead, counts}; null where the text says no team.
export function showMeans(found) {
  const place = byId("means");
  place.hidden = found === null;
  if (found === null) return;
  const all = Object.entries(found.counts ?? {}).flatMap(([name, mean], i) =>
    [i ? ", " : ": ", element("span", { class: "seen" }, `${name} `, element("b", {}, figure(short(mean, 4), mean, `means.${name}`)))]);
  place.replaceChildren(found.lead, ...all, ".",
    ...(all.length ? [element("span", { class: "hint" }, " Where you know better, a rate is wrong.")] : []));
}
