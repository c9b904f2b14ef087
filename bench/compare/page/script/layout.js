// Finds the places of the blocks of a replay, and its curves, by going through its rows.
"use strict";

// The free ranges of a memory, in address order; bench/compare/page/packed/trace_blocks.cpp has its model.
hbm.FreeRanges = class {
  constructor(capacity) {
    this.from = capacity > 0 ? [0] : [];
    this.to = capacity > 0 ? [capacity] : [];
    this.most = capacity;  // the length of the longest; -1: not known
  }
  // Returns the first range that begins at `offset` or above.
  index(offset) {
    let low = 0, high = this.from.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.from[middle] < offset) low = middle + 1; else high = middle;
    }
    return low;
  }
  // Returns the place of a block of `size`: rules 0 and 1 are the low and the high end of the best range, 2 the low end of
  // the first that is long enough, 3 the high end of the last.
  place(rule, size) {
    const { from, to } = this, isBest = rule < 2, isHigh = rule % 2 === 1;
    let chosen = -1, least = Infinity;
    for (let at = 0; at < from.length; ++at) {
      const length = to[at] - from[at], score = isBest ? length : 0;
      if (length < size || score > least || (score === least && !isHigh)) continue;
      chosen = at;
      least = score;
    }
    return isHigh ? to[chosen] - size : from[chosen];
  }
  take(offset, size) {
    const { from, to } = this, end = offset + size;
    let at = this.index(offset);
    if (from[at] !== offset) --at;
    if (to[at] - from[at] === this.most) this.most = -1;
    const keepsBelow = from[at] < offset, keepsAbove = end < to[at];
    if (keepsBelow && keepsAbove) {
      from.splice(at + 1, 0, end);
      to.splice(at, 0, offset);
    } else if (keepsBelow) {
      to[at] = offset;
    } else if (keepsAbove) {
      from[at] = end;
    } else {
      from.splice(at, 1);
      to.splice(at, 1);
    }
  }
  leave(offset, size) {
    const { from, to } = this, end = offset + size, at = this.index(offset);
    const joinsBelow = to[at - 1] === offset, joinsAbove = from[at] === end;
    if (joinsBelow && joinsAbove) {
      from.splice(at, 1);
      to.splice(at - 1, 1);
    } else if (joinsBelow) {
      to[at - 1] = end;
    } else if (joinsAbove) {
      from[at] = offset;
    } else {
      from.splice(at, 0, offset);
      to.splice(at, 0, end);
    }
    const joined = joinsBelow ? at - 1 : at;
    if (this.most >= 0) this.most = Math.max(this.most, to[joined] - from[joined]);
  }
  largest() {
    const { from, to } = this;
    if (this.most < 0) for (let at = 0; at < from.length; ++at) this.most = Math.max(this.most, to[at] - from[at]);
    return Math.max(this.most, 0);
  }
};

// Returns the places in the order in which they end; ties keep their order.
hbm.orderOfEnds = function (place, rows) {
  const first = new Int32Array(rows + 2);
  for (let at = 0; at < place.count; ++at) ++first[place.end[at] + 1];
  for (let row = 0; row <= rows; ++row) first[row + 1] += first[row];
  const order = new Int32Array(place.count);
  for (let at = 0; at < place.count; ++at) order[first[place.end[at]]++] = at;
  return order;
};

hbm.findOffsets = function (reader, replay) {
  const { place, block, rows, capacity } = replay, count = place.count;
  const size = new Float64Array(count), offset = new Float64Array(count);
  const isWider = reader.number() === 1;
  for (let at = 0; at < count; ++at) {
    const difference = isWider ? reader.number() : 0;
    size[at] = block.size[place.block[at]] + (difference % 2 === 0 ? difference / 2 : -(difference + 1) / 2);
  }
  const chosen = reader.bytes.subarray(reader.at, reader.at += count);
  const free = new hbm.FreeRanges(capacity), order = hbm.orderOfEnds(place, rows);
  const used = new Float64Array(rows), highest = new Float64Array(rows), largest = new Float64Array(rows);
  let ended = 0, begun = 0, inUse = 0;
  for (let row = 0; row < rows; ++row) {
    const before = ended + begun;
    for (; ended < count && place.end[order[ended]] <= row; ++ended) {
      const gone = order[ended];
      free.leave(offset[gone], size[gone]);
      inUse -= size[gone];
    }
    for (; begun < count && place.begin[begun] === row; ++begun) {
      const length = size[begun];
      offset[begun] = chosen[begun] === 4 ? reader.number() : free.place(chosen[begun], length);
      free.take(offset[begun], length);
      inUse += length;
    }
    const last = free.to.length - 1;
    used[row] = inUse;
    highest[row] = last >= 0 && free.to[last] === capacity ? free.from[last] : capacity;
    largest[row] = row > 0 && ended + begun === before ? largest[row - 1] : free.largest();
  }
  place.offset = offset;
  place.size = size;
  replay.curves = { used, highest, largest };
};

// Returns the blocks after a row, in address order, in bytes.
hbm.blocksAt = function (replay, row, quantum) {
  const { place, block } = replay, found = [];
  for (let at = 0; at < place.count; ++at) {
    if (place.begin[at] > row || row >= place.end[at]) continue;
    const number = place.block[at];
    found.push({ id: block.name[number], kind: hbm.kinds[block.kind[number]], offset: place.offset[at] * quantum,
      size: place.size[at] * quantum, begin: block.begin[number], end: block.end[number] });
  }
  return found.sort((a, b) => a.offset - b.offset);
};
