// Numbers of a chart: where the ticks of an axis are, what a line says at a place, how it is written.

// Ticks at 1, 2 or 5 times a power of ten, about `count` of them, all within [low, high].
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

// Four digits; null is how JSON has infinity.
function written(value) {
  return value === null ? "∞" : String(Number(value.toPrecision(4)));
}

// The index of the entry of the ascending `places` that is nearest to x.
function nearest(places, x) {
  const after = places.findIndex((place) => place >= x);
  if (after < 0) return places.length - 1;
  return after > 0 && x - places[after - 1] < places[after] - x ? after - 1 : after;
}

// The value of a line at x: its own where it has a point there, between two points on the straight
// line. undefined: the line is not there. null: it is infinite.
function valueAt(line, x) {
  const after = line.x.findIndex((place) => place >= x);
  if (after < 0) return undefined;
  if (line.x[after] === x) return line.y[after];
  if (after === 0) return undefined;
  const [left, right] = [line.y[after - 1], line.y[after]];
  if (left === null || right === null) return null;
  const share = (x - line.x[after - 1]) / (line.x[after] - line.x[after - 1]);
  return left + share * (right - left);
}

// The largest finite value of the lines within [low, high].
function highest(lines, [low, high]) {
  let most = 0;
  for (const line of lines) {
    for (const x of [low, high, ...line.x.filter((place) => low < place && place < high)]) {
      most = Math.max(most, valueAt(line, x) ?? 0);
    }
  }
  return most;
}
