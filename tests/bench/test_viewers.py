#!/usr/bin/env python3
"""Tests of the files that hbm_compare writes for other programs, with readers and a best fit that share nothing with it."""

from __future__ import annotations

import collections
import csv
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from viewer_readers import BestFit, Profile, read_profile, strict_unpickle  # noqa: E402

COMPARE = os.environ.get("HBM_COMPARE", "")
TRACES = os.environ.get("HBM_TRACE_DIRECTORY", "")
FORMATS = {"perfetto": "p.json", "snapshot": "s.pickle", "pprof": "h.pb", "series": "s.csv"}

Event = Tuple[str, str, int, str]  # operation, id, bytes, tag


def churn(events: int, live: int, seed: int, tags: int = 5) -> List[Event]:
    """Allocations and frees in a random order, with up to `live` blocks at a time."""
    numbers = random.Random(seed)
    held: List[str] = []
    made: List[Event] = []
    while len(made) < events:
        if held and numbers.random() < len(held) / live / 2 + 0.02:
            at = numbers.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            made.append(("free", held.pop(), 0, ""))
        else:
            name = f"b{len(made)}"
            held.append(name)
            made.append(("alloc", name, numbers.randrange(1, 100_000), f"tag{numbers.randrange(tags)}"))
    return made


def as_csv(events: List[Event], times: Optional[List[int]] = None) -> str:
    lines = ["op,id,bytes,tag" if times is None else "t,op,id,bytes,tag"]
    for at, (what, name, size, tag) in enumerate(events):
        row = f"{what},{name},{size if what == 'alloc' else ''},{tag}"
        lines.append(row if times is None else f"{times[at]},{row}")
    return "\n".join(lines) + "\n"


