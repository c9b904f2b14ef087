// The page: inputs lead to questions, and a question to an answer. The address keeps what was asked, and no data:
// #ask=compare&device=v5p&donate=all&managers=...&weights=...&example=...
"use strict";

page.settings = ["device", "donate", "managers", "weights"];
page.chosen = "";
page.example = "";
page.turn = 0;

page.settingsNow = () => Object.fromEntries(page.settings.map((name) => [name, element(name).value.trim()]));

page.keep = function () {
  const parts = page.chosen ? [`ask=${page.chosen}`] : [], set = page.settingsNow();
  for (const name of page.settings) if (set[name]) parts.push(`${name}=${encodeURIComponent(set[name])}`);
  if (page.example) parts.push(`example=${page.example}`);
  history.replaceState(null, "", parts.length > 0 ? "#" + parts.join("&") : location.pathname + location.search);
};

page.restore = function () {
  const kept = new URLSearchParams(location.hash.slice(1));
  page.chosen = kept.get("ask") ?? "";
  for (const name of page.settings) {
    const value = kept.get(name) ?? "";
    if (name === "device" && value && ![...element("device").options].some((each) => each.value === value))
      element("device").add(new Option(value, value));
    element(name).value = value;
  }
  const example = element("examples").querySelector(`[data-example="${CSS.escape(kept.get("example") ?? "")}"]`);
  if (example) page.showExample(example);
};

// The question that is answered now; null without inputs.
page.question = function () {
  const has = page.sorted(), fitting = page.questions.filter((each) => each.fits(has));
  return fitting.find((each) => each.id === page.chosen) ?? fitting[0] ?? null;
};

page.showQuestions = function () {
  const has = page.sorted(), now = page.question();
  element("questions").replaceChildren(...page.questions.filter((each) => each.fits(has)).map((question) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = question.title;
    button.setAttribute("aria-pressed", String(question === now));
    button.onclick = () => { page.chosen = question.id; page.keep(); page.answer(); };
    return button;
  }));
  for (const name of page.settings) element(`with-${name}`).hidden = !now || !now.settings.includes(name);
  element("with-donate").hidden ||= has.programs.length === 0;
  element("ask").hidden = page.inputs.length === 0;
};

page.allFiles = () => page.inputs.flatMap((each) => each.files);

// Answers the question in the present settings.
page.answer = async function (begun = performance.now()) {
  const turn = ++page.turn, question = page.question();
  page.showQuestions();
  if (!question) return;
  const words = question.words(page.sorted(), page.settingsNow());
  page.showState("Working", true);
  element("progress").removeAttribute("value");
  try {
    const result = await page.program.ask({ what: "run", files: page.allFiles(), outputs: question.outputs ?? [],
      words: question.hasProgress ? [...words, "--progress", "always"] : words, columns: page.columns() },
      (percent) => { element("progress").value = percent; });
    if (turn !== page.turn) return;
    if (result) page.showAnswer(question, words, result, begun);
  } catch (error) {
    if (turn === page.turn) page.showState(`The program broke off: ${error.message}`);
  }
};

// True for a text that may have a program that did not load, for which a pool can be found.
page.holdsLoad = async function ({ files: [{ data }] }) {
  const text = typeof data === "string" ? data : await data.slice(0, 64 * 1024 * 1024).text();
  return /Error loading program|bottom of memory|HLO temporaries|HBM capacity/.test(text);
};

// Looks at the inputs, and answers.
page.inputsChanged = async function () {
  const turn = ++page.turn, begun = performance.now();
  page.takeText();
  page.showInputs();
  if (page.inputs.length === 0) {
    page.program.cancel();
    page.clearAnswer();
    page.showQuestions();
    page.showState("");
    return;
  }
  if (page.inputBytes() > page.mostBytes) {
    page.clearAnswer();
    page.showState("These files have more than 256 MiB, the most that this page takes: use the program itself.");
    return;
  }
  await page.ready;
  if (turn !== page.turn) return;
  page.showState("Working", true);
  try {
    const files = page.inputs.filter((each) => !each.isFolder);
    const found = await page.program.ask({ what: "look", files: page.allFiles(), paths: files.map((each) => each.path) });
    if (!found || turn !== page.turn) return;
    files.forEach((each, at) => { each.option = found.options[at]; });
    for (const each of page.inputs) if (each.isFolder) each.option = "--program";
    // Prose that somebody pastes is no trace, whose head has commas: the error is then about messages.
    for (const each of files)
      if (each.isPasted && each.option === "--trace" && !/^[^\n]*,/.test(each.files[0].data)) each.option = "--message";
    for (const each of files) each.isOfLoad = await page.holdsLoad(each);
    if (turn !== page.turn) return;
    await page.answer(begun);
  } catch (error) {
    if (turn === page.turn) page.showState(`The program broke off: ${error.message}`);
  }
};

// A paste is answered at once, and typing after a pause.
page.textChanged = function (event) {
  clearTimeout(page.timer);
  page.example = "";
  page.keep();
  page.timer = setTimeout(page.inputsChanged, event && event.inputType === "insertText" ? 120 : 0);
};

page.showExample = async function (button) {
  const files = JSON.parse(await (await page.unpack(`example-${button.dataset.example}`)).text());
  page.inputs = [];
  element("text").value = "";
  const isFolder = files[0].path.includes("/");
  if (isFolder) page.addInput(files[0].path.split("/")[0], files, true);
  else if (files.length === 1 && files[0].path.endsWith(".txt")) element("text").value = files[0].data;
  else for (const each of files) page.addInput(each.path, [each]);
  page.example = button.dataset.example;
  page.keep();
  page.inputsChanged();
};

page.connect = function () {
  element("text").addEventListener("input", page.textChanged);
  for (const [button, input] of [["choose-files", "file-input"], ["choose-folder", "folder-input"]])
    element(button).onclick = () => element(input).click();
  element("file-input").onchange = (event) => {
      for (const each of event.target.files) page.addFile(each);
    event.target.value = "";
    page.inputsChanged();
  };
  element("folder-input").onchange = (event) => {
      page.addFolderFiles([...event.target.files].map((each) => [each.webkitRelativePath, each]));
    event.target.value = "";
    page.inputsChanged();
  };
  for (const name of page.settings)
    element(name).onchange = () => { page.keep(); if (page.inputs.length > 0) page.answer(); };
  element("examples").onclick = (event) => {
    if (!event.target.dataset.example) return;
    page.chosen = event.target.dataset.ask;
    page.showExample(event.target);
  };
  element("cancel").onclick = () => { ++page.turn; page.program.cancel(); page.showState("Cancelled."); };
  element("clear").onclick = () => { page.inputs = []; element("text").value = element("device").value = ""; page.example = ""; page.chosen = "";
    page.keep(); page.inputsChanged(); element("text").focus(); };
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    page.example = "";
    page.addDropped(event.dataTransfer);
  });
  window.addEventListener("hashchange", page.restore);
};

page.begin = async function () {
  await page.program.load();
  const { devices } = await page.program.ask({ what: "look", files: [], paths: [] });
  for (const each of devices) element("device").add(new Option(`TPU ${each}`, each));
  document.documentElement.dataset.ready = Math.round(performance.now());
};

page.connect();
page.ready = page.begin();
page.ready.then(page.restore, (error) => page.showState(`This browser cannot run the program: ${error.message}. ` +
  "WebAssembly and DecompressionStream are needed: Chrome 97, Firefox 113, Safari 16.4, or later."));
