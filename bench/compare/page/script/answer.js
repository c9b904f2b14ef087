// Answers of the program, hbm-answer/1, as elements.

const mostRemedies = 4;

function factInWords({ bytes, count, text, printed }) {
  if (printed) return printed;
  if (bytes !== undefined) return sizeInWords(bytes);
  return count !== undefined ? grouped(count) : text ?? "unknown";
}

// Returns a table. Its columns are the keys of the rows; numbers under a key that ends with `bytes` are sizes.
function makeTable({ title, rows }) {
  const keys = Object.keys(rows[0]);
  const words = (key, value) => typeof value !== "number" ? value ?? "" : key.endsWith("bytes") ? sizeInWords(value) : grouped(value);
  const heads = keys.map((key) => make("th", { scope: "col" }, key.replace(/_?bytes$/, "").replaceAll("_", " ") || "size"));
  return make("div.scroll", { role: "region", tabindex: 0, "aria-label": title }, make("table.figures", make("caption", title),
    make("thead", make("tr", ...heads)),
    make("tbody", ...rows.map((row) => make("tr", ...keys.map((key) => make("td", words(key, row[key]))))))));
}

// Returns an answer: its headline, the first remedies and the notes. The rest unfolds.
function makeAnswer({ headline, facts, remedies, tables, notes }) {
  const list = (from, start) => make("ol", { start }, ...from.map((each) => make("li", each.text)));
  const figures = facts.map((fact) => [fact.label ?? fact.key.replaceAll("_", " "), factInWords(fact)]);
  return make("article",
    make("p.headline", headline),
    remedies.length > 0 && list(remedies.slice(0, mostRemedies), 1),
    remedies.length > mostRemedies && make("details", make("summary", "More remedies"), list(remedies.slice(mostRemedies), mostRemedies + 1)),
    ...notes.map((note) => note.endsWith("\n") ? make("pre", { tabindex: 0 }, note.trimEnd()) : make("p.note", note)),
    facts.length > 0 && make("details", make("summary", "All figures"), makeList(figures), ...tables.filter(({ rows }) => rows.length > 0).map(makeTable)));
}

// Returns what the program wrote: answers, one a line, or text, of which the first paragraph stands out.
function makeAnswers(text) {
  if (text.startsWith('{"schema":"hbm-answer/1"')) return text.trim().split("\n").map((line) => makeAnswer(JSON.parse(line)));
  const end = text.indexOf("\n\n"), headline = end < 0 || end > 700 ? "" : text.slice(0, end);
  return [make("p.headline", headline), make("pre", { tabindex: 0 }, text.slice(headline.length).trim())];
}
