// A chart as it is drawn: axes, lines, a legend whose entries hide and show them, and a cursor with
// what every line says there. Colours are the page's variables, so that light and dark need no
// drawing anew; names are only ever set as text.

const DASHES = { solid: "", dash: "7 4", dot: "2 3", dashdot: "7 3 2 3", sparse: "2 6" };
const LETTER = 7; // about how wide a digit is, in pixels
const FOOT = 40, HEAD = 26, SIDE = 14; // room around the plot for ticks and the names of the axes

function part(tag, className, parent, text = "") {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  parent.append(node);
  return node;
}

function shape(tag, attributes, parent, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  parent.append(node);
  return node;
}

function inColour(node, line) {
  node.style.setProperty("--line", `var(${line.colour < 0 ? "--muted" : `--series-${line.colour}`})`);
  return node;
}

class Chart {
  // In the figure's `.live`: the lines of `data`, {x, y, lines}; `says` is for those who cannot see them.
  constructor(figure, data, says) {
    const live = figure.querySelector(".live");
    figure.classList.add("is-live"); // first: what is hidden has no width to draw to
    this.legend = part("div", "legend", live);
    this.frame = part("div", "frame", live);
    this.svg = shape("svg", {
      role: "slider", tabindex: 0, "aria-orientation": "horizontal", "aria-label": says,
    }, this.frame);
    this.tip = part("div", "tip", this.frame);
    this.tip.setAttribute("aria-hidden", "true"); // the same is said by aria-valuetext
    const foot = part("div", "explain small", live);
    part("span", "for-hover", foot, "Point or use the arrow keys to read it; drag or press + to look closer.");
    part("span", "for-touch", foot, "Touch the chart to read it.");
    this.back = part("button", "back", foot, "the whole range");
    this.back.type = "button";
    this.lines = [];
    this.chosen = -1;
    this.show(data);
    new ResizeObserver(() => {
      if (this.frame.clientWidth && this.frame.clientWidth !== this.width) this.draw();
    }).observe(this.frame);
  }

  // Other numbers in the same chart: a line that was hidden stays so, and so does the range where it
  // still fits.
  show(data) {
    const hidden = new Set(this.lines.filter((line) => !line.shown).map((line) => line.name));
    const named = this.lines.map((line) => line.name).join("\n");
    this.names = { x: data.x, y: data.y };
    this.lines = data.lines.map((line) => ({ ...line, shown: !hidden.has(line.name) }));
    // Where it can be read: at the points of the line that has most.
    this.places = this.lines.reduce((a, b) => (b.x.length > a.x.length ? b : a)).x;
    const whole = [this.places[0], this.places[this.places.length - 1]];
    const closer = this.range !== this.whole && whole.every((end, i) => end === this.whole[i]);
    if (!closer) this.range = whole;
    this.whole = whole;
    this.chosen = Math.min(this.chosen, this.places.length - 1);
    if (this.lines.map((line) => line.name).join("\n") !== named) this.drawLegend();
    this.draw();
  }

  get shown() {
    return this.lines.filter((line) => line.shown);
  }

  drawLegend() {
    this.legend.replaceChildren();
    this.legend.hidden = this.lines.length < 2;
    if (this.legend.hidden) return;
    this.lines.forEach((line, place) => {
      const entry = part("button", "", this.legend);
      entry.type = "button";
      entry.setAttribute("aria-pressed", String(line.shown));
      entry.title = "hide or show this line";
      const sample = shape("svg", { class: "sample", viewBox: "0 0 26 8", "aria-hidden": "true" }, entry);
      this.stroke(sample, "M0 4H26", line);
      part("span", "", entry, line.name);
      entry.addEventListener("click", () => {
        const now = this.lines[place]; // its numbers may be others by now
        now.shown = !now.shown;
        entry.setAttribute("aria-pressed", String(now.shown));
        this.draw();
      });
    });
  }

  stroke(parent, path, line) {
    const drawn = { class: "line", d: path, "stroke-dasharray": DASHES[line.dash] };
    return inColour(shape("path", drawn, parent), line);
  }

