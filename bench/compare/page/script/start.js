// The address of the page keeps the view: #cell=0.3&beside=5&time=10-200&addresses=0-4096&...
"use strict";

// Writes the view into the address, without a step in the browser's history.
hbm.keep = function () {
  const view = hbm.view, parts = [`cell=${view.workload}.${view.managers[0]}`];
  if (view.managers.length > 1) parts.push(`beside=${view.managers[1]}`);
  const round = (value) => Math.round(value * 1000) / 1000;
  if (view.from > 0 || view.to < hbm.extentOf(view)) parts.push(`time=${round(view.from)}-${round(view.to)}`);
  if (view.byTime) parts.push("axis=time");
  if (view.low > 0 || view.high < hbm.topOf(view)) parts.push(`addresses=${round(view.low)}-${round(view.high)}`);
  if (view.colour !== hbm.usualColour(view.workload)) parts.push(`colour=${view.colour}`);
  if (view.cursor >= 0) parts.push(`at=${view.cursor}.${view.row}.${Math.floor(view.address)}`);
  if (hbm.sorted.column >= 0) parts.push(`sort=${hbm.sorted.column}${hbm.sorted.down ? "d" : ""}`);
  for (const axis of hbm.axes) if (hbm.filters[axis]) parts.push(`${axis}=${encodeURIComponent(hbm.filters[axis])}`);
  history.replaceState(null, "", "#" + parts.join("&"));
  hbm.markCell();
};

// Reads the view from the address; false if the address is of something else.
hbm.restore = function () {
  const parts = new Map(location.hash.slice(1).split("&").map((each) => each.split("=", 2)));
  const numbers = (name, mark) => (parts.get(name) || "").split(mark).map(Number);
  const [workload, manager] = numbers("cell", ".");
  if (!parts.has("cell") || !hbm.data.workloads[workload] || !(manager in hbm.data.managers)) return false;
  const view = hbm.view, beside = Number(parts.get("beside"));
  Object.assign(view, { workload, managers: [manager], cursor: -1, kept: null });
  if (parts.has("beside") && beside in hbm.data.managers) view.managers.push(beside);
  view.colour = ["tag", "size", "lifetime", "kind"].includes(parts.get("colour")) ? parts.get("colour") : hbm.usualColour(workload);
  view.byTime = parts.get("axis") === "time" && hbm.hasTimes(workload);
  hbm.whole();
  const [from, to] = numbers("time", "-"), [low, high] = numbers("addresses", "-");
  if (to > from) [view.from, view.to] = hbm.within(from, to, hbm.extentOf(view), 4);
  if (high > low) [view.low, view.high] = hbm.within(low, high, hbm.topOf(view), 4);
  const [cursor, row, address] = numbers("at", ".");
  if (parts.has("at") && cursor < view.managers.length && row >= 0 && address >= 0) Object.assign(view, { cursor, row, address });
  if (/^[0-9]+d?$/.test(parts.get("sort") || "")) hbm.sorted = { column: parseInt(parts.get("sort"), 10), down: parts.get("sort").endsWith("d") };
  for (const axis of hbm.axes) if (parts.has(axis)) hbm.filters[axis] = decodeURIComponent(parts.get(axis));
  return true;
};

// Returns the number of a workload or a manager that is given by its number or its name.
hbm.numberOf = function (given, names, what) {
  const at = typeof given === "string" ? names.indexOf(given) : given;
  if (!(at in names)) throw new RangeError(`found the ${what} ${given}, expected a number below ${names.length} or one of: ${names.join(", ")}`);
  return at;
};

// The interface for programs that read the page: the blocks after a row, in bytes, as the map shows them. Workload and
// manager are numbers or names.
window.hbmReport = {
  data: hbm.data,
  async blocksAt(workload, manager, row) {
    workload = hbm.numberOf(workload, hbm.data.workloads.map((each) => each.name), "workload");
    manager = hbm.numberOf(manager, hbm.data.managers, "manager");
    const replay = await hbm.replayOf(workload, manager);
    return hbm.blocksAt(replay, row, hbm.data.workloads[workload].quantum);
  },
  // Returns the colour of the map of the `number`th manager shown, at a row and an address in bytes: red, green, blue.
  pixelAt(number, row, address) {
    const { canvas, area, replay } = hbm.shown[number], view = hbm.view, scale = area.scale;
    const x = area.x + (hbm.middleOf(replay.trace, row) - view.from) / (view.to - view.from) * area.width;
    const up = (address / hbm.data.workloads[view.workload].quantum - view.low) / (view.high - view.low);
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, -Math.floor(x * scale), -Math.floor((area.y + area.height * (1 - up)) * scale));
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  },
};

// Opens the failure that the address names.
hbm.unfold = function () {
  const named = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (named && named.tagName === "DETAILS") { named.open = true; named.scrollIntoView(); }
};

// The first paint does not wait for replays. A page in the background is not painted; then a timer starts the work.
hbm.afterFirstPaint = function (work) {
  let waits = true;
  const once = () => { if (waits) { waits = false; setTimeout(work); } };
  new PerformanceObserver(once).observe({ type: "paint", buffered: true });
  setTimeout(once, 1500);
};

// Chooses the first picture: the plain manager, the one that people have or best fit, above the recommended one, on the workload on which they differ most.
hbm.chooseFirst = function () {
  const { best, simple, managers, workloads, results } = hbm.data, view = hbm.view;
  const row = (workload, manager) => results.rows[workload * managers.length + manager];
  const need = (each) => each.min_capacity_bytes ?? each.footprint_bytes ?? 1;
  const known = ["torch_caching", "best_fit"].map((name) => managers.indexOf(name)).find((at) => at >= 0) ?? -1, plain = known >= 0 && known !== best ? known : simple;
  let most = -1;
  view.managers = best === null ? [0] : plain === null ? [best] : [plain, best];
  if (view.managers.length > 1)
    workloads.forEach((_, at) => {
      const first = row(at, plain), taken = row(at, best);
      const differs = !taken.completed ? -1 : !first.completed ? 0.1 : need(first) / need(taken) - 1;
      if (differs > most) [most, view.workload] = [differs, at];
    });
  view.colour = hbm.usualColour(view.workload);
};

hbm.start = function () {
  document.documentElement.classList.add("has-scripts");
  const isView = hbm.restore();
  hbm.makeFilters();
  hbm.sort();
  hbm.listenToMatrix();
  if (!isView) {
    hbm.unfold();
    hbm.chooseFirst();
    hbm.whole();
  }
  hbm.afterFirstPaint(hbm.show);
  window.addEventListener("hashchange", () => {
    if (!hbm.restore()) return hbm.unfold();
    hbm.sort();
    hbm.show();
    document.getElementById("map").scrollIntoView();
  });
  for (const [event, isPrinting] of [["beforeprint", true], ["afterprint", false]])
    window.addEventListener(event, () => {
      document.documentElement.classList.toggle("printing", isPrinting);
      hbm.paintAll();
    });
  let waiting = 0;
  const again = () => { clearTimeout(waiting); waiting = setTimeout(() => { hbm.paintStrip(); hbm.repaint(); }, 60); };
  window.addEventListener("resize", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
};

hbm.start();
