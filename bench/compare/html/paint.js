// Paints memory over time, and curves, on canvases.
"use strict";

hbm.edges = { left: 64, right: 8, top: 16, bottom: 20 };
// Colours that colour-blind people tell apart (Okabe and Ito), without the red that marks failures.
hbm.palette = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [150, 150, 150]];
hbm.kindColours = [[0, 0, 0], [86, 180, 233], [124, 92, 60], [186, 158, 124], [112, 112, 124], [0, 158, 115]];
// From yellow over grey to blue, readable without colour as well.
hbm.ramp = [[242, 214, 69], [206, 188, 96], [170, 166, 122], [136, 146, 141], [104, 127, 152], [70, 107, 155], [38, 84, 150]];

hbm.sizeInWords = function (bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 6; bytes /= 1024) ++unit;
  return (unit === 0 ? bytes : bytes.toFixed(unit === 1 ? 1 : 2)) + "BKMGTPE"[unit];
};
hbm.grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

hbm.theme = function () {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return { text: value("--text"), faint: value("--line"), paper: value("--map"), fail: value("--fail"),
    live: value("--live"), end: value("--end"), largest: value("--largest"), scattered: value("--scattered") };
};

// A canvas as large as its element, in pixels of the screen.
hbm.prepare = function (canvas) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const wide = Math.max(canvas.clientWidth, 160), high = Math.max(canvas.clientHeight, 60);
  canvas.width = Math.round(wide * scale);
  canvas.height = Math.round(high * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "12px system-ui, sans-serif";
  const { left, right, top, bottom } = hbm.edges;
  return { context, scale, x: left, y: top, width: wide - left - right, height: high - top - bottom };
};

// The colour of each block, by its number, under a way of colouring.
hbm.coloursOf = function (replay, way) {
  const { begin, end, size, kind } = replay.block, trace = replay.trace;
  let most = 1;
  const value = way === "lifetime" ? (at) => end[at] - begin[at] : (at) => size[at];
  if (way === "size" || way === "lifetime")
    for (let at = 0; at < size.length; ++at) most = Math.max(most, value(at));
  const order = way === "tag" ? hbm.tagOrder(replay) : null, top = Math.log2(most + 1);
  return (at) => {
    if (kind[at] !== 1 && kind[at] !== 5) return hbm.kindColours[kind[at]];
    if (way === "tag") return hbm.palette[at < trace.count ? Math.min(order.get(trace.tag[at]), 6) : 6];
    if (way === "kind") return hbm.kindColours[kind[at]];
    return hbm.ramp[Math.min(6, Math.floor(Math.log2(value(at) + 1) / top * 7))];
  };
};

// The tags by the bytes they have, over time.
hbm.tagOrder = function (replay) {
  if (replay.tagOrder) return replay.tagOrder;
  const sums = new Map(), { begin, end, size } = replay.block, { tag, count } = replay.trace;
  for (let at = 0; at < count; ++at)
    sums.set(tag[at], (sums.get(tag[at]) || 0) + size[at] * Math.max(0, end[at] - begin[at]));
  const sorted = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return replay.tagOrder = new Map(sorted.map(([each], rank) => [each, rank]));
};

// Adds to each pixel the share of it that a place covers, so that nothing is lost however small it is.
hbm.addCover = function (cover, width, height, x0, x1, y0, y1, colour) {
  x0 = Math.max(x0, 0); x1 = Math.min(x1, width);
  y0 = Math.max(y0, 0); y1 = Math.min(y1, height);
  if (x0 >= x1 || y0 >= y1) return;
  const [red, green, blue] = colour;
  for (let y = Math.floor(y0); y < y1; ++y) {
    const high = Math.min(y + 1, y1) - Math.max(y, y0);
    for (let x = Math.floor(x0); x < x1; ++x) {
      const part = high * (Math.min(x + 1, x1) - Math.max(x, x0)), at = (y * width + x) * 4;
      cover[at] += part * red;
      cover[at + 1] += part * green;
      cover[at + 2] += part * blue;
      cover[at + 3] += part;
    }
  }
};

hbm.paintBlocks = function (area, replay, view, colourOf) {
  const { context, scale } = area, { place } = replay;
  const width = Math.round(area.width * scale), height = Math.round(area.height * scale);
  const cover = new Float32Array(width * height * 4);
  const across = width / (view.to - view.from), up = height / (view.high - view.low);
  for (let at = 0; at < place.count; ++at) {
    if (place.end[at] <= view.from || place.begin[at] >= view.to) continue;
    const low = (place.offset[at] - view.low) * up;
    hbm.addCover(cover, width, height, (place.begin[at] - view.from) * across, (place.end[at] - view.from) * across,
      height - low - place.size[at] * up, height - low, colourOf(place.block[at]));
  }
  const image = context.createImageData(width, height), pixels = image.data;
  for (let at = 0; at < cover.length; at += 4) {
    const part = cover[at + 3];
    if (part === 0) continue;
    pixels[at] = cover[at] / part;
    pixels[at + 1] = cover[at + 1] / part;
    pixels[at + 2] = cover[at + 2] / part;
    pixels[at + 3] = 255 * Math.max(0.2, Math.min(part, 1));
  }
  const layer = new OffscreenCanvas(width, height);
  layer.getContext("2d").putImageData(image, 0, 0);
  context.drawImage(layer, area.x, area.y, area.width, area.height);
};

