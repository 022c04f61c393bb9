// The scenario read back in plain sentences, under its text: whoever wrote a rate upside down sees it here.

import { element, byId } from "./element.js";
import { onModel } from "./model.js";

export function startWords() {
  const inside = element("div", {});
  byId("text").append(element("details", { class: "words" }, element("summary", {}, "The file in plain sentences"), inside));
  onModel((model) => {
    inside.replaceChildren(...model.words.flatMap(([heading, sentences]) => [
      element("h3", {}, heading[0].toUpperCase() + heading.slice(1)),
      element("ul", {}, ...sentences.map((one) => element("li", {}, one))),
    ]));
  });
}
