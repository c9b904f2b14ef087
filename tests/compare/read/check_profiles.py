#!/usr/bin/env python3
"""Replays memory profiles of JAX and snapshots of PyTorch, and compares what is live with an independent reading.

The folder given holds files, some packed with xz, and a reference.json. With a quantum of a byte, the peak of live bytes
must be that of the reference: for a profile, the buffers of a device and all executables of known size; for a snapshot,
the most that was requested at once.
"""

import argparse
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterator, List, Tuple


def peaks(reference: Dict[str, Any]) -> Iterator[Tuple[str, int]]:
    """The devices of a file, and the most that is live on each."""
    if reference["kind"] == "snapshot":
        for device, sums in reference["devices"].items():
            yield device, sums["peak_requested_bytes"]
        return
    code = sum(group["bytes"] for group in reference["groups"] if group["kind"] == "executable" and group["bytes"] > 0)
    for group in reference["groups"]:
        if group["kind"] == "buffer":
            yield group["device"], group["bytes"] + code


def replay(compare: str, path: pathlib.Path, device: str) -> Tuple[Dict[str, Any], str]:
    """The JSON row of a replay, and what was said beside it."""
    command = [compare, "--trace", str(path), "--device", device, "--manager", "best_fit", "--capacity", "unlimited",
               "--quantum", "1", "--rounds", "0", "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)["rows"][0], done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program, built with zlib")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder with reference.json")
    arguments = parser.parse_args()

    readings = json.loads((arguments.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    names = [name for name in sorted(readings) if readings[name]["kind"] in ("pprof", "snapshot")]
    if not names:
        print("no file to check", file=sys.stderr)
        return 2
    mistakes: List[str] = []
    replays = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            path = arguments.programs / name
            if path.suffix == ".xz":
                path = pathlib.Path(scratch) / path.stem
                path.write_bytes(lzma.decompress((arguments.programs / name).read_bytes()))
            for device, peak in peaks(readings[name]):
                replays += 1
                try:
                    row, said = replay(arguments.compare, path, device)
                except (RuntimeError, ValueError, KeyError, IndexError) as error:
                    mistakes.append(f"{name}, {device}: {error}")
                    continue
                # Arrays without elements take a quantum each, which is a byte here.
                spare = row["events"] if readings[name]["kind"] == "pprof" else 0
                if not row["completed"] or not peak <= row["peak_live_bytes"] <= peak + spare:
                    mistakes.append(f"{name}, {device}: {row['peak_live_bytes']} bytes live at the peak, expected {peak}")
                if "entries are missing" in said:
                    mistakes.append(f"{name}, {device}: {said.strip()}")
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(names)} files, {replays} replays, {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
