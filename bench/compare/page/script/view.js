// What the maps show, and its limits. `managers` has one or two; `from` and `to` are rows, or with `byTime`
// microseconds; `low` and `high` are quanta. `cursor` is the number of the map that the cursor is in, -1 for none.

let view = { workload: 0, managers: [], from: 0, to: 1, low: 0, high: 1, byTime: false, colour: "size", row: 0, address: 0, cursor: -1, kept: null };
let shown = [];  // for each manager: its replay, its canvas, and the area of the map on it

const workloadOf = () => report.data.workloads[view.workload];
const resultOf = (workload, manager) => report.data.results.rows[workload * report.data.managers.length + manager];
const shortName = (manager) => report.data.short_names[manager];
const bytesOf = (quanta) => sizeInWords(quanta * workloadOf().quantum);

// Returns the manager whose map shows the replay of a manager, which may be that of another that cannot differ.
function mapOf(workload, manager) {
  const { maps, cell_of } = report.data.workloads[workload];
  return maps.find((each) => cell_of[each] === cell_of[manager]);
}

const hasTimes = () => (workloadOf().duration ?? 0) > 0;

// Returns the place of a row across: events, or microseconds since the first row. A row lasts until the next begins.
const across = ({ times, rows }, row) => view.byTime && times ? times[Math.min(Math.max(row, 0), rows)] : row;

// Returns where a place and an address lie on the area of a map, in pixels.
const xOn = ({ x, width }, place) => x + (place - view.from) / (view.to - view.from) * width;
const yOn = ({ y, height }, address) => y + (1 - (address - view.low) / (view.high - view.low)) * height;
const middleOf = (trace, row) => (across(trace, row) + across(trace, row + 1)) / 2;

// Returns how many of rising numbers are at most `value`.
function countUpTo(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

// Returns the row at a place across; the last of those at a single time.
const rowAt = ({ times, rows }, place) =>
  view.byTime && times ? Math.min(Math.max(countUpTo(times, place) - 1, 0), rows - 1) : Math.floor(place);

// Returns the end of the axis: of the workload, or a little behind the failure if all maps fail.
function extentOf() {
  const { rows, duration } = workloadOf(), end = view.byTime ? duration : rows;
  if (shown.length === 0 || shown.some(({ replay }) => replay.rows >= rows)) return Math.max(1, end);
  return Math.max(1, Math.min(end, Math.ceil(1.04 * Math.max(...shown.map(({ replay }) => across(replay.trace, replay.rows)))) + 1));
}

// Returns the highest address of the maps: the capacity, or a little above the highest end in unlimited memory.
const topOf = () => Math.max(1, ...shown.map(({ replay }) =>
  replay.capacity < Infinity ? replay.capacity : 1.02 * replay.highest.reduce((most, each) => Math.max(most, each), 0)));

const showWhole = () => limitView(0, Infinity, 0, Infinity);

// Returns a range within 0 and `top`, and no shorter than `least`.
function within(from, to, top, least = 4) {
  const length = Math.min(Math.max(to - from, least), top);
  from = Math.min(Math.max(from, 0), top - length);
  return [from, from + length];
}

function limitView(from, to, low, high) {
  [view.from, view.to] = within(from, to, extentOf());
  [view.low, view.high] = within(low, high, topOf());
  repaint();
}

// Zooms around a place of the view, given as shares of it.
function zoom(factor, x = .5, y = .5, upFactor = factor) {
  const { from, to, low, high } = view, place = from + (to - from) * x, address = low + (high - low) * y;
  limitView(place - (place - from) * factor, place + (to - place) * factor,
    address - (address - low) * upFactor, address + (high - address) * upFactor);
}

function pan(right, up) {
  const { from, to, low, high } = view, wide = (to - from) * right, tall = (high - low) * up;
  limitView(from + wide, to + wide, low + tall, high + tall);
}

// Moves the view so far that a place is in its middle, if it is not in it.
function reveal(place, address) {
  const { from, to, low, high } = view;
  const right = place < from || place >= to ? place - (from + to) / 2 : 0, up = address < low || address >= high ? address - (low + high) / 2 : 0;
  if (right !== 0 || up !== 0) limitView(from + right, to + right, low + up, high + up);
}

// Returns the round places of a range, at most one more than `most`, all at the same distance: 1, 2 or 5 times a power of
// ten, or a power of two.
function ticks(from, to, most, isBinary) {
  const least = Math.max((to - from) / most, 1);
  let step = isBinary ? 2 ** Math.ceil(Math.log2(least)) : 10 ** Math.floor(Math.log10(least));
  if (!isBinary) step *= [1, 2, 5, 10].find((each) => each * step >= least);
  const places = [];
  for (let at = Math.ceil(from / step); at * step <= to; ++at) places.push(at * step);
  return { step, places };
}

// Returns an event with its line, time and step, as far as the trace has them.
function rowInWords({ times, lines, ends }, row) {
  const step = countUpTo(ends, row) + 1, words = [`event ${grouped(row)}`];
  if (lines.length > 0) words.push(`line ${lines[Math.min(row, lines.length - 1)]}`);
  if (times) words.push(timeInWords(times[row]));
  if (step <= ends.length) words.push(`step ${grouped(step)} of ${grouped(ends.length)}`);
  return words.join(", ");
}
