// The page: what is brought leads to questions, each a command line, and a question to an answer.

const element = (id) => document.getElementById(id);
const settings = ["device", "donate"];
let chosen = "", turn = 0, ready = null;
let asked = [], latest = null;  // the words of the latest command line, and its result

// The inputs by what is in them.
function sortedInputs() {
  const having = (option) => inputs.filter((each) => each.option === option).map((each) => each.path);
  return { messages: having("--message"), programs: having("--program"), instants: having("--growth --trace"),
    traces: having("--trace") };
}

// The key of a program for donated arguments, which people write with commas or blanks, too: 0, 3-5.
const donated = (programs, { donate }) =>
  programs.map((each) => donate ? `${each}:donate=${donate.split(/[\s,+]+/).join("+")}` : each);
const options = (option, paths) => paths.flatMap((each) => [option, each]);
const capacity = ({ device }) => device ? ["--capacity", device] : [];
const compared = ({ traces, programs }, set) =>
  [...options("--trace", traces), ...options("--program", donated(programs, set)), ...capacity(set)];

// In the order in which they are offered; the first one that fits is answered. A report is made for two managers first.
const questions = [
  { id: "explain", title: "What the message means", fits: ({ messages }) => messages.length > 0,
    words: ({ messages, programs }, set) =>
      ["--message", messages[0], ...capacity(set), ...(programs.length > 0 ? ["--describe", ...donated(programs, set)] : []), "--format", "json"] },
  { id: "fit", title: "Does the program fit?", fits: ({ programs }) => programs.length > 0,
    words: ({ programs }, set) => [...compared({ traces: [], programs }, set), "--on-oom", "-"] },
  { id: "report", title: "Memory over time, and managers compared", fits: ({ traces, programs }) => traces.length + programs.length > 0,
    words: compared, isReport: true },
  { id: "growth", title: "Who holds memory, and does it grow?", fits: ({ traces, instants }) => traces.length + instants.length > 0,
    words: ({ traces, instants }, set) => ["--growth", ...options("--trace", [...instants, ...traces]), ...capacity(set)] },
];

const settingsNow = () => Object.fromEntries(settings.map((name) => [name, element(name).value.trim()]));
const fitting = () => questions.filter((each) => each.fits(sortedInputs()));
const questionNow = () => fitting().find((each) => each.id === chosen) ?? fitting()[0] ?? null;

function showState(text, isBusy = false) {
  element("state").textContent = text;
  element("busy").hidden = !isBusy;
  element("progress").removeAttribute("value");
}

function showQuestions() {
  const now = questionNow();
  const button = (question) => make("button", { type: "button", "aria-pressed": String(question === now),
    onclick: () => { chosen = question.id; answer(); } }, question.title);
  element("questions").replaceChildren(...fitting().map(button));
  element("with-donate").hidden = sortedInputs().programs.length === 0;
  element("ask").hidden = inputs.length === 0;
}

function clearAnswer() {
  for (const id of ["answer", "errors", "with-command"]) element(id).hidden = true;
  element("report").replaceChildren();
  report = null;
  shown = [];
  delete element("result").dataset.status;
}

