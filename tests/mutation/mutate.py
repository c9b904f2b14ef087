#!/usr/bin/env python3
"""Counts the single changes of operators, bounds and branches in include/ that the tests notice. See README.md."""

import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import places

FOLDERS = (". core blocks index placement eviction donation device events planning state pack manager growth "
           "explain adapt testing tpu")
LEFT_OUT = "bench|compare|imported|trace|generate|examples|packaging|must_not_compile"
FEW_SECONDS = 2  # test files that take longer run after all mutants met the others
SWITCH = """#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
inline const int hbm_mutant = std::getenv("HBM_MUTANT") == nullptr ? 0 : std::atoi(std::getenv("HBM_MUTANT"));
// A byte for each mutant, not zero if its line ran. Processes share the file that HBM_MUTANTS_REACHED names.
inline char* const hbm_mutants_reached = [] {
    static char unused[SIZE];
    const char* const name = std::getenv("HBM_MUTANTS_REACHED");
    if (name == nullptr) return unused;
    void* const shared = mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, open(name, O_RDWR), 0);
    if (shared == MAP_FAILED) std::abort();
    return static_cast<char*>(shared);
}();
constexpr bool hbm_mutant_is(int number) noexcept {
    if (__builtin_is_constant_evaluated()) return false;
    hbm_mutants_reached[number] = 1;
    return hbm_mutant == number;
}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--scratch", type=pathlib.Path, required=True, help="folder for the changed tree and its build")
    parser.add_argument("--count", type=int, default=76)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folders", default=FOLDERS, help="of include/hbm; '.' for the headers next to them")
    parser.add_argument("--exclude", default="^$", help="headers left out: a regular expression")
    parser.add_argument("--programs", default="", help="folders of tests that take part: a regular expression")
    parser.add_argument("--percent", type=int, default=25, help="HBM_SEEDS_PERCENT")
    parser.add_argument("--minutes", type=float, default=1e6, help="no mutant is begun later; the others are counted")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--flags", default="-O1", help="of the compiler")
    parser.add_argument("--list", type=pathlib.Path, help="the --out of an earlier run, whose mutants are found again")
    parser.add_argument("--resume", type=pathlib.Path, help="the --out of this run when it was stopped")
    parser.add_argument("--out", type=pathlib.Path, help="mutants and results, as JSON")
    options = parser.parse_args()
    options.source, options.scratch = options.source.resolve(), options.scratch.resolve()
    options.headers = options.source / "include/hbm"
    return options


def overlaps(left, right):
    spans = left["place"], right["place"]
    return left["file"] == right["file"] and max(s[0] for s in spans) < min(s[3] for s in spans)


def draw(options):
    """Returns the mutants of each folder, by lines, and spare ones for those that do not compile; and the shares."""
    lines, found = {}, {}
    for folder in options.folders.split():
        for header in sorted(options.headers.glob(f"{folder}/*.hpp")):
            path = header.relative_to(options.headers)
            if not re.search(options.exclude, str(path)):
                count, mutants = places.find(path, header.read_text(), options.seed)
                lines[folder] = lines.get(folder, 0) + count
                found.setdefault(folder, []).extend(mutants)
    quotas = {folder: options.count * lines[folder] / sum(lines.values()) for folder in found}
    shares = {folder: int(quota) for folder, quota in quotas.items()}
    for folder in sorted(quotas, key=lambda f: shares[f] - quotas[f])[:options.count - sum(shares.values())]:
        shares[folder] += 1
    drawn = []
    for folder, share in shares.items():
        chosen = []
        for mutant in sorted(found[folder], key=lambda m: m["key"]):
            if len(chosen) < share * 4 // 3 + 2 and not any(overlaps(mutant, other) for other in chosen):
                chosen.append({"number": len(drawn) + len(chosen) + 1, "folder": folder, **mutant})
        drawn += chosen
    return drawn, shares


def find_again(options):
    """Returns the mutants of a list where they are now; those that are gone have no `place`."""
    weights = {"line": 4, "expression": 3, "function": 2, "before": 1, "after": 1}
    found, candidates = [], []
    for header in sorted(options.headers.rglob("*.hpp")):
        candidates += places.find(header.relative_to(options.headers), header.read_text(), 0)[1]
    for old in json.loads(options.list.read_text()):
        def score(new):
            same = {field: new[field] == old[field] for field in weights}
            is_same_file = os.path.basename(new["file"]) == os.path.basename(old["file"])
            exact = sum(weight * same[field] for field, weight in weights.items()) + 2 * is_same_file + \
                (new["ordinal"] == old["ordinal"]) / 2 + (new["file"] == old["file"]) / 4
            if exact >= 9 or not (is_same_file or same["function"]):
                return exact if exact >= 9 else 0
            alike = [difflib.SequenceMatcher(None, new[f], old[f], autojunk=False).ratio()
                     for f in ("expression", "line", "before", "after")]
            return sum(alike) + is_same_file + same["function"] if min(alike[:2]) > 0.6 and sum(alike) > 2.2 else 0

        fitting = [c for c in candidates if (c["kind"], c["original"]) == (old["kind"], old["original"]) and
                   not any("place" in f and overlaps(c, f) for f in found)]
        best = max(fitting, key=score, default=None)
        kept = {field: old[field] for field in ("number", "folder", "replacement", "key")}
        if best is None or score(best) == 0:
            found.append({**old, "result": "gone"})
            del found[-1]["place"]
        else:
            found.append({**best, **kept, "was": f"{old['file']}: {old['line']}", "is_similar": score(best) < 9})
    return found


def write(path, content, time=None):
    """Writes a file if it changes. With the time that it had, what was built of it without errors stays."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if time is not None:
            os.utime(path, ns=(time, time))


