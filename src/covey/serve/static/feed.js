// What is published, and its recent past: a number and a step line for each count.

const WIDTH = 300, HEIGHT = 90;
const SVG = "http://www.w3.org/2000/svg";
const KEPT = 240; // publications that are drawn

const counts = document.getElementById("counts");
const status = document.getElementById("status");
const cards = new Map();
let past = [];

function element(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function card(name) {
  if (cards.has(name)) return cards.get(name);
  const number = element("output", { "aria-live": "off" });
  const picture = drawn("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
  });
  const area = drawn("path", { class: "area" });
  const line = drawn("path", { class: "line" });
  picture.append(area, line);
  const from = element("span"), to = element("span");
  const scale = element("div", { class: "scale" }, from, to);
  counts.append(element("article", {}, element("h2", {}, name), number, picture, scale));
  const made = { number, picture, area, line, from, to };
  cards.set(name, made);
  return made;
}

// A value holds until the next one: steps, not slopes.
function steps(values, most) {
  const across = WIDTH / Math.max(values.length, 1);
  const height = value => (HEIGHT - 4) * (1 - value / Math.max(most, 1)) + 2;
  return values.map((value, i) =>
    `${i ? "L" : "M"}${(i * across).toFixed(2)},${height(value).toFixed(2)}` +
    `L${((i + 1) * across).toFixed(2)},${height(value).toFixed(2)}`).join("");
}

function show() {
  const last = past.at(-1);
  if (!last) return;
  for (const name of Object.keys(last.published)) {
    const { number, picture, area, line, from, to } = card(name);
    const values = past.map(one => one.published[name]);
    const most = Math.max(...values);
    number.textContent = last.published[name];
    const path = steps(values, most);
    line.setAttribute("d", path);
    area.setAttribute("d", `${path}L${WIDTH},${HEIGHT}L0,${HEIGHT}Z`);
    picture.setAttribute("aria-label",
      `${name}: ${last.published[name]} now, between ${Math.min(...values)} and ${most} lately`);
    from.textContent = clock(past[0].time);
    to.textContent = `at most ${most}`;
  }
  status.textContent = `Published for ${clock(last.time)}`;
  status.classList.remove("is-away");
}

function clock(time) {
  return new Date(time).toLocaleTimeString();
}

function take(one) {
  if (past.length && one.time <= past.at(-1).time) return; // a feed that began anew counts from 0
  past = [...past, one].slice(-KEPT);
  show();
}

async function begin() {
  const answer = await fetch("history");
  past = (await answer.json()).history.slice(-KEPT);
  show();
  const stream = new EventSource("stream");
  stream.onmessage = message => take(JSON.parse(message.data));
  stream.onerror = () => {
    status.textContent = "The feed is away; trying again …";
    status.classList.add("is-away");
  };
}

begin();
