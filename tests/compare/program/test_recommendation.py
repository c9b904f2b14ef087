"""The answer of a comparison is checked against the figures of the same run, by a rule written here again: on every
recorded trace and every generated workload the manager completes, none that completes needs over 2 % less memory, and none
that needs as little spends over 5 % less time on moves and reloads."""

import json
import os
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


def result_of(*arguments: str) -> Dict[str, Any]:
    return json.loads(run("--format", "json", *arguments))


def memory(row: Row) -> Optional[int]:
    return row["capacity_bytes"] if row["completed"] else None


def cost(row: Row) -> int:
    return row["move_us"] + row["reload_us"]


def mistakes(rows: List[Row], taken: Dict[str, Optional[str]]) -> List[str]:
    """What is wrong with taking these managers, by workload. Models of other allocators are not taken."""
    found = []
    for workload, name in taken.items():
        here = [row for row in rows if row["workload"] == workload and memory(row) is not None and row["manager"] != "torch_caching"]
        mine = next((row for row in here if row["manager"] == name), None)
        if mine is None:
            found += [f"{workload}: {row['manager']} completes, {name} does not" for row in here]
            continue
        least = min(memory(row) for row in here)
        fastest = min(cost(row) for row in here if memory(row) * 100 <= least * 102)
        if memory(mine) * 100 > least * 102 or cost(mine) * 100 > fastest * 105:
            found.append(f"{workload}: {name} needs {memory(mine)} of {least} and spends {cost(mine)} of {fastest} us")
    return found


class Recommendation(unittest.TestCase):
    def check(self, *arguments: str) -> None:
        result = result_of(*arguments)
        table = result["answer"]["tables"][0]["rows"]
        self.assertEqual(mistakes(result["rows"], {row["workload"]: row["take"] for row in table}), [], arguments)

    def test_on_recorded_traces_nothing_needs_less_or_is_faster(self) -> None:
        for trace in TRACES:
            with self.subTest(trace.name):
                self.check("--trace", str(trace))

    def test_on_every_generated_workload_nothing_needs_less_or_is_faster(self) -> None:
        for workload in WORKLOADS:
            with self.subTest(workload):
                self.check("--workload", workload)

    def test_the_rule_of_this_test_notices_a_bad_choice(self) -> None:
        rows = result_of("--trace", str(TRACES[0]), "--manager", "best_fit", "--manager", "buddy")["rows"]
        self.assertNotEqual(mistakes(rows, {rows[0]["workload"]: "buddy"}), [])


if __name__ == "__main__":
    unittest.main()
