// Reads the histories of a page: columns of numbers, deflated, in base64. bench/compare/page/columns.cpp writes them.

const blockKinds = ["hole", "buffer", "code of a program", "scratch of a program", "reservation for scratch",
  "buffer that is freed when a run ends", "place that a block is copied to"];
const reservation = 4;
const isBuffer = (kind) => kind === 1 || kind === 5;
const reliefKinds = ["moved", "evicted", "reloaded"];

class ColumnReader {
  constructor(bytes) { Object.assign(this, { bytes, at: 0 }); }

  // Returns the next column: its planes hold the lowest byte of every number, the next byte of every number, and so on.
  column() {
    const { bytes } = this, head = this.at, planes = bytes[head + 4];
    const count = bytes[head] + bytes[head + 1] * 0x100 + bytes[head + 2] * 0x10000 + bytes[head + 3] * 0x1000000;
    const numbers = new Float64Array(count);
    this.at += 5;
    for (let plane = 0, factor = 1; plane < planes; ++plane, factor *= 256, this.at += count)
      for (let row = 0; row < count; ++row) numbers[row] += bytes[this.at + row] * factor;
    return numbers;
  }

  // Returns the next column, which holds differences.
  rising() {
    const numbers = this.column();
    for (let row = 1; row < numbers.length; ++row) numbers[row] += numbers[row - 1];
    return numbers;
  }

  rest() { return JSON.parse(new TextDecoder().decode(this.bytes.subarray(this.at))); }
}

async function unpack(id) {
  const part = report.parts.getElementById(id);
  const bytes = Uint8Array.from(atob(part.textContent), (each) => each.charCodeAt(0));
  if (part.dataset.format !== "deflate") return new ColumnReader(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new ColumnReader(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// Returns what all histories of a workload share. `times` has one more than there are rows, or is null.
async function readTrace(workload) {
  const reader = await unpack(`workload-${workload}`), { rows, duration, tags } = report.data.workloads[workload];
  const times = reader.rising(), lines = reader.rising(), ends = reader.rising();
  const trace = { rows, tags, lines, ends, names: reader.rest(), times: null };
  if (times.length > 0) (trace.times = new Float64Array(rows + 1).fill(duration)).set(times);
  return trace;
}

// Fills in what follows from the columns: the rows of a block from its places, the place before each place, and the
// bytes in use after each row.
function completeReplay(replay) {
  const { block, place, rows } = replay, latest = new Int32Array(block.count).fill(-1);
  Object.assign(block, { begin: new Float64Array(block.count), end: new Float64Array(block.count), size: new Float64Array(block.count) });
  place.before = new Int32Array(place.count);
  const used = replay.used = new Float64Array(rows + 1);
  for (let at = 0; at < place.count; ++at) {
    const number = place.block[at];
    place.end[at] += place.begin[at];
    place.before[at] = latest[number];
    if (latest[number] < 0) [block.begin[number], block.size[number]] = [place.begin[at], place.size[at]];
    block.end[number] = place.end[at];
    latest[number] = at;
    used[place.begin[at]] += place.size[at];
    used[Math.min(place.end[at], rows)] -= place.size[at];
  }
  for (let row = 1; row < rows; ++row) used[row] += used[row - 1];
  return replay;
}

async function readReplay(workload, manager) {
  const [reader, trace] = await Promise.all([unpack(`map-${workload}-${manager}`), keptTrace(workload)]);
  const { capacity_bytes } = resultOf(workload, manager), { quantum } = report.data.workloads[workload];
  const block = { subject: reader.column(), tag: reader.column(), kind: reader.column() };
  const place = { block: reader.column(), begin: reader.rising(), end: reader.column(), offset: reader.column(), size: reader.column() };
  const relief = { kind: reader.column(), row: reader.rising(), block: reader.column() }, highest = reader.column();
  block.count = block.kind.length;
  place.count = place.block.length;
  const limit = capacity_bytes === null ? Infinity : Math.floor(capacity_bytes / quantum);
  return completeReplay({ manager, trace, rows: highest.length, capacity: limit, block, place, relief, highest });
}

// Traces and replays are read once.
function keptTrace(workload) {
  return report.traces[workload] ??= readTrace(workload);
}

function keptReplay(workload, manager) {
  return report.replays[`${workload}.${manager}`] ??= readReplay(workload, manager);
}

// Returns the name of a block; empty for a reservation.
const nameOf = ({ block, trace }, number) => block.subject[number] === 0 ? "" : trace.names[block.subject[number] - 1];
const tagOf = ({ block, trace }, number) => trace.tags[block.tag[number]];

// Returns tag, name and, of what is no buffer, the kind.
function blockInWords(replay, number) {
  const kind = replay.block.kind[number], words = [tagOf(replay, number), nameOf(replay, number)].filter((each) => each).join(" ");
  return isBuffer(kind) ? words || "(no name)" : `${blockKinds[kind]} ${words}`.trim();
}

// Returns the places after a row.
function placesAt({ place }, row) {
  const found = [];
  for (let at = 0; at < place.count && place.begin[at] <= row; ++at) if (row < place.end[at]) found.push(at);
  return found;
}

// Returns the place at a row and an address; -1 for a free one.
function placeAt(replay, row, address) {
  const { offset, size } = replay.place;
  return placesAt(replay, row).find((at) => offset[at] <= address && address < offset[at] + size[at]) ?? -1;
}

// Returns the free ranges after a row, by address, as [begin, end].
function holesAt(replay, row) {
  const { offset, size } = replay.place, holes = [];
  let low = 0;
  for (const at of placesAt(replay, row).sort((a, b) => offset[a] - offset[b])) {
    if (offset[at] > low) holes.push([low, offset[at]]);
    low = offset[at] + size[at];
  }
  if (low < replay.capacity) holes.push([low, replay.capacity]);
  return holes;
}

// Returns the moves, evictions and reloads. A move has its old and its new place.
function marksOf(replay) {
  if (replay.marks) return replay.marks;
  const { place, block, relief } = replay, marks = [];
  relief.kind.forEach((kind, at) => { if (kind > 0) marks.push({ row: relief.row[at], kind: reliefKinds[kind] }); });
  for (let at = 0; at < place.count; ++at) {
    const from = place.before[at];
    if (from >= 0 && place.offset[from] !== place.offset[at] && block.kind[place.block[at]] !== reservation)
      marks.push({ row: place.begin[at], kind: "moved", from, at });
  }
  return replay.marks = marks;
}

// Returns the first row with the most bytes in use.
const peakOf = ({ used, rows }) => used.subarray(0, rows).reduce((best, value, row) => value > used[best] ? row : best, 0);
