// The report: the answer, the matrix, the maps, the failures and all figures. The address keeps the view:
// #cell=0.3&beside=5&time=10-200&addresses=0-4096&...

let report = null;

// Draws the report that a document holds into an element.
function openReport(parts, root) {
  const data = JSON.parse(parts.getElementById("report-data").textContent);
  report = { data, parts, traces: {}, replays: {}, sorted: { column: -1, down: false }, keepsAddress: parts === document, isWaiting: false, isHeld: false };
  shown = [];
  const [first, ...others] = data.answer, count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
  root.replaceChildren(
    make("header", {}, make("p", { class: "kicker" }, `hbm_compare: ${count(data.order.length, "manager")}, ${count(data.workloads.length, "workload")}`),
      make("h1", {}, first), ...others.map((each) => make("p", {}, each)), data.type ? make("pre", { tabindex: 0 }, make("code", {}, data.type)) : null),
    makeMatrix(), make("section", { id: "map", "aria-label": "Memory over time" }),
    ...(data.failures.length > 0 ? [make("section", { id: "failures" }, make("h2", {}, "Failures, and what helps"), ...data.failures.map(makeFailure))] : []),
    make("section", { id: "figures" }, make("h2", {}, "All figures"), ...data.workloads.map((_, workload) => makeFigures(workload))),
    make("div", { id: "details", role: "status", "aria-live": "polite", hidden: true }));
  if (report.keepsAddress) document.title = first;
  if (!restoreAddress()) chooseFirst();
  fillMatrix();
  // The page is painted before replays are read.
  const begin = () => setTimeout(showMaps);
  if (document.hidden) begin(); else requestAnimationFrame(begin);
}

// Returns the first sentence of the reason of a failure.
const reasonOf = (failure) => /^Reason: (.*?[.])( |$)/m.exec(failure?.text ?? "")?.[1] ?? "";

// Returns a failure as its sentence, with the whole explanation behind it.
function makeFailure(failure) {
  const { workload, cell, title, text } = failure;
  return make("details", { id: `failure-${workload}-${cell}` }, make("summary", {}, make("b", {}, title), `: ${reasonOf(failure)}`), make("pre", { tabindex: 0 }, text));
}

// Chooses the first maps: the recommended manager above that of the runtime or best fit, on a workload with tags, and of
// these on the one where they differ most.
function chooseFirst() {
  const { best, workloads } = report.data;
  const need = (workload, manager) => { const row = resultOf(workload, manager); return row.completed ? row.min_capacity_bytes ?? row.footprint_bytes ?? 1 : 2e15; };
  let most = -1;
  workloads.forEach(({ maps, tags, duration, rows }, workload) => {
    if (maps.length === 0 || rows === 0) return;
    const [taken, other = taken] = maps, gain = need(workload, other) / need(workload, taken), value = (tags.length > 1 ? 1e6 : 0) + Math.min(gain, 1e5);
    if (value > most) [most, view] = [value, { ...view, workload, managers: taken === other || best === null ? [taken] : [taken, other] }];
  });
  if (most < 0) view.managers = workloads[0].maps.slice(0, 1);
  Object.assign(view, { from: 0, to: Infinity, low: 0, high: Infinity, colour: usualColour(view.workload), byTime: false, cursor: -1, kept: null });
}

// Returns what a manager needs and spends, in words.
function costInWords(manager) {
  const row = resultOf(view.workload, manager), needs = row.min_capacity_bytes ?? row.footprint_bytes, words = [];
  if (row.completed && needs !== null) words.push("needs " + sizeInWords(needs));
  if (row.moves) words.push(`${grouped(row.moves)} moves of ${sizeInWords(row.moved_bytes)} take ${durationInWords(row.move_us)}`);
  if (row.evictions) words.push(`${grouped(row.evictions)} evictions, reloads take ${durationInWords(row.reload_us)}`);
  if (row.completed && !row.moves && !row.evictions) words.push("nothing is moved or evicted");
  return words.join(", ");
}

