// Paints the blocks of a replay.

// A picture in the making: for each pixel the sums of red, green and blue of the blocks in it, and of the share that
// they cover, as whole numbers. A block adds the steps of these sums from one pixel to the next at its two ends alone, so
// that its cost does not depend on its length, and 300,000 blocks are painted while a hand drags them. (A rectangle of the
// canvas for each takes ten times as long, and blocks of less than a pixel vanish.)
class Cover {
  constructor(width, height) {
    this.steps = new Int32Array((width + 2) * height * 4);
    this.canvas = new OffscreenCanvas(width, height);
    this.image = this.canvas.getContext("2d").createImageData(width, height);
  }

  // Adds rectangles, in the order of `begin`. Every pixel that one touches shows it, however small it is.
  add({ begin, end, offset, size, shade, count }, { from, to, low, high }, colours) {
    const { steps, canvas: { width, height } } = this, stride = (width + 2) * 4;
    const right = width / (to - from), up = height / (high - low);
    const step = (at, part, colour) => {
      steps[at] += part * colour[0];
      steps[at + 1] += part * colour[1];
      steps[at + 2] += part * colour[2];
      steps[at + 3] += part;
    };
    for (let at = 0; at < count && begin[at] < to; ++at) {
      if (end[at] <= from) continue;
      const bottom = Math.min(height, height - (offset[at] - low) * up);
      const top = Math.max(0, height - (offset[at] + size[at] - low) * up);
      const x0 = Math.max(0, (begin[at] - from) * right), x1 = Math.min(width, (end[at] - from) * right);
      const left = Math.floor(x0), last = Math.floor(x1), colour = colours[shade[at]];
      for (let y = Math.floor(top); y < bottom; ++y) {
        const whole = Math.ceil((Math.min(y + 1, bottom) - Math.max(y, top)) * Cover.unit), row = y * stride;
        const first = Math.ceil(whole * (left + 1 - x0)), rest = Math.floor(whole * (last + 1 - x1));
        step(row + left * 4, first, colour);
        step(row + left * 4 + 4, whole - first, colour);
        step(row + last * 4, -rest, colour);
        step(row + last * 4 + 4, rest - whole, colour);
      }
    }
  }

  // Returns a canvas with the mean colours on paper, and empties the sums: the less of a pixel is covered, the fainter it is.
  finish(paper) {
    const { steps, image, canvas } = this, { width, height } = canvas, pixels = new Uint32Array(image.data.buffer);
    for (let y = 0, pixel = 0; y < height; ++y) {
      let red = 0, green = 0, blue = 0, part = 0;
      for (let x = 0, at = y * (width + 2) * 4; x < width; ++x, at += 4, ++pixel) {
        red += steps[at];
        green += steps[at + 1];
        blue += steps[at + 2];
        part += steps[at + 3];
        const seen = part === 0 ? 0 : Math.min(1, Math.max(.2, part / Cover.unit)), share = part === 0 ? 0 : seen / part;
        const rest = 1 - seen, mixed = (sum, behind) => sum * share + behind * rest;
        pixels[pixel] = 255 << 24 | mixed(blue, paper[2]) << 16 | mixed(green, paper[1]) << 8 | mixed(red, paper[0]);
      }
    }
    steps.fill(0);
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }
}
Cover.unit = 1 << 12;

// Returns where places begin and end across.
function spansOf(replay) {
  if (!view.byTime) return replay.place;
  const onAxis = (rows) => Float64Array.from(rows, (row) => across(replay.trace, row));
  return replay.spans ??= { begin: onAxis(replay.place.begin), end: onAxis(replay.place.end) };
}

// Returns three shades of each colour: neighbours of a class differ a little, so that each is seen.
const shadesOf = (way) => coloursOf(way).flatMap((colour) => [1, .92, .84].map((part) => colour.map((each) => Math.round(each * part))));

function shadeOf(replay) {
  const classes = classesOf(replay);
  if (replay.shaded !== classes) {
    replay.shade = Uint8Array.from(replay.place.block, (number) => classes[number] * 3 + number % 3);
    replay.shaded = classes;
  }
  return replay.shade;
}

function paintBlocks(map, paper) {
  const { replay, area } = map, width = Math.round(area.width * area.scale), height = Math.round(area.height * area.scale);
  if (map.cover?.canvas.width !== width || map.cover.canvas.height !== height) map.cover = new Cover(width, height);
  map.cover.add({ ...replay.place, ...spansOf(replay), shade: shadeOf(replay) }, view, shadesOf(scale.way));
  area.context.drawImage(map.cover.finish(paper), area.x, area.y, area.width, area.height);
}

// Paints outlines and names of the blocks that have room for them.
function paintNames({ area, replay }) {
  const { context } = area, { place, block } = replay, { begin, end } = spansOf(replay);
  const right = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  context.lineWidth = 1;
  context.strokeStyle = "rgba(0,0,0,.35)";
  for (let at = 0; at < place.count && begin[at] < view.to; ++at) {
    const wide = (end[at] - begin[at]) * right, high = place.size[at] * up;
    if (high < 8 || wide < 8 || end[at] <= view.from) continue;
    const left = xOn(area, begin[at]), top = yOn(area, place.offset[at]) - high;
    if (top > area.y + area.height || top + high < area.y) continue;
    context.strokeRect(left + .5, top + .5, wide - 1, high - 1);
    const shownLeft = Math.max(left, area.x), room = Math.min(left + wide, area.x + area.width) - shownLeft - 8;
    const middle = Math.min(Math.max(top + high / 2, area.y + 8), area.y + area.height - 8);
    if (room < 32 || high < 15 || middle < top || middle > top + high) continue;
    const isReserved = block.kind[place.block[at]] === reservation;
    paintLabel(context, isReserved ? "reserved for scratch" : blockInWords(replay, place.block[at]), shownLeft + 4, middle, room);
  }
}

// Paints text on a plate, so that it can be read on every colour; nothing if too little of it has room.
function paintLabel(context, words, x, y, room) {
  const whole = words;
  while (words.length > 1 && context.measureText(words).width > room) words = words.slice(0, words.length / 2 | 0) + "\u2026";
  const wide = context.measureText(words).width;
  if (wide > room || (words !== whole && words.length < 5)) return;
  context.fillStyle = "rgba(255,255,255,.8)";
  context.fillRect(x - 2, y - 7, wide + 4, 14);
  context.fillStyle = "#111";
  context.textBaseline = "middle";
  context.fillText(visible(words), x, y);
}
