// The bytes in use by class over the time of the maps, stacked: who holds what. The lines are the highest ends.

// Returns for each class the mean bytes of each column, in quanta. A block adds to the columns it begins and ends in by
// the share of them that it covers, so nothing is lost, however short it is.
function stackOf(replay, columns) {
  const { begin, end, kind, size, count } = replay.block, classes = classesOf(replay), right = columns / (view.to - view.from);
  const sums = Array.from({ length: levels + kindColours.length }, () => null);
  for (let at = 0; at < count; ++at) {
    if (kind[at] === reservation) continue;
    const first = Math.max(0, (across(replay.trace, begin[at]) - view.from) * right);
    const last = Math.min(columns, (across(replay.trace, end[at]) - view.from) * right);
    if (last <= first) continue;
    const sum = sums[classes[at]] ??= new Float64Array(columns + 2), left = Math.floor(first), stop = Math.floor(last);
    sum[left] += size[at] * (left + 1 - first);
    sum[left + 1] += size[at] * (first - left);
    sum[stop] -= size[at] * (stop + 1 - last);
    sum[stop + 1] -= size[at] * (last - stop);
  }
  for (const sum of sums) if (sum) for (let x = 1; x <= columns; ++x) sum[x] += sum[x - 1];
  return sums;
}

// Returns the highest value of a curve in each column, up to the end of the replay.
function mostOf({ trace, rows }, curve, columns) {
  const most = [], wide = (view.to - view.from) / columns;
  for (let x = 0, row = rowAt(trace, view.from); x < columns && row < rows; ++x) {
    const next = Math.max(row + 1, rowAt(trace, view.from + (x + 1) * wide));
    let value = curve[row];
    for (let at = row + 1; at < next && at < rows; ++at) if (curve[at] > value) value = curve[at];
    most.push(value);
    row = Math.max(row, rowAt(trace, view.from + (x + 1) * wide));
  }
  return most;
}

function paintChart(theme) {
  const area = prepare(document.getElementById("chart"), theme), { context } = area, columns = Math.round(area.width), bottom = area.y + area.height;
  const lines = shown.map(({ replay }) => mostOf(replay, replay.highest, columns)), sums = stackOf(shown[0].replay, columns);
  const high = 1.04 * Math.max(1, ...lines.flat()), up = area.height / high, colours = coloursOf(scale.way), below = new Float64Array(columns);
  sums.forEach((sum, number) => {
    if (!sum) return;
    context.fillStyle = `rgb(${colours[number].join()})`;
    context.beginPath();
    for (let x = 0; x < columns; ++x) context.lineTo(area.x + x, bottom - (below[x] + sum[x]) * up);
    for (let x = columns - 1; x >= 0; --x) context.lineTo(area.x + x, bottom - below[x] * up);
    context.fill();
    for (let x = 0; x < columns; ++x) below[x] += sum[x];
  });
  context.strokeStyle = theme.text;
  context.lineWidth = 1.6;
  lines.forEach((line, number) => {
    context.setLineDash(number === 0 ? [] : [5, 3]);
    context.beginPath();
    line.forEach((value, x) => context.lineTo(area.x + x, bottom - value * up));
    context.stroke();
  });
  context.setLineDash([]);
  paintAxes(area, 0, high, theme);
}

const makeChart = () => make("figure.map",
  make("figcaption", make("b", `Bytes in use by ${view.colour}`),
    make("span", "the mean of each pixel" + (shown.length > 1 ? ", of the upper map" : "")),
    make("span.key.line", "highest end" + (shown.length > 1 ? "; dashed: of the lower map" : ""))),
  make("canvas", { id: "chart", role: "img", "aria-label": `Bytes in use by ${view.colour}, and the highest end, over time` }));
