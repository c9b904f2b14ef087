// The address keeps the view: #cell=0.3&beside=5&time=10-200&addresses=0-4096&axis=time&colour=size

// Writes the view into the address, without a step in the browser's history.
function keepAddress() {
  if (!report.keepsAddress || report.isHeld || shown.length === 0) return;
  const { workload, managers, from, to, low, high, byTime, colour } = view;
  const parts = [`cell=${workload}.${managers[0]}`], round = (value) => Math.round(value * 1000) / 1000;
  if (managers.length > 1) parts.push(`beside=${managers[1]}`);
  if (from > 0 || to < extentOf()) parts.push(`time=${round(from)}-${round(to)}`);
  if (low > 0 || high < topOf()) parts.push(`addresses=${round(low)}-${round(high)}`);
  if (byTime) parts.push("axis=time");
  if (colour !== usualColour(workload)) parts.push(`colour=${colour}`);
  history.replaceState(null, "", "#" + parts.join("&"));
}

// Reads the view from the address; false if the address is of something else.
function restoreAddress() {
  const parts = new URLSearchParams(location.hash.slice(1)), numbers = (name, mark) => (parts.get(name) ?? "").split(mark).map(Number);
  const [workload, manager] = numbers("cell", "."), maps = report.data.workloads[workload]?.maps ?? [], beside = Number(parts.get("beside") ?? -1);
  if (!parts.has("cell") || !maps.includes(manager)) return false;
  Object.assign(view, wholeView, { workload, managers: maps.includes(beside) ? [manager, beside] : [manager] });
  const colour = parts.get("colour"), [from, to] = numbers("time", "-"), [low, high] = numbers("addresses", "-");
  view.colour = ["size", "lifetime", "kind"].includes(colour) ? colour : usualColour(workload);
  view.byTime = parts.get("axis") === "time" && hasTimes();
  if (to > from) Object.assign(view, { from, to });
  if (high > low) Object.assign(view, { low, high });
  return true;
}

// Follows a link of the page: to a map, or to a failure, which is opened.
window.addEventListener("hashchange", () => {
  if (!report) return;
  const named = document.getElementById(location.hash.slice(1));
  if (named?.tagName === "DETAILS") named.open = true;
  else if (restoreAddress()) showMaps().then(() => document.getElementById("map").scrollIntoView());
});
