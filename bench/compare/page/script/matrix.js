// The matrix of managers and workloads, and all their figures.

// The upper limits of colours 0 to 6, of the memory needed as a multiple of the least possible and of microseconds of
// moves and reloads. Values above the last have colour 7.
const overheadLimits = [1.005, 1.02, 1.05, 1.1, 1.2, 1.4, 1.8];
const priceLimits = [0, 1e3, 5e3, 2e4, 5e4, 1e5, 5e5];
const levelIn = (limits, value) => limits.filter((limit) => value > limit).length;

const needOf = (row) => row.min_capacity_bytes ?? row.footprint_bytes;

// Returns the texts of a cell, its class, and the number that it is sorted by.
function matrixCell(workload, manager) {
  const row = resultOf(workload, manager), { min_bytes, name } = report.data.workloads[workload];
  const about = `${report.data.managers[manager]} on ${name}`, event = grouped(row.failed_event ?? 0);
  if (!row.completed)
    return { look: "fail", first: "fails", second: `event ${event}`, order: 1e15 - row.failed_event,
      sentence: `${about}: fails at event ${event} of ${grouped(row.events)}` };
  const price = row.move_us + row.reload_us, cost = price === 0 ? "" : "+" + durationInWords(price), needs = needOf(row);
  const costs = price === 0 ? "no moves or reloads" : `moves and reloads take ${durationInWords(price)}`;
  if (needs === null)
    return { look: `l${levelIn(priceLimits, price)}`, first: "fits", second: cost || "no relief", order: price,
      sentence: `${about}: completes in the given memory, ${costs}` };
  // A footprint of a manager that moves blocks when memory is short is an upper bound of its need.
  const overhead = min_bytes > 0 ? needs / min_bytes : 1, isBound = row.min_capacity_bytes === null && report.data.moves[manager];
  return { look: `l${levelIn(overheadLimits, overhead)}`, order: overhead,
    first: `${isBound ? "\u2264\u2009" : ""}${overhead.toFixed(3)}\u00d7`, second: `${sizeInWords(needs)} ${cost}`.trim(),
    sentence: `${about}: needs ${isBound ? "at most " : ""}${sizeInWords(needs)}, ${overhead.toFixed(3)} times the least possible, ${costs}` };
}

// Returns the name of a workload: without its folders, if no other is called the same.
function titleOf(workload) {
  const last = (each) => each.name.split("/").pop(), all = report.data.workloads, brief = last(all[workload]);
  return all.filter((each) => last(each) === brief).length === 1 ? brief : all[workload].name;
}

// Returns a cell with a link to its map, or plain text if there is none.
function makeMatrixCell(workload, manager) {
  const { look, first, second, sentence } = matrixCell(workload, manager), map = mapOf(workload, manager);
  const attributes = { title: sentence, "aria-label": sentence }, words = [make("b", first), make("span", second)];
  if (report.data.workloads[workload].best === manager) words.push(make("strong.badge", "take this"));
  return make("td." + look, map === undefined ? make("span.plain", attributes, ...words)
    : make("a", { ...attributes, href: `#cell=${workload}.${map}` }, ...words));
}

function makeMatrixHead(words, column, title) {
  const { sorted } = report, order = sorted.column !== column ? null : sorted.down ? "descending" : "ascending";
  const sort = () => {
    report.sorted = { column, down: sorted.column === column && !sorted.down };
    fillMatrix();
    document.querySelectorAll("#matrix th button")[column].focus();
  };
  return make("th", { scope: "col", "aria-sort": order }, make("button", { type: "button", title, onclick: sort }, words));
}

function makeMatrixRow(manager) {
  const { managers, workloads } = report.data;
  return make("tr", make("th", { scope: "row", title: managers[manager] }, shortName(manager)),
    ...workloads.map((_, workload) => makeMatrixCell(workload, manager)));
}

// Returns the managers in the order that was chosen: by a column, or as listed.
function sortedManagers() {
  const { column, down } = report.sorted, all = [...report.data.order];
  const value = (manager) => column === 0 ? shortName(manager) : matrixCell(column - 1, manager).order;
  if (column >= 0) all.sort((a, b) => (down ? -1 : 1) * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  return all;
}

function fillMatrix() {
  const { workloads } = report.data, heads = workloads.map(({ name }, at) => makeMatrixHead(titleOf(at), at + 1, `Sort by ${name}`));
  document.getElementById("matrix").replaceChildren(make("thead", make("tr", makeMatrixHead("manager", 0, "Sort by name"), ...heads)),
    make("tbody", ...sortedManagers().map(makeMatrixRow)));
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
  make("div.scroll", { role: "region", tabindex: 0, "aria-label": "The matrix" }, make("table", { id: "matrix" })),
  make("p.note", "The memory that a manager needs, as a multiple of the least that any could need; in a given memory, whether it fits. ",
    "A plus sign stands before the time of moves and reloads. An underlined cell has a map."));

// Returns every figure of every manager on a workload, made when it is opened.
function makeFigures({ name }, workload) {
  const { managers, results } = report.data, keys = Object.keys(results.rows[0]).filter((key) => !["workload", "manager"].includes(key));
  const row = (manager) => make("tr", make("th", { scope: "row" }, managers[manager]), ...keys.map((key) => make("td", resultOf(workload, manager)[key] ?? "\u2013")));
  const table = () => make("div.scroll", { role: "region", tabindex: 0, "aria-label": `Figures of ${name}` }, make("table.figures",
    make("thead", make("tr", ...["manager", ...keys].map((key) => make("th", { scope: "col" }, key)))), make("tbody", ...managers.map((_, manager) => row(manager)))));
  const details = make("details", make("summary", name));
  details.addEventListener("toggle", () => details.append(table()), { once: true });
  return details;
}
