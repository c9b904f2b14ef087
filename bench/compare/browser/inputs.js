// Text and files that are brought. Nothing of them leaves this page.

const mostBytes = 256 * 1024 * 1024;
let inputs = [];  // each a pasted text, a file, or a folder with its files, whose path is its word on the command line

function addInput(path, files, isFolder = false) {
  const taken = new Set(inputs.map((each) => each.path));
  let name = path;
  for (let number = 2; taken.has(name); ++number) name = path.replace(/(\.[^./]*)?$/, `_${number}$1`);
  inputs.push({ path: name, files: files.map((each) => ({ ...each, path: name + each.path.slice(path.length) })), isFolder, option: "" });
}

const allFiles = () => inputs.flatMap((each) => each.files);
const inputBytes = () => allFiles().reduce((sum, { data }) => sum + (typeof data === "string" ? data.length : data.size), 0);

// Returns a path that the command line does not take for an option.
const cleanPath = (path) => path.replace(/^\/+/, "").replace(/^-/, "./-");

function addFile(file) {
  const path = cleanPath(file.name);
  addInput(path, [{ path, data: file }]);
}

// Adds files with their paths in a folder.
function addFolderFiles(entries) {
  const folders = {};
  for (const [path, data] of entries) {
    const clean = cleanPath(path);
    (folders[clean.split("/")[0]] ??= []).push({ path: clean, data });
  }
  for (const [folder, files] of Object.entries(folders)) addInput(folder, files, true);
}

// Returns [path, file] of everything below an entry of a drop.
async function filesBelow(entry) {
  if (entry.isFile) return [[entry.fullPath, await new Promise((done, fail) => entry.file(done, fail))]];
  const reader = entry.createReader(), all = [];
  // A reader returns some entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return all;
    for (const each of some) all.push(...await filesBelow(each));
  }
}

// Adds what was dropped: text, files or folders. What a drop holds can be read only until this function first waits.
async function addDropped(transfer) {
  const dropped = [...transfer.items].filter((each) => each.kind === "file").map((each) => ({ entry: each.webkitGetAsEntry(), file: each.getAsFile() }));
  if (dropped.length === 0) {
    element("text").value = transfer.getData("text/plain");
    return textChanged();
  }
  for (const { entry, file } of dropped) {
    if (entry?.isDirectory) addFolderFiles(await filesBelow(entry));
    else if (file) addFile(file);
  }
  inputsChanged();
}

// Takes the pasted text as the first input, or removes it if there is none.
function takeText() {
  const data = element("text").value, path = "pasted.txt";
  inputs = inputs.filter((each) => !each.isPasted);
  if (data.trim()) inputs.unshift({ path, files: [{ path, data }], isFolder: false, option: "", isPasted: true });
}

function showInputs() {
  const remove = (input) => () => { inputs = inputs.filter((each) => each !== input); inputsChanged(); };
  element("text").classList.toggle("small", inputs.some((each) => !each.isPasted));
  element("files").replaceChildren(...inputs.filter((each) => !each.isPasted).map((input) =>
    make("li", input.isFolder ? `${input.path}/ (${input.files.length} files) ` : input.path + " ",
      make("button", { type: "button", "aria-label": `Remove ${input.path}`, onclick: remove(input) }, "Remove"))));
}