function makeMap(map) {
  const { manager, canvas } = map, row = resultOf(view.workload, manager);
  listenToPointers(map);
  listenToKeys(map);
  const cell = workloadOf().cell_of[manager], failure = report.data.failures.find((each) => each.workload === view.workload && each.cell === cell);
  const why = failure ? make("a", { href: `#failure-${view.workload}-${cell}` }, "why, and what helps") : null;
  return make("figure", { class: shown.length > 1 ? "map half" : "map" }, make("figcaption", {}, make("b", { title: report.data.managers[manager] }, shortName(manager)),
    make("span", {}, costInWords(manager)),
    row.completed ? null : make("span", { class: "fails" }, `fails at event ${grouped(row.failed_event)}: ${reasonOf(failure) || row.error} `, why)), make("div", { class: "canvas" }, canvas));
}

function makeControls() {
  const { workload, managers, colour, byTime } = view, { maps, tags } = workloadOf(), names = maps.map((each) => [each, shortName(each), report.data.managers[each]]);
  const change = (part) => { Object.assign(view, { from: 0, to: Infinity, low: 0, high: Infinity, cursor: -1, kept: null }, part); showMaps(); };
  const chooseWorkload = (next) => {
    const own = report.data.workloads[next].maps, kept = managers.map((each) => mapOf(next, each)).filter((each) => each !== undefined);
    change({ workload: next, managers: kept.length > 0 ? [...new Set(kept)] : own.slice(0, 1), colour: usualColour(next), byTime: false });
  };
  const failing = shown.find(hasFailed);
  return make("div", { class: "controls" },
    makeMenu("Workload", report.data.workloads.map((each, at) => [at, titleOf(at), each.name]), workload, (value) => chooseWorkload(Number(value))),
    makeMenu("Manager", names, managers[0], (value) => change({ managers: [Number(value), ...managers.slice(1)] })),
    makeMenu("Compare with", [["", "nothing"], ...names], managers[1] ?? "", (value) => change({ managers: value === "" ? [managers[0]] : [managers[0], Number(value)] })),
    makeMenu("Colour by", [...(tags.length > 1 ? [["tag", "tag"]] : []), ["size", "size"], ["lifetime", "lifetime"], ["kind", "kind"]], colour,
      (value) => { view.colour = value; showMaps(); }),
    hasTimes() ? makeMenu("Across", [["", "events"], ["time", "time"]], byTime ? "time" : "", (value) => { setAxis(value === "time"); showMaps(); }) : null,
    make("span", { class: "buttons", role: "group", "aria-label": "Places and zoom" },
      makeButton("Peak", "Go to the peak of the upper map, and its largest block", () => goTo(shown[0], peakOf(shown[0].replay))),
      failing ? makeButton("Failure", "Go to the failure, and the block in the way", () => goToFailure(failing)) : null,
      makeButton("+", "Zoom in", () => zoomAtCursor(.5)), makeButton("\u2212", "Zoom out", () => zoomAtCursor(2)), makeButton("All", "Show all", showWhole),
      document.fullscreenEnabled ? makeButton("Full screen", "Full screen", fillScreen) : null));
}

// Reads the replays of the view, and builds and paints their maps. Does nothing if another view was chosen meanwhile.
async function showMaps() {
  const turn = report.turn = {}, section = document.getElementById("map"), { rows, quantum, findings } = workloadOf();
  const focus = [...section.querySelectorAll("select,button,canvas[tabindex]")].indexOf(document.activeElement);
  hideDetails();
  let replays = [];
  try {
    replays = await Promise.all(view.managers.map((manager) => keptReplay(view.workload, manager)));
  } catch (problem) {
    section.replaceChildren(make("p", { class: "note" }, `This browser cannot unpack the replay: ${problem}`));
    throw problem;
  }
  if (turn !== report.turn) return;
  shown = replays.map((replay) => ({ replay, manager: replay.manager, canvas: make("canvas", { tabindex: 0, role: "application", "aria-describedby": "map-keys",
    "aria-label": `Memory of ${shortName(replay.manager)} over time. Arrow keys move a cursor from block to block.` }) }));
  const about = `${grouped(rows)} events, ${sizeInWords(resultOf(view.workload, 0).peak_live_bytes ?? 0)} in use at the peak, in quanta of ${sizeInWords(quantum)}`;
  const told = make("div", { class: "told" }, make("p", { class: "note" }, about), make("ul", { class: "findings" }, ...findings.map((each) => make("li", {}, each))));
  if (shown.length === 0) {
    section.replaceChildren(makeControls(), make("p", { class: "note" }, "The map of so many events is left out."), told);
    section.dataset.painted = "none";
    return;
  }
  scale = scaleOf(shown[0].replay, view.colour);
  section.replaceChildren(makeControls(), make("div", { class: "viewer" },
    make("div", {}, ...shown.map(makeMap), makeLegend(), makeChart()), make("section", { id: "pane", "aria-label": "Selected block, and all that is live then" })),
    told, make("p", { id: "map-keys", class: "note" }, keysHint));
  [...section.querySelectorAll("select,button,canvas[tabindex]")][focus]?.focus({ preventScroll: true });
  fillPane();
  limitView(view.from, view.to, view.low, view.high);
  markCells();
}

