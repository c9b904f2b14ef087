// Questions about the inputs, each as a command line.
"use strict";

const paths = (inputs) => inputs.map((each) => each.path);
const withOption = (option, words) => words.flatMap((each) => [option, each]);

// The inputs by what is in them.
page.sorted = function () {
  const having = (option) => page.inputs.filter((each) => each.option === option);
  return { messages: having("--message"), programs: having("--program"), instants: having("--growth --trace"),
    traces: having("--trace"), loads: having("--message").filter((each) => each.isOfLoad) };
};

// The key of a program for donated arguments. Numbers are written with commas or blanks, too: 0, 3-5.
const donated = (set) => set.donate ? `:donate=${set.donate.split(/[\s,+]+/).join("+")}` : "";

// The inputs that managers are compared on, as words of the command line.
function compared(has, set) {
  const words = [...withOption("--trace", paths([...has.traces, ...has.instants])),
    ...withOption("--program", paths(has.programs).map((each) => each + donated(set)))];
  return [...words, ...capacity(set), ...(set.managers ? ["--manager", set.managers] : []), "--rounds", "0"];
}

const capacity = (set) => set.device ? ["--capacity", set.device] : [];

const isCompared = (has) => has.traces.length + has.programs.length + has.instants.length > 0;

// In the order in which they are offered; the first one that fits is answered. `settings` are those that it takes.
page.questions = [
  { id: "explain", title: "Explain the message", settings: ["device", "donate"], fits: (has) => has.messages.length > 0,
    words: (has, set) => ["--message", has.messages[0].path, ...capacity(set),
      ...(has.programs.length > 0 ? ["--describe", ...paths(has.programs).map((each) => each + (set.donate === "none" ? "" : donated(set)))] : [])] },
  { id: "since", title: "Changes since the other message", settings: [], fits: (has) => has.messages.length > 1,
    words: (has) => ["--message", has.messages[0].path, "--before", has.messages[1].path] },
  { id: "fit", title: "Does the program fit?", settings: ["device", "donate", "managers"], hasProgress: true,
    fits: (has) => has.programs.length > 0,
    words: (has, set) => [...compared({ ...has, traces: [], instants: [] }, set), "--on-oom", "-"] },
  { id: "donate", title: "If all possible arguments were donated", settings: ["device", "managers"], hasProgress: true,
    fits: (has) => has.programs.length > 0,
    words: (has, set) => [...compared({ ...has, traces: [], instants: [] }, { ...set, donate: "all" }), "--on-oom", "-"] },
  { id: "growth", title: "Who holds memory, and does it grow?", settings: ["device"], fits: (has) => has.instants.length > 0,
    words: (has, set) => ["--growth", ...withOption("--trace", paths([...has.instants, ...has.traces])), ...capacity(set)] },
  { id: "compare", title: "Compare managers", settings: ["device", "donate", "managers"], hasProgress: true,
    fits: isCompared, words: compared },
  { id: "recommend", title: "Recommend a manager", settings: ["device", "donate", "managers"], hasProgress: true,
    fits: isCompared, words: (has, set) => [...compared(has, set), "--recommend"] },
  { id: "report", title: "Memory over time, as a page", settings: ["device", "donate", "managers"], hasProgress: true,
    fits: isCompared, outputs: ["report.html"], words: (has, set) => [...compared(has, set), "--html", "report.html"] },
  { id: "failures", title: "Explain the failures", settings: ["device", "donate", "managers"], hasProgress: true,
    fits: (has) => has.traces.length > 0, words: (has, set) => [...compared(has, set), "--on-oom", "-"] },
  { id: "leak", title: "Does memory grow?", settings: ["device"], fits: (has) => has.traces.length > 0,
    words: (has, set) => ["--growth", ...withOption("--trace", paths(has.traces)), ...capacity(set)] },
  { id: "changes", title: "Changes since the other file", settings: [],
    fits: (has) => [has.traces, has.instants, has.programs].some((each) => each.length === 2),
    words: (has) => {
      const [later, earlier] = paths([has.traces, has.instants, has.programs].find((each) => each.length === 2));
      return ["--before", earlier, has.programs.length === 2 ? "--program" : "--trace", later];
    } },
  { id: "serve", title: "The largest KV pool", settings: ["device", "weights"],
    fits: (has) => has.programs.length + has.loads.length > 0,
    words: (has, set) => ["--serve", ...paths(has.programs.length > 0 ? has.programs : has.loads), ...capacity(set),
      ...(set.weights ? ["--weights", set.weights] : [])] },
  { id: "json", title: "The message for scripts", settings: ["device"], fits: (has) => has.messages.length > 0,
    words: (has, set) => ["--message", has.messages[0].path, ...capacity(set), "--format", "json"] },
  { id: "describe", title: "The files for scripts", settings: [],
    fits: (has) => has.programs.length > 0, words: (has) => ["--describe", ...paths(has.programs)] },
];

// A word as a shell takes it.
page.quoted = (word) => /^[\w.\-/=:,+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
