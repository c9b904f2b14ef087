// Finds where the blocks of a replay lay, and its curves, by going through its rows.
"use strict";

// The class of a size: four for each power of two, so that larger sizes never have smaller classes.
hbm.sizeClass = function (size) {
  let shift = 0;
  for (; size >= 0x40000000; shift += 22) size = Math.floor(size / 0x400000);
  const power = 31 - Math.clz32(size);
  return (power + shift) * 4 + (power < 2 ? 0 : (size >> (power - 2)) & 3);
};

// The free ranges of a memory, in address order and by classes of sizes.
hbm.FreeRanges = class {
  constructor(capacity) {
    this.from = [];
    this.to = [];
    this.classes = Array.from({ length: 224 }, () => new Map());  // end by beginning
    this.left = new Map();
    if (capacity > 0) this.insert(0, 0, capacity);
  }
  insert(at, begin, end) {
    this.from.splice(at, 0, begin);
    this.to.splice(at, 0, end);
    this.classes[hbm.sizeClass(end - begin)].set(begin, end);
  }
  remove(at) {
    this.classes[hbm.sizeClass(this.to[at] - this.from[at])].delete(this.from[at]);
    this.from.splice(at, 1);
    this.to.splice(at, 1);
  }
  replace(at, begin, end) {
    this.classes[hbm.sizeClass(this.to[at] - this.from[at])].delete(this.from[at]);
    this.from[at] = begin;
    this.to[at] = end;
    this.classes[hbm.sizeClass(end - begin)].set(begin, end);
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
  // The smallest range of at least `size`; of equals the lowest, or the highest.
  best(size, takesHighest) {
    let length = Infinity, found = 0;
    for (let at = hbm.sizeClass(size); at < this.classes.length && length === Infinity; ++at)
      for (const [begin, end] of this.classes[at]) {
        const here = end - begin;
        if (here < size || here > length) continue;
        if (here < length || (takesHighest ? begin > found : begin < found)) { length = here; found = begin; }
      }
    return takesHighest ? found + length - size : found;
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
    return this.best(size, which === 1);
  }
  take(offset, size) {
    let at = this.index(offset);
    if (at === this.from.length || this.from[at] !== offset) --at;
    const begin = this.from[at], end = this.to[at];
    if (begin === offset && end === offset + size) return this.remove(at);
    if (begin === offset) return this.replace(at, offset + size, end);
    this.replace(at, begin, offset);
    if (end !== offset + size) this.insert(at + 1, offset + size, end);
  }
  leave(offset, size) {
    this.left.set(size, offset);
    const at = this.index(offset), end = offset + size;
    const joinsBelow = at > 0 && this.to[at - 1] === offset;
    const joinsAbove = at < this.from.length && this.from[at] === end;
    if (joinsBelow && joinsAbove) {
      const above = this.to[at];
      this.remove(at);
      this.replace(at - 1, this.from[at - 1], above);
    } else if (joinsBelow) {
      this.replace(at - 1, this.from[at - 1], end);
    } else if (joinsAbove) {
      this.replace(at, offset, this.to[at]);
    } else {
      this.insert(at, offset, end);
    }
  }
  largestFree() {
    for (let at = this.classes.length; at-- > 0;) {
      if (this.classes[at].size === 0) continue;
      let most = 0;
      for (const [begin, end] of this.classes[at]) if (end - begin > most) most = end - begin;
      return most;
    }
    return 0;
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
    const before = ended + begun;
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
    largest[row] = row > 0 && ended + begun === before ? largest[row - 1] : free.largestFree();
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
