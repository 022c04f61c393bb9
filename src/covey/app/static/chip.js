// A species as people see it: who is in it, and what they do.

import { element } from "./element.js";
import { species } from "./reactions.js";

// The inside of a chip: the activity in bold, then the members.
export function face(term) {
  const times = /^\s*(\d+)\s+/.exec(term)?.[1];
  const { activity, members } = species(term.replace(/^\s*\d+\s+/, ""));
  return [
    times ? `${times} × ` : null,
    activity ? element("b", {}, activity) : null,
    activity && members.length ? " " : null,
    members.length ? element("span", {}, members.join(" · ")) : null,
  ];
}

export function chip(term) {
  return element("span", { class: "chip" }, ...face(term));
}
