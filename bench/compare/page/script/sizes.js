// The sizes of all buffers as a histogram: a bar for each power of two, its parts by lifetime.
"use strict";

// Returns the bars: the number of buffers of a size up to `limit` quanta, by the level of their lifetime.
hbm.sizeBars = function (replay) {
  const { block } = replay, bars = new Map();
  const most = hbm.mostOf(block.size.length, (at) => hbm.isBuffer(block.kind[at]) ? hbm.lifetimeOf(block, at) : 0);
  for (let at = 0; at < block.size.length; ++at) {
    if (!hbm.isBuffer(block.kind[at]) || block.end[at] < 0) continue;
    const power = Math.ceil(Math.log2(Math.max(block.size[at], 1)));
    if (!bars.has(power)) bars.set(power, { limit: 2 ** power, count: 0, quanta: 0, levels: new Array(hbm.levels).fill(0) });
    const bar = bars.get(power);
    ++bar.count;
    bar.quanta += block.size[at];
    ++bar.levels[hbm.levelOf(hbm.lifetimeOf(block, at), most)];
  }
  return { most, bars: [...bars.keys()].sort((a, b) => a - b).map((power) => bars.get(power)) };
};

// A number with three digits at most: 12, 1.2k, 12k, 1.2M.
hbm.briefly = (number) => number < 1000 ? String(number) : number < 1e6 ? (number / 1e3).toFixed(number < 1e4 ? 1 : 0) + "k" : (number / 1e6).toFixed(1) + "M";

hbm.sizesFigure = function ({ replay }) {
  const { quantum } = hbm.data.workloads[hbm.view.workload], { most, bars } = hbm.sizeBars(replay);
  const tallest = Math.max(1, ...bars.map((bar) => bar.count));
  const columns = bars.map((bar) => {
    const size = hbm.sizeInWords(bar.limit * quantum).replace(/\.0+(?=\D)/, "");
    const parts = bar.levels.map((count, level) => [count, level]).filter(([count]) => count > 0).reverse();
    const words = `up to ${size}: ${hbm.grouped(bar.count)} buffers, ${hbm.sizeInWords(bar.quanta * quantum)} altogether. Lifetimes: ` +
      parts.map(([count, level]) => `${hbm.grouped(count)} up to ${hbm.grouped(hbm.limitOf(level, most))} events`).reverse().join(", ");
    return hbm.make("li", { title: words }, hbm.make("small", {}, hbm.briefly(bar.count)),
      hbm.make("div", { class: "bar", style: `height:${Math.max(bar.count / tallest * 7, .12)}rem` },
        ...parts.map(([count, level]) => hbm.make("i", { style: `flex:${count};background:rgb(${hbm.ramp[level].join(",")})` }))),
      hbm.make("small", {}, size), hbm.make("span", { class: "unseen" }, words));
  });
  return hbm.make("figure", { class: "sizes" },
    hbm.make("figcaption", {}, hbm.make("b", {}, "Buffers by size, of the whole run"), hbm.make("span", { class: "legend" }, "lived short",
      ...hbm.ramp.map((each, level) => hbm.swatch(each, "", `up to ${hbm.grouped(hbm.limitOf(level, most))} events`)), `long, up to ${hbm.grouped(most)} events`)),
    hbm.make("ol", { "aria-label": "Number of buffers by size" }, ...columns));
};
