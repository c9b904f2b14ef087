// The classes of blocks that the colours of all pictures stand for: tags, sizes, lifetimes or kinds.
"use strict";

// Colours that colour-blind people tell apart (Okabe and Ito), without the red that marks failures.
hbm.palette = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [150, 150, 150]];
hbm.kindColours = [[0, 0, 0], [86, 180, 233], [124, 92, 60], [186, 158, 124], [112, 112, 124], [0, 158, 115]];
// From yellow over grey to blue, readable without colour as well.
hbm.ramp = [[242, 214, 69], [206, 188, 96], [170, 166, 122], [136, 146, 141], [104, 127, 152], [70, 107, 155], [38, 84, 150]];
hbm.levels = hbm.ramp.length;

hbm.isBuffer = (kind) => kind === 1 || kind === 5;
hbm.lifetimeOf = (block, at) => Math.max(0, block.end[at] - block.begin[at]);

hbm.mostOf = function (count, value) {
  let most = 1;
  for (let at = 0; at < count; ++at) most = Math.max(most, value(at));
  return most;
};

// Returns the level of a value, from 0 to `levels - 1`, on a logarithmic scale up to `most`.
hbm.levelOf = (value, most) => Math.min(hbm.levels - 1, Math.floor(Math.log2(value + 1) / Math.log2(most + 1) * hbm.levels));

// Returns the rank of each tag by the bytes of its buffers, over time.
hbm.tagRanks = function (replay) {
  const sums = new Map(), { block, trace } = replay;
  for (let at = 0; at < trace.count; ++at) {
    const tag = trace.tags[trace.tag[at]];
    sums.set(tag, (sums.get(tag) || 0) + block.size[at] * hbm.lifetimeOf(block, at));
  }
  const sorted = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(sorted.map(([tag], rank) => [tag, rank]));
};

// Returns the scale of all maps: made for the first of them, so that a colour is the same thing in each.
hbm.scaleOf = function (replay, way) {
  const { block } = replay;
  if (way === "tag") return { way, ranks: hbm.tagRanks(replay) };
  if (way === "kind") return { way };
  return { way, most: hbm.mostOf(block.size.length, way === "size" ? (at) => block.size[at] : (at) => hbm.lifetimeOf(block, at)) };
};

// Returns the class of each block. Classes below `levels` are those of the scale; above them are the kinds.
hbm.classesOf = function (replay, scale) {
  if (replay.scale === scale) return replay.classes;
  const { block, trace } = replay, { way, ranks, most } = scale, last = hbm.levels - 1;
  const classes = new Uint8Array(block.kind.length);
  for (let at = 0; at < classes.length; ++at) {
    const kind = block.kind[at];
    if (way === "kind" || !hbm.isBuffer(kind)) classes[at] = hbm.levels + kind;
    else if (way === "tag") classes[at] = at < trace.count ? Math.min(ranks.get(trace.tags[trace.tag[at]]) ?? last, last) : last;
    else classes[at] = hbm.levelOf(way === "size" ? block.size[at] : hbm.lifetimeOf(block, at), most);
  }
  replay.scale = scale;
  return replay.classes = classes;
};

// Returns the colours of all classes of a way, in their order.
hbm.coloursOf = (way) => [...(way === "tag" ? hbm.palette : hbm.ramp), ...hbm.kindColours];

// Returns the values that a class of sizes or lifetimes ends at.
hbm.limitOf = (level, most) => 2 ** (Math.log2(most + 1) * (level + 1) / hbm.levels) - 1;

// Returns the words of a class; empty if no tag has it.
hbm.classInWords = function (scale, at, quantum) {
  if (at >= hbm.levels) return hbm.kinds[at - hbm.levels];
  if (scale.way === "size") return "up to " + hbm.sizeInWords(Math.round(hbm.limitOf(at, scale.most)) * quantum);
  if (scale.way === "lifetime") return `up to ${hbm.grouped(hbm.limitOf(at, scale.most))} events`;
  const tags = [...scale.ranks.keys()], last = hbm.levels - 1;
  if (at < last || tags.length === hbm.levels) return tags[at] === undefined ? "" : tags[at] || "(no tag)";
  return tags.length > last ? `${tags.length - last} more tags` : "";
};
