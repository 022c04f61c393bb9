// What keeps somebody from using a page who cannot see it, or not well: a list of sentences, empty
// where nothing does. Names, roles, order and contrast, as WCAG 2.2 (AA) has them.
() => {
  const found = [];
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const words = (node) => (node.textContent ?? "").trim();
  const where = (node) => `${node.tagName.toLowerCase()}${node.id ? `#${node.id}` : ""}.${node.getAttribute("class") ?? ""} ${words(node).slice(0, 40)}`;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);

  const named = (node) => {
    const by = (node.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id));
    return node.getAttribute("aria-label") || by.map((other) => words(other)).join(" ") || [...(node.labels ?? [])].map(words).join(" ")
      || (node.matches("input, select, textarea") ? "" : words(node)) || node.getAttribute("title");
  };
  const controls = "button, input, select, textarea, a[href], summary, [role=button], [role=slider], [role=region], [role=group], [role=img], [role=radiogroup], fieldset, nav, progress";
  for (const node of all(controls)) if (!named(node)?.trim()) found.push(`has no name: ${where(node)}`);
  for (const node of all("[aria-describedby], [aria-labelledby], [aria-controls], [list]")) {
    for (const attribute of ["aria-describedby", "aria-labelledby", "aria-controls", "list"]) {
      const id = node.getAttribute(attribute);
      if (id && !document.getElementById(id)) found.push(`${attribute} points to nothing: ${where(node)}`);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`id twice: ${id}`);
  for (const node of all("[tabindex]")) if (node.tabIndex > 0) found.push(`tabindex: ${where(node)}`);
  for (const node of all("[aria-hidden=true]")) {
    if (node.querySelector("button, a[href], input, [tabindex='0']")) found.push(`hidden, but can be focused: ${where(node)}`);
  }
  if (!document.documentElement.lang) found.push("no language");
  if (all("h1").length !== 1) found.push("not one h1");
  if (all("main").length !== 1) found.push("not one main");
  if (all("table").some((table) => !table.querySelector("th[scope]"))) found.push("a table without headings");

  // Colours as the screen has them, one over the other.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => a * part + (1 - a) * below[i]);
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(colour(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (rgb) => rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || !shown(node) || node.closest("script, option, .is-old, .is-behind, :disabled, .unseen, .skip")) continue;
    const style = getComputedStyle(node), back = behind(node);
    const ink = node.closest("svg") ? style.fill : style.color;
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(over(colour(ink), back), back);
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${where(node)}`);
  }
  return [...new Set(found)];
}
