// The block that was clicked: its outline in the maps, and the pane with it and all that is live at that moment.

const mostListed = 200;

// Returns the places of the kept block in a map: several if it was moved. In the other map it is the block of the same
// name that is there at the same time.
function keptPlaces({ replay }) {
  const { kept } = view, { place, block } = replay;
  if (!kept || kept.block < 0) return [];
  const own = shown[kept.map].replay, subject = own.block.subject[kept.block], begin = own.block.begin[kept.block];
  const isKept = (number) => replay === own ? number === kept.block
    : subject > 0 && block.subject[number] === subject && block.begin[number] === begin && isBuffer(block.kind[number]);
  const places = [];
  for (let at = 0; at < place.count; ++at) if (isKept(place.block[at])) places.push(at);
  return places;
}

// Outlines the kept block, by elements over the canvas.
function paintKept(map) {
  const { area, canvas, replay } = map, box = canvas.parentElement, { begin, end, offset, size } = replay.place;
  const right = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  box.querySelectorAll(".kept").forEach((each) => each.remove());
  for (const at of keptPlaces(map)) {
    const x0 = Math.max(0, (across(replay.trace, begin[at]) - view.from) * right), x1 = Math.min(area.width, (across(replay.trace, end[at]) - view.from) * right);
    const y0 = Math.max(0, area.height - (offset[at] + size[at] - view.low) * up), y1 = Math.min(area.height, area.height - (offset[at] - view.low) * up);
    if (x1 <= 0 || x0 >= area.width || y1 <= 0 || y0 >= area.height) continue;
    box.append(make("div", { class: "kept", style: `left:${area.x + x0}px;top:${area.y + y0}px;width:${Math.max(x1 - x0, 3)}px;height:${Math.max(y1 - y0, 3)}px` }));
  }
}

// Keeps the block at a row and an address until another is clicked; a hole keeps none, but its moment is listed.
function keepBlock(map, row, address) {
  row = Math.min(Math.max(Math.floor(row), 0), Math.max(0, map.replay.rows - 1));
  const at = placeAt(map.replay, row, address);
  view.kept = { map: shown.indexOf(map), row, address, block: at < 0 ? -1 : map.replay.place.block[at] };
  fillPane();
  shown.forEach(paintKept);
  keepAddress();
}

function release() {
  view.kept = null;
  fillPane();
  shown.forEach(paintKept);
  hideDetails();
}

// Returns the places after a row, the largest first; ties by address.
function largestAt(replay, row) {
  const { size, offset } = replay.place;
  return placesAt(replay, row).sort((a, b) => size[b] - size[a] || offset[a] - offset[b]);
}

// Returns the list of the blocks that are live after a row, with a search.
function makeLiveList(map, { row, block }, moment) {
  const { replay } = map, { place } = replay, live = largestAt(replay, row), total = live.reduce((sum, at) => sum + place.size[at], 0);
  const list = make("ol", { tabindex: 0, "aria-label": "Live blocks, largest first" }), count = make("p", { class: "note", role: "status" });
  const fill = (wanted) => {
    const found = live.filter((at) => blockInWords(replay, place.block[at]).toLowerCase().includes(wanted.toLowerCase()));
    count.textContent = `${grouped(found.length)} of ${grouped(live.length)} blocks` + (found.length > mostListed ? `, the ${mostListed} largest are listed` : "");
    list.replaceChildren(...found.slice(0, mostListed).map((at) =>
      make("li", { class: place.block[at] === block ? "chosen" : null, onclick: () => keepBlock(map, row, place.offset[at]) },
        make("b", {}, bytesOf(place.size[at])), ` ${blockInWords(replay, place.block[at])} `, make("small", {}, "at " + bytesOf(place.offset[at])))));
    const chosen = list.querySelector(".chosen");
    if (chosen) list.scrollTop = chosen.offsetTop - list.offsetTop;
  };
  fill("");
  return make("div", {}, make("p", {}, make("b", {}, bytesOf(total) + " live"), ` ${moment}, largest first`),
    make("label", {}, make("span", {}, "Search names and tags"), make("input", { type: "search", id: "search", oninput: (event) => fill(event.target.value) })), count, list);
}

// Fills the pane with the kept block and all that is live at its moment; without one, with what is live at the peak.
function fillPane() {
  const { kept } = view, map = shown[kept ? kept.map : 0], pane = document.getElementById("pane");
  if (!map || map.replay.rows === 0) return pane.replaceChildren();
  if (!kept) {
    const row = peakOf(map.replay);
    return pane.replaceChildren(makeLiveList(map, { row, block: -1 }, `at the peak, event ${grouped(row)}`));
  }
  const moves = keptPlaces(map).length - 1, details = detailsAt(map, kept.row, kept.address);
  pane.replaceChildren(make("div", {}, make("p", { class: "kept-head" }, make("b", {}, kept.block < 0 ? "Nothing is there" : "Selected block"),
    ` under ${shortName(map.manager)} `, makeButton("Clear", "Select no block (Escape)", release)), makeList(moves > 0 ? [...details, ["moves", moves]] : details)),
    makeLiveList(map, kept, `at event ${grouped(kept.row)}`));
}

// Goes to a row of a map, and keeps a block there: the given place, or the largest.
function goTo(map, row, wanted) {
  const { replay } = map, at = wanted ?? largestAt(replay, row)[0];
  const address = at === undefined ? 0 : replay.place.offset[at] + replay.place.size[at] / 2;
  reveal(middleOf(replay.trace, row), address);
  pick(map, row, address);
  keepBlock(map, row, address);
}

// Returns the smaller of the two places beside the longest free run between two; undefined if there are none.
function wallAt(replay, row) {
  const { offset, size } = replay.place, live = placesAt(replay, row).sort((a, b) => offset[a] - offset[b]);
  let longest = -1, walls = [];
  for (let at = 0; at + 1 < live.length; ++at) {
    const run = offset[live[at + 1]] - offset[live[at]] - size[live[at]];
    if (run > longest) [longest, walls] = [run, [live[at], live[at + 1]]];
  }
  return walls.sort((a, b) => size[a] - size[b])[0];
}

// Goes to the failure of a map, and keeps the block in the way if memory was in pieces.
function goToFailure(map) {
  const row = Math.max(0, map.replay.rows - 1), { error } = resultOf(view.workload, map.manager);
  goTo(map, row, /fragmentation/.test(error) ? wallAt(map.replay, row) : undefined);
}
