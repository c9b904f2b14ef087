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
  const { area, canvas, replay: { place, trace } } = map, box = canvas.parentElement;
  box.querySelectorAll(".kept").forEach((each) => each.remove());
  for (const at of keptPlaces(map)) {
    const left = Math.max(area.x, xOn(area, across(trace, place.begin[at])));
    const right = Math.min(area.x + area.width, xOn(area, across(trace, place.end[at])));
    const top = Math.max(area.y, yOn(area, place.offset[at] + place.size[at]));
    const bottom = Math.min(area.y + area.height, yOn(area, place.offset[at]));
    if (right <= left || bottom <= top) continue;
    const size = `width:${Math.max(right - left, 3)}px;height:${Math.max(bottom - top, 3)}px`;
    box.append(make("div.kept", { style: `left:${left}px;top:${top}px;${size}` }));
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
  const { replay } = map, { place } = replay, live = largestAt(replay, row), wordsOf = (at) => blockInWords(replay, place.block[at]);
  const list = make("ol", { tabindex: 0, "aria-label": "Live blocks, largest first" }), count = make("p.note", { role: "status" });
  const entry = (at) => make(place.block[at] === block ? "li.chosen" : "li", { onclick: () => keepBlock(map, row, place.offset[at]) },
    make("b", bytesOf(place.size[at])), ` ${wordsOf(at)} `, make("small", "at " + bytesOf(place.offset[at])));
  const fill = (wanted) => {
    const found = live.filter((at) => wordsOf(at).toLowerCase().includes(wanted.toLowerCase()));
    const rest = found.length > mostListed ? `, the ${mostListed} largest are listed` : "";
    count.textContent = `${grouped(found.length)} of ${grouped(live.length)} blocks${rest}`;
    list.replaceChildren(...found.slice(0, mostListed).map(entry));
    const chosen = list.querySelector(".chosen");
    if (chosen) list.scrollTop = chosen.offsetTop - list.offsetTop;
  };
  fill("");
  const total = live.reduce((sum, at) => sum + place.size[at], 0);
  const search = make("input", { type: "search", id: "search", oninput: () => fill(search.value) });
  return make("div", make("p", make("b", bytesOf(total) + " live"), ` ${moment}, largest first`),
    make("label", make("span", "Search names and tags"), search), count, list);
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
  if (moves > 0) details.push(["moves", moves]);
  const head = make("p.kept-head", make("b", kept.block < 0 ? "Nothing is there" : "Selected block"), ` under ${shortName(map.manager)} `,
    makeButton("Clear", "Select no block (Escape)", release));
  pane.replaceChildren(make("div", head, makeList(details)),
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
