// How a chart is explored. Pointing, touching and the arrow keys move the cursor; dragging with the
// mouse, + and - change the range that is shown; a double click, 0 or the button shows all of it.

const FAR = 10; // points that a page key goes
const DRAG = 8; // pixels below which a drag is a click

function explore(chart) {
  pointing(chart);
  dragging(chart);
  keys(chart);
  chart.svg.addEventListener("dblclick", () => zoom(chart, chart.whole));
  chart.back.addEventListener("click", () => {
    zoom(chart, chart.whole);
    chart.svg.focus();
  });
}

function pixel(chart, event) {
  return event.clientX - chart.svg.getBoundingClientRect().left;
}

// The first and the last of the places that are in the range.
function ends(chart) {
  const [low, high] = chart.range;
  return [
    chart.places.findIndex((x) => x >= low),
    chart.places.findLastIndex((x) => x <= high),
  ];
}

function chooseNear(chart, x) {
  const [first, last] = ends(chart);
  chart.choose(Math.min(last, Math.max(first, nearest(chart.places, x))));
}

// Shows [low, high], widened to the next points, so that there always is something to see.
function zoom(chart, [low, high]) {
  const { places, whole } = chart, end = places.length - 1;
  const first = Math.min(end - 1, Math.max(0, places.findLastIndex((x) => x <= low)));
  const after = places.findIndex((x) => x >= high);
  const last = after < 0 ? end : Math.max(first + 1, after);
  chart.range = first === 0 && last === end ? whole : [places[first], places[last]];
  const [from, to] = ends(chart);
  if (chart.chosen >= 0) chart.chosen = Math.min(to, Math.max(from, chart.chosen));
  chart.draw();
}

function pointing(chart) {
  const { svg } = chart;
  const follow = (event) => chooseNear(chart, chart.fromX(pixel(chart, event)));
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", (event) => {
    // What a finger has chosen stays when it is lifted: it was in the way of reading.
    if (event.pointerType === "mouse" && !svg.matches(":focus-visible")) chart.choose(-1);
  });
  svg.addEventListener("focus", () => {
    if (chart.chosen < 0 && svg.matches(":focus-visible")) chart.choose(ends(chart)[0]);
  });
  svg.addEventListener("blur", () => chart.choose(-1));
}

function dragging(chart) {
  const { svg } = chart;
  let from = null, band = null;
  const span = (event) => {
    const { left, right } = chart.box;
    return [from, pixel(chart, event)]
      .map((at) => Math.min(right, Math.max(left, at)))
      .sort((a, b) => a - b);
  };
  const stop = () => {
    band?.remove();
    from = band = null;
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    stop();
    from = pixel(chart, event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const [a, b] = span(event), { top, bottom } = chart.box;
    band ??= shape("rect", { class: "band", y: top, height: bottom - top }, svg);
    band.setAttribute("x", a);
    band.setAttribute("width", b - a);
  });
  svg.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [a, b] = span(event);
    stop();
    if (b - a >= DRAG) zoom(chart, [chart.fromX(a), chart.fromX(b)]);
  });
  svg.addEventListener("pointercancel", stop);
}

function keys(chart) {
  const steps = {
    ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: FAR, PageDown: -FAR,
    Home: -Infinity, End: Infinity,
  };
  chart.svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [first, last] = ends(chart);
    const at = chart.chosen < 0 ? first : chart.chosen;
    if (event.key in steps) chart.choose(Math.min(last, Math.max(first, at + steps[event.key])));
    else if (event.key === "+") zoom(chart, closer(chart, chart.places[at]));
    else if (event.key === "-") zoom(chart, farther(chart));
    else if (event.key === "0") zoom(chart, chart.whole);
    else if (event.key === "Escape") chart.choose(-1);
    else return;
    event.preventDefault();
  });
}

// Half of the range, with x where it was in it.
function closer({ range: [low, high] }, x) {
  return [(low + x) / 2, (x + high) / 2];
}

// Twice the range, moved to within what there is.
function farther({ range: [low, high], whole: [first, last] }) {
  const start = Math.max(first, Math.min(low - (high - low) / 2, last - 2 * (high - low)));
  return [start, start + 2 * (high - low)];
}
