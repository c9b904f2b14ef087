// The classes of blocks that colours stand for: tags, sizes, lifetimes or kinds.

// Colours that colour-blind people tell apart (Okabe and Ito), without the red that marks failures.
const palette = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [150, 150, 150]];
// From yellow over grey to blue, readable without colour as well.
const ramp = [[242, 214, 69], [206, 188, 96], [170, 166, 122], [136, 146, 141], [104, 127, 152], [70, 107, 155], [38, 84, 150]];
const kindColours = [[0, 0, 0], [86, 180, 233], [124, 92, 60], [186, 158, 124], [112, 112, 124], [0, 158, 115], [0, 114, 178]];
const levels = 7;
let scale = null;  // the scale of all pictures

const usualColour = (workload) => report.data.workloads[workload].tags.length > 1 ? "tag" : "size";
const coloursOf = (way) => [...(way === "tag" ? palette : ramp), ...kindColours];
const lifetimeOf = (block, at) => block.end[at] - block.begin[at];

// Returns the level of a value, from 0 to `levels - 1`, on a logarithmic scale up to `most`.
const levelOf = (value, most) => Math.min(levels - 1, Math.floor(Math.log2(value + 1) / Math.log2(most + 1) * levels));
const limitOfLevel = (level, most) => 2 ** (Math.log2(most + 1) * (level + 1) / levels) - 1;

// Returns the rank of each tag by the bytes of its buffers, over time.
function tagRanks({ block, trace }) {
  const sums = new Float64Array(trace.tags.length);
  for (let at = 0; at < block.count; ++at)
    if (isBuffer(block.kind[at])) sums[block.tag[at]] += block.size[at] * lifetimeOf(block, at);
  const sorted = [...sums.keys()].filter((tag) => sums[tag] > 0).sort((a, b) => sums[b] - sums[a]);
  return new Map(sorted.map((tag, rank) => [tag, rank]));
}

// Returns the scale of all maps: made for the first of them, so that a colour is the same thing in each.
function scaleOf(replay, way) {
  const { block } = replay;
  if (way === "tag") return { way, ranks: tagRanks(replay) };
  let most = 1;
  for (let at = 0; at < block.count; ++at) most = Math.max(most, way === "size" ? block.size[at] : lifetimeOf(block, at));
  return { way, most };
}

// Returns the class of each block. Classes below `levels` are those of the scale; above them are the kinds.
function classesOf(replay) {
  if (replay.scale === scale) return replay.classes;
  const { block } = replay, { way, ranks, most } = scale;
  const classOf = (at) => {
    if (way === "kind" || !isBuffer(block.kind[at])) return levels + block.kind[at];
    if (way === "tag") return Math.min(ranks.get(block.tag[at]) ?? levels, levels - 1);
    return levelOf(way === "size" ? block.size[at] : lifetimeOf(block, at), most);
  };
  replay.classes = Uint8Array.from({ length: block.count }, (_, at) => classOf(at));
  replay.scale = scale;
  return replay.classes;
}

// Returns the words of a class.
function classInWords(at) {
  if (at >= levels) return blockKinds[at - levels];
  if (scale.way === "size") return "up to " + bytesOf(Math.round(limitOfLevel(at, scale.most)));
  if (scale.way === "lifetime") return `up to ${grouped(limitOfLevel(at, scale.most))} events`;
  const tags = [...scale.ranks.keys()];
  return at === levels - 1 && tags.length > levels ? `${tags.length - at} more tags` : workloadOf().tags[tags[at]] || "(no tag)";
}

// Returns the legend: the classes and the marks that the maps have.
function makeLegend() {
  const colours = coloursOf(scale.way), classes = new Set(), marks = new Set();
  for (const { replay } of shown) {
    classesOf(replay).forEach((each) => classes.add(each));
    marksOf(replay).forEach((each) => marks.add(each.kind));
  }
  const swatch = (at, words) => make("span", { class: words ? "key" : "key ramp" }, make("i", { style: `background:rgb(${colours[at].join()})` }), words);
  const isRamp = scale.way === "size" || scale.way === "lifetime", all = [...classes].sort((a, b) => a - b);
  return make("p.legend",
    ...(isRamp ? [classInWords(0), ...ramp.map((_, at) => swatch(at, "")), classInWords(levels - 1)] : []),
    ...all.filter((at) => !isRamp || at >= levels).map((at) => swatch(at, classInWords(at))),
    ...reliefKinds.filter((kind) => marks.has(kind)).map((kind) => make("span", { class: "key mark " + kind }, kind)),
    shown[0].replay.trace.ends.length > 0 ? make("span.key.mark.step", `a ${workloadOf().step} ends a step`) : null);
}
