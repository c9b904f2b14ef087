// Elements, and numbers in words.

// Characters that would hide text, or turn its direction, become U+FFFD.
const visible = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

// Returns an element: `make("p.note", { id: "x" }, "text", other)`. An attribute that begins with `on` is a listener;
// null and false leave an attribute or a child out.
function make(kind, ...children) {
  const [name, ...classes] = kind.split("."), made = document.createElement(name);
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  made.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : visible(value));
  }
  made.append(...children.filter((each) => each !== null && each !== false).map((each) => each instanceof Node ? each : visible(each)));
  return made;
}

const makeButton = (words, label, press) =>
  make("button", { type: "button", "aria-label": label, title: label, onclick: press }, words);

// Returns a labelled menu; `options` are [value, words, title].
function makeMenu(label, options, selected, change) {
  const menu = make("select", { onchange: () => change(menu.value) });
  for (const [value, words, title] of options)
    menu.append(make("option", { value, title: title ?? null, selected: String(value) === String(selected) }, words));
  return make("label", make("span", label), menu);
}

// Returns a list of names and values.
function makeList(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) list.append(make("div", make("dt", name), make("dd", value)));
  return list;
}

const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

// Returns a size as hbm_compare prints it: 512B, 1.5K, 13.25G.
function sizeInWords(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 6; bytes /= 1024) ++unit;
  return (unit === 0 ? bytes : bytes.toFixed(unit === 1 ? 1 : 2)) + "BKMGTPE"[unit];
}

// Returns a time in the unit of `largest`, with the decimals that tell steps of `step` microseconds apart.
function timeInWords(microseconds, step = 1, largest = microseconds) {
  const [unit, size] = largest >= 1e6 ? ["s", 1e6] : largest >= 1e3 ? ["ms", 1e3] : ["\u00b5s", 1];
  const decimals = Math.min(Math.max(Math.ceil(Math.log10(size / step)), 0), Math.log10(size));
  const [whole, part] = (microseconds / size).toFixed(decimals).split(".");
  return grouped(whole) + (part ? "." + part : "") + " " + unit;
}

// Returns a duration with two digits or three.
const durationInWords = (time) => timeInWords(time, 10 ** Math.max(0, Math.floor(Math.log10(time || 1)) - 1));
