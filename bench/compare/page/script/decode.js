// Unpacks replays. The format is described in bench/README.md.
"use strict";

const hbm = {};

hbm.data = JSON.parse(document.getElementById("report-data").textContent);
hbm.data.workloads.forEach((each, workload) => { for (const cell of each.cells) cell.trace = "trace-" + workload; });

hbm.Reader = class {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  number() {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }
  numbers(count) {
    const all = new Float64Array(count);
    for (let at = 0; at < count; ++at) all[at] = this.number();
    return all;
  }
  text(length) {
    const part = this.bytes.subarray(this.at, this.at += length);
    return hbm.utf8.decode(part);
  }
};
hbm.utf8 = new TextDecoder();

// Returns the packed text of that id: in this page, or in another that was opened to compare.
hbm.packedText = (id) => (hbm.otherTexts?.get(id) ?? document.getElementById(id)).textContent;

hbm.unpack = async function (id) {
  const bytes = Uint8Array.from(atob(hbm.packedText(id)), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new hbm.Reader(new Uint8Array(await new Response(stream).arrayBuffer()));
};

// Returns `b18` for `b17`.
hbm.nextName = function (name) {
  const digits = /[0-9]*$/.exec(name)[0];
  return name.slice(0, name.length - digits.length) + (Number(digits) + 1);
};

// Reads the data that all managers share of a workload: buffers, the lines of its rows, and their times. `duration` is
// the time of all rows, `tags` are the names of the tags.
hbm.readTrace = function (reader, { duration, tags }) {
  const trace = { rows: reader.number(), tags };
  const count = trace.count = reader.number();
  trace.begin = reader.numbers(count);
  for (let at = 1; at < count; ++at) trace.begin[at] += trace.begin[at - 1];
  trace.end = reader.numbers(count);
  for (let at = 0; at < count; ++at) trace.end[at] += trace.begin[at];
  trace.size = reader.numbers(count);
  trace.tag = reader.numbers(count);
  trace.name = new Array(count);
  for (let at = 0; at < count; ++at) {
    const length = reader.number();
    trace.name[at] = length === 0 ? hbm.nextName(trace.name[at - 1]) : reader.text(length - 1);
  }
  trace.steps = [];
  let row = 0, distance = 0;
  for (let left = reader.number(); left > 0; --left) {
    row += reader.number();
    distance += reader.number();
    trace.steps.push([row, distance]);
  }
  trace.times = null;
  if (reader.number() === 1) {
    trace.times = new Float64Array(trace.rows + 1);
    for (let at = 0; at < trace.rows; ++at) trace.times[at] = (at === 0 ? 0 : trace.times[at - 1]) + reader.number();
    trace.times[trace.rows] = duration;
  }
  return trace;
};

// Returns the line of a row in the file of the trace; 0 for a generated workload.
hbm.lineOf = function (trace, row) {
  let distance = 0;
  for (const [first, change] of trace.steps) if (first <= row) distance = change;
  return trace.steps.length === 0 ? 0 : row + distance;
};

hbm.kinds = ["hole", "buffer", "code of a program", "scratch of a program", "reservation for scratch",
  "buffer that is freed when a run ends"];

// Reads the blocks of a replay: those of the trace, and then those that this replay alone has.
hbm.readBlocks = function (reader, trace, replay) {
  const begin = Array.from(trace.begin), size = Array.from(trace.size), name = trace.name.slice();
  const end = Array.from(trace.end, (each) => Math.min(each, replay.rows));
  const kind = new Array(trace.count).fill(1);
  for (let at = 0; at < trace.count; ++at) if (begin[at] >= replay.rows) end[at] = -1;
  for (let left = reader.number(), at = 0; left > 0; --left) {
    at += reader.number();
    const length = reader.number();
    end[at] = length === 0 ? -1 : begin[at] + length;
  }
  let row = 0;
  for (let left = reader.number(); left > 0; --left) {
    kind.push(reader.number());
    row += reader.number();
    begin.push(row);
    end.push(row + reader.number());
    size.push(reader.number());
    name.push(reader.text(reader.number()));
  }
  replay.block = { begin, end, size, kind, name };
};

// Reads the places of all blocks in the order of the format, without offsets.
hbm.readPlaces = function (reader, trace, replay) {
  const later = [];
  let row = 0;
  for (let left = reader.number(); left > 0; --left) {
    row += reader.number();
    later.push([row, reader.number()]);
  }
  const { begin, end } = replay.block;
  const own = begin.length, block = [], from = [];
  let atLater = 0, atOwn = trace.count, atShared = 0;
  const add = (number, first) => { block.push(number); from.push(first); };
  while (true) {
    while (atShared < trace.count && end[atShared] < 0) ++atShared;
    const laterRow = atLater < later.length ? later[atLater][0] : Infinity;
    const ownRow = atOwn < own ? begin[atOwn] : Infinity;
    const sharedRow = atShared < trace.count ? begin[atShared] : Infinity;
    if (laterRow === Infinity && ownRow === Infinity && sharedRow === Infinity) break;
    if (laterRow <= ownRow && laterRow <= sharedRow) add(later[atLater++][1], laterRow);
    else if (ownRow <= sharedRow) add(atOwn++, ownRow);
    else add(atShared++, sharedRow);
  }
  const count = block.length, to = new Float64Array(count), latest = new Int32Array(own).fill(-1);
  const before = new Int32Array(count).fill(-1);
  for (let at = 0; at < count; ++at) {
    const last = latest[block[at]];
    if (last >= 0) to[last] = from[at];
    before[at] = last;
    latest[block[at]] = at;
    to[at] = end[block[at]];
  }
  replay.place = { count, block: Int32Array.from(block), begin: Float64Array.from(from), end: to, before };
};

hbm.readReliefs = function (reader, replay) {
  replay.reliefs = [];
  let row = 0;
  for (let left = reader.number(); left > 0; --left) {
    row += reader.number();
    const kind = reader.number() === 0 ? "evicted" : "reloaded";
    replay.reliefs.push({ row, kind, block: reader.number() });
  }
};

// Reads a replay with its places and its curves.
hbm.readReplay = function (reader, trace) {
  const replay = { rows: reader.number(), capacity: reader.number(), trace };
  hbm.readBlocks(reader, trace, replay);
  hbm.readPlaces(reader, trace, replay);
  hbm.readReliefs(reader, replay);
  hbm.findOffsets(reader, replay);
  return replay;
};

hbm.traces = new Map();
hbm.replays = new Map();

// Returns the trace that a cell replays; `about` is its workload.
hbm.traceOf = function (about, cell) {
  if (!hbm.traces.has(cell.trace))
    hbm.traces.set(cell.trace, hbm.unpack(cell.trace).then((reader) => hbm.readTrace(reader, cell.about ?? about)));
  return hbm.traces.get(cell.trace);
};

// Returns the replay of a workload under a manager; null if the page has none.
hbm.replayOf = async function (workload, manager) {
  const about = hbm.data.workloads[workload], cell = hbm.cellOf(workload, manager), id = cell.replay;
  if (id === null) return null;
  if (!hbm.replays.has(id)) {
    if (hbm.replays.size > 7) hbm.replays.delete(hbm.replays.keys().next().value);
    hbm.replays.set(id, Promise.all([hbm.unpack(id), hbm.traceOf(about, cell)])
      .then(([reader, trace]) => hbm.readReplay(reader, trace)));
  }
  return hbm.replays.get(id);
};
