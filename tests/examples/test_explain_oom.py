#!/usr/bin/env python3
"""Tests of examples/explain_oom.py with the program that the environment variable HBM_COMPARE names."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "explain_oom.py"

FULL = ("RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 96.00M. That was not possible. "
        "There are 41.50M free.; (1x2x0_HBM1)")
LISTED = ("RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 18.00G of "
          "15.75G hbm. Exceeded hbm capacity by 2.25G.\n\n  Largest program allocations in hbm:\n\n  1. Size: 2.00G\n"
          '     Operator: op_name="jit(f)/dot_general" source_file="a.py" source_line=3\n'
          "     Shape: bf16[8,128]{1,0:T(8,128)(2,1)}\n     Allocation type: HLO temp\n"
          "     ==========================\n")


def run(text: str, status: int) -> "subprocess.CompletedProcess[str]":
    child = f"import sys; print({text!r}); sys.exit({status})"
    return subprocess.run([sys.executable, str(SCRIPT), sys.executable, "-c", child], capture_output=True, text=True,
                          check=False)


class ExplainOom(unittest.TestCase):
    def test_a_failure_is_explained_and_its_status_kept(self) -> None:
        ended = run(FULL, 7)
        self.assertEqual(ended.returncode, 7)
        self.assertEqual(ended.stdout, FULL + "\n")
        lines = ended.stderr.splitlines()
        self.assertEqual(lines[0], "The device is full. Requested 96.00M; 41.50M is free: 54.50M short.")
        self.assertTrue(lines[1].startswith("  first: "), lines)

    def test_the_largest_allocation_has_its_line(self) -> None:
        ended = run(LISTED, 1)
        self.assertIn("it needs 18.00G of 15.75G, 2.25G too much.", ended.stderr)
        self.assertIn("  largest: 1 x 2.00 GiB bf16[8,128], a.py:3\n", ended.stderr)

    def test_other_failures_and_successes_print_nothing(self) -> None:
        self.assertEqual(run("ValueError: a shape", 1).stderr, "")
        self.assertEqual(run(FULL, 0).stderr, "")

    def test_without_a_command_it_says_how_to_call_it(self) -> None:
        ended = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("explain_oom.py python3 train.py", ended.stderr)


if __name__ == "__main__":
    if "HBM_COMPARE" not in os.environ:
        print("HBM_COMPARE does not name hbm_compare: left out")
        sys.exit(77)
    unittest.main()
