// Finds where the blocks of a replay lay, and its curves, by going through its rows.
"use strict";

// The free ranges of a memory, in address order.
hbm.FreeRanges = class {
  constructor(capacity) {
    this.from = [0];
    this.to = [capacity];
    this.largest = capacity;  // NaN: to be found again
    this.left = new Map();
  }
  // The first range that begins at `offset` or above.
  index(offset) {
    let low = 0, high = this.from.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.from[middle] < offset) low = middle + 1; else high = middle;
    }
    return low;
  }
  // The guesses of the format, by number.
  guess(which, size) {
    const { from, to } = this;
    if (which === 2) return this.left.get(size);
    if (which === 3) {
      for (let at = 0; at < from.length; ++at) if (to[at] - from[at] >= size) return from[at];
    } else if (which === 4) {
      for (let at = from.length; at-- > 0;) if (to[at] - from[at] >= size) return to[at] - size;
    }
    let best = Infinity, found = -1;
    for (let at = 0; at < from.length; ++at) {
      const length = to[at] - from[at];
      if (length >= size && (length < best || (length === best && which === 1))) { best = length; found = at; }
    }
    return which === 0 ? from[found] : to[found] - size;
  }
  take(offset, size) {
    let at = this.index(offset);
    if (at === this.from.length || this.from[at] !== offset) --at;
    const begin = this.from[at], end = this.to[at];
    if (end - begin === this.largest) this.largest = NaN;
    if (begin === offset && end === offset + size) {
      this.from.splice(at, 1);
      this.to.splice(at, 1);
    } else if (begin === offset) {
      this.from[at] = offset + size;
    } else {
      this.to[at] = offset;
      if (end !== offset + size) {
        this.from.splice(at + 1, 0, offset + size);
        this.to.splice(at + 1, 0, end);
      }
    }
  }
  leave(offset, size) {
    this.left.set(size, offset);
    const at = this.index(offset), end = offset + size;
    const joinsBelow = at > 0 && this.to[at - 1] === offset;
    const joinsAbove = at < this.from.length && this.from[at] === end;
    let length = size;
    if (joinsBelow && joinsAbove) {
      length = this.to[at] - this.from[at - 1];
      this.to[at - 1] = this.to[at];
      this.from.splice(at, 1);
      this.to.splice(at, 1);
    } else if (joinsBelow) {
      this.to[at - 1] = end;
      length = end - this.from[at - 1];
    } else if (joinsAbove) {
      this.from[at] = offset;
      length = this.to[at] - offset;
    } else {
      this.from.splice(at, 0, offset);
      this.to.splice(at, 0, end);
    }
    if (length > this.largest) this.largest = length;
  }
  largestFree() {
    if (Number.isNaN(this.largest)) {
      this.largest = 0;
      for (let at = 0; at < this.from.length; ++at)
        this.largest = Math.max(this.largest, this.to[at] - this.from[at]);
    }
    return this.largest;
  }
};

// Places in the order in which they end, as the row and the order of places say.
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
    for (; ended < count && place.end[order[ended]] <= row; ++ended) {
      const gone = order[ended];
      free.leave(offset[gone], size[gone]);
      inUse -= size[gone];
    }
    for (; begun < count && place.begin[begun] === row; ++begun) {
      const length = size[begun];
      offset[begun] = chosen[begun] === 5 ? reader.number() : free.guess(chosen[begun], length);
      free.take(offset[begun], length);
      inUse += length;
    }
    const last = free.to.length - 1;
    used[row] = inUse;
    highest[row] = last >= 0 && free.to[last] === capacity ? free.from[last] : capacity;
    largest[row] = free.largestFree();
  }
  place.offset = offset;
  place.size = size;
  replay.curves = { used, highest, largest };
};

// The blocks that are there after a row, in address order, in bytes.
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
