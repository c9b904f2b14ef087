// Hands on a map: pointers, two fingers, the wheel and keys.
"use strict";

// Returns the position of a pointer, as shares of the map.
hbm.sharesOf = function (shown, event) {
  const box = shown.canvas.getBoundingClientRect(), { area } = shown;
  return [(event.clientX - box.left - area.x) / area.width, 1 - (event.clientY - box.top - area.y) / area.height];
};

// Calls `act` with the row and the address under the pointer.
hbm.withPlace = function (shown, event, act) {
  if (!shown.area || !shown.replay) return;
  const [x, y] = hbm.sharesOf(shown, event), view = hbm.view;
  if (x < 0 || x > 1 || y < 0 || y > 1) return;
  act(shown, hbm.rowAt(shown.replay.trace, view.from + (view.to - view.from) * x), view.low + (view.high - view.low) * y);
};

// A drag by one pointer or by two, which also zoom: what was under them stays under them.
hbm.Drag = class {
  constructor(shown) { Object.assign(this, { shown, pointers: new Map(), isMove: false }); }
  begin() { this.start = { ...hbm.view, ...this.grip() }; }
  // Returns the middle of the pointers, as shares, and their distance in pixels.
  grip() {
    const all = [...this.pointers.values()], shares = all.map((each) => hbm.sharesOf(this.shown, each));
    const mean = (at) => shares.reduce((sum, each) => sum + each[at], 0) / shares.length;
    return { x: mean(0), y: mean(1), apart: all.length > 1 ? Math.max(20, Math.hypot(all[0].clientX - all[1].clientX, all[0].clientY - all[1].clientY)) : 1 };
  }
  put(event) {
    this.pointers.set(event.pointerId, event);
    this.begin();
    this.first ??= event;
    this.isMove ||= this.pointers.size > 1;
  }
  take(event) {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size > 0) this.begin();
  }
  move(event) {
    this.pointers.set(event.pointerId, event);
    this.isMove ||= Math.abs(event.clientX - this.first.clientX) + Math.abs(event.clientY - this.first.clientY) > 4;
    if (!this.isMove) return;
    const { start } = this, now = this.grip(), factor = this.pointers.size > 1 ? start.apart / now.apart : 1;
    const wide = (start.to - start.from) * factor, tall = (start.high - start.low) * factor;
    const from = start.from + start.x * (start.to - start.from) - now.x * wide;
    const low = start.low + start.y * (start.high - start.low) - now.y * tall;
    hbm.limit(from, from + wide, low, low + tall, hbm.move);
  }
};

hbm.listenToPointers = function (shown) {
  const { canvas } = shown;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (!shown.area || (event.pointerType === "mouse" && event.button !== 0)) return;
    (drag ??= new hbm.Drag(shown)).put(event);
    hbm.isHeld = true;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that a program made */ }
    hbm.withPlace(shown, event, hbm.pick);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return hbm.withPlace(shown, event, hbm.pick);
    if (drag.pointers.has(event.pointerId)) drag.move(event);
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => {
      if (!drag) return;
      drag.take(event);
      if (drag.pointers.size > 0) return;
      const { isMove } = drag;
      drag = null;
      hbm.isHeld = false;
      if (isMove) hbm.repaint(); else if (end === "pointerup") hbm.withPlace(shown, event, hbm.keepBlock);
      hbm.keep();
    });
  canvas.addEventListener("wheel", (event) => {
    if (!shown.area || !(event.ctrlKey || document.fullscreenElement)) return;
    event.preventDefault();
    const [x, y] = hbm.sharesOf(shown, event), factor = event.deltaY < 0 ? .8 : 1.25;
    hbm.zoom(factor, event.shiftKey ? factor : 1, x, y, hbm.move);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => { const [x, y] = hbm.sharesOf(shown, event); hbm.zoom(.4, .4, x, y); });
};

// The keys of a map, for its keydown event.
hbm.keys = {
  w: () => hbm.zoomAtCursor(.5), s: () => hbm.zoomAtCursor(2), "+": () => hbm.zoomAtCursor(.5), "=": () => hbm.zoomAtCursor(.5),
  "-": () => hbm.zoomAtCursor(2), a: () => hbm.pan(-.25, 0), d: () => hbm.pan(.25, 0), f: () => hbm.fillScreen(),
  escape: () => hbm.release(), 0: () => hbm.showWhole(), home: () => hbm.showWhole(),
  enter: (shown) => hbm.view.cursor >= 0 && hbm.keepBlock(shown, hbm.view.row, hbm.view.address),
};

hbm.listenToKeys = function (shown) {
  shown.canvas.addEventListener("keydown", (event) => {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0, up = { ArrowUp: 1, ArrowDown: -1 }[event.key] || 0;
    if (!shown.area || event.ctrlKey || event.altKey || event.metaKey) return;
    const act = hbm.keys[event.key.toLowerCase()];
    if (act) act(shown);
    else if (across === 0 && up === 0) return;
    else if (event.shiftKey) hbm.pan(across / 4, up / 4);
    else hbm.step(shown, across, up);
    event.preventDefault();
  });
  shown.canvas.addEventListener("focus", () => { if (shown.area && hbm.view.cursor < 0 && !hbm.isHeld) hbm.step(shown, 0, 1); });
};

hbm.zoomAtCursor = function (factor) {
  const view = hbm.view, share = (value, low, high) => value < low || value > high ? .5 : (value - low) / (high - low);
  if (view.cursor < 0) return hbm.zoom(factor, factor);
  hbm.zoom(factor, factor, share(hbm.middleOf(hbm.shown[view.cursor].replay.trace, view.row), view.from, view.to), share(view.address, view.low, view.high));
};

hbm.fillScreen = function () {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.getElementById("viewer").requestFullscreen?.();
};