  // Everything anew, for the width that there is. On paper there is none.
  draw() {
    this.width = this.frame.clientWidth || this.width || 640;
    this.height = Math.round(Math.min(340, Math.max(230, 0.55 * this.width)));
    const [low, high] = this.range;
    const top = 1.06 * highest(this.shown, this.range) || 1;
    const marks = ticks(0, top, (this.height - FOOT - HEAD) / 45);
    const left = 12 + LETTER * Math.max(...marks.map((mark) => String(mark).length));
    const bottom = this.height - FOOT, right = this.width - SIDE;
    this.box = { left, right, top: HEAD, bottom };
    this.toX = (x) => left + ((x - low) / (high - low)) * (right - left);
    this.toY = (y) => bottom - (y / top) * (bottom - HEAD);
    this.fromX = (pixel) => low + ((pixel - left) / (right - left)) * (high - low);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.style.height = `${this.height}px`;
    this.svg.replaceChildren();
    this.drawAxes(marks);
    this.drawLines();
    this.cursor = shape("g", { class: "cursor" }, this.svg);
    this.back.hidden = this.range === this.whole;
    this.choose(this.chosen);
  }

  drawAxes(marks) {
    const { left, right, bottom } = this.box;
    const axes = shape("g", { class: "axes" }, this.svg);
    for (const y of marks) {
      const at = this.toY(y);
      shape("path", { class: y === 0 ? "axis" : "grid", d: `M${left} ${at}H${right}` }, axes);
      shape("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, axes, String(y));
    }
    const most = (right - left) / 70;
    for (const x of ticks(...this.range, most)) {
      const at = this.toX(x);
      shape("path", { class: "axis", d: `M${at} ${bottom}v4` }, axes);
      shape("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, axes, String(x));
    }
    const middle = (left + right) / 2;
    shape("text", { class: "name", x: 0, y: 12 }, axes, this.names.y);
    shape("text", { class: "name", x: middle, y: this.height - 5, "text-anchor": "middle" }, axes, this.names.x);
  }

  drawLines() {
    const { left, right, top, bottom } = this.box;
    const name = `inside-${Chart.made++}`;
    const clip = shape("clipPath", { id: name }, shape("defs", {}, this.svg));
    // A line along the edge is drawn in its full width.
    shape("rect", { x: left, y: top - 2, width: right - left, height: bottom - top + 4 }, clip);
    const inside = shape("g", { "clip-path": `url(#${name})` }, this.svg);
    for (const line of this.shown) {
      let path = "", pen = "M";
      line.x.forEach((x, i) => {
        if (line.y[i] !== null) path += `${pen}${this.toX(x).toFixed(2)} ${this.toY(line.y[i]).toFixed(2)}`;
        pen = line.y[i] === null ? "M" : "L";
      });
      this.stroke(inside, path, line);
    }
  }

  // Puts the cursor at one of the places, or, with -1, takes it away.
  choose(place) {
    this.chosen = place;
    this.cursor.replaceChildren();
    const x = place < 0 ? this.range[0] : this.places[place];
    const found = this.shown.map((line) => [line, valueAt(line, x)]).filter(([, y]) => y !== undefined);
    const said = found.map(([line, y]) => `${line.name}: ${written(y)}`);
    this.svg.setAttribute("aria-valuemin", this.range[0]);
    this.svg.setAttribute("aria-valuemax", this.range[1]);
    this.svg.setAttribute("aria-valuenow", x);
    this.svg.setAttribute("aria-valuetext", [`${this.names.x} ${written(x)}`, ...said].join("; "));
    this.tip.classList.toggle("is-there", place >= 0);
    if (place >= 0) this.drawCursor(x, found);
  }

  drawCursor(x, found) {
    const { top, bottom } = this.box;
    const at = this.toX(x);
    shape("path", { d: `M${at} ${top}V${bottom}` }, this.cursor);
    this.tip.replaceChildren();
    const head = part("div", "", this.tip, `${this.names.x} = ${written(x)}`);
    head.dataset.x = x;
    for (const [line, y] of found) {
      if (y !== null) inColour(shape("circle", { cx: at, cy: this.toY(y), r: 4 }, this.cursor), line);
      const row = inColour(part("div", "row", this.tip), line);
      part("span", "", row, line.name);
      part("b", "", row, written(y)).dataset.y = y;
    }
    this.placeTip(at, found.filter(([, y]) => y !== null).map(([, y]) => this.toY(y)));
  }

  // Beside the cursor on the side that has more room, above or below most of the dots, and never
  // out of the frame.
  placeTip(at, dots) {
    const { left, right, top, bottom } = this.box;
    const { offsetWidth: wide, offsetHeight: high } = this.tip;
    const beside = at > (left + right) / 2 ? at - wide - 12 : at + 12;
    const above = dots.filter((y) => y < (top + bottom) / 2).length;
    const low = 2 * above > dots.length ? bottom - high - 6 : top;
    this.tip.style.left = `${Math.max(0, Math.min(beside, this.width - wide))}px`;
    this.tip.style.top = `${Math.max(low, 0)}px`;
  }
}
Chart.made = 0;
