// A picture over time: a body, of which a bitmap is kept that a hand can move, and a frame that is painted anew each time.
"use strict";

hbm.Picture = class {
  // `viewOf()` returns the view with the addresses that the picture shows; `body` and `frame` paint into an area.
  constructor(canvas, viewOf, body, frame) { Object.assign(this, { canvas, viewOf, body, frame, area: null, bitmap: null }); }

  // Calls `paint` with everything outside the area cut off.
  within(paint) {
    const { context, x, y, width, height } = this.area;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    const result = paint(context);
    context.restore();
    return result;
  }

  begin() {
    this.area = hbm.prepare(this.canvas);
    this.theme = hbm.theme();
    this.area.context.fillStyle = this.theme.paper;
    this.area.context.fillRect(this.area.x, this.area.y, this.area.width, this.area.height);
    return this.viewOf();
  }

  copy() {
    const { scale, x, y, width, height } = this.area, copy = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
    copy.getContext("2d").drawImage(this.canvas, -x * scale, -y * scale);
    return copy;
  }

  paint() {
    const view = this.begin(), { from, to, low, high } = view;
    this.bitmap = { from, to, low, high, copy: this.within(() => this.body(this.area, view, this.theme)) ?? this.copy() };
    this.frame(this.area, view, this.theme, (paint) => this.within(paint));
  }

  // Paints the bitmap where it lies in the present view: enough while a hand moves it.
  move() {
    const { bitmap } = this;
    if (!bitmap) return;
    const view = this.begin(), { area } = this;
    const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
    this.within((context) => context.drawImage(bitmap.copy, area.x + (bitmap.from - view.from) * across, area.y + (view.high - bitmap.high) * up,
      (bitmap.to - bitmap.from) * across, (bitmap.high - bitmap.low) * up));
    this.frame(area, view, this.theme, (paint) => this.within(paint));
  }
};

// Returns all pictures of the view, the maps first; none before the replays are there.
hbm.pictures = () => hbm.shown.length > 0 && hbm.shown.every((each) => each.picture) ? [...hbm.shown.map((each) => each.picture), ...hbm.below] : [];

// Paints the upper map now, and one more picture in each image of the screen that follows, so that none waits for all.
hbm.repaint = function () {
  clearTimeout(hbm.settling);
  const waiting = hbm.pictures(), turn = hbm.turnOfPictures = {};
  if (waiting.length === 0) return;
  const next = () => {
    if (turn !== hbm.turnOfPictures || waiting.length === 0) return;
    waiting.shift().paint();
    hbm.paintMarks();
    if (waiting.length === 0) document.getElementById("map").dataset.painted = String(performance.now());
    requestAnimationFrame(next);
  };
  next();
  if (!hbm.isHeld) hbm.keep();
};

// Paints everything at once, as a printer needs it.
hbm.paintAll = function () {
  hbm.turnOfPictures = null;
  for (const each of hbm.pictures()) each.paint();
  hbm.paintStrip();
  hbm.paintMarks();
};

hbm.preview = function () {
  for (const each of hbm.pictures()) each.move();
  hbm.paintMarks();
};

// Places the elements that lie over the pictures: the cursor, the kept block, the visible part in the strip.
hbm.paintMarks = function () {
  for (const each of hbm.shown) {
    if (!each.area) continue;
    hbm.paintCursor(each);
    hbm.paintKept(each);
  }
  hbm.paintWindow();
};

// Requests one preview for the next image of the screen, and whole pictures when nothing has moved for a while.
hbm.move = function () {
  if (!hbm.isMoving) requestAnimationFrame(() => { hbm.isMoving = false; hbm.preview(); });
  hbm.isMoving = true;
  clearTimeout(hbm.settling);
  hbm.settling = setTimeout(hbm.repaint, 150);
};
