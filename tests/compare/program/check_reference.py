#!/usr/bin/env python3
"""Compares hbm_compare with the footprints and placement digests of an independent simulator.

The folder given holds traces and a reference.json: for each trace the footprint and the placement digest of first fit,
best fit and buddy at quantum 1 and 512 with unlimited capacity, and the peak live bytes ("lower_bound"). A manager that
may move blocks must complete each trace at exactly its peak live bytes.
"""

import json
import pathlib
import sys
from typing import Any, Dict, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "read"))
import reference_check  # noqa: E402

POLICIES = {"first": "first_fit", "best": "best_fit", "buddy": "buddy"}
QUANTA = (1, 512)
MOVING_MANAGER = "compacting<best_fit>"


def run(compare: str, trace: pathlib.Path, managers: List[str], capacity: str, quantum: int) -> Dict[str, Dict[str, Any]]:
    """Returns the JSON rows of one run, by manager."""
    options = [word for manager in managers for word in ("--manager", manager)]
    done = reference_check.run(compare, "--trace", str(trace), "--capacity", capacity, "--quantum", str(quantum),
                               "--format", "json", *options)
    return {row["manager"]: row for row in json.loads(done.stdout)["rows"]}


def check(compare: str, trace: pathlib.Path, expected: Dict[str, Any]) -> Tuple[int, List[str]]:
    mistakes: List[str] = []
    agreed = 0

    def expect(where: str, what: str, value: Any, right: Any) -> None:
        nonlocal agreed
        agreed += value == right
        if value != right:
            mistakes.append(f"{where}: {what} is {value}, expected {right}")

    for quantum in QUANTA:
        rows = run(compare, trace, list(POLICIES.values()), "unlimited", quantum)
        for policy, manager in POLICIES.items():
            where = f"{manager}, quantum {quantum}"
            row, golden = rows[manager], expected[policy][str(quantum)]
            expect(where, "events", row["events"], expected["events"])
            expect(where, "completed", row["completed"], True)
            expect(where, "peak_live_bytes", row["peak_live_bytes"], expected["lower_bound"][str(quantum)])
            expect(where, "footprint_bytes", row["footprint_bytes"], golden["footprint"])
            expect(where, "placement_digest", row["placement_digest"], golden["digest"])
    lower_bound = expected["lower_bound"]["512"]
    row = run(compare, trace, [MOVING_MANAGER], str(lower_bound), 512)[MOVING_MANAGER]
    expect(f"{MOVING_MANAGER} at its peak live bytes", "completed", row["completed"], True)
    expect(f"{MOVING_MANAGER} at its peak live bytes", "capacity_bytes", row["capacity_bytes"], lower_bound)
    return agreed, mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, (), "figures agree", check, "--traces"))
