// The answer: what the program wrote, on what command line, and its page.
"use strict";

const element = (id) => document.getElementById(id);

// The number of characters in a line of the answer, if that is less than the program writes by itself.
page.columns = function () {
  const ruler = document.createElement("span");
  ruler.textContent = "0".repeat(100);
  ruler.className = "ruler";
  element("output").parentElement.append(ruler);
  const width = ruler.getBoundingClientRect().width / 100;
  ruler.remove();
  const style = getComputedStyle(element("output"));
  const room = element("result").clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 4;
  const columns = Math.floor(room / width);
  return columns < 100 ? Math.max(columns, 20) : 0;
};

page.showState = function (text, isBusy = false) {
  element("state").textContent = text;
  element("busy").hidden = !isBusy;
};

// Shows a text. Its headline, and the sentence about another device behind the place in the message, stand out.
function showOutput(text) {
  const bold = document.createElement("b"), other = document.createElement("b");
  const paragraph = page.asked.hasHeadline ? text.split("\n\n", 1)[0] : "";
  const [, headline, place = "", rest = ""] = paragraph.match(/^([^]*?)(?:(\n\(line[^\n]*\n?)([^]*))?$/);
  const isShort = headline.length < 700;
  bold.textContent = isShort ? headline : "";
  other.textContent = rest.startsWith("On ") ? rest : "";
  const shown = isShort ? headline.length + place.length + other.textContent.length : 0;
  element("output").replaceChildren(bold, isShort ? place : "", isShort ? other : "", text.slice(shown));
  element("output").hidden = text === "";
}

page.freeReport = function () {
  if (page.report) URL.revokeObjectURL(page.report);
  page.report = null;
  element("report").replaceChildren();
};

// Shows the page that the program wrote. It may run its own scripts, which the policy of this page lists, and no others.
function showReport(text) {
  page.freeReport();
  if (text === null || text === undefined) return;
  page.report = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  const frame = document.createElement("iframe"), link = document.createElement("a");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "Memory over time under each manager";
  frame.src = page.report;
  link.href = page.report;
  link.download = "report.html";
  link.textContent = "Save this page as report.html";
  element("report").append(link, frame);
}

// `begun` is the time at which the input came or the question was pressed.
page.showAnswer = function (question, words, result, begun) {
  page.asked = { hasHeadline: question.id === "explain" };
  showOutput(result.out);
  element("errors").textContent = result.err;
  element("errors").hidden = result.err === "";
  element("command").textContent = ["hbm_compare", ...words].map(page.quoted).join(" ");
  element("with-command").hidden = false;
  showReport(result.outputs[0]);
  element("result").dataset.status = result.status;
  page.showState(result.status === 0 ? `Answered in ${Math.ceil(performance.now() - begun)} ms.`
    : `The program ended with exit status ${result.status}.`);
};

page.clearAnswer = function () {
  for (const id of ["output", "errors", "with-command"]) element(id).hidden = true;
  element("output").replaceChildren();
  element("errors").textContent = "";
  page.freeReport();
  delete element("result").dataset.status;
};
