// Paints the blocks of a replay on a canvas.
"use strict";

hbm.edges = { left: 64, right: 8, top: 16, bottom: 20 };

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

// Sizes a canvas to its element, in pixels of the screen, and returns the area of its picture.
hbm.prepare = function (canvas) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const wide = Math.max(canvas.clientWidth, 160), high = Math.max(canvas.clientHeight, 60);
  const width = Math.round(wide * scale), height = Math.round(high * scale);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.font = "12px system-ui, sans-serif";
  const { left, right, top, bottom } = hbm.edges;
  return { context, scale, x: left, y: top, width: wide - left - right, height: high - top - bottom };
};

// Returns where the places of a replay begin and end across.
hbm.spansOf = function (replay) {
  const { place, trace } = replay;
  if (!hbm.view.byTime) return place;
  const across = (rows) => Float64Array.from(rows, (row) => hbm.across(trace, row));
  return replay.spans ??= { begin: across(place.begin), end: across(place.end) };
};

// A picture in the making: for each pixel the sum of the colours in it, and the share of it that is covered. Long spans are
// kept as the steps of these sums from one pixel to the next, so that their cost does not depend on their length.
hbm.Cover = class {
  constructor(width, height) {
    Object.assign(this, { width, height, sums: new Float32Array(width * height * 4), steps: new Float64Array((width + 2) * height * 4) });
    this.canvas = new OffscreenCanvas(width, height);
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
  }
  clear() {
    this.sums.fill(0);
    this.steps.fill(0);
  }
  // Adds a rectangle to the pixels, by the share of each that it covers, so that nothing is lost, even if it is small.
  add(x0, x1, y0, y1, colours, from) {
    if (x0 < 0) x0 = 0;
    if (x1 > this.width) x1 = this.width;
    if (y0 < 0) y0 = 0;
    if (y1 > this.height) y1 = this.height;
    if (x0 >= x1 || y0 >= y1) return;
    const isLong = x1 - x0 > 6;
    for (let y = y0 | 0; y < y1; ++y) {
      const high = (y + 1 < y1 ? y + 1 : y1) - (y > y0 ? y : y0);
      const red = high * colours[from], green = high * colours[from + 1], blue = high * colours[from + 2];
      if (isLong) this.addLong(x0, x1, y, red, green, blue, high); else this.addShort(x0, x1, y, red, green, blue, high);
    }
  }
  addShort(x0, x1, y, red, green, blue, high) {
    const { sums } = this, left = x0 | 0, right = Math.ceil(x1) - 1;
    for (let x = left, at = (y * this.width + left) * 4; x <= right; ++x, at += 4) {
      const part = (x === right ? x1 : x + 1) - (x === left ? x0 : x);
      sums[at] += part * red;
      sums[at + 1] += part * green;
      sums[at + 2] += part * blue;
      sums[at + 3] += part * high;
    }
  }
  addLong(x0, x1, y, red, green, blue, high) {
    const left = x0 | 0, right = x1 | 0, row = y * (this.width + 2);
    this.addStep(row + left, left + 1 - x0, red, green, blue, high);
    this.addStep(row + left + 1, x0 - left, red, green, blue, high);
    this.addStep(row + right, x1 - right - 1, red, green, blue, high);
    this.addStep(row + right + 1, right - x1, red, green, blue, high);
  }
  addStep(pixel, part, red, green, blue, high) {
    const { steps } = this, at = pixel * 4;
    steps[at] += part * red;
    steps[at + 1] += part * green;
    steps[at + 2] += part * blue;
    steps[at + 3] += part * high;
  }
  // Returns a canvas with the mean colours on paper: the less of a pixel is covered, the fainter it is.
  finish(paper) {
    const pixels = new Uint32Array(this.image.data.buffer), empty = 255 << 24 | paper[2] << 16 | paper[1] << 8 | paper[0];
    for (let y = 0; y < this.height; ++y) this.finishRow(pixels, y, paper, empty);
    this.context.putImageData(this.image, 0, 0);
    return this.canvas;
  }
  finishRow(pixels, y, [paperRed, paperGreen, paperBlue], empty) {
    const { sums, steps, width } = this;
    let red = 0, green = 0, blue = 0, cover = 0;
    for (let x = 0, at = y * width * 4, step = y * (width + 2) * 4; x < width; ++x, at += 4, step += 4) {
      red += steps[step];
      green += steps[step + 1];
      blue += steps[step + 2];
      cover += steps[step + 3];
      const part = cover + sums[at + 3];
      if (part < 1e-6) { pixels[at >> 2] = empty; continue; }
      const seen = part > 1 ? 1 : part < .2 ? .2 : part, scale = seen / part, rest = 1 - seen;
      pixels[at >> 2] = 255 << 24 | ((blue + sums[at + 2]) * scale + paperBlue * rest + .5) << 16 |
        ((green + sums[at + 1]) * scale + paperGreen * rest + .5) << 8 | (red + sums[at]) * scale + paperRed * rest + .5;
    }
  }
};

