// Paints the frame of a map: marks, axes and the failure.
"use strict";

// Returns the moves, evictions and reloads that the view shows.
hbm.marksIn = (replay, view) => hbm.marksOf(replay).filter(({ row }) => {
  const x = hbm.across(replay.trace, row);
  return x >= view.from && x < view.to;
});

// Paints moves, evictions and reloads as bars above the map, higher for more in a column.
hbm.paintReliefs = function (area, replay, view, theme) {
  const { context } = area, across = area.width / (view.to - view.from), colours = { moved: theme.live, evicted: theme.fail, reloaded: theme.largest };
  Object.entries(colours).forEach(([kind, colour], number) => {
    const counts = new Uint32Array(Math.ceil(area.width / 6) + 1);
    for (const each of hbm.marksIn(replay, view))
      if (each.kind === kind) ++counts[Math.floor((hbm.across(replay.trace, each.row) - view.from) * across / 6)];
    context.fillStyle = colour;
    counts.forEach((count, column) => {
      const high = Math.min(14, 5 + 3 * Math.log10(count));
      if (count > 0) context.fillRect(area.x + column * 6 + 2 * number, area.y - high - 1, 2, high);
    });
  });
};

// Paints a line from the old place of a moved block to its new one, if they are few.
hbm.paintMoves = function (area, replay, view, theme) {
  const { context } = area, { place } = replay, marks = hbm.marksIn(replay, view);
  if (marks.length > 300) return;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  context.strokeStyle = theme.text;
  context.lineWidth = 1.5;
  for (const each of marks) {
    if (each.kind !== "moved") continue;
    const x = area.x + (hbm.across(replay.trace, each.row) - view.from) * across;
    const y = (at) => area.y + area.height - (place.offset[at] + place.size[at] / 2 - view.low) * up;
    context.beginPath();
    context.moveTo(x - 3, y(each.from));
    context.lineTo(x, y(each.from));
    context.lineTo(x, y(each.at));
    context.lineTo(x + 3, y(each.at));
    context.stroke();
  }
};

hbm.marksOf = function (replay) {
  if (replay.marks) return replay.marks;
  const { place, block } = replay, marks = replay.reliefs.slice();
  for (let at = 0; at < place.count; ++at) {
    const from = place.before[at];
    if (from >= 0 && place.offset[from] !== place.offset[at] && block.kind[place.block[at]] !== 4)
      marks.push({ row: place.begin[at], kind: "moved", block: place.block[at], from, at });
  }
  return replay.marks = marks;
};

// Paints the axes with their round places, a line through the area at each of them.
hbm.paintAxes = function (area, view, theme) {
  const { context } = area, { quantum } = hbm.data.workloads[view.workload], right = area.x + area.width, bottom = area.y + area.height;
  const line = (x0, y0, x1, y1) => {
    context.globalAlpha = .45;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.globalAlpha = 1;
  };
  context.fillStyle = theme.text;
  context.strokeStyle = theme.faint;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const bytes of hbm.ticks(view.low * quantum, view.high * quantum, Math.max(2, area.height / 32), true).places) {
    const y = Math.round(bottom - (bytes / quantum - view.low) / (view.high - view.low) * area.height) + .5;
    context.fillText(hbm.sizeInWords(bytes).replace(/\.0+(?=\D)/, ""), area.x - 5, Math.min(Math.max(y, area.y + 5), bottom - 3));
    line(area.x - 3, y, right, y);
  }
  context.strokeRect(area.x - .5, area.y - .5, area.width + 1, area.height + 1);
  context.textBaseline = "top";
  context.textAlign = "center";
  const { step, places } = hbm.ticks(view.from, view.to, Math.max(2, area.width / 110), false);
  for (const place of places) {
    const x = Math.round(area.x + (place - view.from) / (view.to - view.from) * area.width) + .5;
    const words = hbm.placeInWords(view, place, step), half = context.measureText(words).width / 2;
    line(x, area.y, x, bottom + 3);
    context.fillText(words, Math.min(Math.max(x, area.x + half), right - half), bottom + 5);
  }
  context.textAlign = "left";
};

// Paints marks where steps of the program end: all, or every second, fifth, tenth and so on if there is no room for all.
hbm.paintSteps = function (area, { trace }, view, theme) {
  const ends = hbm.stepEnds(view.workload), { context } = area, bottom = area.y + area.height, across = area.width / (view.to - view.from);
  const first = hbm.stepsUntil(ends, hbm.rowAt(trace, view.from) - 1), last = hbm.stepsUntil(ends, hbm.rowAt(trace, view.to));
  const { step } = hbm.ticks(0, last - first, Math.max(1, area.width / 6), false);
  context.fillStyle = theme.text;
  for (let number = Math.ceil((first + 1) / step) * step; number <= last; number += step) {
    const x = area.x + (hbm.across(trace, ends[number - 1]) - view.from) * across;
    if (x >= area.x && x <= area.x + area.width) context.fillRect(Math.round(x), bottom - 6, 1, 6);
  }
};

hbm.paintFailure = function (area, replay, view, theme, words) {
  const x = area.x + (hbm.across(replay.trace, replay.rows) - view.from) * area.width / (view.to - view.from);
  if (x < area.x || x > area.x + area.width) return;
  const { context } = area;
  context.fillStyle = theme.fail;
  context.globalAlpha = .12;
  context.fillRect(x, area.y, area.x + area.width - x, area.height);
  context.globalAlpha = 1;
  context.fillRect(Math.min(x, area.x + area.width - 3), area.y - 4, 3, area.height + 4);
  const wide = context.measureText(words).width;
  hbm.label(context, words, Math.max(area.x + 4, Math.min(x + 6, area.x + area.width - wide - 6)), area.y + 10, area.width);
};

// Paints the addresses above the capacity, if the manager next to this one has more.
hbm.paintBeyond = function (area, replay, view, theme, isLimited) {
  const { context } = area;
  const high = Math.min(1, (view.high - replay.capacity) / (view.high - view.low)) * area.height;
  if (!isLimited || high < 1) return;
  context.fillStyle = theme.faint;
  context.globalAlpha = .6;
  context.fillRect(area.x, area.y, area.width, high);
  context.globalAlpha = 1;
  if (high > 16) hbm.label(context, "above this manager's capacity", area.x + 6, area.y + high / 2, area.width);
};

// Returns the picture of a map. Its bitmap has the blocks alone.
hbm.mapPicture = function (shown) {
  const { replay, manager } = shown, cell = hbm.cellOf(hbm.view.workload, manager), kept = {};
  const body = (area, view, theme) => {
    const blocks = hbm.paintBlocks(area, replay, view, hbm.scale, hbm.rgbOf(theme.paper), kept);
    area.context.drawImage(blocks, area.x, area.y, area.width, area.height);
    return blocks;
  };
  const frame = (area, view, theme, within) => {
    within(() => hbm.paintNames(area, replay, view));
    within(() => hbm.paintMoves(area, replay, view, theme));
    hbm.paintReliefs(area, replay, view, theme);
    hbm.paintAxes(area, view, theme);
    hbm.paintSteps(area, replay, view, theme);
    hbm.paintBeyond(area, replay, view, theme, cell.capacity !== null);
    if (cell.failed !== null) hbm.paintFailure(area, replay, view, theme, "fails here");
  };
  return new hbm.Picture(shown.canvas, () => hbm.view, body, frame);
};
