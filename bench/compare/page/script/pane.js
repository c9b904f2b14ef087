// The block that was clicked: its outline in the maps, and the pane with it and all that is live at that moment.
"use strict";

hbm.mostListed = 200;

// Returns the places of the kept block in a replay: several if it was moved.
hbm.keptPlaces = function (shown) {
  const { kept } = hbm.view, { replay } = shown;
  if (!kept || !replay) return [];
  const isShared = kept.block < replay.trace.count && replay.trace === hbm.shown[kept.map].replay.trace, places = [];
  if (!isShared && hbm.shown.indexOf(shown) !== kept.map) return [];
  for (let at = 0; at < replay.place.count; ++at) if (replay.place.block[at] === kept.block) places.push(at);
  return places;
};

// Outlines the kept block, by elements over the canvas.
hbm.paintKept = function (shown) {
  const { view } = hbm, { area, canvas, replay } = shown, box = canvas.parentElement;
  box.querySelectorAll(".kept").forEach((each) => each.remove());
  if (!area) return;
  const across = area.width / (view.to - view.from), up = area.height / (view.high - view.low);
  for (const at of hbm.keptPlaces(shown)) {
    const { begin, end, offset, size } = replay.place;
    const left = Math.max(0, (hbm.across(replay.trace, begin[at]) - view.from) * across);
    const right = Math.min(area.width, (hbm.across(replay.trace, end[at]) - view.from) * across);
    const top = Math.max(0, area.height - (offset[at] + size[at] - view.low) * up);
    const bottom = Math.min(area.height, area.height - (offset[at] - view.low) * up);
    if (right <= 0 || left >= area.width || bottom <= 0 || top >= area.height) continue;
    box.append(hbm.make("div", { class: "kept", style: `left:${area.x + left}px;top:${area.y + top}px;` +
      `width:${Math.max(right - left, 3)}px;height:${Math.max(bottom - top, 3)}px` }));
  }
};

// Keeps the block at a row and an address, until another is clicked; a hole keeps none, but its moment is listed.
hbm.keepBlock = function (shown, row, address) {
  const view = hbm.view, { replay } = shown;
  if (!replay) return;
  row = Math.min(Math.max(Math.floor(row), 0), Math.max(0, replay.rows - 1));
  const at = hbm.placeAt(replay, row, address);
  view.kept = { map: hbm.shown.indexOf(shown), row, address, block: at < 0 ? -1 : replay.place.block[at] };
  hbm.fillPane();
  hbm.shown.forEach(hbm.paintKept);
  hbm.keep();
};

hbm.release = function () {
  hbm.view.kept = null;
  hbm.fillPane();
  hbm.shown.forEach(hbm.paintKept);
};

// Returns the numbers of the places after a row, the largest first; ties by address.
hbm.liveAt = function (replay, row) {
  const { place } = replay, found = [];
  for (let at = 0; at < place.count; ++at) if (place.begin[at] <= row && row < place.end[at]) found.push(at);
  return found.sort((a, b) => place.size[b] - place.size[a] || place.offset[a] - place.offset[b]);
};

// Returns name and tag of a block.
hbm.blockName = function (replay, number) {
  const { block, trace } = replay, kind = block.kind[number];
  const tag = number < trace.count ? trace.tags[trace.tag[number]] : "";
  const words = [tag, block.name[number]].filter((each) => each).join(" ");
  return kind === 1 || kind === 5 ? words || "(no name)" : `${hbm.kinds[kind]} ${words}`.trim();
};

// Returns the list of the blocks that are live after a row, with a search.
hbm.liveList = function (shown, { row, block }, moment) {
  const { replay } = shown, { quantum } = hbm.data.workloads[hbm.view.workload];
  const live = hbm.liveAt(replay, row), list = hbm.make("ol", { tabindex: 0, "aria-label": "Live blocks, largest first" });
  const total = live.reduce((sum, at) => sum + replay.place.size[at], 0);
  const count = hbm.make("p", { class: "note", role: "status" });
  const fill = (wanted) => {
    const found = live.filter((at) => hbm.blockName(replay, replay.place.block[at]).toLowerCase().includes(wanted.toLowerCase()));
    count.textContent = `${hbm.grouped(found.length)} of ${hbm.grouped(live.length)} blocks` +
      (found.length > hbm.mostListed ? `, the ${hbm.mostListed} largest are listed` : "");
    list.replaceChildren(...found.slice(0, hbm.mostListed).map((at) => {
      const number = replay.place.block[at];
      return hbm.make("li", { class: number === block ? "chosen" : "", onclick: () => hbm.keepBlock(shown, row, replay.place.offset[at]) },
        hbm.make("b", {}, hbm.sizeInWords(replay.place.size[at] * quantum)),
        ` ${hbm.blockName(replay, number)} `, hbm.make("small", {}, "at " + hbm.sizeInWords(replay.place.offset[at] * quantum)));
    }));
    const chosen = list.querySelector(".chosen");
    if (chosen) list.scrollTop = chosen.offsetTop - list.offsetTop;
  };
  const search = hbm.make("input", { type: "search", id: "pane-search", oninput: (event) => fill(event.target.value) });
  fill("");
  return hbm.make("div", {}, hbm.make("p", {}, hbm.make("b", {}, hbm.sizeInWords(total * quantum) + " live"), ` ${moment}, largest first`),
    hbm.make("label", {}, hbm.make("span", {}, "Search names and tags"), search), count, list);
};

