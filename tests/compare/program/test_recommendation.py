"""The answer of a comparison is checked against the figures of the same run, by a rule written here again: on every
recorded trace and every generated workload the manager completes as much as any, and none that costs no more milliseconds
there needs over one percent less memory."""

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


def run(*arguments: str) -> str:
    command = [COMPARE, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout


def rows_of(*arguments: str) -> List[Row]:
    return json.loads(run("--format", "json", *arguments))["rows"]


def short_names() -> Dict[str, str]:
    """The names of managers by the short names that sentences use."""
    lines = run("--list").splitlines()
    return {found[1]: line.split()[0] for line in lines if (found := re.search(r"; short name (\S+)$", line))}


def taken_by_answer(*arguments: str) -> Optional[str]:
    """The manager that the answer takes; none if it says that no manager can complete anything."""
    text = run(*arguments)
    if "\nAnswer\n\n  - No manager can complete any of these workloads" in text:
        return None
    name = re.search(r"\nAnswer\n\n  - Take (\S+): ", text)[1]
    return short_names().get(name, name)


def memory(row: Row) -> Optional[int]:
    return row["capacity_bytes"] if row["completed"] else None


def cost(row: Row) -> int:
    return row["move_us"] + row["reload_us"]


def mistakes(rows: List[Row], taken: Optional[str]) -> List[str]:
    """What is wrong with taking this manager, for each workload."""
    if taken is None:
        return [f"{row['workload']}: {row['manager']} completes" for row in rows if row["completed"]]
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
            if other is not None and cost(row) <= cost(mine) and memory(mine) * 100 > other * 101:
                found.append(f"{workload}: {row['manager']} needs {other} for {cost(row)} us, {taken} {memory(mine)}")
    return found


class Recommendation(unittest.TestCase):
    def check(self, *arguments: str) -> None:
        self.assertEqual(mistakes(rows_of(*arguments), taken_by_answer(*arguments)), [], arguments)

    def test_on_recorded_traces_nothing_as_cheap_needs_less(self) -> None:
        for trace in sorted(TRACES, key=lambda each: each.stat().st_size)[:5]:
            with self.subTest(trace.name):
                self.check("--trace", str(trace))

    def test_on_every_generated_workload_nothing_as_cheap_needs_less(self) -> None:
        for workload in WORKLOADS:
            with self.subTest(workload):
                self.check("--workload", workload)

    def test_the_rule_of_this_test_notices_a_bad_choice(self) -> None:
        rows = rows_of("--trace", str(TRACES[0]), "--manager", "best_fit", "--manager", "buddy")
        self.assertNotEqual(mistakes(rows, "buddy"), [])


if __name__ == "__main__":
    unittest.main()
