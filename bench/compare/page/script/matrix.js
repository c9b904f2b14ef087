// The matrix of managers and workloads, and all their figures.

// The upper limits of colours 0 to 6, of the memory needed as a multiple of the least possible and of microseconds of
// moves and reloads. Values above the last have colour 7.
const overheadLimits = [1.005, 1.02, 1.05, 1.1, 1.2, 1.4, 1.8];
const priceLimits = [0, 1e3, 5e3, 2e4, 5e4, 1e5, 5e5];
const levelIn = (limits, value) => limits.filter((limit) => value > limit).length;

// Returns the texts of a cell, its colour, and the number that it is sorted by.
function matrixCell(workload, manager) {
  const row = resultOf(workload, manager), { min_bytes, name } = report.data.workloads[workload], price = row.move_us + row.reload_us;
  const about = `${report.data.managers[manager]} on ${name}: `, needs = row.min_capacity_bytes ?? row.footprint_bytes;
  if (!row.completed)
    return { kind: "fail", first: "fails", second: `event ${grouped(row.failed_event)}`, order: 1e15 - row.failed_event,
      sentence: `${about}fails at event ${grouped(row.failed_event)} of ${grouped(row.events)}` };
  const cost = price === 0 ? "" : "+" + durationInWords(price), costs = price === 0 ? "" : `, moves and reloads take ${durationInWords(price)}`;
  if (needs === null)
    return { kind: "cost", level: levelIn(priceLimits, price), first: "fits", second: cost || "no relief", order: price,
      sentence: `${about}completes in the given memory${costs || ", without moves or reloads"}` };
  // A footprint of a manager that moves blocks when memory is short is an upper bound of its need.
  const overhead = needs / Math.max(min_bytes, 1), isBound = row.min_capacity_bytes === null && report.data.moves[manager];
  return { kind: "need", level: levelIn(overheadLimits, overhead), first: `${isBound ? "\u2264\u2009" : ""}${overhead.toFixed(3)}\u00d7`, order: overhead,
    second: `${sizeInWords(needs)} ${cost}`.trim(),
    sentence: `${about}needs ${isBound ? "at most " : ""}${sizeInWords(needs)}, ${overhead.toFixed(3)} times the least possible${costs}` };
}

// Returns the name of a workload: without its folders, if no other is called the same.
function titleOf(workload) {
  const last = (each) => each.name.split("/").pop(), all = report.data.workloads, brief = last(all[workload]);
  return all.filter((each) => last(each) === brief).length === 1 ? brief : all[workload].name;
}

// Returns a link to the map of a cell, or plain text if there is none.
function matrixEntry(workload, manager, { kind, level, first, second, sentence }) {
  const map = mapOf(workload, manager), words = [make("b", {}, first), make("span", {}, second)];
  const content = map === undefined ? make("span", { class: "plain", title: sentence, "aria-label": sentence }, ...words)
    : make("a", { href: `#cell=${workload}.${map}`, title: sentence + ". Click for its map.", "aria-label": sentence }, ...words);
  return make("td", { class: kind === "fail" ? "fail" : `${kind} l${level}` }, content);
}

// Returns the managers in the order that was chosen: by a column, or the best first.
function sortedManagers() {
  const { column, down } = report.sorted, all = [...report.data.order];
  const value = (manager) => column === 0 ? shortName(manager) : matrixCell(column - 1, manager).order;
  if (column >= 0) all.sort((a, b) => (down ? -1 : 1) * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  return all;
}

function fillMatrix() {
  const { data, sorted } = report, head = (words, column, title) => make("th", { scope: "col", "aria-sort": sorted.column === column ? (sorted.down ? "descending" : "ascending") : null },
    make("button", { type: "button", title, onclick: () => {
      report.sorted = { column, down: sorted.column === column && !sorted.down };
      fillMatrix();
      document.querySelectorAll("#matrix th button")[column].focus();
      keepAddress();
    } }, words));
  const rows = sortedManagers().map((manager) => make("tr", {},
    make("th", { scope: "row", title: data.managers[manager] }, shortName(manager), manager === data.best ? make("strong", { class: "badge" }, "take this") : null),
    ...data.workloads.map((_, workload) => matrixEntry(workload, manager, matrixCell(workload, manager)))));
  document.getElementById("matrix").replaceChildren(
    make("thead", {}, make("tr", {}, head("manager", 0, "Sort by name"), ...data.workloads.map((each, at) => head(titleOf(at), at + 1, `Sort by ${each.name}`)))),
    make("tbody", {}, ...rows));
  markCells();
}

// Marks the cells whose maps are shown.
function markCells() {
  const places = view.managers.map((manager) => `#cell=${view.workload}.${manager}`);
  for (const each of document.querySelectorAll("#matrix a"))
    if (places.includes(each.getAttribute("href"))) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
}

const makeMatrix = () => make("section", { "aria-label": "Every manager on every workload" },
  make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "The matrix" }, make("table", { id: "matrix" })),
  make("p", { class: "note" }, "The memory that a manager needs, as a multiple of the least that any could need; in a given memory, whether it fits. " +
    "A plus sign stands before the time of moves and reloads."));

// Returns every figure of every manager on a workload, made when it is opened.
function makeFigures(workload) {
  const { data } = report, keys = Object.keys(data.results.rows[0]).filter((key) => !["workload", "manager"].includes(key));
  const row = (manager) => make("tr", {}, make("th", { scope: "row" }, data.managers[manager]),
    ...keys.map((key) => make("td", {}, resultOf(workload, manager)[key] ?? "\u2013")));
  const details = make("details", {}, make("summary", {}, data.workloads[workload].name));
  details.addEventListener("toggle", () => details.append(make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": `Figures of ${data.workloads[workload].name}` },
    make("table", { class: "figures" }, make("thead", {}, make("tr", {}, ...["manager", ...keys].map((key) => make("th", { scope: "col" }, key)))),
      make("tbody", {}, ...data.managers.map((_, manager) => row(manager)))))), { once: true });
  return details;
}
