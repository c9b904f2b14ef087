// Paints the blocks of a replay on a canvas.
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

// Sizes a canvas to its element, in pixels of the screen, and returns the area of its map.
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

// Returns the function from the number of a block to its colour.
hbm.coloursOf = function (replay, way) {
  const { begin, end, size, kind } = replay.block, trace = replay.trace;
  let most = 1;
  const value = way === "lifetime" ? (at) => end[at] - begin[at] : (at) => size[at];
  if (way === "size" || way === "lifetime")
    for (let at = 0; at < size.length; ++at) most = Math.max(most, value(at));
  const order = way === "tag" ? hbm.tagOrder(replay) : null, top = Math.log2(most + 1);
  const plain = (at) => {
    if (kind[at] !== 1 && kind[at] !== 5) return hbm.kindColours[kind[at]];
    if (way === "tag") return hbm.palette[at < trace.count ? Math.min(order.get(trace.tag[at]), 6) : 6];
    return hbm.ramp[Math.min(6, Math.floor(Math.log2(value(at) + 1) / top * 7))];
  };
  // Neighbours of the same colour differ a little, so that each is seen.
  return way === "kind" ? (at) => hbm.kindColours[kind[at]] : (at) => plain(at).map((each) => each * (1 - at % 3 * .08));
};

// Returns the rank of each tag by the bytes of its buffers, over time.
hbm.tagOrder = function (replay) {
  if (replay.tagOrder) return replay.tagOrder;
  const sums = new Map(), { begin, end, size } = replay.block, { tag, count } = replay.trace;
  for (let at = 0; at < count; ++at)
    sums.set(tag[at], (sums.get(tag[at]) || 0) + size[at] * Math.max(0, end[at] - begin[at]));
  const sorted = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return replay.tagOrder = new Map(sorted.map(([each], rank) => [each, rank]));
};

// Adds to each pixel the share of it that a place covers, so that nothing is lost, even if it is small.
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
    const begin = hbm.across(replay.trace, place.begin[at]), end = hbm.across(replay.trace, place.end[at]);
    if (end <= view.from || begin >= view.to) continue;
    const low = (place.offset[at] - view.low) * up;
    hbm.addCover(cover, width, height, (begin - view.from) * across, (end - view.from) * across,
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

// Paints outlines and names if there is room for them.
hbm.paintNames = function (area, replay, view) {
  const { context } = area, { place, block, trace } = replay;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  context.lineWidth = 1;
  for (let at = 0; at < place.count; ++at) {
    const begin = hbm.across(trace, place.begin[at]), end = hbm.across(trace, place.end[at]);
    const wide = (end - begin) * across, high = place.size[at] * up;
    if (wide < 8 || high < 8 || end <= view.from || begin >= view.to) continue;
    const left = area.x + (begin - view.from) * across;
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

// Paints text on a plate, so that it can be read on every colour.
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
