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

// A picture in the making: for each pixel the sums of the colours in it and of the share that is covered, as whole numbers
// of `unit`. Two sums share a number. Spans are kept as the steps of these sums from one pixel to the next, so that their
// cost does not depend on their length.
hbm.Cover = class {
  constructor(width, height) {
    Object.assign(this, { width, height, steps: new Float64Array((width + 2) * height * 2) });
    this.canvas = new OffscreenCanvas(width, height);
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
  }
  // Adds rectangles to the pixels, by the share of each that they cover, so that nothing is lost, even if it is small. They are
  // in the order of `begin`; `shade` is the index of their colour in `redGreen` and `blueCover`.
  add({ begin, end, offset, size, shade, count }, { from, to, low, high }, { redGreen, blueCover }) {
    const { width, height, steps } = this, { unit } = hbm.Cover, stride = (width + 2) * 2, across = width / (to - from), up = height / (high - low);
    for (let at = 0; at < count && begin[at] < to; ++at) {
      if (end[at] <= from) continue;
      const bottom = height - (offset[at] - low) * up, top = bottom - size[at] * up, y1 = bottom > height ? height : bottom;
      const x0 = begin[at] < from ? 0 : (begin[at] - from) * across, x1 = end[at] > to ? width : (end[at] - from) * across;
      const left = x0 | 0, right = x1 | 0, begins = left + 1 - x0, ends = right + 1 - x1, colour = redGreen[shade[at]], cover = blueCover[shade[at]];
      for (let y = top < 0 ? 0 : top | 0; y < y1; ++y) {
        const whole = ((y + 1 < y1 ? y + 1 : y1) - (y > top ? y : top)) * unit + .5 | 0;
        const first = whole * begins + .5 | 0, last = whole * ends + .5 | 0, i = y * stride + left * 2, j = y * stride + right * 2;
        steps[i] += first * colour;
        steps[i + 1] += first * cover;
        steps[i + 2] += (whole - first) * colour;
        steps[i + 3] += (whole - first) * cover;
        steps[j] -= last * colour;
        steps[j + 1] -= last * cover;
        steps[j + 2] -= (whole - last) * colour;
        steps[j + 3] -= (whole - last) * cover;
      }
    }
  }
  // Returns a canvas with the mean colours on paper, and empties the cover: the less of a pixel is covered, the fainter it is.
  finish(paper) {
    const pixels = new Uint32Array(this.image.data.buffer), empty = 255 << 24 | paper[2] << 16 | paper[1] << 8 | paper[0];
    for (let y = 0; y < this.height; ++y) this.finishRow(pixels, y, paper, empty);
    this.context.putImageData(this.image, 0, 0);
    return this.canvas;
  }
  finishRow(pixels, y, [paperRed, paperGreen, paperBlue], empty) {
    const { steps, width } = this, { unit, second } = hbm.Cover, inverse = 1 / second;
    let redGreen = 0, blueCover = 0, pixel = empty;
    for (let x = 0, at = y * width, step = y * (width + 2) * 2; x < width; ++x, ++at, step += 2) {
      if (steps[step] !== 0 || steps[step + 1] !== 0) {
        redGreen += steps[step];
        blueCover += steps[step + 1];
        const green = redGreen * inverse | 0, part = blueCover * inverse | 0;
        const seen = part > unit ? 1 : part < .2 * unit ? .2 : part / unit, scale = seen / part, rest = 1 - seen;
        pixel = part === 0 ? empty : 255 << 24 | ((blueCover - part * second) * scale + paperBlue * rest + .5) << 16 |
          (green * scale + paperGreen * rest + .5) << 8 | (redGreen - green * second) * scale + paperRed * rest + .5;
      }
      pixels[at] = pixel;
    }
    steps.fill(0, y * (width + 2) * 2, (y + 1) * (width + 2) * 2);
  }
};
hbm.Cover.unit = 1 << 17;    // times a colour of 8 bits: half of `second`, so that blocks may even lie on one another
hbm.Cover.second = 1 << 26;  // the factor of the second sum of a number: both together have 52 bits, which numbers hold exactly

// Returns red, green and blue of a colour such as #0b0f13.
hbm.rgbOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Returns three shades of each colour, in the form that covers add: neighbours of a class differ a little, so that each is
// seen.
hbm.shadesOf = function (way) {
  const part = way === "kind" ? 0 : .08, shades = hbm.coloursOf(way).flatMap((colour) => [0, 1, 2].map((at) => colour.map((each) => Math.round(each * (1 - at * part)))));
  return { redGreen: Float64Array.from(shades, ([red, green]) => red + green * hbm.Cover.second), blueCover: Float64Array.from(shades, ([, , blue]) => blue + hbm.Cover.second) };
};

// Returns the index of the shade of each place.
hbm.shadeOf = function (replay, scale) {
  const classes = hbm.classesOf(replay, scale);
  if (replay.shadesOf === classes) return replay.shade;
  replay.shadesOf = classes;
  return replay.shade = Uint8Array.from(replay.place.block, (number) => classes[number] * 3 + number % 3);
};

// Returns a canvas with the blocks, and keeps what can be used for the next in `cell`.
hbm.paintBlocks = function (area, replay, view, scale, paper, cell) {
  const width = Math.round(area.width * area.scale), height = Math.round(area.height * area.scale);
  if (cell.cover?.width !== width || cell.cover.height !== height) cell.cover = new hbm.Cover(width, height);
  cell.cover.add({ ...replay.place, ...hbm.spansOf(replay), shade: hbm.shadeOf(replay, scale) }, view, hbm.shadesOf(scale.way));
  return cell.cover.finish(paper);
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
