// Hands on a map: pointers, two fingers, the wheel and keys.

// Returns the position of a pointer, as shares of the map.
function sharesOf({ canvas, area }, event) {
  const box = canvas.getBoundingClientRect();
  return [(event.clientX - box.left - area.x) / area.width, 1 - (event.clientY - box.top - area.y) / area.height];
}

// Calls `act` with the row and the address under the pointer.
function withPlace(map, event, act) {
  const [x, y] = sharesOf(map, event);
  if (x < 0 || x > 1 || y < 0 || y > 1) return hideDetails();
  act(map, rowAt(map.replay.trace, view.from + (view.to - view.from) * x), view.low + (view.high - view.low) * y);
}

// A drag by one pointer, or by two, which also zoom: what was under them stays under them.
class Drag {
  constructor(map) { Object.assign(this, { map, pointers: new Map(), isMove: false }); }
  begin() { this.start = { ...view, ...this.grip() }; }
  // Returns the middle of the pointers, as shares, and their distance in pixels.
  grip() {
    const all = [...this.pointers.values()], shares = all.map((each) => sharesOf(this.map, each));
    const mean = (at) => shares.reduce((sum, each) => sum + each[at], 0) / shares.length;
    const apart = all.length > 1 ? Math.hypot(all[0].clientX - all[1].clientX, all[0].clientY - all[1].clientY) : 1;
    return { x: mean(0), y: mean(1), apart: all.length > 1 ? Math.max(20, apart) : 1 };
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
    hideDetails();
    const { start } = this, now = this.grip(), factor = this.pointers.size > 1 ? start.apart / now.apart : 1;
    const wide = (start.to - start.from) * factor, tall = (start.high - start.low) * factor;
    const from = start.from + start.x * (start.to - start.from) - now.x * wide;
    const low = start.low + start.y * (start.high - start.low) - now.y * tall;
    limitView(from, from + wide, low, low + tall);
  }
}

function listenToPointers(map) {
  const { canvas } = map;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    (drag ??= new Drag(map)).put(event);
    report.isHeld = true;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that a program made */ }
    withPlace(map, event, pick);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return withPlace(map, event, pick);
    if (drag.pointers.has(event.pointerId)) drag.move(event);
  });
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hideDetails(); });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => {
      if (!drag) return;
      drag.take(event);
      if (drag.pointers.size > 0) return;
      const { isMove } = drag;
      drag = null;
      report.isHeld = false;
      if (!isMove && end === "pointerup") withPlace(map, event, keepBlock);
      keepAddress();
    });
  canvas.addEventListener("wheel", (event) => {
    if (!(event.ctrlKey || document.fullscreenElement)) return;
    event.preventDefault();
    const [x, y] = sharesOf(map, event), factor = event.deltaY < 0 ? .8 : 1.25;
    zoom(factor, x, y, event.shiftKey ? factor : 1);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(.4, ...sharesOf(map, event)));
}

function zoomAtCursor(factor) {
  const share = (value, low, high) => value < low || value > high ? .5 : (value - low) / (high - low);
  if (view.cursor < 0) return zoom(factor);
  const middle = middleOf(shown[view.cursor].replay.trace, view.row);
  zoom(factor, share(middle, view.from, view.to), share(view.address, view.low, view.high));
}

function fillScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.getElementById("map").requestFullscreen?.();
}

const mapKeys = {
  w: () => zoomAtCursor(.5), s: () => zoomAtCursor(2), "+": () => zoomAtCursor(.5), "=": () => zoomAtCursor(.5), "-": () => zoomAtCursor(2),
  a: () => pan(-.25, 0), d: () => pan(.25, 0), f: fillScreen, escape: release, 0: () => showWhole(), home: () => showWhole(),
  enter: (map) => view.cursor >= 0 && keepBlock(map, view.row, view.address),
};

const keysHint = "In a map: a click keeps a block and Escape releases it; drag to pan; Ctrl and the wheel, a pinch or a double click zoom. Keys: arrows go " +
  "to the next event and the next block, with Shift they pan; W and S or + and \u2212 zoom, A and D pan, 0 shows all, F fills the screen. A pixel that " +
  "several blocks share has their mean colour, fainter if they leave some of it free.";

function listenToKeys(map) {
  map.canvas.addEventListener("keydown", (event) => {
    const right = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0, up = { ArrowUp: 1, ArrowDown: -1 }[event.key] ?? 0;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = mapKeys[event.key.toLowerCase()];
    if (act) act(map);
    else if (right === 0 && up === 0) return;
    else if (event.shiftKey) pan(right / 4, up / 4);
    else stepCursor(map, right, up);
    event.preventDefault();
  });
  map.canvas.addEventListener("focus", () => { if (view.cursor < 0 && !report.isHeld) stepCursor(map, 0, 1); });
  map.canvas.addEventListener("blur", hideDetails);
}