hbm.keptWords = function (shown, kept) {
  const words = hbm.make("dl", {}), add = (name, value) => words.append(hbm.make("div", {}, hbm.make("dt", {}, name), hbm.make("dd", {}, value)));
  for (const [name, value] of hbm.words(shown, kept.row, kept.address)) add(name, value);
  const places = hbm.keptPlaces(shown);
  if (places.length > 1) add("moves", String(places.length - 1));
  const release = hbm.button("Clear", "Select no block (Escape)", hbm.release);
  return hbm.make("div", {}, hbm.make("p", { class: "kept-head" }, hbm.make("b", {}, kept.block < 0 ? "Nothing is there" : "Selected block"),
    ` under ${hbm.nameOf(shown.manager)} `, release), words);
};

// Fills the pane with the kept block and all that is live at its moment; without one, with what is live at the peak.
hbm.fillPane = function () {
  const pane = document.getElementById("pane"), { kept } = hbm.view, shown = hbm.shown[kept ? kept.map : 0];
  if (!shown?.replay || shown.replay.rows === 0) return pane.replaceChildren();
  if (kept) return pane.replaceChildren(hbm.keptWords(shown, kept), hbm.liveList(shown, kept, `at event ${hbm.grouped(kept.row)}`));
  const row = hbm.peakOf(shown.replay);
  pane.replaceChildren(hbm.make("div", {}, hbm.make("p", {}, hbm.make("b", {}, "No block is selected")),
    hbm.make("p", { class: "note" }, "Click a block in a map or in this list: it is outlined in both maps, and this pane says where it lay, and when.")),
    hbm.liveList(shown, { row, block: -1 }, `at the peak, event ${hbm.grouped(row)}`));
};

// Returns the smaller of the two places next to the longest free run after a row; undefined without places.
hbm.wallAt = function (replay, row) {
  const { offset, size } = replay.place, live = hbm.liveAt(replay, row).sort((a, b) => offset[a] - offset[b]);
  let longest = -1, walls = [];
  for (let at = 0; at + 1 < live.length; ++at) {
    const run = offset[live[at + 1]] - offset[live[at]] - size[live[at]];
    if (run > longest) [longest, walls] = [run, [live[at], live[at + 1]]];
  }
  return walls.sort((a, b) => size[a] - size[b])[0];
};

// Goes to a row of a map, and keeps a block there: the given place, or the largest.
hbm.goTo = function (shown, row, wanted) {
  const { replay } = shown;
  if (!replay || replay.rows === 0) return;
  const at = wanted ?? hbm.liveAt(replay, row)[0];
  const address = at === undefined ? 0 : replay.place.offset[at] + replay.place.size[at] / 2;
  hbm.reveal(hbm.middleOf(replay.trace, row), address);
  hbm.pick(shown, row, address);
  hbm.keepBlock(shown, row, address);
};

// Returns the first row with the most bytes in use.
hbm.peakOf = (replay) => replay.curves.used.reduce((best, value, row, all) => value > all[best] ? row : best, 0);

hbm.places = function () {
  const failing = hbm.shown.find((each) => hbm.cellOf(hbm.view.workload, each.manager).failed !== null);
  const toFailure = () => {
    if (!failing.replay) return;
    const row = failing.replay.rows - 1, { error } = hbm.cellOf(hbm.view.workload, failing.manager);
    hbm.goTo(failing, row, /fragmentation/.test(error) ? hbm.wallAt(failing.replay, row) : undefined);
  };
  return [hbm.button("Peak", "Go to the peak of the upper map, and its largest block", () => hbm.shown[0].replay && hbm.goTo(hbm.shown[0], hbm.peakOf(hbm.shown[0].replay))),
    ...(failing ? [hbm.button("Failure", "Go to the failure, and the block in the way", toFailure)] : [])];
};
