// The report: the answer, the matrix, the maps, the failures and all figures.

let report = null;

// Draws the report that a document holds into an element.
function openReport(parts, root) {
  const data = JSON.parse(parts.getElementById("report-data").textContent), { headline, notes, tables } = data.answer;
  const types = [...new Set((tables[0]?.rows ?? []).map((each) => each.type).filter((each) => each !== null))];
  report = { data, parts, traces: {}, replays: {}, sorted: { column: -1, down: false }, keepsAddress: parts === document, isWaiting: false, isHeld: false };
  shown = [];
  const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
  root.replaceChildren(
    make("header", make("p.kicker", `hbm_compare: ${count(data.order.length, "manager")}, ${count(data.workloads.length, "workload")}`), make("h1", headline || "hbm_compare"),
      ...notes.map((each) => make("p", each.trim())), types.length > 0 && make("pre", { tabindex: 0 }, make("code", types.join("\n")))),
    makeMatrix(), make("section", { id: "map", "aria-label": "Memory over time" }),
    make("section", { id: "failures", hidden: data.failures.length === 0 }, make("h2", "Failures, and what helps"), ...data.failures.map(makeFailure)),
    make("section", { id: "figures" }, make("h2", "All figures"), ...data.workloads.map(makeFigures)),
    make("div", { id: "details", role: "status", "aria-live": "polite", hidden: true }));
  if (report.keepsAddress) document.title = headline || "hbm_compare";
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
  return make("details", { id: `failure-${workload}-${cell}` }, make("summary", make("b", title), `: ${reasonOf(failure)}`), make("pre", { tabindex: 0 }, text));
}

const wholeView = { from: 0, to: Infinity, low: 0, high: Infinity, cursor: -1, kept: null };

// Chooses the first maps: the recommended manager above that of the runtime or best fit, on a workload with tags, and of
// these on the one where they differ most.
function chooseFirst() {
  const { workloads } = report.data, failure = 2e15;
  const need = (workload, manager) => { const row = resultOf(workload, manager); return row.completed ? needOf(row) ?? 1 : failure; };
  let workload = 0, most = -1;
  workloads.forEach(({ maps, tags, rows }, at) => {
    if (maps.length === 0 || rows === 0) return;
    const gain = Math.min(need(at, maps[1] ?? maps[0]) / need(at, maps[0]), 1e5), value = gain + (tags.length > 1 ? 1e6 : 0);
    if (value > most) [most, workload] = [value, at];
  });
  view = { ...view, ...wholeView, workload, managers: workloads[workload].maps.slice(0, workloads[workload].best === null ? 1 : 2), colour: usualColour(workload), byTime: false };
}

// Returns what a manager needs and spends, in words.
function costInWords(manager) {
  const row = resultOf(view.workload, manager), needs = needOf(row), words = [];
  if (row.completed && needs !== null) words.push("needs " + sizeInWords(needs));
  if (row.moves) words.push(`${grouped(row.moves)} moves of ${sizeInWords(row.moved_bytes)} take ${durationInWords(row.move_us)}`);
  if (row.evictions) words.push(`${grouped(row.evictions)} evictions, reloads take ${durationInWords(row.reload_us)}`);
  if (row.completed && !row.moves && !row.evictions) words.push("nothing is moved or evicted");
  return words.join(", ");
}

// Returns the sentence about the failure of a manager, with a link to its explanation; null if it completes.
function makeFailureLink(manager) {
  const { completed, failed_event, error } = resultOf(view.workload, manager), cell = workloadOf().cell_of[manager];
  if (completed) return null;
  const failure = report.data.failures.find((each) => each.workload === view.workload && each.cell === cell);
  return make("span.fails", `fails at event ${grouped(failed_event)}: ${reasonOf(failure) || error} `,
    failure !== undefined && make("a", { href: `#failure-${view.workload}-${cell}` }, "why, and what helps"));
}

function makeMap(map) {
  const { manager, canvas } = map;
  listenToPointers(map);
  listenToKeys(map);
  const caption = make("figcaption", make("b", { title: report.data.managers[manager] }, shortName(manager)), make("span", costInWords(manager)), makeFailureLink(manager));
  return make(shown.length > 1 ? "figure.map.half" : "figure.map", caption, make("div.canvas", canvas));
}

function changeView(part) {
  Object.assign(view, wholeView, part);
  return showMaps();
}

function chooseWorkload(workload) {
  const kept = view.managers.map((each) => mapOf(workload, each)).filter((each) => each !== undefined);
  const managers = kept.length > 0 ? [...new Set(kept)] : report.data.workloads[workload].maps.slice(0, 1);
  changeView({ workload, managers, colour: usualColour(workload), byTime: false });
}

