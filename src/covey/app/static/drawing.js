// The network as a picture. The server draws it with the page's colours as variables; here its style
// attributes are set one by one, as the page's policy allows no style that comes with markup.

import { element, byId } from "./element.js";
import { ask } from "./ask.js";
import { onModel } from "./model.js";
import { onReturn } from "./connection.js";

let drawn = null;

export function startDrawing() {
  byId("picture").querySelector(".fill").append(element("div", { class: "drawing" }));
  onModel((model, text) => draw(model.network_key, text));
  onReturn(() => {
    drawn = null;
  });
}

function draw(key, text) {
  if (key === drawn) return;
  drawn = key;
  const place = byId("picture").querySelector(".drawing");
  place.classList.add("is-old");
  ask("network", { text }, {
    part: (_, { svg }) => place.replaceChildren(picture(svg)),
    error: (error) => place.replaceChildren(element("p", { class: "hint" }, error.message)),
    done: () => place.classList.remove("is-old"),
    lost: () => {
      drawn = null;
    },
  });
}

function picture(markup) {
  const safe = markup.replaceAll(/\sstyle="/g, ' data-style="').replaceAll(/<style[^]*?<\/style>/g, "");
  const parsed = new DOMParser().parseFromString(safe, "text/html");
  const svg = document.importNode(parsed.querySelector("svg"), true);
  for (const node of [svg, ...svg.querySelectorAll("[data-style]")]) {
    if (node.dataset.style) node.style.cssText = node.dataset.style;
    delete node.dataset.style;
  }
  for (const odd of svg.querySelectorAll("script, foreignObject, image, a")) odd.remove();
  return svg;
}
