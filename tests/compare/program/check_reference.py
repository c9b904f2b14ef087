#!/usr/bin/env python3
"""Compares hbm_compare with the footprints and placement digests of an independent simulator.

The folder given holds traces and a reference.json: for each trace the footprint and the placement digest of first fit,
best fit and buddy at quantum 1 and 512 with unlimited capacity, and the peak live bytes ("lower_bound"). A manager that
may move blocks must complete each trace at exactly its peak live bytes.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
from typing import Any, Dict, List

POLICIES = {"first": "first_fit", "best": "best_fit", "buddy": "buddy"}
QUANTA = (1, 512)
MOVING_MANAGER = "compacting<best_fit>"


def run(compare: str, trace: pathlib.Path, managers: List[str], capacity: str, quantum: int) -> Dict[str, Dict[str, Any]]:
    """The JSON rows of one run, by manager."""
    command = [compare, "--trace", str(trace), "--capacity", capacity, "--quantum", str(quantum), "--rounds", "0",
               "--format", "json"]
    for manager in managers:
        command += ["--manager", manager]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
    return {row["manager"]: row for row in json.loads(done.stdout)["rows"]}


def check_trace(compare: str, folder: pathlib.Path, name: str, expected: Dict[str, Any]) -> List[str]:
    """What is wrong with one trace, in sentences."""
    mistakes: List[str] = []

    def expect(where: str, what: str, found: Any, right: Any) -> None:
        if found != right:
            mistakes.append(f"{name}, {where}: {what} is {found}, expected {right}")

    try:
        for quantum in QUANTA:
            rows = run(compare, folder / name, list(POLICIES.values()), "unlimited", quantum)
            for policy, manager in POLICIES.items():
                where = f"{manager}, quantum {quantum}"
                if manager not in rows:
                    mistakes.append(f"{name}, {where}: no row")
                    continue
                row, golden = rows[manager], expected[policy][str(quantum)]
                expect(where, "events", row["events"], expected["events"])
                expect(where, "completed", row["completed"], True)
                expect(where, "peak_live_bytes", row["peak_live_bytes"], expected["lower_bound"][str(quantum)])
                expect(where, "footprint_bytes", row["footprint_bytes"], golden["footprint"])
                expect(where, "placement_digest", row["placement_digest"], golden["digest"])
        lower_bound = expected["lower_bound"]["512"]
        row = run(compare, folder / name, [MOVING_MANAGER], str(lower_bound), 512)[MOVING_MANAGER]
        expect(f"{MOVING_MANAGER} at its peak live bytes", "completed", row["completed"], True)
        expect(f"{MOVING_MANAGER} at its peak live bytes", "capacity_bytes", row["capacity_bytes"], lower_bound)
    except (RuntimeError, KeyError, ValueError) as error:
        mistakes.append(f"{name}: {type(error).__name__}: {error}")
    return mistakes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program, built with zlib")
    parser.add_argument("--traces", required=True, type=pathlib.Path, help="the folder with reference.json")
    parser.add_argument("--only", default="", help="only traces whose name contains this")
    arguments = parser.parse_args()

    reference = json.loads((arguments.traces / "reference.json").read_text(encoding="utf-8"))
    names = [name for name in sorted(reference) if arguments.only in name]
    if not names:
        print("no trace to check", file=sys.stderr)
        return 2
    mistakes: List[str] = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(check_trace, arguments.compare, arguments.traces, name, reference[name]) for name in names]
        for name, future in zip(names, futures):
            found = future.result()
            print(f"{name}: {'as expected' if not found else f'{len(found)} mistakes'}", flush=True)
            mistakes += found
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(names)} traces, {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