function makeControls() {
  const { workload, managers: [upper, lower], colour, byTime } = view, { maps, tags } = workloadOf();
  const names = maps.map((each) => [each, shortName(each), report.data.managers[each]]);
  const ways = (tags.length > 1 ? ["tag", "size", "lifetime", "kind"] : ["size", "lifetime", "kind"]).map((each) => [each, each]);
  return make("div.controls",
    makeMenu("Workload", report.data.workloads.map((each, at) => [at, titleOf(at), each.name]), workload, (value) => chooseWorkload(Number(value))),
    makeMenu("Manager", names, upper, (value) => changeView({ managers: lower === undefined ? [Number(value)] : [Number(value), lower] })),
    makeMenu("Compare with", [["", "nothing"], ...names], lower ?? "", (value) => changeView({ managers: value === "" ? [upper] : [upper, Number(value)] })),
    makeMenu("Colour by", ways, colour, (value) => { view.colour = value; showMaps(); }),
    hasTimes() && makeMenu("Across", [["", "events"], ["time", "time"]], byTime ? "time" : "", (value) => changeView({ byTime: value === "time" })),
    shown.length > 0 && makePlaces());
}

function makePlaces() {
  const [upper] = shown, failing = shown.find(hasFailed);
  return make("span.buttons", { role: "group", "aria-label": "Places and zoom" },
    makeButton("Peak", "Go to the peak of the upper map, and its largest block", () => goTo(upper, peakOf(upper.replay))),
    failing !== undefined && makeButton("Failure", "Go to the failure, and the block in the way", () => goToFailure(failing)),
    makeButton("+", "Zoom in", () => zoomAtCursor(.5)), makeButton("\u2212", "Zoom out", () => zoomAtCursor(2)),
    makeButton("All", "Show all", showWhole), document.fullscreenEnabled && makeButton("Full screen", "Full screen", fillScreen));
}

// Returns what else there is to say of the workload.
function makeAbout() {
  const { rows, quantum, findings } = workloadOf(), peak = resultOf(view.workload, 0).peak_live_bytes ?? 0;
  return make("div", make("p.note", `${grouped(rows)} events, ${sizeInWords(peak)} in use at the peak, in quanta of ${sizeInWords(quantum)}`),
    make("ul.findings", ...findings.map((each) => make("li", each))));
}

const makeMapCanvas = (manager) => make("canvas", { tabindex: 0, role: "application", "aria-describedby": "map-keys",
  "aria-label": `Memory of ${shortName(manager)} over time. Arrow keys move a cursor from block to block.` });

// Reads the replays of the view, and builds and paints their maps. Does nothing if another view was chosen meanwhile.
async function showMaps() {
  const turn = report.turn = {}, section = document.getElementById("map"), stops = () => [...section.querySelectorAll("select,button,canvas[tabindex]")];
  const focus = stops().indexOf(document.activeElement);
  hideDetails();
  let replays = [];
  try {
    replays = await Promise.all(view.managers.map((manager) => keptReplay(view.workload, manager)));
  } catch (problem) {
    section.replaceChildren(make("p.note", `This browser cannot unpack the replay: ${problem}`));
    throw problem;
  }
  if (turn !== report.turn) return;
  shown = replays.map((replay) => ({ replay, manager: replay.manager, canvas: makeMapCanvas(replay.manager) }));
  if (shown.length === 0) {
    section.replaceChildren(makeControls(), make("p.note", "The maps of so many events are left out."), makeAbout());
    section.dataset.painted = "none";
    return;
  }
  scale = scaleOf(shown[0].replay, view.colour);
  section.replaceChildren(makeControls(), make("div.viewer", make("div", ...shown.map(makeMap), makeLegend(), makeChart()),
    make("section", { id: "pane", "aria-label": "Selected block, and all that is live then" })), makeAbout(), make("p.note", { id: "map-keys" }, keysHint));
  stops()[focus]?.focus({ preventScroll: true });
  fillPane();
  limitView(view.from, view.to, view.low, view.high);
  markCells();
}

window.addEventListener("resize", () => report && repaint());
window.addEventListener("scroll", () => report && hideDetails(), { passive: true });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => report && repaint());
// A printer gets the colours of paper, and everything at once.
for (const [event, isPrinting] of [["beforeprint", true], ["afterprint", false]])
  window.addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", isPrinting);
    if (report && shown.length > 0) paintAll();
  });