// Shows what the program wrote: a report, an answer, or text.
function showAnswer(words, result) {
  const { status, out, err, page } = latest = result;
  clearAnswer();
  if (page) openReport(new DOMParser().parseFromString(page, "text/html"), element("report"));
  element("answer").hidden = page !== null || out === "";
  element("answer").replaceChildren(...makeAnswers(out));
  element("errors").textContent = err;
  element("errors").hidden = err === "";
  const quoted = (word) => /^[\w.\-/=:,+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  element("command").textContent = ["hbm_compare", ...words].map(quoted).join(" ");
  element("with-command").hidden = false;
  element("result").dataset.status = status;
}

// Answers the question in the present settings.
async function answer(begun = performance.now()) {
  const own = ++turn, question = questionNow(), run = async (words) => {
    asked = words;
    const result = await program.ask({ what: "run", files: allFiles(), words: [...asked, "--progress", "always"] },
      (percent) => { element("progress").value = percent; });
    if (own !== turn || !result) return false;
    showAnswer(words, result);
    const isGood = result.status === 0, time = Math.ceil(performance.now() - begun);
    showState(isGood ? `Answered in ${time} ms.` : `The program ended with exit status ${result.status}.`);
    return isGood;
  };
  showQuestions();
  if (!question) return;
  const words = question.words(sortedInputs(), settingsNow());
  showState("Working", true);
  try {
    if (!question.isReport) return await run(words);
    const first = ["tpu::runtime_memory", "best_fit"].flatMap((each) => ["--manager", each]);
    if (!await run([...words, ...first, "--html", "report.html"])) return;
    showState("Comparing all managers", true);
    await run([...words, "--html", "report.html"]);
  } catch (error) {
    if (own === turn) showState(`The program broke off: ${error.message}`);
  }
}

// Looks at the inputs, and answers.
async function inputsChanged() {
  const own = ++turn, begun = performance.now();
  takeText();
  showInputs();
  if (inputs.length === 0 || inputBytes() > mostBytes) {
    program.cancel();
    clearAnswer();
    showQuestions();
    return showState(inputs.length === 0 ? "" : "These files have more than 256 MiB, the most that this page takes: use the program itself.");
  }
  await ready;
  if (own !== turn) return;
  showState("Working", true);
  try {
    const files = inputs.filter((each) => !each.isFolder);
    const found = await program.ask({ what: "look", files: allFiles(), paths: files.map((each) => each.path) });
    if (!found || own !== turn) return;
    files.forEach((each, at) => { each.option = found[at]; });
    for (const each of inputs) if (each.isFolder) each.option = "--program";
    // Prose that somebody pastes is no trace, whose head has commas: the error is then about messages.
    for (const each of files) if (each.isPasted && each.option === "--trace" && !/^[^\n]*,/.test(each.files[0].data)) each.option = "--message";
    await answer(begun);
  } catch (error) {
    if (own === turn) showState(`The program broke off: ${error.message}`);
  }
}

// A paste is answered at once, and typing after a pause.
function textChanged(event) {
  clearTimeout(textChanged.timer);
  textChanged.timer = setTimeout(inputsChanged, event?.inputType === "insertText" ? 120 : 0);
}

async function showExample(button) {
  const files = JSON.parse(await (await unpackPart(`example-${button.dataset.example}`)).text()), [{ path, data }] = files;
  inputs = [];
  element("text").value = path.endsWith(".txt") && !path.includes("/") ? data : "";
  if (path.includes("/")) addInput(path.split("/")[0], files, true);
  else if (!path.endsWith(".txt")) addInput(path, files);
  inputsChanged();
}

function startOver() {
  inputs = [];
  for (const name of ["text", ...settings]) element(name).value = "";
  chosen = "";
  inputsChanged();
  element("text").focus();
}

function connectPage() {
  element("text").addEventListener("input", textChanged);
  for (const [button, input, add] of [["choose-files", "file-input", (files) => files.forEach(addFile)],
    ["choose-folder", "folder-input", (files) => addFolderFiles(files.map((each) => [each.webkitRelativePath, each]))]]) {
    element(button).onclick = () => element(input).click();
    element(input).onchange = ({ target }) => { add([...target.files]); target.value = ""; inputsChanged(); };
  }
  for (const name of settings) element(name).onchange = () => { if (inputs.length > 0) answer(); };
  element("examples").onclick = ({ target }) => { if (target.dataset.example) { chosen = ""; showExample(target); } };
  element("cancel").onclick = () => { ++turn; program.cancel(); showState("Cancelled."); };
  element("clear").onclick = startOver;
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    addDropped(event.dataTransfer);
  });
}

function openPage() {
  connectPage();
  ready = program.load();
  ready.then(() => { document.documentElement.dataset.ready = "yes"; }, (error) => showState(`This browser cannot run the program: ${error.message}. ` +
    "WebAssembly and DecompressionStream are needed: Chrome 97, Firefox 113, Safari 16.4, or later."));
}
