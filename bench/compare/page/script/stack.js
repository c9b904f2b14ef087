// The bytes in use by class over the time of the maps, stacked: who holds what.
"use strict";

// Returns for each class the mean bytes of each column, in quanta. A block adds to the columns it begins and ends in by the
// share of them that it covers, so nothing is lost, however short it is.
hbm.stackOf = function (replay, view, classes, columns) {
  const { begin, end, kind, size } = replay.block, count = hbm.levels + hbm.kindColours.length;
  const sums = Array.from({ length: count }, () => null), across = columns / (view.to - view.from);
  for (let at = 0; at < classes.length; ++at) {
    if (kind[at] === 4 || end[at] <= begin[at]) continue;  // reserved memory is not in use
    const first = Math.max(0, (hbm.across(replay.trace, begin[at]) - view.from) * across);
    const last = Math.min(columns, (hbm.across(replay.trace, end[at]) - view.from) * across);
    if (last <= first) continue;
    const sum = sums[classes[at]] ??= new Float64Array(columns + 2), left = first | 0, right = last | 0;
    sum[left] += size[at] * (left + 1 - first);
    sum[left + 1] += size[at] * (first - left);
    sum[right] -= size[at] * (right + 1 - last);
    sum[right + 1] -= size[at] * (last - right);
  }
  for (const sum of sums) if (sum) for (let x = 1; x <= columns; ++x) sum[x] += sum[x - 1];
  return sums;
};

hbm.paintStack = function (area, view) {
  const { replay } = hbm.shown[0], { context } = area, columns = Math.round(area.width);
  const sums = hbm.stackOf(replay, view, hbm.classesOf(replay, hbm.scale), columns), colours = hbm.coloursOf(hbm.scale.way);
  const up = area.height / (view.high - view.low), below = new Float64Array(columns), bottom = area.y + area.height;
  sums.forEach((sum, number) => {
    if (!sum) return;
    context.fillStyle = `rgb(${colours[number].join(",")})`;
    context.beginPath();
    for (let x = 0; x < columns; ++x) context.lineTo(area.x + x, bottom - (below[x] + sum[x]) * up);
    for (let x = columns - 1; x >= 0; --x) context.lineTo(area.x + x, bottom - below[x] * up);
    context.fill();
    for (let x = 0; x < columns; ++x) below[x] += sum[x];
  });
};

hbm.stackLegend = () => hbm.make("figcaption", {}, hbm.make("b", {}, `Bytes in use by ${hbm.view.colour}`),
  hbm.make("span", {}, "the mean of each pixel, in the colours of the maps" + (hbm.shown.length > 1 ? ", of the upper map" : "")));

hbm.stackPicture = function (canvas) {
  const high = () => hbm.shown[0].replay.curves.used.reduce((most, each) => Math.max(most, each), 1) * 1.04;
  return new hbm.Picture(canvas, () => ({ ...hbm.view, low: 0, high: hbm.shown[0].replay.peak ??= high() }), hbm.paintStack, hbm.paintAxes);
};