// Outlines and names, where there is room for them.
hbm.paintNames = function (area, replay, view) {
  const { context } = area, { place, block, trace } = replay;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  context.lineWidth = 1;
  for (let at = 0; at < place.count; ++at) {
    const wide = (place.end[at] - place.begin[at]) * across, high = place.size[at] * up;
    if (wide < 8 || high < 8 || place.end[at] <= view.from || place.begin[at] >= view.to) continue;
    const left = area.x + (place.begin[at] - view.from) * across;
    const top = area.y + area.height - (place.offset[at] - view.low) * up - high;
    if (top > area.y + area.height || top + high < area.y) continue;
    context.strokeStyle = "rgba(0,0,0,.35)";
    context.strokeRect(left + .5, top + .5, wide - 1, high - 1);
    const shownLeft = Math.max(left, area.x), shownWide = Math.min(left + wide, area.x + area.width) - shownLeft;
    const number = place.block[at], kind = block.kind[number];
    if (shownWide < 40 || high < 15) continue;
    const tag = number < trace.count ? view.tags[trace.tag[number]] : "";
    const words = kind === 4 ? "reserved for scratch" : tag ? `${tag} ${block.name[number]}` : block.name[number];
    const middle = Math.min(Math.max(top + high / 2, area.y + 8), area.y + area.height - 8);
    if (middle < top || middle > top + high) continue;
    hbm.label(context, words, shownLeft + 4, middle, shownWide - 8);
  }
  context.restore();
};

// Text on a plate, so that it can be read on every colour.
hbm.label = function (context, words, x, y, room) {
  while (words.length > 1 && context.measureText(words).width > room) words = words.slice(0, words.length / 2 | 0) + "\u2026";
  const wide = context.measureText(words).width;
  if (wide > room) return;
  context.fillStyle = "rgba(255,255,255,.8)";
  context.fillRect(x - 2, y - 7, wide + 4, 14);
  context.fillStyle = "#111";
  context.textBaseline = "middle";
  context.fillText(words, x, y);
};

// Moves, evictions and reloads: bars above the map, as high as there are many in a column; and, where they are few,
// lines from where a block lay to where it lies.
hbm.paintReliefs = function (area, replay, view, theme) {
  const { context } = area, { place, block } = replay;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  const marks = hbm.marksOf(replay).filter((each) => each.row >= view.from && each.row < view.to);
  const counts = new Map();
  for (const each of marks) {
    const column = Math.floor((each.row - view.from) * across / 6);
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
    const x = area.x + (each.row - view.from) * across;
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

hbm.paintAxes = function (area, view, quantum, theme, inBytes) {
  const { context } = area;
  context.fillStyle = theme.text;
  context.strokeStyle = theme.faint;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let step = 0; step <= 4; ++step) {
    const y = area.y + area.height - area.height * step / 4;
    const value = view.low + (view.high - view.low) * step / 4;
    if (inBytes) context.fillText(hbm.sizeInWords(Math.round(value * quantum)), area.x - 5, Math.min(y, area.y + area.height - 3));
    context.beginPath();
    context.moveTo(area.x - 3, Math.round(y) + .5);
    context.lineTo(area.x, Math.round(y) + .5);
    context.stroke();
  }
  context.strokeRect(area.x - .5, area.y - .5, area.width + 1, area.height + 1);
  context.textBaseline = "top";
  const steps = area.width > 500 ? 5 : 2;
  for (let step = 0; step <= steps; ++step) {
    context.textAlign = step === 0 ? "left" : step === steps ? "right" : "center";
    const words = hbm.grouped(view.from + (view.to - view.from) * step / steps);
    context.fillText(step === 0 ? "event " + words : words, area.x + area.width * step / steps, area.y + area.height + 5);
  }
  context.textAlign = "left";
};

hbm.paintFailure = function (area, replay, view, theme, words) {
  const x = area.x + (replay.rows - view.from) * area.width / (view.to - view.from);
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

// The map of a replay; returns where it is on the canvas.
hbm.paintMap = function (canvas, replay, view, about) {
  const area = hbm.prepare(canvas), theme = hbm.theme();
  area.context.fillStyle = theme.paper;
  area.context.fillRect(area.x, area.y, area.width, area.height);
  hbm.paintBlocks(area, replay, view, hbm.coloursOf(replay, view.colour));
  hbm.paintNames(area, replay, view);
  hbm.paintReliefs(area, replay, view, theme);
  hbm.paintAxes(area, view, about.quantum, theme, true);
  if (about.failed !== null) hbm.paintFailure(area, replay, view, theme, "fails here");
  return area;
};

// The curves of replays over the same rows: a column shows the least and the most of its rows.
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
        const begin = Math.floor(view.from + (view.to - view.from) * x / area.width);
        const end = Math.min(Math.max(Math.ceil(view.from + (view.to - view.from) * (x + 1) / area.width), begin + 1), replay.rows);
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
  hbm.paintAxes(area, view, about.quantum, theme, true);
  return area;
};
