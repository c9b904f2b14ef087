#!/usr/bin/env python3
"""The files of hbm_compare for other programs, beside a best fit of our own and the rules of the formats."""

from __future__ import annotations

import collections
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from viewer_case import Case, as_csv, churn, fragmentation  # noqa: E402
from viewer_readers import BestFit  # noqa: E402


class AllFormatsAgreeWithAnIndependentReplay(Case):
    capacity = 64 * 512 * 400

    def setUp(self) -> None:
        super().setUp()
        self.events = churn(3_000, 150, seed=7)
        self.times = [at // 3 * 10 for at in range(len(self.events))]
        self.write("t.csv", as_csv(self.events, self.times))
        self.row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", str(self.capacity))
        self.assertTrue(self.row["completed"])

    def replay(self) -> Iterator[BestFit]:
        """The memory after each event."""
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
                "workload": "t.csv", "manager": "best_fit", "capacity_bytes": str(self.capacity),
                "quantum_bytes": "512", "row": str(at), "t": str(self.times[at]), "used": str(memory.used),
                "free": str(free), "largest_free": str(largest), "highest_end": str(memory.highest_end()),
                "fragmentation": fragmentation(free, largest), "moves": "0", "evictions": "0",
                "capacity_asked": row["capacity_asked"]})

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
                                  state.get("fragmentation ratio"),
                                  {each[0]: each[1:] for each in open_slices.values()})
        self.assertEqual(found, expected)



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


class CellsOfSeveralCapacitiesHaveNamesOfTheirOwn(Case):
    def test_a_name_says_what_differs_and_nothing_else(self) -> None:
        self.write("t.csv", "op,id,bytes\nalloc,a,512\n")
        churned = "uniform_churn:operations=40,live=4"
        self.write_all("--workload", churned, "--trace", "t.csv", "--capacity", "1GiB,min", "--manager", "buddy")
        expected = [f"buddy, {name}, capacity {capacity}" for name in (churned, "t.csv") for capacity in ("1GiB", "min")]
        self.assertEqual([event["args"]["name"] for event in self.perfetto() if event["name"] == "process_name"],
                         expected)
        axes = {(row["workload"], row["capacity_asked"]) for row in self.series()}
        self.assertEqual(axes, {(name, capacity) for name in (churned, "t.csv") for capacity in ("1GiB", "min")})


if __name__ == "__main__":
    unittest.main()
