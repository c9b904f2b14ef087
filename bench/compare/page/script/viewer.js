// The memory map: its view, its controls, and the block under the pointer or the cursor.
"use strict";

// The view. `managers` has one or two; `from` and `to` are rows, or with `byTime`
// microseconds; `low` and `high` are quanta.
hbm.view = { workload: 0, managers: [0], from: 0, to: 1, low: 0, high: 1, byTime: false, colour: "size", row: 0, address: 0, cursor: -1, kept: null };
hbm.shown = [];  // for each manager: its canvas, its replay, and where the map is on the canvas

hbm.make = function (kind, attributes = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

hbm.choice = function (label, options, selected, change) {
  const select = hbm.make("select", { onchange: () => change(select.value) });
  for (const [value, words] of options)
    select.append(hbm.make("option", { value, selected: String(value) === String(selected) }, words));
  return hbm.make("label", {}, hbm.make("span", {}, label), select);
};

hbm.button = (words, label, press) =>
  hbm.make("button", { type: "button", "aria-label": label, title: label, onclick: press }, words);

hbm.cellOf = (workload, manager) => {
  const about = hbm.data.workloads[workload];
  return about.cells[about.cell_of[manager]];
};

// Returns the highest address to be shown, in quanta: the capacity, or the highest end under unlimited memory.
hbm.topOf = function (view) {
  const about = hbm.data.workloads[view.workload];
  return Math.max(1, ...view.managers.map((manager) => {
    const cell = hbm.cellOf(view.workload, manager);
    return (cell.capacity === null ? cell.highest * 1.02 : cell.capacity) / about.quantum;
  }));
};

hbm.whole = function () {
  const view = hbm.view;
  Object.assign(view, { from: 0, to: hbm.extentOf(view), low: 0, high: hbm.topOf(view) });
};

hbm.controls = function () {
  const view = hbm.view, about = hbm.data.workloads[view.workload];
  const names = hbm.data.managers.map((name, at) => [at, name]);
  const set = (change) => { change(); Object.assign(view, { cursor: -1, kept: null }); hbm.whole(); hbm.show(); };
  const ways = [["size", "size"], ["lifetime", "lifetime"], ["kind", "kind"]];
  if (about.tags.length > 1) ways.unshift(["tag", "tag"]);
  return hbm.make("div", { class: "controls" },
    hbm.choice("Workload", hbm.data.workloads.map((each, at) => [at, each.name]), view.workload,
      (value) => set(() => { view.workload = Number(value); view.colour = hbm.usualColour(view.workload); view.byTime &&= hbm.hasTimes(view.workload); })),
    hbm.choice("Manager", names, view.managers[0], (value) => set(() => { view.managers[0] = Number(value); })),
    hbm.choice("Compare with", [["", "nothing"], ...names], view.managers[1] ?? "",
      (value) => set(() => { view.managers = value === "" ? [view.managers[0]] : [view.managers[0], Number(value)]; })),
    hbm.choice("Colour by", ways, view.colour, (value) => { view.colour = value; hbm.show(); }),
    ...(hbm.hasTimes(view.workload) ? [hbm.choice("Across", [["events", "events"], ["time", "time"]], view.byTime ? "time" : "events",
      (value) => { hbm.setAxis(value === "time"); hbm.show(); })] : []));
};

// The buttons below the maps.
hbm.zoomButtons = () => hbm.make("div", { class: "buttons", role: "group", "aria-label": "Places and zoom" }, ...hbm.places(),
    hbm.button("+", "Zoom into time", () => hbm.zoom(.5, 1)), hbm.button("\u2212", "Zoom out of time", () => hbm.zoom(2, 1)),
    hbm.button("\u2195+", "Zoom into addresses", () => hbm.zoom(1, .5)),
    hbm.button("\u2195\u2212", "Zoom out of addresses", () => hbm.zoom(1, 2)),
    hbm.button("\u25c0", "Earlier", () => hbm.pan(-.25, 0)), hbm.button("\u25b6", "Later", () => hbm.pan(.25, 0)),
    hbm.button("\u25b2", "Higher addresses", () => hbm.pan(0, .25)), hbm.button("\u25bc", "Lower addresses", () => hbm.pan(0, -.25)),
    hbm.button("all", "Show all", () => { hbm.whole(); hbm.repaint(); }));

hbm.usualColour = (workload) => hbm.data.workloads[workload].tags.length > 1 ? "tag" : "size";

// Keeps a range within its bounds, and no shorter than `least`.
hbm.within = function (from, to, top, least) {
  const length = Math.min(Math.max(to - from, least), top);
  from = Math.min(Math.max(from, 0), top - length);
  return [from, from + length];
};

hbm.limit = function (from, to, low, high, paint = hbm.repaint) {
  const view = hbm.view;
  [view.from, view.to] = hbm.within(from, to, hbm.extentOf(view), 4);
  [view.low, view.high] = hbm.within(low, high, hbm.topOf(view), 4);
  paint();
};

// Zooms around a place of the view, given as shares of it.
hbm.zoom = function (across, up, x = .5, y = .5, paint = hbm.repaint) {
  const { from, to, low, high } = hbm.view, row = from + (to - from) * x, address = low + (high - low) * y;
  hbm.limit(row - (row - from) * across, row + (to - row) * across, address - (address - low) * up, address + (high - address) * up, paint);
};

hbm.pan = function (across, up) {
  const { from, to, low, high } = hbm.view, wide = (to - from) * across, tall = (high - low) * up;
  hbm.limit(from + wide, to + wide, low + tall, high + tall);
};

// Returns the need of a manager and its moves, evictions and their time.
hbm.costInWords = function (manager) {
  const row = hbm.data.results.rows[hbm.view.workload * hbm.data.managers.length + manager], words = [];
  const needs = row.min_capacity_bytes ?? row.footprint_bytes, time = (value) => hbm.timeInWords(value, 10 ** Math.max(0, Math.floor(Math.log10(value || 1)) - 1));
  if (row.completed && needs !== null) words.push("needs " + hbm.sizeInWords(needs));
  if (row.moves) words.push(`${hbm.grouped(row.moves)} moves of ${hbm.sizeInWords(row.moved_bytes)} take ${time(row.move_us)}`);
  if (row.evictions) words.push(`${hbm.grouped(row.evictions)} evictions, reloads take ${time(row.reload_us)}`);
  if (row.completed && !row.moves && !row.evictions) words.push("nothing is moved or evicted");
  return words.join(", ");
};

hbm.mapFigure = function (manager, number) {
  const name = hbm.data.managers[manager], cell = hbm.cellOf(hbm.view.workload, manager);
  const canvas = hbm.make("canvas", { tabindex: 0, role: "application", "aria-describedby": "map-keys",
    "aria-label": `Memory of ${name} over time. Arrow keys move a cursor from block to block.` });
  const caption = hbm.make("figcaption", {}, hbm.make("b", {}, name), hbm.make("span", {}, hbm.costInWords(manager)),
    cell.failed === null ? "" : hbm.make("span", { class: "fails" }, ` fails at event ${hbm.grouped(cell.failed)}: ${cell.error}`,
      " ", hbm.make("a", { href: `#failure-${hbm.view.workload}-${hbm.data.workloads[hbm.view.workload].cell_of[manager]}` }, "why, and what helps")));
  const shown = { canvas, manager, replay: null, area: null };
  hbm.shown[number] = shown;
  hbm.listen(shown);
  return hbm.make("figure", { class: hbm.view.managers.length > 1 ? "map half" : "map" }, caption, hbm.make("div", { class: "canvas" }, canvas));
};

// Builds the viewer for the view, and paints when the replays are unpacked.
hbm.show = async function () {
  const view = hbm.view, viewer = document.getElementById("viewer"), about = hbm.data.workloads[view.workload];
  const turn = hbm.turn = {};
  const focus = document.activeElement && viewer.contains(document.activeElement)
    ? [...viewer.querySelectorAll("select,button,canvas")].indexOf(document.activeElement) : -1;
  hbm.shown = [];
  const maps = view.managers.map(hbm.mapFigure);
  const curves = hbm.make("canvas", { class: "curves", role: "img", "aria-label": "Curves of memory over time; the text says the values at the cursor" });
  const readout = hbm.make("div", { id: "readout", role: "status", "aria-live": "polite" }, "unpacking\u2026");
  const pane = hbm.make("section", { id: "pane", "aria-label": "Kept block, and all that is live then" });
  viewer.replaceChildren(hbm.controls(), ...maps, readout, hbm.zoomButtons(), pane, hbm.mapLegend(), hbm.make("figure", { class: "map" }, hbm.curveLegend(), curves),
    hbm.make("p", { id: "map-keys", class: "note" },
      "In the map: a click keeps a block, arrow keys go to the next event and the next block, Shift with arrow keys pans, + and \u2212 or W and S zoom, A and D pan, 0 shows all. " +
      "Drag to pan, turn the wheel with Ctrl to zoom, double-click to zoom in. Pixels shared by several blocks show " +
      "their average colour; fainter means less covered."));
  if (focus >= 0) viewer.querySelectorAll("select,button,canvas")[focus]?.focus({ preventScroll: true });
  hbm.curvesCanvas = curves;
  let trace = null;
  try {
    trace = await hbm.traceOf(view.workload);
    const replays = await Promise.all(view.managers.map((manager) => hbm.replayOf(view.workload, manager)));
    if (turn !== hbm.turn) return;
    replays.forEach((replay, number) => { hbm.shown[number].replay = replay; });
  } catch (problem) {
    readout.textContent = "This browser cannot unpack the replay: " + problem;
    throw problem;
  }
  view.tags = about.tags;
  if (hbm.shown.some((each) => each.replay === null)) readout.textContent = "The addresses are too large for this page.";
  else readout.textContent = "Point at a block, tap it, or move the cursor with the arrow keys.";
  hbm.repaint();
  hbm.fillPane();
  if (view.cursor >= 0) hbm.pick(hbm.shown[Math.min(view.cursor, hbm.shown.length - 1)], view.row, view.address);
};

hbm.repaint = function () {
  if (hbm.shown.length === 0) return;  // the window changed before there was anything to paint
  const view = hbm.view, about = hbm.data.workloads[view.workload];
  for (const each of hbm.shown) {
    if (!each.replay) return;
    const cell = hbm.cellOf(view.workload, each.manager);
    each.area = hbm.paintMap(each.canvas, each.replay, view, { quantum: about.quantum, failed: cell.failed, isLimited: cell.capacity !== null });
    each.bitmap = hbm.bitmapOf(each);
    hbm.paintCursor(each);
    hbm.paintKept(each);
  }
  const limited = view.managers.map(hbm.isLimited);
  hbm.paintCurves(hbm.curvesCanvas, hbm.shown.map((each) => each.replay), { ...view, low: 0, high: hbm.topOf(view) }, about, limited);
  document.getElementById("map").dataset.painted = String(performance.now());
  hbm.keep();
};

// Returns a copy of a painted map with the view that it shows.
hbm.bitmapOf = function ({ canvas, area }) {
  const { scale } = area, copy = new OffscreenCanvas(Math.round(area.width * scale), Math.round(area.height * scale));
  copy.getContext("2d").drawImage(canvas, -area.x * scale, -area.y * scale);
  const { from, to, low, high } = hbm.view;
  return { copy, from, to, low, high };
};

// Shows the copies of the maps where they lie in the present view: enough while a hand moves them.
hbm.preview = function () {
  const view = hbm.view, theme = hbm.theme();
  for (const { area, bitmap } of hbm.shown) {
    if (!bitmap) continue;
    const { context } = area, across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
    context.save();
    context.beginPath();
    context.rect(area.x, area.y, area.width, area.height);
    context.clip();
    context.fillStyle = theme.paper;
    context.fillRect(area.x, area.y, area.width, area.height);
    context.drawImage(bitmap.copy, area.x + (bitmap.from - view.from) * across, area.y + (view.high - bitmap.high) * up,
      (bitmap.to - bitmap.from) * across, (bitmap.high - bitmap.low) * up);
    context.restore();
  }
  hbm.shown.forEach(hbm.paintCursor);
  hbm.shown.forEach(hbm.paintKept);
};

// Requests one preview for the next image of the screen, and a whole picture when nothing has moved for a while.
hbm.move = function () {
  if (!hbm.isMoving) requestAnimationFrame(() => { hbm.isMoving = false; hbm.preview(); });
  hbm.isMoving = true;
  clearTimeout(hbm.settling);
  hbm.settling = setTimeout(hbm.repaint, 150);
};

hbm.swatch = (colour, words) => hbm.make("span", { class: "key" },
  hbm.make("i", { style: `background:rgb(${colour.join(",")})` }), words);

hbm.mapLegend = function () {
  const view = hbm.view, about = hbm.data.workloads[view.workload], list = hbm.make("p", { class: "legend" });
  if (view.colour === "size" || view.colour === "lifetime")
    list.append(hbm.make("span", {}, view.colour === "size" ? "small" : "short"), ...hbm.ramp.map((each) => hbm.swatch(each, "")),
      hbm.make("span", {}, view.colour === "size" ? "large" : "long"));
  else if (view.colour === "tag") hbm.traceOf(view.workload).then(() => hbm.tagLegend(list));
  hbm.kindLegend(list);
  return list;
};

// Adds the kinds of blocks and of marks that the maps have.
hbm.kindLegend = async function (list) {
  const view = hbm.view, kinds = new Set(), marks = new Set();
  for (const replay of await Promise.all(view.managers.map((manager) => hbm.replayOf(view.workload, manager)))) {
    if (!replay) continue;
    for (const block of replay.place.block) kinds.add(replay.block.kind[block]);
    for (const mark of hbm.marksOf(replay)) marks.add(mark.kind);
  }
  const listed = view.colour === "kind" ? [1, 5, 2, 3, 4] : [2, 3, 4];
  list.append(...listed.filter((kind) => kinds.has(kind)).map((kind) => hbm.swatch(hbm.kindColours[kind], hbm.kinds[kind])),
    ...[["moved", "moves"], ["evicted", "evictions"], ["reloaded", "reloads"]].filter(([kind]) => marks.has(kind))
      .map(([kind, words]) => hbm.make("span", { class: "key mark " + kind }, words)));
};

hbm.tagLegend = async function (list) {
  const view = hbm.view, tags = hbm.data.workloads[view.workload].tags;
  const replay = await hbm.replayOf(view.workload, view.managers[0]);
  if (!replay) return;
  const order = [...hbm.tagOrder(replay)].sort((a, b) => a[1] - b[1]);
  list.prepend(...order.slice(0, 6).map(([tag, rank]) => hbm.swatch(hbm.palette[rank], tags[tag] || "(no tag)")),
    ...(order.length > 6 ? [hbm.swatch(hbm.palette[6], order.length === 7 ? "another tag" : `${order.length - 6} more tags`)] : []));
};

// Returns false for unlimited memory, in which the largest free block has no end.
hbm.isLimited = (manager) => hbm.cellOf(hbm.view.workload, manager).capacity !== null;

hbm.curveLegend = () => hbm.make("figcaption", {}, "Over the same time: ",
  ...[["live", "bytes in use"], ["end", "highest end"], ["largest", "largest free block"],
    ["scattered", "fragmentation: share of free memory outside it, 0 to 100 %"]]
    .slice(0, hbm.view.managers.some(hbm.isLimited) ? 4 : 2).map(([name, words]) => hbm.make("span", { class: "key line " + name }, words)),
  hbm.view.managers.length > 1 ? hbm.make("span", { class: "key" }, "dashed: the manager compared with it") : "");
