#!/usr/bin/env python3
"""Replays memory profiles of JAX, and compares what is live with an independent reading.

The folder given holds files, some packed with xz, and a reference.json. With a quantum of a byte, the peak of live bytes
must be that of the reference: the buffers of a device and all executables of known size.
"""

import json
import pathlib
import sys
from typing import Any, Dict, Iterator, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402


def peaks(reference: Dict[str, Any]) -> Iterator[Tuple[str, int]]:
    """The devices of a file, and the most that is live on each."""
    code = sum(group["bytes"] for group in reference["groups"] if group["kind"] == "executable" and group["bytes"] > 0)
    for group in reference["groups"]:
        if group["kind"] == "buffer":
            yield group["device"], group["bytes"] + code


def check(compare: str, path: pathlib.Path, reference: Dict[str, Any]) -> Tuple[int, List[str]]:
    mistakes: List[str] = []
    devices = list(peaks(reference))
    for device, peak in devices:
        done = reference_check.run(compare, "--trace", str(path), "--device", device, "--manager", "best_fit", "--capacity",
                                   "unlimited", "--quantum", "1", "--format", "json")
        row = json.loads(done.stdout)["rows"][0]
        # Arrays without elements take a quantum each, which is a byte here.
        spare = row["events"]
        if not row["completed"] or not peak <= row["peak_live_bytes"] <= peak + spare:
            mistakes.append(f"{device}: {row['peak_live_bytes']} bytes live at the peak, expected {peak}")
        if "entries are missing" in done.stderr:
            mistakes.append(f"{device}: {done.stderr.strip()}")
    return len(devices), mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, ("pprof",), "replays", check))
