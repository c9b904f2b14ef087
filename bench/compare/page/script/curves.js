// The curves of replays over the time of the maps.
"use strict";

// The least and the most of any range of values, found by chunks.
hbm.Extremes = class {
  constructor(values) {
    const count = Math.ceil(values.length / hbm.Extremes.chunk);
    Object.assign(this, { values, least: new Float64Array(count), most: new Float64Array(count) });
    for (let at = 0; at < count; ++at) {
      let least = Infinity, most = -Infinity;
      for (let row = at * hbm.Extremes.chunk; row < Math.min((at + 1) * hbm.Extremes.chunk, values.length); ++row) {
        if (values[row] < least) least = values[row];
        if (values[row] > most) most = values[row];
      }
      this.least[at] = least;
      this.most[at] = most;
    }
  }
  // Returns the least and the most of the values from `begin` to `end`.
  of(begin, end) {
    const { chunk } = hbm.Extremes, { values } = this;
    let least = Infinity, most = -Infinity;
    for (let row = begin; row < end;) {
      if (row % chunk === 0 && row + chunk <= end) {
        const at = row / chunk;
        if (this.least[at] < least) least = this.least[at];
        if (this.most[at] > most) most = this.most[at];
        row += chunk;
        continue;
      }
      if (values[row] < least) least = values[row];
      if (values[row] > most) most = values[row];
      ++row;
    }
    return [least, most];
  }
};
hbm.Extremes.chunk = 32;

// Returns the extremes of a curve of a replay; `scattered` is the share of free memory outside its largest block.
hbm.extremesOf = function (replay, name) {
  const { curves, capacity } = replay, known = replay.extremes ??= {};
  if (name === "scattered" && !curves.scattered)
    curves.scattered = curves.largest.map((largest, row) => curves.used[row] === capacity ? 0 : 1 - largest / (capacity - curves.used[row]));
  return known[name] ??= new hbm.Extremes(curves[name]);
};

// Calls `act` with each column of an area, its least and its most, up to the end of the replay.
hbm.eachColumn = function (area, replay, view, name, act) {
  const extremes = hbm.extremesOf(replay, name), wide = (view.to - view.from) / area.width;
  let begin = hbm.rowAt(replay.trace, view.from);
  for (let x = 0; x < area.width && begin < replay.rows; ++x) {
    const next = hbm.rowAt(replay.trace, view.from + (x + 1) * wide);
    act(x, ...extremes.of(begin, Math.min(Math.max(next, begin) + 1, replay.rows)));
    begin = next;
  }
};

hbm.paintCurve = function (area, replay, view, name, top) {
  const { context } = area, y = (value) => area.y + area.height - value / top * area.height;
  context.beginPath();
  hbm.eachColumn(area, replay, view, name, (x, least, most) => {
    if (x === 0) context.moveTo(area.x, y(most)); else context.lineTo(area.x + x, y(most));
    if (least !== most) context.lineTo(area.x + x, y(least));
  });
  context.stroke();
};

// Returns the curves of a map. Without a limit the largest free block has no end; the lower map adds only what can be told apart.
hbm.curvesOf = (number) => number === 0 && hbm.isLimited(hbm.shown[0].manager) ? ["scattered", "largest", "highest", "used"] : ["highest", "used"];
hbm.curveNames = { used: ["live", "bytes in use"], highest: ["end", "highest end"], largest: ["largest", "largest free block"],
  scattered: ["scattered", "fragmentation: share of free memory outside it"] };

hbm.paintCurves = function (area, view, theme) {
  const { context } = area;
  context.lineWidth = 1.6;
  hbm.shown.forEach(({ replay }, number) => {
    context.setLineDash(number === 0 ? [] : [5, 3]);
    for (const name of hbm.curvesOf(number)) {
      context.strokeStyle = theme[hbm.curveNames[name][0]];
      hbm.paintCurve(area, replay, view, name, name === "scattered" ? 1 : view.high);
    }
  });
  context.setLineDash([]);
};

// Paints the axes of the curves: bytes on the left, and the percentages of the fragmentation on the right.
hbm.paintCurveAxes = function (area, view, theme) {
  hbm.paintAxes(area, view, theme);
  if (!hbm.curvesOf(0).includes("scattered")) return;
  const { context } = area;
  context.textBaseline = "middle";
  for (const [share, words] of [[0, "0 %"], [.5, "50 %"], [1, "100 %"]]) {
    const wide = context.measureText(words).width, x = area.x + area.width - wide - 3;
    const y = Math.min(Math.max(area.y + area.height * (1 - share), area.y + 7), area.y + area.height - 7);
    context.fillStyle = theme.paper;
    context.fillRect(x - 2, y - 7, wide + 4, 14);
    context.fillStyle = theme.scattered;
    context.fillText(words, x, y);
  }
};

hbm.curveLegend = () => hbm.make("figcaption", {}, "Over the same time: ",
  ...Object.keys(hbm.curveNames).filter((name) => hbm.curvesOf(0).includes(name))
    .map((name) => hbm.make("span", { class: "key line " + hbm.curveNames[name][0] }, hbm.curveNames[name][1])),
  hbm.shown.length > 1 ? hbm.make("span", { class: "key" }, "dashed: the lower map") : "");

hbm.curvesPicture = (canvas) => new hbm.Picture(canvas, () => ({ ...hbm.view, low: 0, high: hbm.topOf(hbm.view) }), hbm.paintCurves, hbm.paintCurveAxes);
