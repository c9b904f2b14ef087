#!/usr/bin/env python3
"""The files of hbm_compare for other programs, where blocks move, programs leave, and managers are many."""

from __future__ import annotations

import collections
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from viewer_case import Case, as_csv, churn  # noqa: E402


class ManyManagersWithProgramsAndMoves(Case):
    """No replay of ours knows what these managers do; but all files tell one story, and blocks never overlap."""

    managers = ["compacting<best_fit>", "bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size",
                "best_fit/evict_lru", "buddy/evict_lru"]

    compared: List[Dict[str, Any]] = []

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def setUp(self) -> None:
        self.path = self.folder  # the comparison takes seconds, so that all tests look at one
        if not self.compared:
            self.write("t.csv", as_csv(churn(1_500, 80, seed=9)))
            self.compared += self.write_all("--trace", "t.csv", "--workload", "llm_serving:requests=30",
                                            "--capacity", "min",
                                            *(word for manager in self.managers for word in ("--manager", manager)))
        rows = self.compared
        self.names = [event["args"]["name"] for event in self.perfetto() if event["name"] == "process_name"]
        self.rows_by_name = {f"{row['manager']}, {row['workload']}": row for row in rows}
        self.assertEqual(len(self.names), len(rows))
        self.assertGreater(sum(row["moves"] for row in rows), 0)
        self.assertGreater(sum(row["evictions"] for row in rows), 0)
        self.used: Dict[str, List[int]] = collections.defaultdict(list)
        for row in self.series():
            self.used[f"{row['manager']}, {row['workload']}"].append(int(row["used"]))

    def test_the_traces_of_the_snapshot_never_overlap_and_lead_to_its_segments(self) -> None:
        snapshot = self.snapshot()
        self.assertEqual([name.partition(", and ")[0] for name in snapshot["allocator_settings"].values()], self.names)
        self.assertEqual(list(snapshot["allocator_settings"]), [f"device {at}" for at in range(len(self.names))])
        for device, (name, trace) in enumerate(zip(self.names, snapshot["device_traces"])):
            row = self.rows_by_name[name]
            base = (device + 1) << 42
            live: Dict[int, Dict[str, Any]] = {}
            peak = 0
            for entry in trace:
                self.assertEqual(entry["frames"][-1]["name"], name)
                if entry["action"] == "alloc":
                    self.assertNotIn(entry["addr"], live)
                    live[entry["addr"]] = entry
                elif entry["action"] == "free_completed":
                    self.assertEqual(live.pop(entry["addr"])["frames"], entry["frames"])
                if entry["action"] == "alloc" and len(live) % 7 == 0:
                    places = sorted((address, each["size"]) for address, each in live.items())
                    for (address, size), (following, _) in zip(places, places[1:]):
                        self.assertLessEqual(address + size, following)
                    self.assertGreaterEqual(places[0][0], base)
                    self.assertLessEqual(sum(places[-1]), base + row["capacity_bytes"])
                peak = max(peak, sum(each["size"] for each in live.values()))
            segment, = (each for each in snapshot["segments"] if each["device"] == device)
            self.assertEqual(segment["address"], base)
            self.assertEqual(segment["total_size"], row["capacity_bytes"])
            self.assertEqual(segment["total_size"], sum(block["size"] for block in segment["blocks"]))
            self.assertEqual({(block["address"], block["requested_size"]) for block in segment["blocks"]
                              if block["state"] == "active_allocated"},
                             {(address, each["size"]) for address, each in live.items()})
            self.assertEqual(segment["active_size"], self.used[name][-1])
            self.assertLessEqual(peak, max(self.used[name]))

    def test_the_profile_adds_up_to_what_was_used_at_the_peak_and_at_the_end(self) -> None:
        sums: Dict[str, List[int]] = collections.defaultdict(lambda: [0, 0])
        kinds = set()
        for stack, values, labels in self.profile().samples:
            self.assertEqual(stack[-1], labels["device"])
            kinds.add(labels["kind"])
            sums[labels["device"]][0] += values["space"]
            sums[labels["device"]][1] += values["end_space"]
        self.assertEqual(dict(sums), {name: [max(self.used[name]), self.used[name][-1]] for name in self.names})
        self.assertEqual(kinds, {"buffer", "executable", "scratch", "reservation"})


if __name__ == "__main__":
    unittest.main()
