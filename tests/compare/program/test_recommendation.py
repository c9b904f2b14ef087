"""What --recommend says is checked against the figures of the same run, by a rule written here again: on every recorded
trace and every generated workload, the manager completes as much as any, and none that costs no more milliseconds there
needs over one percent less memory, unless by luck."""

import json
import os
import re
import pathlib
import subprocess
import unittest
from typing import Any, Dict, List, Optional

COMPARE = os.environ.get("HBM_COMPARE", "")
TRACES = sorted(pathlib.Path(os.environ.get("HBM_TRACE_DIRECTORY", "")).glob("*.csv"))
WORKLOADS = ["transformer_training", "llm_serving", "embedding_pipeline", "sharded_training", "checkpoint_restart",
             "slow_leak", "uniform_churn:live=300,operations=3000"]

Row = Dict[str, Any]


def run(*arguments: str) -> Dict[str, Any]:
    command = [COMPARE, "--rounds", "0", "--format", "json", "--recommend", "--variants", "2", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def memory(row: Row) -> Optional[int]:
    """Bytes by the one measure that the managers of a workload are compared by; None where the workload fails."""
    if not row["completed"]:
        return None
    return row["needs_median_bytes"] or row["capacity_bytes"]


def equal_within_luck(one: Row, other: Row) -> bool:
    """Over half of the shorter range lies in the other one."""
    ranges = [(row["needs_least_bytes"], row["needs_most_bytes"]) for row in (one, other)]
    if None in ranges[0] + ranges[1]:
        return False
    (low, high), shorter = map(sorted, zip(*ranges)), min(most - least for least, most in ranges)
    return high[0] - low[1] >= 0 and (shorter == 0 or 2 * (high[0] - low[1]) > shorter)


def cost(row: Row) -> int:
    return row["move_us"] + row["reload_us"]


def short_name(manager: str) -> str:
    """The name that sentences use, from the list of managers."""
    listed = subprocess.run([COMPARE, "--list", "--manager", manager], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"; short name (\S+)$", listed.splitlines()[0])
    return found[1] if found else manager


def mistakes(rows: List[Row], taken: str) -> List[str]:
    """What is wrong with taking this manager, for each workload."""
    found = []
    for workload in sorted({row["workload"] for row in rows}):
        here = [row for row in rows if row["workload"] == workload]
        mine = next(row for row in here if row["manager"] == taken)
        if memory(mine) is None:
            if any(row["completed"] for row in here):
                found.append(f"{workload}: {taken} fails")
            continue
        for row in here:
            other = memory(row)
            if other is not None and cost(row) <= cost(mine) and memory(mine) * 100 > other * 101 and \
                    not equal_within_luck(row, mine):
                found.append(f"{workload}: {row['manager']} needs {other} for {cost(row)} us, {taken} {memory(mine)}")
    return found


class Recommendation(unittest.TestCase):
    def check(self, *arguments: str) -> Dict[str, Any]:
        found = run(*arguments)
        said = found["recommendation"]
        self.assertEqual(len(said["sentences"]), 3 if said["best"] is None else 4)
        if said["best"] is None:
            self.assertFalse(any(row["completed"] for row in found["rows"]))
            return said
        self.assertEqual(mistakes(found["rows"], said["best"]["manager"]), [], arguments)
        for each in filter(None, (said["best"], said["simpler"])):
            rows = [row for row in found["rows"] if row["manager"] == each["manager"] and row["completed"]]
            self.assertEqual(each["completed"], len(rows))
            self.assertEqual(each["bytes"], sum(memory(row) or 0 for row in rows))
            self.assertEqual(each["cost_us"], sum(cost(row) for row in rows))
            self.assertIn(short_name(each["manager"]), " ".join(said["sentences"]))
        if said["simpler"] is not None:
            self.assertEqual(said["simpler"]["completed"], said["best"]["completed"])
        return said

    def test_on_every_recorded_trace_nothing_as_cheap_needs_less(self) -> None:
        self.assertEqual(len(TRACES), 13)
        for trace in TRACES:
            with self.subTest(trace.name):
                self.check("--trace", str(trace))

    def test_where_nothing_may_move_the_choice_is_among_the_fits(self) -> None:
        for trace in sorted(TRACES, key=lambda each: each.stat().st_size)[:3]:
            with self.subTest(trace.name):
                said = self.check("--trace", str(trace), "--manager", "*_fit", "--manager", "buddy", "--manager", "bfc")
                self.assertEqual(said["best"]["cost_us"], 0)

    def test_on_every_generated_workload_nothing_as_cheap_needs_less(self) -> None:
        for workload in WORKLOADS:
            with self.subTest(workload):
                self.check("--workload", workload)

    def test_for_all_default_workloads_together(self) -> None:
        said = self.check()
        self.assertEqual(said["workloads"], 7)
        self.assertEqual(said["best"]["completed"], 7)

    def test_the_rule_of_this_test_notices_a_bad_choice(self) -> None:
        found = run("--trace", str(TRACES[0]), "--manager", "best_fit", "--manager", "buddy")
        self.assertNotEqual(mistakes(found["rows"], "buddy"), [])


if __name__ == "__main__":
    unittest.main()
