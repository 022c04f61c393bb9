// Links within the page. They move the view and the focus, and leave the address alone: that holds the
// scenario.

import { byId } from "./element.js";

export function startJumps() {
  addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    const target = link && byId(link.getAttribute("href").slice(1));
    if (!target) return;
    event.preventDefault();
    target.scrollIntoView();
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  });
}
