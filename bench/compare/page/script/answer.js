// Answers of the program: hbm-answer/1 as elements, and other texts with their first paragraph as the headline.

const factInWords = ({ bytes, count, text, value }) =>
  bytes !== undefined && bytes !== null ? sizeInWords(bytes) : count !== undefined && count !== null ? grouped(count) : text ?? value ?? "";

// Returns a table of an answer: `columns` are its heads, a row has a text or a number for each.
function makeAnswerTable({ title, columns, rows }) {
  const cell = (value) => value !== null && typeof value === "object" ? factInWords(value) : value ?? "";
  return make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": title ?? "Table" }, make("table", { class: "figures" },
    make("thead", {}, make("tr", {}, ...columns.map((each) => make("th", { scope: "col" }, each.title ?? each)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((each) => make("td", {}, cell(each))))))));
}

function makeAnswer(text) {
  if (!text.startsWith('{"schema":"hbm-answer/1"')) {
    const end = text.indexOf("\n\n"), headline = end < 0 || end > 700 ? "" : text.slice(0, end);
    return make("div", {}, make("p", { class: "headline" }, headline), make("pre", { tabindex: 0 }, text.slice(headline.length).trim()));
  }
  const { headline, facts = [], remedies = [], tables = [], notes = [] } = JSON.parse(text);
  return make("div", {}, make("p", { class: "headline" }, headline), make("ol", { class: "remedies" }, ...remedies.map((each) => make("li", {}, each.text))),
    makeList(facts.map((fact) => [fact.label ?? fact.key, factInWords(fact)])), ...tables.map(makeAnswerTable), ...notes.map((each) => make("p", { class: "note" }, each)));
}
