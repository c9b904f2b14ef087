// The horizontal axis of the map: events of equal width, or the times of the trace.
"use strict";

// Returns true if the trace of a workload has times, and they differ.
hbm.hasTimes = (workload) => (hbm.data.workloads[workload].duration ?? 0) > 0;

// Returns the place of a row across, in events or in microseconds since the first row. A row lasts until the next begins.
hbm.across = (trace, row) => hbm.view.byTime && trace.times ? trace.times[Math.min(Math.max(row, 0), trace.rows)] : row;

hbm.middleOf = (trace, row) => (hbm.across(trace, row) + hbm.across(trace, row + 1)) / 2;

// Returns the row at a place across; the last of those at a single time.
hbm.rowAt = function (trace, place) {
  if (!hbm.view.byTime || !trace.times) return Math.floor(place);
  let low = 0, high = trace.rows - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (trace.times[middle] <= place) low = middle; else high = middle - 1;
  }
  return low;
};

// Returns the end of the replays, and a little more if all fail, so that the failure is seen.
hbm.extentOf = function (view) {
  const about = hbm.data.workloads[view.workload], length = ({ about: other = about }) => view.byTime ? other.duration ?? 0 : other.rows;
  const cells = view.managers.map((manager) => hbm.cellOf(view.workload, manager)), completed = cells.filter((each) => each.failed === null);
  if (completed.length > 0) return Math.max(1, ...completed.map(length));
  const last = Math.max(...cells.map((each) => view.byTime ? each.failed_time : each.failed));
  return Math.max(1, Math.min(Math.max(...cells.map(length)), Math.ceil(last * 1.04) + 1));
};

// Returns a time in the unit of `largest`, with the decimals that tell steps of `step` microseconds apart.
hbm.timeInWords = function (microseconds, step = 1, largest = microseconds) {
  const [unit, size] = largest >= 1e6 ? ["s", 1e6] : largest >= 1e3 ? ["ms", 1e3] : ["\u00b5s", 1];
  const decimals = Math.min(Math.max(Math.ceil(Math.log10(size / step)), 0), Math.log10(size));
  const [whole, part] = (microseconds / size).toFixed(decimals).split(".");
  return hbm.grouped(whole) + (part ? "." + part : "") + " " + unit;
};

// Returns the round places of a range, at most `most` of them and one more, all at the same distance: 1, 2 or 5 times a power
// of ten, or a power of two.
hbm.ticks = function (from, to, most, isBinary) {
  const least = Math.max((to - from) / most, 1);
  let step = isBinary ? 2 ** Math.ceil(Math.log2(least)) : 10 ** Math.floor(Math.log10(least));
  if (!isBinary) step *= [1, 2, 5, 10].find((each) => each * step >= least);
  const made = [];
  for (let at = Math.ceil(from / step); at * step <= to; ++at) made.push(at * step);
  return { step, places: made };
};

// Returns a place of the axis in words.
hbm.placeInWords = (view, place, step) => view.byTime ? hbm.timeInWords(place, step, view.to) : hbm.grouped(place);

// Returns the rows at which the steps of a workload end; none if its trace marks no steps.
hbm.stepEnds = function (workload) {
  const { steps } = hbm.data.workloads[workload];
  if (!steps) return [];
  if (steps.rows) return steps.rows;
  steps.rows = [];
  for (let at = 0, row = 0; at < steps.ends.length; at += 2)
    for (let left = steps.ends[at + 1]; left > 0; --left) steps.rows.push(row += steps.ends[at]);
  return steps.rows;
};

// Returns the number of steps that end at `row` or before.
hbm.stepsUntil = function (ends, row) {
  let low = 0, high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= row) low = middle + 1; else high = middle;
  }
  return low;
};

// Returns the step of a row in words; empty for a row outside of all steps.
hbm.stepInWords = function (workload, row) {
  const ends = hbm.stepEnds(workload), number = hbm.stepsUntil(ends, row) + 1;
  return number > ends.length ? "" : `${hbm.grouped(number)} of ${hbm.grouped(ends.length)}`;
};

// Changes the axis, and keeps the rows that are shown as far as it can.
hbm.setAxis = function (byTime) {
  const view = hbm.view, trace = hbm.shown[0]?.replay?.trace;
  if (!trace) { view.byTime = byTime; return hbm.whole(); }
  const isWhole = view.from <= 0 && view.to >= hbm.extentOf(view);
  const first = hbm.rowAt(trace, view.from), last = hbm.rowAt(trace, view.to);
  view.byTime = byTime;
  const [from, to] = isWhole ? [0, Infinity] : [hbm.across(trace, first), hbm.across(trace, last)];
  [view.from, view.to] = hbm.within(from, Math.min(to, hbm.extentOf(view)), hbm.extentOf(view), 4);
};
