// Paints the frame of a map: marks, axes and the failure; and the curves.
"use strict";

// Paints moves, evictions and reloads as bars above the map, higher for more in a column. If they are few, it paints a line
// from the old place of a block to its new one.
hbm.paintReliefs = function (area, replay, view, theme) {
  const { context } = area, { place, block } = replay;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  const marks = hbm.marksOf(replay).map((each) => ({ ...each, x: hbm.across(replay.trace, each.row) }))
    .filter((each) => each.x >= view.from && each.x < view.to);
  const counts = new Map();
  for (const each of marks) {
    const column = Math.floor((each.x - view.from) * across / 6);
    const key = each.kind + column;
    counts.set(key, { kind: each.kind, column, count: ((counts.get(key) || {}).count || 0) + 1 });
  }
  const colours = { moved: theme.live, evicted: theme.fail, reloaded: theme.largest };
  for (const { kind, column, count } of counts.values()) {
    const high = Math.min(14, 5 + 3 * Math.log10(count));
    context.fillStyle = colours[kind];
    context.fillRect(area.x + column * 6 + 2 * Object.keys(colours).indexOf(kind), area.y - high - 1, 2, high);
  }
  if (marks.length > 300) return;
  context.strokeStyle = theme.text;
  context.lineWidth = 1.5;
  for (const each of marks) {
    if (each.kind !== "moved") continue;
    const x = area.x + (each.x - view.from) * across;
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
hbm.paintAxes = function (area, view, quantum, theme) {
  const { context } = area, right = area.x + area.width, bottom = area.y + area.height;
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

// Paints the map of a replay and returns its area on the canvas.
hbm.paintMap = function (canvas, replay, view, about) {
  const area = hbm.prepare(canvas), theme = hbm.theme();
  area.context.fillStyle = theme.paper;
  area.context.fillRect(area.x, area.y, area.width, area.height);
  hbm.paintBlocks(area, replay, view, hbm.coloursOf(replay, view.colour));
  hbm.paintNames(area, replay, view);
  hbm.paintReliefs(area, replay, view, theme);
  hbm.paintAxes(area, view, about.quantum, theme);
  hbm.paintBeyond(area, replay, view, theme, about.isLimited);
  if (about.failed !== null) hbm.paintFailure(area, replay, view, theme, "fails here");
  return area;
};

// Paints the curves of replays over the same rows: a column shows the least and the most of its rows.
hbm.paintCurves = function (canvas, replays, view, about, isLimited) {
  const area = hbm.prepare(canvas), theme = hbm.theme(), { context } = area;
  context.fillStyle = theme.paper;
  context.fillRect(area.x, area.y, area.width, area.height);
  replays.forEach((replay, number) => {
    const { used, highest, largest } = replay.curves;
    const line = (colour, value, top) => {
      context.strokeStyle = colour;
      context.lineWidth = 1.6;
      context.setLineDash(number === 0 ? [] : [5, 3]);
      context.beginPath();
      for (let x = 0; x < area.width; ++x) {
        const place = (share) => view.from + (view.to - view.from) * share / area.width;
        const begin = hbm.rowAt(replay.trace, place(x));
        const end = Math.min(Math.max(hbm.rowAt(replay.trace, place(x + 1)) + 1, begin + 1), replay.rows);
        let least = Infinity, most = -Infinity;
        for (let row = begin; row < end; ++row) { const here = value(row); least = Math.min(least, here); most = Math.max(most, here); }
        if (least > most) break;
        const y = (each) => area.y + area.height - each / top * area.height;
        if (x === 0) context.moveTo(area.x, y(most)); else context.lineTo(area.x + x, y(most));
        if (least !== most) context.lineTo(area.x + x, y(least));
      }
      context.stroke();
    };
    const free = (row) => replay.capacity - used[row];
    if (isLimited[number]) {
      line(theme.scattered, (row) => free(row) === 0 ? 0 : 1 - largest[row] / free(row), 1);
      line(theme.largest, (row) => largest[row], view.high);
    }
    line(theme.end, (row) => highest[row], view.high);
    line(theme.live, (row) => used[row], view.high);
  });
  context.setLineDash([]);
  hbm.paintAxes(area, view, about.quantum, theme);
  return area;
};
