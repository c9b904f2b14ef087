// Text and files that are brought. Nothing of them leaves this page.
"use strict";

page.inputs = [];
page.mostBytes = 256 * 1024 * 1024;

// An input is a pasted text, a file, or a folder with its files; each has a path, its first word on the command line.
page.addInput = function (path, files, isFolder = false) {
  const taken = new Set(page.inputs.map((each) => each.path));
  let name = path;
  for (let number = 2; taken.has(name); ++number) name = path.replace(/(\.[^./]*)?$/, `_${number}$1`);
  const moved = files.map((each) => ({ ...each, path: name + each.path.slice(path.length) }));
  page.inputs.push({ path: name, files: moved, isFolder, option: "" });
};

// The number of bytes of all inputs.
page.inputBytes = () => page.inputs.flatMap((each) => each.files)
  .reduce((sum, { data }) => sum + (typeof data === "string" ? data.length : data.size), 0);

// A path that the command line does not take for an option.
page.cleanPath = (path) => path.replace(/^\/+/, "").replace(/^-/, "./-");

page.addFile = (file) => {
  const path = page.cleanPath(file.name);
  page.addInput(path, [{ path, data: file }]);
};

// Adds files that a browser lists with their paths in a folder.
page.addFolderFiles = function (entries) {
  const folders = new Map();
  for (const [path, file] of entries) {
    const clean = page.cleanPath(path), folder = clean.split("/")[0];
    if (!folders.has(folder)) folders.set(folder, []);
    folders.get(folder).push({ path: clean, data: file });
  }
  for (const [folder, files] of folders) page.addInput(folder, files, true);
};

// Returns [path, file] of everything below an entry of a drop.
page.filesBelow = async function (entry) {
  if (entry.isFile) return [[entry.fullPath, await new Promise((done, fail) => entry.file(done, fail))]];
  const reader = entry.createReader(), all = [];
  // A reader returns some entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return all;
    for (const each of some) all.push(...await page.filesBelow(each));
  }
};

// Adds what was dropped: text, files or folders. What a drop holds can be read only until this function first waits.
page.addDropped = async function(transfer) {
    const dropped = [...transfer.items ]
                        .filter((each) => each.kind === "file")
                        .map((each) => ({entry : each.webkitGetAsEntry(), file : each.getAsFile()}));
    if (dropped.length === 0) {
        document.getElementById("text").value = transfer.getData("text/plain");
        page.textChanged();
        return;
    }
    for (const {entry, file} of dropped) {
        if (entry && entry.isDirectory)
            page.addFolderFiles(await page.filesBelow(entry));
        else if (file)
            page.addFile(file);
    }
    page.inputsChanged();
};

// Takes the pasted text as the first input, or removes it if there is none.
page.takeText = function () {
  const text = document.getElementById("text").value, path = "pasted.txt";
  page.inputs = page.inputs.filter((each) => !each.isPasted);
  if (!text.trim()) return;
  page.inputs.unshift({ path, files: [{ path, data: text }], isFolder: false, option: "", isPasted: true });
};

page.removeInput = function (input) {
  page.inputs = page.inputs.filter((each) => each !== input);
  if (input.isPasted) document.getElementById("text").value = "";
  page.inputsChanged();
};

page.showInputs = function () {
  const list = document.getElementById("files");
  list.replaceChildren(...page.inputs.filter((each) => !each.isPasted).map((input) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const count = input.files.length;
    item.append(input.isFolder ? `${input.path}/ (${count} ${count === 1 ? "file" : "files"})` : input.path, " ");
    button.type = "button";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove ${input.path}`);
    button.onclick = () => page.removeInput(input);
    item.append(button);
    return item;
  }));
  list.hidden = list.children.length === 0;
};
