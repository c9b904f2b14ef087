// The memory maps, and the pictures below them.
"use strict";

// Returns the need of a manager and its moves, evictions and their time.
hbm.costInWords = function (manager) {
  const row = hbm.resultOf(hbm.view.workload, manager), words = [];
  const needs = row.min_capacity_bytes ?? row.footprint_bytes, time = (value) => hbm.timeInWords(value, 10 ** Math.max(0, Math.floor(Math.log10(value || 1)) - 1));
  if (row.completed && needs !== null) words.push("needs " + hbm.sizeInWords(needs));
  if (row.moves) words.push(`${hbm.grouped(row.moves)} moves of ${hbm.sizeInWords(row.moved_bytes)} take ${time(row.move_us)}`);
  if (row.evictions) words.push(`${hbm.grouped(row.evictions)} evictions, reloads take ${time(row.reload_us)}`);
  if (row.completed && !row.moves && !row.evictions) words.push("nothing is moved or evicted");
  return words.join(", ");
};

hbm.mapFigure = function (manager, number) {
  const name = hbm.nameOf(manager), type = hbm.data.managers[manager], cell = hbm.cellOf(hbm.view.workload, manager);
  const canvas = hbm.make("canvas", { tabindex: 0, role: "application", "aria-describedby": "map-keys",
    "aria-label": `Memory of ${name} over time. Arrow keys move a cursor from block to block.` });
  const reason = `failure-${hbm.view.workload}-${hbm.data.workloads[hbm.view.workload].cell_of[manager]}`;
  const caption = hbm.make("figcaption", {}, hbm.make("b", { title: type }, name), hbm.make("span", {}, hbm.costInWords(manager)),
    cell.failed === null ? "" : hbm.make("span", { class: "fails" }, ` fails at event ${hbm.grouped(cell.failed)}: ${cell.error}`,
      ...(document.getElementById(reason) ? [" ", hbm.make("a", { href: "#" + reason }, "why, and what helps")] : [])));
  const shown = hbm.shown[number] = { canvas, manager, replay: null, picture: null, get area() { return this.picture?.area ?? null; } };
  hbm.listenToPointers(shown);
  hbm.listenToKeys(shown);
  return hbm.make("figure", { class: hbm.view.managers.length > 1 ? "map half" : "map" }, caption, hbm.make("div", { class: "canvas" }, canvas));
};

hbm.keysHint = "In the map: a click keeps a block and Escape releases it, arrow keys go to the next event and the next block, Shift with arrow keys pans, W and S or + and \u2212 zoom, " +
  "A and D pan, 0 shows all, F fills the screen. Drag to pan, turn the wheel with Ctrl or pinch to zoom, double-click to zoom in. Pixels shared by several blocks show " +
  "their average colour; fainter means less covered.";

// Loads the replays of the view into the maps. Returns false if the reader has chosen another view meanwhile.
hbm.loadReplays = async function () {
  const view = hbm.view, turn = hbm.turn = {};
  const replays = await Promise.all(view.managers.map((manager) => hbm.replayOf(view.workload, manager)));
  if (turn !== hbm.turn) return false;
  replays.forEach((replay, number) => { hbm.shown[number].replay = replay; });
  return true;
};

// Makes the pictures of the replays that are shown.
hbm.makePictures = function (curves, stack) {
  const view = hbm.view;
  hbm.scale = hbm.scaleOf(hbm.shown[0].replay, view.colour);
  for (const shown of hbm.shown) shown.picture = hbm.mapPicture(shown);
  hbm.below = [hbm.curvesPicture(curves), hbm.stackPicture(stack)];
  hbm.fillLegend(document.querySelector("#viewer .legend"));
  document.getElementById("sizes").replaceChildren(hbm.sizesFigure(hbm.shown[0]));
  hbm.paintStrip();
  hbm.repaint();
  hbm.fillPane();
  if (view.cursor >= 0) hbm.pick(hbm.shown[Math.min(view.cursor, hbm.shown.length - 1)], view.row, view.address);
};

// Builds the viewer for the view, and paints when the replays are unpacked.
hbm.show = async function () {
  const view = hbm.view, viewer = document.getElementById("viewer");
  const stops = () => [...viewer.querySelectorAll("select,button,canvas[tabindex]")], focus = stops().indexOf(document.activeElement);
  hbm.shown = [];
  hbm.below = [];
  const maps = view.managers.map(hbm.mapFigure), canvas = (label) => hbm.make("canvas", { class: "curves", role: "img", "aria-label": label });
  const curves = canvas("Curves of memory over time; the text says the values at the cursor"), stack = canvas(`Bytes in use by ${view.colour} over time`);
  const readout = hbm.make("div", { id: "readout", role: "status", "aria-live": "polite" }, "unpacking\u2026");
  viewer.replaceChildren(hbm.controls(), ...maps, hbm.strip(), readout, hbm.zoomButtons(),
    hbm.make("section", { id: "pane", "aria-label": "Selected block, and all that is live then" }), hbm.make("p", { class: "legend" }),
    hbm.make("figure", { class: "map" }, hbm.curveLegend(), curves),
    hbm.make("div", { class: "pair" }, hbm.make("figure", { class: "map" }, hbm.stackLegend(), stack), hbm.make("div", { id: "sizes" })),
    hbm.make("p", { id: "map-keys", class: "note" }, hbm.keysHint));
  if (focus >= 0) stops()[focus]?.focus({ preventScroll: true });
  try {
    if (!await hbm.loadReplays()) return;
  } catch (problem) {
    readout.textContent = "This browser cannot unpack the replay: " + problem;
    throw problem;
  }
  if (hbm.shown.some((each) => each.replay === null)) {
    readout.textContent = "The replay is too large for this page; its picture is below.";
    return;
  }
  readout.textContent = "Point at a block, tap it, or move the cursor with the arrow keys.";
  hbm.makePictures(curves, stack);
};