// Writes the view into the address, without a step in the browser's history.
function keepAddress() {
  if (!report.keepsAddress || report.isHeld) return;
  const { workload, managers, from, to, low, high, byTime, colour, cursor, row, address } = view, { column, down } = report.sorted;
  const parts = [`cell=${workload}.${managers[0]}`], round = (value) => Math.round(value * 1000) / 1000;
  if (managers.length > 1) parts.push(`beside=${managers[1]}`);
  if (shown.length > 0 && (from > 0 || to < extentOf())) parts.push(`time=${round(from)}-${round(to)}`);
  if (shown.length > 0 && (low > 0 || high < topOf())) parts.push(`addresses=${round(low)}-${round(high)}`);
  if (byTime) parts.push("axis=time");
  if (colour !== usualColour(workload)) parts.push(`colour=${colour}`);
  if (cursor >= 0) parts.push(`at=${cursor}.${row}.${Math.floor(address)}`);
  if (column >= 0) parts.push(`sort=${column}${down ? "d" : ""}`);
  history.replaceState(null, "", "#" + parts.join("&"));
}

// Reads the view from the address; false if the address is of something else.
function restoreAddress() {
  const parts = new Map(location.hash.slice(1).split("&").map((each) => each.split("=", 2)));
  const numbers = (name, mark) => (parts.get(name) ?? "").split(mark).map(Number), [workload, manager] = numbers("cell", ".");
  const maps = report.data.workloads[workload]?.maps ?? [];
  if (!maps.includes(manager)) return false;
  const beside = Number(parts.get("beside")), [from, to] = numbers("time", "-"), [low, high] = numbers("addresses", "-"), [, row, address] = numbers("at", ".");
  Object.assign(view, { workload, managers: [manager], cursor: -1, kept: null, byTime: false, from: 0, to: Infinity, low: 0, high: Infinity, row, address });
  if (parts.has("beside") && maps.includes(beside)) view.managers.push(beside);
  view.colour = ["tag", "size", "lifetime", "kind"].includes(parts.get("colour")) ? parts.get("colour") : usualColour(workload);
  view.byTime = parts.get("axis") === "time" && hasTimes();
  if (to > from) Object.assign(view, { from, to });
  if (high > low) Object.assign(view, { low, high });
  if (row >= 0 && address >= 0) view.cursor = Math.min(numbers("at", ".")[0], view.managers.length - 1);
  if (/^[0-9]+d?$/.test(parts.get("sort") ?? "")) report.sorted = { column: parseInt(parts.get("sort"), 10), down: parts.get("sort").endsWith("d") };
  return true;
}

// Follows a link of the page: to a map, or to a failure, which is opened.
function followAddress() {
  if (!report) return;
  const named = document.getElementById(location.hash.slice(1));
  if (named?.tagName === "DETAILS") named.open = true;
  else if (restoreAddress()) showMaps().then(() => document.getElementById("map").scrollIntoView());
}

window.addEventListener("hashchange", followAddress);
window.addEventListener("resize", () => report && repaint());
window.addEventListener("scroll", hideDetailsOnScroll, { passive: true });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => report && repaint());
// A printer gets the colours of paper, and everything at once.
for (const [event, isPrinting] of [["beforeprint", true], ["afterprint", false]])
  window.addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", isPrinting);
    if (report && shown.length > 0) paintAll();
  });

function hideDetailsOnScroll() {
  if (report) hideDetails();
}
