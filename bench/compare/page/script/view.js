// The view that all pictures share, and its limits.
"use strict";

// The view. `managers` has one or two; `from` and `to` are rows, or with `byTime` microseconds; `low` and `high` are quanta.
hbm.view = { workload: 0, managers: [0], from: 0, to: 1, low: 0, high: 1, byTime: false, colour: "size", row: 0, address: 0, cursor: -1, kept: null };
hbm.shown = [];  // for each manager: its canvas, its replay, its picture, and where the map is on the canvas
hbm.below = [];  // pictures over the same time

hbm.make = function (kind, attributes = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

hbm.cellOf = (workload, manager) => {
  const about = hbm.data.workloads[workload];
  return about.cells[about.cell_of[manager]];
};

// Returns the figures of a manager on a workload.
hbm.resultOf = (workload, manager) => hbm.cellOf(workload, manager).result ?? hbm.data.results.rows[workload * hbm.ownManagers + manager];
hbm.ownManagers = hbm.data.managers.length;

// Returns the short name of a manager, as tables print it.
hbm.nameOf = (manager) => hbm.data.short_names[manager];

// Returns the name of a workload: without its folders, if no other is called the same.
hbm.titleOf = function (workload) {
  const last = (each) => each.name.split("/").pop(), all = hbm.data.workloads, brief = last(all[workload]);
  return all.filter((each) => last(each) === brief).length === 1 ? brief : all[workload].name;
};

// Returns false for unlimited memory, in which the largest free block has no end.
hbm.isLimited = (manager) => hbm.cellOf(hbm.view.workload, manager).capacity !== null;

// Returns the highest address to be shown, in quanta: the capacity, or the highest end under unlimited memory.
hbm.topOf = function (view) {
  const about = hbm.data.workloads[view.workload];
  return Math.max(1, ...view.managers.map((manager) => {
    const cell = hbm.cellOf(view.workload, manager);
    return (cell.capacity === null ? cell.highest * 1.02 : cell.capacity) / about.quantum;
  }));
};

hbm.whole = function () {
  const view = hbm.view;
  Object.assign(view, { from: 0, to: hbm.extentOf(view), low: 0, high: hbm.topOf(view) });
};

hbm.showWhole = function () { hbm.whole(); hbm.repaint(); };

// Keeps a range within its bounds, and no shorter than `least`.
hbm.within = function (from, to, top, least) {
  const length = Math.min(Math.max(to - from, least), top);
  from = Math.min(Math.max(from, 0), top - length);
  return [from, from + length];
};

hbm.limit = function (from, to, low, high, paint = hbm.repaint) {
  const view = hbm.view;
  [view.from, view.to] = hbm.within(from, to, hbm.extentOf(view), 4);
  [view.low, view.high] = hbm.within(low, high, hbm.topOf(view), 4);
  paint();
};

// Zooms around a place of the view, given as shares of it.
hbm.zoom = function (across, up, x = .5, y = .5, paint = hbm.repaint) {
  const { from, to, low, high } = hbm.view, row = from + (to - from) * x, address = low + (high - low) * y;
  hbm.limit(row - (row - from) * across, row + (to - row) * across, address - (address - low) * up, address + (high - address) * up, paint);
};

hbm.pan = function (across, up) {
  const { from, to, low, high } = hbm.view, wide = (to - from) * across, tall = (high - low) * up;
  hbm.limit(from + wide, to + wide, low + tall, high + tall);
};

// Moves the view so far that a place is in its middle, if it is not in it.
hbm.reveal = function (place, address) {
  const { from, to, low, high } = hbm.view, across = place < from || place >= to ? place - (from + to) / 2 : 0;
  const up = address < low || address >= high ? address - (low + high) / 2 : 0;
  if (across !== 0 || up !== 0) hbm.limit(from + across, to + across, low + up, high + up);
};