class Case(unittest.TestCase):
    """A folder of its own, and ways to run hbm_compare in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def compare(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([COMPARE, "--rounds", "0", *arguments], cwd=self.path, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode("utf-8", "replace"))
        return done

    def rows(self, *arguments: str) -> List[Dict[str, Any]]:
        return json.loads(self.compare("--format", "json", *arguments).stdout)["rows"]

    def write_all(self, *arguments: str) -> List[Dict[str, Any]]:
        """Writes a file of each format that holds many managers; the rows of the comparison."""
        return self.rows(*arguments, *(word for name, file in FORMATS.items() for word in ("--" + name, file)))

    def perfetto(self) -> List[Dict[str, Any]]:
        whole = json.loads((self.path / "p.json").read_text(encoding="utf-8"))
        self.assertEqual(set(whole), {"displayTimeUnit", "traceEvents"})
        return whole["traceEvents"]

    def snapshot(self) -> Dict[str, Any]:
        data = (self.path / "s.pickle").read_bytes()
        made = strict_unpickle(data)
        self.assertEqual(made, pickle.loads(data))
        return made

    def profile(self) -> Profile:
        return read_profile((self.path / "h.pb").read_bytes())

    def series(self) -> List[Dict[str, str]]:
        with open(self.path / "s.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def fragmentation(free: int, largest: int) -> str:
    """Six decimals, rounded to the nearest, a half upwards."""
    millionths = 0 if free == 0 else ((free - largest) * 2_000_000 + free) // (2 * free)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06d}"


class AllFormatsAgreeWithAnIndependentReplay(Case):
    capacity = 64 * 512 * 400

    def setUp(self) -> None:
        super().setUp()
        self.events = churn(3_000, 150, seed=7)
        self.times = [at // 3 * 10 for at in range(len(self.events))]
        self.write("t.csv", as_csv(self.events, self.times))
        self.row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", str(self.capacity))
        self.assertTrue(self.row["completed"])

    def replay(self) -> BestFit:
        """Yields itself after each event."""
        memory = BestFit(self.capacity)
        for what, name, size, _ in self.events:
            if what == "alloc":
                self.assertTrue(memory.allocate(name, size))
            else:
                memory.free(name)
            yield memory

    def test_the_series_is_memory_after_each_row(self) -> None:
        rows = self.series()
        self.assertEqual(len(rows), len(self.events))
        for at, (row, memory) in enumerate(zip(rows, self.replay())):
            free, largest = self.capacity - memory.used, memory.largest_free()
            self.assertEqual(row, {
                "workload": "t.csv", "manager": "best_fit", "capacity_bytes": str(self.capacity), "quantum_bytes": "512",
                "row": str(at), "t": str(self.times[at]), "used": str(memory.used), "free": str(free),
                "largest_free": str(largest), "highest_end": str(memory.highest_end()),
                "fragmentation": fragmentation(free, largest), "moves": "0", "evictions": "0"})

    def test_the_counters_and_slices_of_perfetto_are_memory_after_each_time(self) -> None:
        expected: Dict[int, Any] = {}
        for at, memory in enumerate(self.replay()):
            free, largest = self.capacity - memory.used, memory.largest_free()
            expected[self.times[at]] = (memory.used, free, largest, float(fragmentation(free, largest)),
                                        dict(memory.live))
        # What is there at the end ends with the trace.
        events = self.perfetto()
        self.assertEqual({event["ph"] for event in events[-len(memory.live):]}, {"e"})
        found: Dict[int, Any] = {}
        open_slices: Dict[str, Tuple[str, int, int]] = {}
        state: Dict[str, float] = {}
        for event in events[:-len(memory.live)]:
            if event["ph"] == "M":
                continue
            if event["ph"] == "C":
                state.update({event["name"] + " " + key: value for key, value in event["args"].items()})
            elif event["ph"] == "b":
                open_slices[event["id"]] = (event["args"]["id"], event["args"]["offset"], event["args"]["bytes"])
            else:
                del open_slices[event["id"]]
            found[event["ts"]] = (state.get("memory live"), state.get("memory free"), state.get("largest free bytes"),
                                  state.get("fragmentation ratio"), {each[0]: each[1:] for each in open_slices.values()})
        self.assertEqual(found, expected)

    def test_the_snapshot_holds_the_last_blocks_and_its_trace_leads_to_them(self) -> None:
        snapshot = self.snapshot()
        for memory in self.replay():
            pass
        base = 1 << 42
        segment, = snapshot["segments"]
        self.assertEqual((segment["address"], segment["total_size"], segment["device"], segment["stream"]),
                         (base, self.capacity, 0, 0))
        blocks = {}
        following = base
        for block in segment["blocks"]:
            self.assertEqual(block["address"], following)
            following += block["size"]
            if block["state"] == "inactive":
                continue
            self.assertEqual(block["state"], "active_allocated")
            blocks[block["frames"][1]["name"]] = (block["address"] - base, block["size"])
        self.assertEqual(following, base + self.capacity)
        self.assertEqual(blocks, memory.live)
        self.assertEqual(segment["active_size"], memory.used)
        sizes = {name: size for _, name, size, _ in self.events if size}
        self.assertEqual(segment["requested_size"], sum(sizes[name] for name in memory.live))
        trace, = snapshot["device_traces"]
        self.assertEqual(trace[0]["action"], "segment_alloc")
        at = 1
        for (what, name, size, tag), time in zip(self.events, self.times):
            for action in ["alloc"] if what == "alloc" else ["free_requested", "free_completed"]:
                entry = trace[at]
                at += 1
                self.assertEqual((entry["action"], entry["frames"][1]["name"], entry["time_us"], entry["stream"]),
                                 (action, name, time, 0))
                if what == "alloc":
                    self.assertEqual((entry["size"], entry["frames"][0]["name"]), (size, tag))
        self.assertEqual(at, len(trace))

    def test_the_heap_profile_holds_what_is_live_at_the_peak_and_at_the_end(self) -> None:
        profile = self.profile()
        self.assertEqual(profile.types, [("allocations", "count"), ("space", "bytes"), ("end_allocations", "count"),
                                         ("end_space", "bytes")])
        self.assertEqual(profile.default_type, "space")
        peak: Dict[str, Tuple[int, int]] = {}
        most = 0
        for memory in self.replay():
            if memory.used > most:
                most, peak = memory.used, dict(memory.live)
        self.assertEqual(most, self.row["peak_live_bytes"])
        tags = {name: tag for what, name, _, tag in self.events if what == "alloc"}
        for suffix, live in (("", peak), ("end_", memory.live)):
            held = {stack[0]: values[suffix + "space"] for stack, values, _ in profile.samples
                    if values[suffix + "allocations"] == 1}
            self.assertEqual(held, {name: size for name, (_, size) in live.items()})
        for stack, _, labels in profile.samples:
            self.assertEqual(stack, [stack[0], tags[stack[0]], "best_fit, t.csv"])
            self.assertEqual(labels, {"kind": "buffer", "device": "best_fit, t.csv"})

    def test_the_snapshot_and_the_minimalloc_file_read_as_traces_give_the_same_figures(self) -> None:
        self.rows("--trace", "t.csv", "--manager", "best_fit", "--minimalloc", "m.csv")
        for capacity in (str(self.capacity), "unlimited"):
            expected, = self.rows("--trace", "t.csv", "--manager", "best_fit", "--capacity", capacity)
            for file in ("s.pickle", "m.csv"):
                with self.subTest(file=file, capacity=capacity):
                    found, = self.rows("--trace", file, "--manager", "best_fit", "--capacity", capacity)
                    for key in ("peak_live_bytes", "footprint_bytes", "placement_digest", "completed"):
                        self.assertEqual(found[key], expected[key], key)


class ThePerfettoFileKeepsToTheFormat(Case):
    def check(self, events: List[Dict[str, Any]]) -> collections.Counter:
        """Every event has the documented fields; slices begin and end once; times never fall."""
        counted: collections.Counter = collections.Counter()
        is_open: Dict[Tuple[Any, ...], bool] = {}
        last: Dict[Tuple[int, str, str], int] = collections.defaultdict(int)
        for event in events:
            phase = event["ph"]
            counted[phase, event["name"]] += 1
            self.assertIsInstance(event["pid"], int)
            self.assertIsInstance(event["args"], dict)
            if phase == "M":
                continue
            self.assertIsInstance(event["ts"], int)
            track = (event["pid"], phase, event["name"])
            self.assertGreaterEqual(event["ts"], last[track])
            last[track] = event["ts"]
            if phase == "C":
                self.assertTrue(event["args"])
                for value in event["args"].values():
                    self.assertIn(type(value), (int, float))
            elif phase == "i":
                self.assertEqual(event["s"], "p")
            else:
                key = (event["cat"], event["name"], event["id"])
                self.assertIn(phase, "be")
                self.assertEqual(is_open.get(key), None if phase == "b" else True)
                is_open[key] = phase == "b"
        self.assertFalse(any(is_open.values()))
        return counted

    def test_managers_are_processes_and_each_says_who_shares_it(self) -> None:
        self.write("t.csv", as_csv(churn(200, 20, seed=1)))
        self.rows("--trace", "t.csv", "--manager", "best_fit*", "--manager", "buddy", "--perfetto", "p.json")
        events = self.perfetto()
        self.check(events)
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertIn("best_fit, t.csv", names.values())
        self.assertIn("buddy, t.csv", names.values())
        self.assertEqual(len(set(names.values())), len(names))
        self.assertEqual({e["pid"] for e in events}, set(names))
        labels = [e["args"]["labels"] for e in events if e["name"] == "process_labels"]
        self.assertTrue(any("cannot differ here: best_fit/" in each for each in labels), labels)

    def test_moves_evictions_reloads_and_the_failure_are_instants(self) -> None:
        rows = self.write_all("--workload", "llm_serving:requests=40", "--capacity", "9GiB", "--manager",
                              "*compacting<best_fit>*/evict_lru/donate_same_size")
        counted = collections.Counter()
        for row in rows:
            counted.update({key: row[key] for key in ("moves", "evictions", "reloads")})
        events = self.perfetto()
        self.check(events)
        by_process = collections.Counter((e["pid"], e["name"]) for e in events if e["ph"] == "i")
        names = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
        checked = 0
        for row in rows:
            process = names.get(f"{row['manager']}, {row['workload']}")
            if process is None:
                continue
            checked += 1
            self.assertEqual(by_process[process, "evicted"], row["evictions"], row["manager"])
            self.assertEqual(by_process[process, "reloaded"], row["reloads"], row["manager"])
            self.assertEqual(by_process[process, "moved"], row["moves"], row["manager"])
            self.assertEqual(by_process[process, "failed"], 0 if row["completed"] else 1)
            last = [each for each in self.series() if each["manager"] == row["manager"]][-1]
            self.assertEqual((int(last["moves"]), int(last["evictions"])), (row["moves"], row["evictions"]))
        self.assertGreater(checked, 0)
        self.assertGreater(counted["moves"] + counted["evictions"], 0)



class HostileAndLongTraces(Case):
    def test_names_that_no_format_likes_are_escaped_or_replaced(self) -> None:
        """Quotes, backslashes and bytes that are not UTF-8 in ids and tags, and control characters in the file's name."""
        names = [b'a"quote', b"back\\slash", b"bad\xff\xfe\x80utf8", b"</script>", b"\xed\xa0\x80surrogate",
                 "emoji\U0001f600".encode(), b"';drop", b"#no_comment", b"=1+1"]
        text = b"op,id,bytes,tag\n" + b"".join(b"alloc,x%s,1024,%s\n" % (name, name) for name in names)
        file = os.fsdecode(b"evil\"\\name,\xff\n\t\x01\x7f.csv")
        (self.path / file).write_bytes(text)
        readable = [name.decode("utf-8", "replace") for name in names]
        self.compare("--trace", file, "--manager", "best_fit", "--capacity", "1MiB", "--minimalloc", "m.csv",
                     *(word for name, each in FORMATS.items() for word in ("--" + name, each)))

        def fold(found: List[str]) -> List[str]:
            """Readers differ in how many replacement characters stand for some wrong bytes in a row."""
            return [re.sub("\ufffd+", "\ufffd", name) for name in found]

        folded = fold(readable)
        events = self.perfetto()
        self.assertEqual(fold([e["args"]["tag"] for e in events if e["ph"] == "b"]), folded)
        self.assertEqual(fold([e["name"] for e in events if e["ph"] == "b"]), folded)
        trace, = self.snapshot()["device_traces"]
        self.assertEqual(fold([e["frames"][0]["name"] for e in trace[1:]]), folded)
        self.assertEqual(sorted(fold([stack[1] for stack, _, _ in self.profile().samples])), sorted(folded))
        with open(self.path / "s.csv", newline="", encoding="utf-8", errors="surrogateescape") as series:
            rows = list(csv.DictReader(series))
        self.assertEqual({os.fsencode(row["workload"]) for row in rows}, {os.fsencode(file)})
        self.assertEqual(len(rows), len(names))
        lines = (self.path / "m.csv").read_bytes().splitlines()
        self.assertEqual([len(line.split(b",")) for line in lines], [5] * (1 + len(names)))
        self.assertTrue(self.rows("--trace", "m.csv", "--manager", "best_fit")[0]["completed"])

    def test_280_000_events(self) -> None:
        events = churn(280_000, 3_000, seed=3, tags=50)
        self.write("t.csv", as_csv(events))
        row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", "400MiB")
        self.assertTrue(row["completed"])
        live: Dict[str, int] = {}
        used = most = 0
        series = self.series()
        self.assertEqual(len(series), len(events))
        for (what, name, size, _), found in zip(events, series):
            if what == "alloc":
                live[name] = -(-size // 512) * 512
                used += live[name]
            else:
                used -= live.pop(name)
            most = max(most, used)
            self.assertEqual(int(found["used"]), used)
        counted = collections.Counter(event["ph"] for event in self.perfetto())
        allocations = sum(1 for what, *_ in events if what == "alloc")
        self.assertEqual((counted["b"], counted["e"]), (allocations, allocations))
        snapshot = self.snapshot()
        actions = collections.Counter(entry["action"] for entry in snapshot["device_traces"][0])
        self.assertEqual(actions, {"segment_alloc": 1, "alloc": allocations, "free_requested": len(events) - allocations,
                                   "free_completed": len(events) - allocations})
        blocks = {block["frames"][1]["name"]: block["size"] for block in snapshot["segments"][0]["blocks"]
                  if block["state"] != "inactive"}
        self.assertEqual(blocks, live)
        profile = self.profile()
        self.assertEqual(sum(values["space"] for _, values, _ in profile.samples), most)
        self.assertEqual(sum(values["end_space"] for _, values, _ in profile.samples), used)


class TheCommandLine(Case):
    def test_a_path_that_a_result_would_replace_is_refused(self) -> None:
        self.write("t.csv", as_csv(churn(10, 5, seed=1)))
        for option in ("--perfetto", "--snapshot", "--pprof", "--minimalloc", "--series"):
            with self.subTest(option=option):
                self.assertIn(b"found the trace itself", self.compare("--trace", "t.csv", option, "t.csv", status=2).stderr)
                self.assertIn(b"stdout is for the comparison",
                              self.compare("--trace", "t.csv", option, "-", status=2).stderr)
                self.assertIn(b"nothing is replayed there",
                              self.compare("--trace", "t.csv", "--growth", option, "x", status=2).stderr)
                self.assertIn(b"found the path of -o",
                              self.compare("--trace", "t.csv", "-o", "x", option, "./x", status=2).stderr)
        self.assertIn(b"found 2 workloads", self.compare("--trace", "t.csv", "--workload", "slow_leak", "--minimalloc",
                                                         "m.csv", status=2).stderr)
        self.assertEqual(os.listdir(self.path), ["t.csv"])

    def test_without_a_limit_only_what_is_used_is_said(self) -> None:
        self.write("t.csv", as_csv(churn(300, 30, seed=2)))
        row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", "unlimited")
        self.assertTrue(all(each[key] == "" for each in self.series()
                            for key in ("capacity_bytes", "free", "largest_free", "fragmentation", "t")))
        counters = {key for event in self.perfetto() if event["ph"] == "C" for key in event["args"]}
        self.assertEqual(counters, {"live", "bytes"})
        segment, = self.snapshot()["segments"]
        self.assertEqual(segment["total_size"], row["footprint_bytes"])

    def test_a_failure_ends_every_file(self) -> None:
        events = churn(2_000, 100, seed=5)
        self.write("t.csv", as_csv(events))
        row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", "2MiB")
        self.assertFalse(row["completed"])
        memory = BestFit(2 << 20)
        for at, (what, name, size, _) in enumerate(events):
            if what == "free":
                memory.free(name)
            elif not memory.allocate(name, size):
                break
        self.assertEqual(row["failed_event"], at)
        self.assertEqual(len(self.series()), at)
        failed, = [event for event in self.perfetto() if event["name"] == "failed"]
        self.assertEqual(failed["args"], {"row": at, "message": row["error"]})
        last = self.snapshot()["device_traces"][0][-1]
        self.assertEqual((last["action"], last["size"], last["device_free"]), ("oom", size, (2 << 20) - memory.used))
        profile = self.profile()
        self.assertEqual(sum(values["end_space"] for _, values, _ in profile.samples), memory.used)
        self.assertIn(row["error"], profile.comments[0])


if __name__ == "__main__":
    unittest.main()
