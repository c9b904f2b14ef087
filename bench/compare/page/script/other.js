// Another page of hbm_compare, opened to be compared with this one: the trace before a change and after it, over the same axes.
"use strict";

hbm.otherTexts = new Map();

// Returns the workload of this page that one of another page is compared with: that of its name, or the only one.
hbm.counterpartOf = function (other, all) {
  const last = (name) => name.split("/").pop(), own = hbm.data.workloads;
  if (own.length === 1 && all.length === 1) return own[0];
  return own.find((each) => each.name === other.name) ?? own.find((each) => last(each.name) === last(other.name));
};

// Adds the managers of another page to those of this one, on each workload that both have. Returns the number of the workloads.
hbm.addPage = function (text, file) {
  const page = new DOMParser().parseFromString(text, "text/html"), source = page.getElementById("report-data");
  const data = source && JSON.parse(source.textContent);
  if (data?.schema !== hbm.data.schema) throw new Error(`${file} is not a page of hbm_compare`);
  const first = hbm.data.managers.length, prefix = `${first}-`;
  let matched = 0;
  data.workloads.forEach((other, workload) => {
    const own = hbm.counterpartOf(other, data.workloads);
    if (!own || own.quantum !== other.quantum) return;
    ++matched;
    const cells = own.cells.length;
    own.cells.push(...other.cells.map((cell) => ({ ...cell, about: other, trace: `${prefix}trace-${workload}`, replay: cell.replay && prefix + cell.replay })));
    other.cell_of.forEach((cell, manager) => {
      own.cell_of[first + manager] = cells + cell;
      own.cells[cells + cell].result ??= data.results.rows[workload * data.managers.length + manager];
    });
  });
  if (matched === 0) throw new Error(`${file} has no workload of this page with the quantum that it has here`);
  for (const packed of page.querySelectorAll("script[type='text/plain']")) hbm.otherTexts.set(prefix + packed.id, packed);
  hbm.data.managers.push(...data.managers.map((name) => `${name} in ${file}`));
  hbm.data.short_names.push(...(data.short_names ?? data.managers).map((name) => `${name} in ${file}`));
  return matched;
};

// Shows the manager of the upper map below as another page has it, or that page's first manager.
hbm.compareWith = function (first) {
  const view = hbm.view, of = (workload) => hbm.data.workloads[workload].cell_of;
  if (of(view.workload)[first] === undefined) hbm.chooseWorkload(hbm.data.workloads.findIndex((each) => each.cell_of[first] !== undefined));
  const name = `${hbm.data.managers[view.managers[0]]} in `, twin = hbm.data.managers.findIndex((each, at) => at >= first && each.startsWith(name));
  Object.assign(view, { managers: [view.managers[0], twin < 0 ? first : twin], cursor: -1, kept: null });
  hbm.whole();
  return hbm.show();
};

// Returns the button that opens another page. The file stays on this machine.
hbm.otherPage = function () {
  const input = hbm.make("input", { type: "file", accept: ".html", hidden: true, "aria-label": "Another page of hbm_compare", onchange: async () => {
    const file = input.files[0], first = hbm.data.managers.length;
    try {
      hbm.addPage(await file.text(), file.name);
      await hbm.compareWith(first);
    } catch (problem) {
      document.getElementById("readout").textContent = problem.message;
    }
  } });
  return [hbm.button("Another page\u2026", "Compare with another page of hbm_compare, such as one of before a change", () => input.click()), input];
};
