// The choices above the maps, the buttons below them, and the legend.
"use strict";

hbm.choice = function (label, options, selected, change) {
  const select = hbm.make("select", { onchange: () => change(select.value) });
  for (const [value, words, title] of options)
    select.append(hbm.make("option", { value, title: title ?? null, selected: String(value) === String(selected) }, words));
  return hbm.make("label", {}, hbm.make("span", {}, label), select);
};

hbm.button = (words, label, press) =>
  hbm.make("button", { type: "button", "aria-label": label, title: label, onclick: press }, words);

hbm.usualColour = (workload) => hbm.data.workloads[workload].tags.length > 1 ? "tag" : "size";

hbm.chooseWorkload = function (workload) {
  const view = hbm.view, { cell_of } = hbm.data.workloads[workload];
  const managers = view.managers.filter((manager) => cell_of[manager] !== undefined);
  Object.assign(view, { workload, managers: managers.length > 0 ? managers : [0], colour: hbm.usualColour(workload) });
  view.byTime &&= hbm.hasTimes(workload);
};

hbm.controls = function () {
  const view = hbm.view, about = hbm.data.workloads[view.workload];
  const names = hbm.data.managers.map((name, at) => [at, hbm.nameOf(at), name]).filter(([at]) => about.cell_of[at] !== undefined);
  const set = (change) => { change(); Object.assign(view, { cursor: -1, kept: null }); hbm.whole(); hbm.show(); };
  const ways = [["size", "size"], ["lifetime", "lifetime"], ["kind", "kind"]];
  if (about.tags.length > 1) ways.unshift(["tag", "tag"]);
  return hbm.make("div", { class: "controls" },
    hbm.choice("Workload", hbm.data.workloads.map((each, at) => [at, hbm.titleOf(at), each.name]), view.workload, (value) => set(() => hbm.chooseWorkload(Number(value)))),
    hbm.choice("Manager", names, view.managers[0], (value) => set(() => { view.managers[0] = Number(value); })),
    hbm.choice("Compare with", [["", "nothing"], ...names], view.managers[1] ?? "",
      (value) => set(() => { view.managers = value === "" ? [view.managers[0]] : [view.managers[0], Number(value)]; })),
    hbm.choice("Colour by", ways, view.colour, (value) => { view.colour = value; hbm.show(); }),
    ...(hbm.hasTimes(view.workload) ? [hbm.choice("Across", [["events", "events"], ["time", "time"]], view.byTime ? "time" : "events",
      (value) => { hbm.setAxis(value === "time"); hbm.show(); })] : []));
};

hbm.zoomButtons = () => hbm.make("div", { class: "buttons", role: "group", "aria-label": "Places and zoom" }, ...hbm.places(),
  hbm.button("+", "Zoom into time", () => hbm.zoom(.5, 1)), hbm.button("\u2212", "Zoom out of time", () => hbm.zoom(2, 1)),
  hbm.button("\u2195+", "Zoom into addresses", () => hbm.zoom(1, .5)),
  hbm.button("\u2195\u2212", "Zoom out of addresses", () => hbm.zoom(1, 2)),
  hbm.button("\u25c0", "Earlier", () => hbm.pan(-.25, 0)), hbm.button("\u25b6", "Later", () => hbm.pan(.25, 0)),
  hbm.button("\u25b2", "Higher addresses", () => hbm.pan(0, .25)), hbm.button("\u25bc", "Lower addresses", () => hbm.pan(0, -.25)),
  hbm.button("All", "Show all", hbm.showWhole),
  ...(document.fullscreenEnabled ? [hbm.button("Full screen", "Full screen", hbm.fillScreen)] : []),
  ...hbm.otherPage());

hbm.swatch = (colour, words, title = null) => hbm.make("span", { class: "key", title },
  hbm.make("i", { style: `background:rgb(${colour.join(",")})` }), words);

// Fills the legend with the classes and the marks that the maps have.
hbm.fillLegend = function (list) {
  const { scale } = hbm, { quantum } = hbm.data.workloads[hbm.view.workload], colours = hbm.coloursOf(scale.way);
  const classes = new Set(), marks = new Set();
  for (const { replay } of hbm.shown) {
    const all = hbm.classesOf(replay, scale);
    for (const block of replay.place.block) classes.add(all[block]);
    for (const mark of hbm.marksOf(replay)) marks.add(mark.kind);
  }
  const words = (at) => hbm.classInWords(scale, at, quantum), isRamp = scale.way === "size" || scale.way === "lifetime";
  if (isRamp)
    list.append(words(0), ...hbm.ramp.map((each, level) => hbm.swatch(each, "", words(level))), words(hbm.levels - 1));
  const first = isRamp ? hbm.levels : 0;
  list.append(...[...classes].filter((at) => at >= first).sort((a, b) => a - b).map((at) => hbm.swatch(colours[at], words(at))),
    ...[["moved", "moves"], ["evicted", "evictions"], ["reloaded", "reloads"]].filter(([kind]) => marks.has(kind))
      .map(([kind, name]) => hbm.make("span", { class: "key mark " + kind }, name)),
    ...(hbm.stepEnds(hbm.view.workload).length > 0 ? [hbm.make("span", { class: "key mark step", title: "If steps are dense, every second, fifth, tenth and so on is marked." },
      `steps, each ends with a ${hbm.data.workloads[hbm.view.workload].steps.what}`)] : []));
};
