// Paints the maps: blocks over time and addresses, with their axes and marks.

const edges = { left: 64, right: 8, top: 16, bottom: 20 };

// Returns the colours of the page for canvases.
function themeOf() {
  const style = getComputedStyle(document.documentElement), value = (name) => style.getPropertyValue(name).trim();
  return { text: value("--text"), faint: value("--line"), paper: value("--map"), fail: value("--fail"), moved: value("--live"),
    evicted: value("--fail"), reloaded: value("--largest") };
}

// Returns red, green and blue of a colour such as #0b0f13.
const rgbOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Sizes a canvas to its element, in pixels of the screen, and returns the area of its picture.
function prepare(canvas, theme) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const wide = Math.max(canvas.clientWidth, 160), high = Math.max(canvas.clientHeight, 60);
  const width = Math.round(wide * scale), height = Math.round(high * scale);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d"), { left, right, top, bottom } = edges;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, wide, high);
  context.font = "12px system-ui, sans-serif";
  const area = { context, scale, x: left, y: top, width: wide - left - right, height: high - top - bottom };
  context.fillStyle = theme.paper;
  context.fillRect(area.x, area.y, area.width, area.height);
  return area;
}

// Paints with everything outside the area cut off.
function clipped({ context, x, y, width, height }, paint) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  paint();
  context.restore();
}

// Paints the axes with their round places, a line through the area at each of them. `low` and `high` are in quanta.
function paintAxes(area, low, high, theme) {
  const { context, x: left, y: top, width, height } = area, { quantum } = workloadOf(), right = left + width, bottom = top + height;
  const line = (x0, y0, x1, y1) => {
    context.globalAlpha = .45;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.globalAlpha = 1;
  };
  Object.assign(context, { fillStyle: theme.text, strokeStyle: theme.faint, lineWidth: 1, textBaseline: "middle", textAlign: "right" });
  for (const bytes of ticks(low * quantum, high * quantum, Math.max(2, height / 32), true).places) {
    const y = Math.round(bottom - (bytes / quantum - low) / (high - low) * height) + .5;
    context.fillText(sizeInWords(bytes).replace(/\.0+(?=\D)/, ""), left - 5, Math.min(Math.max(y, top + 5), bottom - 3));
    line(left - 3, y, right, y);
  }
  context.strokeRect(left - .5, top - .5, width + 1, height + 1);
  Object.assign(context, { textBaseline: "top", textAlign: "center" });
  const { step, places } = ticks(view.from, view.to, Math.max(2, width / 110), false);
  for (const place of places) {
    const x = Math.round(left + (place - view.from) / (view.to - view.from) * width) + .5;
    const words = view.byTime ? timeInWords(place, step, view.to) : grouped(place), half = context.measureText(words).width / 2;
    line(x, top, x, bottom + 3);
    context.fillText(words, Math.min(Math.max(x, left + half), right - half), bottom + 5);
  }
  context.textAlign = "left";
}

// Paints marks where steps end: all, or every second, fifth, tenth and so on if there is no room for all.
function paintSteps({ area, replay: { trace } }, theme) {
  const { context } = area;
  const first = countUpTo(trace.ends, rowAt(trace, view.from) - 1), last = countUpTo(trace.ends, rowAt(trace, view.to));
  const { step } = ticks(0, last - first, Math.max(1, area.width / 6), false);
  context.fillStyle = theme.text;
  for (let number = Math.ceil((first + 1) / step) * step; number <= last; number += step) {
    const x = xOn(area, across(trace, trace.ends[number - 1]));
    if (x >= area.x && x <= area.x + area.width) context.fillRect(Math.round(x), area.y + area.height - 6, 1, 6);
  }
}

// Paints moves, evictions and reloads as bars above the map, higher for more in a column, and a line from the old place
// of a moved block to its new one, if they are few.
function paintReliefs({ area, replay }, theme) {
  const { context } = area, { place, trace } = replay, xOf = (row) => xOn(area, across(trace, row));
  const marks = marksOf(replay).filter(({ row }) => across(trace, row) >= view.from && across(trace, row) < view.to);
  reliefKinds.forEach((kind, number) => {
    const counts = new Uint32Array(Math.ceil(area.width / 6) + 1);
    for (const each of marks) if (each.kind === kind) ++counts[Math.floor((xOf(each.row) - area.x) / 6)];
    context.fillStyle = theme[kind];
    counts.forEach((count, column) => {
      const high = Math.min(14, 5 + 3 * Math.log10(count));
      if (count > 0) context.fillRect(area.x + column * 6 + 2 * number, area.y - high - 1, 2, high);
    });
  });
  if (marks.length > 300) return;
  context.strokeStyle = theme.text;
  context.lineWidth = 1.5;
  clipped(area, () => {
    for (const { row, from, at } of marks.filter(({ kind }) => kind === "moved")) {
      const x = xOf(row), y = (number) => yOn(area, place.offset[number] + place.size[number] / 2);
      context.beginPath();
      context.moveTo(x - 3, y(from));
      context.lineTo(x, y(from));
      context.lineTo(x, y(at));
      context.lineTo(x + 3, y(at));
      context.stroke();
    }
  });
}

function paintFailure({ area, replay }, theme) {
  const { context } = area, x = xOn(area, across(replay.trace, replay.rows)), right = area.x + area.width;
  if (x < area.x || x > right) return;
  context.fillStyle = theme.fail;
  context.globalAlpha = .12;
  context.fillRect(x, area.y, right - x, area.height);
  context.globalAlpha = 1;
  context.fillRect(Math.min(x, right - 3), area.y - 4, 3, area.height + 4);
  paintLabel(context, "fails here", Math.max(area.x + 4, Math.min(x + 6, right - 60)), area.y + 10, area.width);
}

// Paints the addresses above the capacity, if the map beside this one has more.
function paintBeyond({ area, replay }, theme) {
  const high = Math.min(1, (view.high - replay.capacity) / (view.high - view.low)) * area.height;
  if (!(high >= 1)) return;
  area.context.fillStyle = theme.faint;
  area.context.globalAlpha = .6;
  area.context.fillRect(area.x, area.y, area.width, high);
  area.context.globalAlpha = 1;
  if (high > 16) paintLabel(area.context, "above this manager's capacity", area.x + 6, area.y + high / 2, area.width);
}

function paintMap(map, theme) {
  map.area = prepare(map.canvas, theme);
  paintBlocks(map, rgbOf(theme.paper));
  clipped(map.area, () => paintNames(map));
  paintReliefs(map, theme);
  paintAxes(map.area, view.low, view.high, theme);
  paintSteps(map, theme);
  paintBeyond(map, theme);
  if (hasFailed(map)) paintFailure(map, theme);
  paintCursor(map);
  paintKept(map);
}

const hasFailed = ({ manager }) => !resultOf(view.workload, manager).completed;

function paintAll() {
  const theme = themeOf();
  for (const map of shown) paintMap(map, theme);
  if (shown.length > 0) paintChart(theme);
  document.getElementById("map").dataset.painted = String(performance.now());
}

// Paints everything in the next image of the screen, once, however often it is called. hbm.html may have cleared the report.
function repaint() {
  if (!report || report.isWaiting) return;
  report.isWaiting = true;
  const paint = () => {
    if (!report?.isWaiting) return;
    report.isWaiting = false;
    paintAll();
    keepAddress();
  };
  // A page in the background has no images.
  if (document.hidden) setTimeout(paint); else requestAnimationFrame(paint);
}
