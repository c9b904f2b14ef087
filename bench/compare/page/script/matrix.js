// Sorts, filters and folds the matrix, and moves through it by arrow keys.
"use strict";

hbm.sorted = { column: -1, down: false };
hbm.filters = {};
hbm.opened = new Set();  // rows whose equals are shown
hbm.axes = ["placement", "eviction", "donation", "relief", "moves"];

hbm.makeFilters = function () {
  const rows = [...document.querySelectorAll("#grid tbody tr")];
  const filters = document.getElementById("filters");
  for (const axis of hbm.axes) {
    const values = [...new Set(rows.map((row) => row.dataset[axis]))];
    if (values.length < 2) continue;
    const choice = hbm.choice(axis, [["", "any"], ...values.map((each) => [each, each])], hbm.filters[axis] || "",
      (value) => { hbm.filters[axis] = value; hbm.filter(); hbm.keep(); });
    choice.dataset.axis = axis;
    filters.append(choice);
  }
  filters.append(hbm.make("span", { id: "matching", role: "status" }));
  const heads = [...document.querySelectorAll("#grid thead th")], shared = hbm.sharedPrefix(heads.slice(1).map((head) => head.textContent));
  heads.forEach((head, column) => {
    const words = [...(head.querySelector("a") || head).childNodes], whole = head.textContent;  // with the places where a line may break
    const brief = column > 0 && shared ? [whole.slice(shared.length)] : words;
    head.replaceChildren(hbm.make("button", { type: "button", title: column > 0 ? whole : null, onclick: () => {
      hbm.sorted = { column, down: hbm.sorted.column === column && !hbm.sorted.down };
      hbm.sort();
      hbm.keep();
    } }, ...brief), ...(column === 0 && shared ? [hbm.make("small", {}, shared.replace(/, $/, ""))] : []));
  });
  rows.forEach((row, at) => { row.dataset.at = at; });
  hbm.markKinds();
};

// Returns the words that all points of a sweep begin with, up to a comma; empty if they share none.
hbm.sharedPrefix = function (names) {
  if (names.length < 2) return "";
  let end = 0;
  while (end < names[0].length && names.every((name) => name[end] === names[0][end])) ++end;
  const comma = names[0].slice(0, end).lastIndexOf(", ");
  return comma < 0 ? "" : names[0].slice(0, comma + 2);
};

// Marks needs and costs, which the style tells apart by their form, in the cells and in the legend.
hbm.markKinds = function () {
  for (const cell of document.querySelectorAll("#grid td:not(.lf)")) cell.classList.add(cell.querySelector("b").textContent === "fits" ? "cost" : "need");
  for (const line of document.querySelectorAll("#matrix > .legend"))
    for (const each of line.querySelectorAll(".swatch:not(.lf)")) each.classList.add(line.textContent.startsWith("In a given memory") ? "cost" : "need");
};

hbm.sort = function () {
  const { column, down } = hbm.sorted, body = document.querySelector("#grid tbody");
  const value = (row) => column <= 0 ? Number(row.dataset.at) : Number(row.cells[column].dataset.order);
  const names = (a, b) => column === 0 ? a.cells[0].textContent.localeCompare(b.cells[0].textContent) : 0;
  const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * (names(a, b) || value(a) - value(b)) || a.dataset.at - b.dataset.at);
  body.append(...rows);
  document.querySelectorAll("#grid thead th").forEach((head, at) => {
    if (at === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  hbm.filter();
};

hbm.filter = function () {
  const rows = [...document.querySelectorAll("#grid tbody tr")];
  const matching = rows.filter((row) => hbm.axes.every((axis) => !hbm.filters[axis] || row.dataset[axis] === hbm.filters[axis]));
  for (const row of rows) row.hidden = !matching.includes(row);
  hbm.fold(matching);
  document.getElementById("matching").textContent = matching.length === rows.length ? "" : `${matching.length} of ${rows.length} managers`;
  for (const label of document.querySelectorAll("#filters label"))
    label.querySelector("select").value = hbm.filters[label.dataset.axis] || "";
};

// Shows managers of which all cells read the same once, with a button for the others. The recommended one and the baseline
// keep rows of their own.
hbm.fold = function (rows) {
  const heads = new Map();
  for (const row of rows) {
    row.querySelector(".equals")?.remove();
    const manager = Number(row.dataset.manager), key = [...row.cells].slice(1).map((cell) => cell.textContent).join("|");
    const isKept = manager === hbm.data.best || hbm.data.managers[manager] === "best_fit";
    if (!heads.has(key)) heads.set(key, { row, manager, others: [] });
    else if (!isKept) heads.get(key).others.push(row);
  }
  for (const { row, manager, others } of heads.values()) {
    if (others.length === 0) continue;
    const isOpen = hbm.opened.has(manager);
    for (const other of others) other.hidden = !isOpen;
    row.cells[0].append(hbm.make("button", { type: "button", class: "equals", "aria-expanded": String(isOpen),
      title: others.map((other) => other.querySelector(".name").textContent).join(", "), onclick: () => {
        if (!hbm.opened.delete(manager)) hbm.opened.add(manager);
        hbm.filter();
        row.querySelector(".equals").focus();
      } }, isOpen ? `hide ${others.length} equal` : `and ${others.length} equal`));
  }
};

hbm.markCell = function () {
  const { workload, managers } = hbm.view;
  const places = managers.map((manager) => `#cell=${workload}.${manager}`);
  for (const each of document.querySelectorAll("#grid td a"))
    if (places.includes(each.getAttribute("href"))) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
};

hbm.listenToMatrix = function () {
  document.getElementById("grid").addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!cell || !move) return;
    const rows = [...document.querySelectorAll("#grid tbody tr")].filter((row) => !row.hidden);
    const row = rows[rows.indexOf(cell.parentElement) + move[1]];
    const next = row && row.cells[cell.cellIndex + move[0]];
    const link = next && next.querySelector("td a");
    if (link) { link.focus(); link.scrollIntoView({ block: "nearest", inline: "nearest" }); }
    event.preventDefault();
  });
};
