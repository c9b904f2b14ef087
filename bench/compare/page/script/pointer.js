// The cursor, and the details of the block under it, which lie beside the pointer.

// Returns what a map has at a row and an address, as pairs of names and values.
function detailsAt({ replay }, row, address) {
  const { place, block, trace, capacity, rows } = replay, when = (at) => rowInWords(trace, at), size = bytesOf;
  if (row >= rows) return [["fails", resultOf(view.workload, replay.manager).error || "the end"], ["at", when(rows)]];
  const holes = holesAt(replay, row), used = replay.used[row];
  const state = [["at", when(row)], ["in use", size(used)], ["highest end", size(replay.highest[row])]];
  if (capacity < Infinity) {
    const largest = Math.max(0, ...holes.map(([low, high]) => high - low)), share = used === capacity ? 0 : 1 - largest / (capacity - used);
    state.push(["largest free", size(largest)], ["fragmentation", (share * 100).toFixed(1) + " %"]);
  }
  const found = placeAt(replay, row, address);
  if (found < 0) {
    const [low, high] = holes.find(([, end]) => address < end) ?? [0, capacity];
    return [["free", high === Infinity ? `above ${size(low)}` : `${size(high - low)} at ${size(low)}`], ...state];
  }
  const number = place.block[found], tag = tagOf(replay, number), { quantum } = workloadOf();
  const lines = [[blockKinds[block.kind[number]], nameOf(replay, number) || "(no name)"]], bytes = grouped(place.size[found] * quantum);
  if (tag) lines.push(["tag", tag]);
  lines.push(["size", `${size(place.size[found])} (${bytes} bytes)`], ["address", grouped(place.offset[found] * quantum)],
    ["allocated at", when(block.begin[number])], ["freed at", block.end[number] >= rows ? "the end" : when(block.end[number])],
    ["lifetime", grouped(lifetimeOf(block, number)) + " events"]);
  if (place.before[found] >= 0) lines.push(["moved here at", when(place.begin[found])]);
  return [...lines, ...state];
}

// Moves the cursor, and shows the details beside it.
function pick(map, row, address) {
  row = Math.floor(Math.min(Math.max(row, 0), Math.max(0, map.replay.trace.rows - 1)));
  Object.assign(view, { row, address, cursor: shown.indexOf(map) });
  shown.forEach(paintCursor);
  document.getElementById("details").replaceChildren(makeList(detailsAt(map, row, address)));
  placeDetails(map);
}

// Returns where a row and an address lie on a map, in pixels.
const pixelOf = ({ area, replay }, row, address) => [xOn(area, middleOf(replay.trace, row)), yOn(area, address)];

// Puts the details beside the cursor: to the right and below if there is room, never over it.
function placeDetails(map) {
  const details = document.getElementById("details"), box = map.canvas.getBoundingClientRect();
  const [x, y] = pixelOf(map, view.row, view.address), room = document.documentElement.clientWidth;
  details.hidden = false;
  const { offsetWidth: wide, offsetHeight: high } = details, gap = 14;
  const put = (at, size, most) => at + gap + size <= most ? at + gap : at - gap - size >= 0 ? at - gap - size : null;
  const left = put(box.left + x, wide, room), top = put(box.top + y, high, window.innerHeight);
  details.style.left = `${left ?? Math.max(4, (room - wide) / 2)}px`;
  details.style.top = `${top ?? (left === null ? box.bottom : Math.max(4, window.innerHeight - high - 4))}px`;
}

const hideDetails = () => { document.getElementById("details").hidden = true; };

// The cursor is an element over the canvas, so that nothing is painted again.
function paintCursor(map) {
  const { area, canvas } = map, box = canvas.parentElement;
  box.querySelectorAll(".cursor").forEach((each) => each.remove());
  if (view.cursor < 0) return;
  const [x, y] = pixelOf(map, view.row, view.address), isIn = (at, begin, size) => at >= begin && at <= begin + size;
  if (!isIn(x, area.x, area.width)) return;
  const line = make("div", { class: "cursor", style: `left:${x}px;top:${area.y}px;height:${area.height}px` });
  if (shown.indexOf(map) === view.cursor && isIn(y, area.y, area.height)) line.append(make("i", { style: `top:${y - area.y}px` }));
  box.append(line);
}

// Moves the cursor by events, or to the next block along the addresses of its event.
function stepCursor(map, right, up) {
  const { replay } = map, { trace, place } = replay;
  if (view.cursor < 0) Object.assign(view, { row: rowAt(trace, view.from), address: view.low });
  let { row, address } = view;
  row += right * Math.max(1, Math.floor((rowAt(trace, view.to) - rowAt(trace, view.from)) / 200));
  row = Math.min(Math.max(row, 0), Math.max(0, replay.rows - 1));
  if (up !== 0) {
    const middles = placesAt(replay, row).map((at) => place.offset[at] + place.size[at] / 2).sort((a, b) => a - b);
    address = (up > 0 ? middles.find((each) => each > address) : middles.reverse().find((each) => each < address)) ?? address;
  }
  reveal(middleOf(trace, row), address);
  pick(map, row, address);
  keepAddress();
}
