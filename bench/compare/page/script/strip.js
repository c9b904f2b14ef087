// The strip below the maps: bytes in use over the whole run, and the part of it that the maps show.
"use strict";

hbm.stripView = () => ({ ...hbm.view, from: 0, to: hbm.extentOf(hbm.view), low: 0, high: hbm.topOf(hbm.view) });

hbm.paintStrip = function () {
  const canvas = document.querySelector("#strip canvas");
  if (!canvas || hbm.shown.some((each) => !each.replay)) return;
  const area = { ...hbm.prepare(canvas), y: 0, height: canvas.clientHeight }, theme = hbm.theme(), { context } = area, view = hbm.stripView();
  context.fillStyle = theme.paper;
  context.fillRect(area.x, 0, area.width, area.height);
  context.strokeStyle = context.fillStyle = theme.live;
  hbm.shown.forEach(({ replay, manager }, number) => {
    const y = (value) => area.height - value / view.high * area.height;
    if (number > 0) return hbm.paintCurve(area, replay, view, "used", view.high);
    hbm.eachColumn(area, replay, view, "used", (x, least, most) => {
      context.globalAlpha = .55;
      context.fillRect(area.x + x, y(most), 1, area.height - y(most));
    });
    context.globalAlpha = 1;
    const { failed } = hbm.cellOf(view.workload, manager);
    if (failed === null) return;
    context.fillStyle = theme.fail;
    context.fillRect(area.x + hbm.across(replay.trace, replay.rows) / view.to * area.width - 2, 0, 3, area.height);
    context.fillStyle = theme.live;
  });
};

hbm.paintWindow = function () {
  const frame = document.querySelector("#strip i");
  if (!frame || !frame.parentElement) return;
  const { from, to } = hbm.view, whole = hbm.extentOf(hbm.view), { left, right } = hbm.edges, wide = frame.parentElement.clientWidth - left - right;
  frame.style.left = `${left + from / whole * wide}px`;
  frame.style.width = `${Math.max((to - from) / whole * wide, 6)}px`;
  frame.parentElement.setAttribute("aria-valuenow", String(Math.round((from + to) / 2 / whole * 100)));
  frame.parentElement.setAttribute("aria-valuetext", `from ${hbm.placeInWords(hbm.view, from, (to - from) / 100)} to ${hbm.placeInWords(hbm.view, to, (to - from) / 100)}`);
};

// Shows the rows from `from` to `to`, while a hand moves them.
hbm.showPart = function (from, to) {
  const { low, high } = hbm.view;
  hbm.limit(Math.min(from, to), Math.max(from, to), low, high, hbm.move);
};

hbm.strip = function () {
  const frame = hbm.make("i", {}), canvas = hbm.make("canvas", { role: "img", "aria-label": "Bytes in use over the whole run" });
  const strip = hbm.make("div", { id: "strip", role: "slider", tabindex: 0, "aria-label": "Visible part of the run", "aria-valuemin": 0, "aria-valuemax": 100,
    title: "The whole run. Drag the visible part, or its ends; drag elsewhere to choose another part." }, canvas, frame);
  let drag = null;
  const placeOf = (event) => {
    const { left, right } = hbm.edges, box = strip.getBoundingClientRect();
    return (event.clientX - box.left - left) / (box.width - left - right) * hbm.extentOf(hbm.view);
  };
  strip.addEventListener("pointerdown", (event) => {
    const place = placeOf(event), { from, to } = hbm.view, near = hbm.extentOf(hbm.view) / strip.clientWidth * 6;
    const isWhole = from <= 0 && to >= hbm.extentOf(hbm.view);
    const end = Math.abs(place - from) < near ? "from" : Math.abs(place - to) < near ? "to" : !isWhole && place > from && place < to ? "both" : "new";
    drag = { place, end, from, to };
    hbm.isHeld = true;
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const place = placeOf(event), by = place - drag.place;
    if (drag.end === "both") hbm.showPart(drag.from + by, drag.to + by);
    else if (drag.end === "from") hbm.showPart(place, drag.to);
    else if (drag.end === "to") hbm.showPart(drag.from, place);
    else hbm.showPart(drag.place, place);
  });
  for (const end of ["pointerup", "pointercancel"])
    strip.addEventListener(end, (event) => {
      if (!drag) return;
      const half = (drag.to - drag.from) / 2;
      if (end === "pointerup" && placeOf(event) === drag.place && drag.end === "new") hbm.showPart(drag.place - half, drag.place + half);
      drag = null;
      hbm.isHeld = false;
      hbm.repaint();
    });
  strip.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -.25, ArrowRight: .25, Home: -1e9, End: 1e9 }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    hbm.pan(by, 0);
    event.preventDefault();
  });
  return strip;
};