// Returns red, green and blue of a colour such as #0b0f13.
hbm.rgbOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Returns an empty cover of that size; the one before is used again, which spares the time of new memory.
hbm.coverFor = function (known, width, height) {
  if (known?.width !== width || known.height !== height) return new hbm.Cover(width, height);
  known.clear();
  return known;
};

// Returns three shades of each colour: neighbours of a class differ a little, so that each is seen.
hbm.shadesOf = function (way) {
  const part = way === "kind" ? 0 : .08;
  return Float32Array.from(hbm.coloursOf(way).flatMap((colour) => [0, 1, 2].flatMap((at) => colour.map((each) => each * (1 - at * part)))));
};

// Returns a canvas with the blocks, and keeps what can be used for the next in `cell`.
hbm.paintBlocks = function (area, replay, view, scale, paper, cell) {
  const { offset, size, count, block } = replay.place, { begin, end } = hbm.spansOf(replay);
  const width = Math.round(area.width * area.scale), height = Math.round(area.height * area.scale);
  const { from, to, low, high } = view, across = width / (to - from), up = height / (high - low);
  const classes = hbm.classesOf(replay, scale), shades = hbm.shadesOf(scale.way);
  const cover = cell.cover = hbm.coverFor(cell.cover, width, height);
  for (let at = 0; at < count; ++at) {
    if (end[at] <= from || begin[at] >= to) continue;
    const bottom = height - (offset[at] - low) * up, number = block[at];
    cover.add((begin[at] - from) * across, (end[at] - from) * across, bottom - size[at] * up, bottom, shades,
      (classes[number] * 3 + number % 3) * 3);
  }
  return cover.finish(paper);
};

// Paints outlines and names if there is room for them.
hbm.paintNames = function (area, replay, view) {
  const { context } = area, { place, block, trace } = replay, { begin, end } = hbm.spansOf(replay);
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  const least = 8 / up, shortest = 8 / across;
  context.lineWidth = 1;
  for (let at = 0; at < place.count; ++at) {
    if (place.size[at] < least || end[at] - begin[at] < shortest || end[at] <= view.from || begin[at] >= view.to) continue;
    const wide = (end[at] - begin[at]) * across, high = place.size[at] * up;
    const left = area.x + (begin[at] - view.from) * across;
    const top = area.y + area.height - (place.offset[at] - view.low) * up - high;
    if (top > area.y + area.height || top + high < area.y) continue;
    context.strokeStyle = "rgba(0,0,0,.35)";
    context.strokeRect(left + .5, top + .5, wide - 1, high - 1);
    const shownLeft = Math.max(left, area.x), shownWide = Math.min(left + wide, area.x + area.width) - shownLeft;
    const number = place.block[at], kind = block.kind[number];
    if (shownWide < 40 || high < 15) continue;
    const tag = number < trace.count ? trace.tags[trace.tag[number]] : "";
    const words = kind === 4 ? "reserved for scratch" : tag ? `${tag} ${block.name[number]}` : block.name[number];
    const middle = Math.min(Math.max(top + high / 2, area.y + 8), area.y + area.height - 8);
    if (middle < top || middle > top + high) continue;
    hbm.label(context, words, shownLeft + 4, middle, shownWide - 8);
  }
};

// Paints text on a plate, so that it can be read on every colour; nothing if too little of it has room.
hbm.label = function (context, words, x, y, room) {
  const whole = words;
  while (words.length > 1 && context.measureText(words).width > room) words = words.slice(0, words.length / 2 | 0) + "\u2026";
  const wide = context.measureText(words).width;
  if (wide > room || (words !== whole && words.length < 5)) return;
  context.fillStyle = "rgba(255,255,255,.8)";
  context.fillRect(x - 2, y - 7, wide + 4, 14);
  context.fillStyle = "#111";
  context.textBaseline = "middle";
  context.fillText(words, x, y);
};