def output(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def write_headers(options, mutants, keeps_time):
    for name in {m["file"] for m in mutants if "place" in m}:
        kept = [m for m in mutants if m["file"] == name and m["result"] != "does not compile"]
        text, path = (options.headers / name).read_text(), options.scratch / "tree/include/hbm" / name
        write(path, places.rewritten(text, kept).encode(), path.stat().st_mtime_ns if keeps_time else None)


def configure(options, mutants):
    """Writes the changed tree and configures its build. Returns the names of the test programs: those of a
    folder of headers first, then others; short ones first."""
    tree, folder, switch = (options.scratch / name for name in ("tree", "build", "hbm_mutant.hpp"))
    headers = {f"include/hbm/{m['file']}" for m in mutants if "place" in m}
    write(switch, SWITCH.replace("SIZE", str(1 + max(m["number"] for m in mutants))).encode())
    for name in output("git", "ls-files", "-co", "--exclude-standard", cwd=options.source).split("\n"):
        if (options.source / name).is_file() and name not in headers:
            write(tree / name, (options.source / name).read_bytes())
    write_headers(options, mutants, False)
    output("cmake", "-G", "Ninja", "-S", tree, "-B", folder, "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=",
           f"-DCMAKE_CXX_FLAGS={options.flags} -w -fno-diagnostics-show-caret -include {switch}",
           "-DHBM_BUILD_BENCH=OFF", "-DHBM_BUILD_EXAMPLES=OFF", "-DHBM_WARNINGS_AS_ERRORS=OFF")
    targets = re.findall(r"^hbm_tests_(\w+): phony", output("ninja", "-C", folder, "-t", "targets", "all"), re.M)
    sizes = {p: sum(f.stat().st_size for f in (tree / "tests" / p).glob("*.cpp")) for p in targets}
    return sorted((p for p in sizes if not re.match(LEFT_OUT, p) and re.search(options.programs, p)),
                  key=lambda p: (not (options.headers / p).is_dir(), sizes[p], p))


def build(options, mutants, program):
    """Builds a program with all mutants that compile, and marks the others. Returns the commands of its test files, by
    name."""
    folder = options.scratch / "build"
    while True:
        done = subprocess.run(["ninja", "-k0", f"-j{options.jobs}", "-C", folder, f"hbm_tests_{program}"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0:
            known = json.loads(output("ctest", "--test-dir", folder, "--show-only=json-v1"))["tests"]
            path = str(folder / f"tests/hbm_tests_{program}")
            return {t["name"]: t["command"] for t in known if t.get("command", [""])[0] == path}
        compiled = [m for m in mutants if "place" in m and m["result"] != "does not compile"]
        guilty = blamed(done.stdout, options.scratch / "tree/include/hbm", compiled)
        if not guilty:
            sys.exit(done.stdout[-20000:] + "\nThe tree does not compile, and no mutant is the cause.")
        for mutant in guilty:
            mutant["result"] = "does not compile"
            print(row(mutant), file=sys.stderr, flush=True)
        write_headers(options, mutants, True)


def blamed(log, headers, mutants):
    """Returns the mutants in lines with errors, or else in lines that other messages name."""
    for words in ("error:", ""):
        lines = {(os.path.realpath(f), int(n)) for f, n in re.findall(rf"([^\s:]+):(\d+):(?:\d+:)?\s+{words}", log)}
        guilty = []
        for mutant in mutants:
            text = (headers / mutant["file"]).read_text()
            first = text[:text.index(f"hbm_mutant_is({mutant['number']})")].count("\n") + 1
            spanned = range(first, first + mutant["height"])
            if any((os.path.realpath(headers / mutant["file"]), n) in lines for n in spanned):
                guilty.append(mutant)
        if guilty:
            return guilty
    return []


def call(command, number, limit, memory, options, reached=None):
    """Runs a test file with a mutant. Returns an empty text if it passes, else how it fails; and processor seconds."""
    environment = {**os.environ, "HBM_MUTANT": str(number), "HBM_SEEDS_PERCENT": str(options.percent),
                   "HBM_SOURCE_DIRECTORY": str(options.source), "TIMEFORMAT": "took %U %S"}
    if reached:
        environment["HBM_MUTANTS_REACHED"] = str(reached)
    limits = f'ulimit -c 0 -v {memory} -t {limit:.0f}; time "$@" -aa=1'
    try:
        done = subprocess.run(["bash", "-c", limits, "bash", *command], env=environment, check=False,
                              timeout=30 * limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return "hangs", limit
    text = done.stdout.decode(errors="replace")
    case, took = re.search(r"TEST CASE: +(.*)", text), re.findall(r"^took (\S+) (\S+)$", text, re.M)
    ended_by = max(-done.returncode, done.returncode - 128)  # of bash itself, or of what it called
    is_out_of_time = ended_by in (signal.SIGXCPU, signal.SIGKILL)
    ending = "hangs" if is_out_of_time else f"signal {ended_by}" if ended_by > 0 else "fails" if done.returncode else ""
    return f"{ending}: {case[1]}" if ending and case else ending, sum(map(float, took[-1])) if took else limit


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(name, command, options):
    """Runs a test file without a change. Returns its command, processor time, memory, and the mutants it reaches."""
    reached, switch = options.scratch / f"reached_{name}", (options.scratch / "hbm_mutant.hpp").read_text()
    for memory in ("4194304", "unlimited"):  # some reserve addresses
        reached.write_bytes(bytes(int(re.search(r"unused\[(\d+)", switch)[1])))
        ending, seconds = call(command, 0, 900, memory, options, reached)
        if not ending:
            return {"name": name, "command": command, "memory": memory, "seconds": seconds,
                    "reached": {number for number, was in enumerate(reached.read_bytes()) if was}}
    print(f"{name} without a change, left out: {ending}", file=sys.stderr, flush=True)
    return None


def first_failure(mutant, tests, options):
    """Runs the test files that reach a mutant, first that of its header, then those of its folder, until one fails."""
    header = pathlib.Path(mutant["file"])

    def weight(test):
        folder, _, name = test["name"].rpartition(".")
        return test["seconds"] * (0.1 if name == header.stem else 1 if folder == str(header.parent) else 4)

    for test in sorted(tests, key=weight):
        if mutant["number"] in test["reached"]:
            ending, _ = call(test["command"], mutant["number"], 5 * test["seconds"] + 10, test["memory"], options)
            if ending:
                return test["name"], ending
    return None


def row(mutant):
    place = f"{mutant['file']}:{mutant['line_number']}{' (similar)' if mutant.get('is_similar') else ''}"
    expression = "" if mutant["kind"] == "bound" else f" in {mutant['expression']}"
    change = f"{mutant['original']} -> {mutant['replacement']}{expression}"
    return f"{mutant['number']:3} {place}: {change} | {mutant['line']} | {mutant['result']}"


def main():
    options = arguments()
    drawn, shares = (find_again(options), None) if options.list else draw(options)
    known = json.loads(options.resume.read_text()) if options.resume else []
    results = {m["key"]: {f: m[f] for f in ("result", "ending") if f in m} for m in known}
    for mutant in drawn:
        mutant.setdefault("result", "not decided")
        mutant.update(results.get(mutant["key"], {}))
    end, lock, tests, met = time.monotonic() + 60 * options.minutes, threading.Lock(), [], {}

    def chosen():
        """Returns the mutants that count: of each folder the first that compile, as many as its share."""
        if shares is None:
            return drawn
        return [m for f in shares for m in [c for c in drawn if c["folder"] == f and c["result"] != "does not compile"]
                [:shares[f]]]

    def meet(mutant, most_seconds):
        """Runs the test files that the mutant has not met, up to this length."""
        done = met.setdefault(mutant["number"], set())
        new = [t for t in tests if t["seconds"] <= most_seconds and t["name"] not in done]
        if time.monotonic() > end or not new:
            return
        failure = first_failure(mutant, new, options)
        with lock:
            done.update(t["name"] for t in new)
            if failure:
                mutant["result"], mutant["ending"] = failure
                print(row(mutant), file=sys.stderr, flush=True)
            if options.out:
                options.out.write_text(json.dumps(drawn, indent=1))

    def all_meet(most_seconds):
        left = sorted((m for m in chosen() if m["result"] == "not decided"), key=lambda m: m["key"])
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda m: meet(m, most_seconds), left))

    for program in configure(options, drawn):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            new = build(options, drawn, program).items()
            tests += [t for t in pool.map(lambda t: measured(*t, options), new) if t]
        print(f"{program}: {sum(t['seconds'] for t in tests):.0f} s up to here", file=sys.stderr, flush=True)
        all_meet(FEW_SECONDS)
    all_meet(1e6)
    for mutant in chosen():
        if mutant["result"] == "not decided" and len(met.get(mutant["number"], ())) == len(tests):
            is_reached = any(mutant["number"] in test["reached"] for test in tests)
            mutant["result"] = "SURVIVED" if is_reached else "SURVIVED, not reached"

    print("\n".join(row(m) for m in chosen()))
    survived = sum(m["result"].startswith("SURVIVED") for m in chosen())
    lost = {r: sum(m["result"] == r for m in drawn) for r in ("gone", "does not compile")}
    lost["not decided"] = sum(m["result"] == "not decided" for m in chosen())
    noticed = len(chosen()) - survived - lost["gone"] - lost["not decided"]
    print(f"{noticed} of {noticed + survived} mutants are noticed, {survived} survived",
          *(f"{count} {what}" for what, count in lost.items() if count), sep=", ")
    print(f"processor time: {processor_seconds():.0f} s")
    if options.out:
        options.out.write_text(json.dumps(drawn, indent=1))


if __name__ == "__main__":
    main()
