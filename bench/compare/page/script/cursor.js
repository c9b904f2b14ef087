// The block under the pointer or the cursor of a map, in words.
"use strict";

// Returns the place of a replay at a row and an address in quanta; -1 for a hole.
hbm.placeAt = function (replay, row, address) {
  const { count, begin, end, offset, size } = replay.place;
  for (let at = 0; at < count; ++at)
    if (begin[at] <= row && row < end[at] && offset[at] <= address && address < offset[at] + size[at]) return at;
  return -1;
};

// Returns the free range at a row and an address.
hbm.holeAt = function (replay, row, address) {
  const { count, begin, end, offset, size } = replay.place;
  let low = 0, high = replay.capacity;
  for (let at = 0; at < count; ++at) {
    if (begin[at] > row || row >= end[at]) continue;
    if (offset[at] + size[at] <= address) low = Math.max(low, offset[at] + size[at]);
    if (offset[at] > address) high = Math.min(high, offset[at]);
  }
  return { low, high };
};

hbm.rowInWords = function (trace, row) {
  const line = hbm.lineOf(trace, row);
  const time = trace.times ? ", " + hbm.timeInWords(trace.times[row]) : "";
  return `event ${hbm.grouped(row)}` + (line === 0 ? "" : ` (line ${line})`) + time;
};

hbm.words = function (shown, row, address) {
  const { replay } = shown, about = hbm.data.workloads[hbm.view.workload], { quantum } = about;
  const size = (quanta) => hbm.sizeInWords(quanta * quantum), when = (at) => hbm.rowInWords(replay.trace, at);
  if (row >= replay.rows) {
    const cell = hbm.cellOf(hbm.view.workload, shown.manager);
    return [["fails", cell.error || "the end"], ["at", when(replay.rows)]];
  }
  const { used, highest, largest } = replay.curves;
  const step = hbm.stepInWords(hbm.view.workload, row), curves = step ? [["step", step]] : [];
  curves.push(["in use", size(used[row])], ["highest end", size(highest[row])]);
  if (hbm.cellOf(hbm.view.workload, shown.manager).capacity !== null) {
    const free = replay.capacity - used[row];
    curves.push(["largest free", size(largest[row])], ["fragmentation", free === 0 ? "0 %" : ((1 - largest[row] / free) * 100).toFixed(1) + " %"]);
  }
  const found = hbm.placeAt(replay, row, address);
  if (found < 0) {
    const hole = hbm.holeAt(replay, row, address);
    const open = hole.high === replay.capacity && hbm.cellOf(hbm.view.workload, shown.manager).capacity === null;
    return [["free", open ? `above ${size(hole.low)}` : `${size(hole.high - hole.low)} at ${size(hole.low)}`], ["at", when(row)], ...curves];
  }
  const { place, block, trace } = replay, number = place.block[found];
  const tag = number < trace.count ? trace.tags[trace.tag[number]] : "";
  const lines = [[hbm.kinds[block.kind[number]], block.name[number] || "(no name)"]];
  if (tag) lines.push(["tag", tag]);
  lines.push(["size", `${size(place.size[found])} (${hbm.grouped(place.size[found] * quantum)} bytes)`],
    ["address", hbm.grouped(place.offset[found] * quantum)], ["allocated at", when(block.begin[number])],
    ["freed at", block.end[number] >= replay.rows ? "the end" : when(block.end[number])],
    ["lifetime", hbm.grouped(block.end[number] - block.begin[number]) + " events"]);
  if (place.before[found] >= 0) lines.push(["moved here at", when(place.begin[found])]);
  return [...lines, ["at", when(row)], ...curves];
};

hbm.pick = function (shown, row, address) {
  const view = hbm.view;
  if (!shown || !shown.replay) return;
  row = Math.floor(Math.min(Math.max(row, 0), Math.max(0, shown.replay.trace.rows - 1)));
  Object.assign(view, { row, address, cursor: hbm.shown.indexOf(shown) });
  const list = hbm.make("dl", {});
  for (const [name, value] of hbm.words(shown, row, address))
    list.append(hbm.make("div", {}, hbm.make("dt", {}, name), hbm.make("dd", {}, value)));
  document.getElementById("readout").replaceChildren(list);
  for (const each of hbm.shown) hbm.paintCursor(each);
};

// The cursor is an element over the canvas, so that nothing need be painted again.
hbm.paintCursor = function (shown) {
  const { view } = hbm, { area, canvas } = shown;
  const box = canvas.parentElement;
  box.querySelectorAll(".cursor").forEach((each) => each.remove());
  if (!area || view.cursor < 0) return;
  const middle = hbm.middleOf(hbm.shown[view.cursor].replay.trace, view.row);
  if (middle < view.from || middle >= view.to) return;
  const x = area.x + (middle - view.from) / (view.to - view.from) * area.width;
  const line = hbm.make("div", { class: "cursor", style: `left:${x}px;top:${area.y}px;height:${area.height}px` });
  const y = (1 - (view.address - view.low) / (view.high - view.low)) * area.height;
  if (hbm.shown.indexOf(shown) === view.cursor && y >= 0 && y <= area.height)
    line.append(hbm.make("i", { style: `top:${y}px` }));
  box.append(line);
};

// Moves the cursor to the next event, or to the next block along the addresses of this event.
hbm.step = function (shown, across, up) {
  const view = hbm.view, { replay } = shown, { trace } = replay;
  if (view.cursor < 0) Object.assign(view, { row: hbm.rowAt(trace, view.from), address: view.low });
  let { row, address } = view;
  row += across * Math.max(1, Math.floor((hbm.rowAt(trace, view.to) - hbm.rowAt(trace, view.from)) / 200));
  if (up !== 0) {
    const places = [], { count, begin, end, offset, size } = replay.place;
    for (let at = 0; at < count; ++at) if (begin[at] <= row && row < end[at]) places.push(offset[at] + size[at] / 2);
    places.sort((a, b) => a - b);
    const next = up > 0 ? places.find((each) => each > address) : places.reverse().find((each) => each < address);
    if (next !== undefined) address = next;
  }
  row = Math.min(Math.max(row, 0), replay.rows - 1);
  hbm.reveal(hbm.middleOf(trace, row), address);
  hbm.pick(shown, row, address);
  hbm.keep();
};
