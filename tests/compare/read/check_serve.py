#!/usr/bin/env python3
"""Replays the pools that --serve advises for the dumps of a folder, next to their programs by an independent reading.

Weights are invented. In the model of the TPU's runtime, weights, pool and all programs of a dump have to load, and the
programs to run one after the other, without an eviction; with 1 % more of a pool they must not.
"""

import argparse
import json
import lzma
import pathlib
import shutil
import sys
import tempfile
from typing import Any, Dict, List

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402

Reading = Dict[str, Any]
MEBIBYTE = 1 << 20


def fresh_outputs(program: Reading) -> List[int]:
    """The outputs of a run in new memory. Runs that return more than they take make arrays of the server."""
    sizes = [output["bytes"] for output in program["outputs"] if output["parameter"] is None]
    return sizes if sum(sizes) <= program["argument_bytes"] else []


def is_served(compare: str, trace: pathlib.Path, capacity: int, weights: int, pool: int, programs: List[Reading]) -> bool:
    rows = ["op,id,bytes,scratch,outputs", f"alloc,weights,{weights}", f"alloc,pool,{pool}"]
    rows += [f"load,p{at},{program['constant_bytes']},{program['temp_bytes']}" for at, program in enumerate(programs)]
    for at, program in enumerate(programs):
        names = [f"o{number}" for number in range(len(fresh_outputs(program)))]
        rows.append(f"run,p{at},,," + " ".join(f"{name}:{size}" for name, size in zip(names, fresh_outputs(program))))
        rows += [f"free,{name}," for name in names]
    trace.write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = reference_check.run(compare, "--trace", str(trace), "--manager", "tpu::runtime_memory", "--capacity", str(capacity),
                               "--format", "json")
    row = json.loads(done.stdout)["rows"][0]
    return row["completed"] and row["evictions"] == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder with reference.json")
    options = parser.parse_args()
    readings = json.loads((options.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    mistakes: List[str] = []
    count = 0
    for dump in sorted(each for each in (options.programs / "xla_dump").iterdir() if each.is_dir()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / dump.name
            folder.mkdir()
            programs: List[Reading] = []
            for path in sorted(dump.glob("*buffer-assignment.txt*")):
                packed = path.suffix == ".xz"
                copy = folder / (path.stem if packed else path.name)
                copy.write_bytes(lzma.decompress(path.read_bytes())) if packed else shutil.copy(path, copy)
                programs.append(readings[str(path.relative_to(options.programs))])
            need = sum(program["temp_bytes"] + program["constant_bytes"] + sum(fresh_outputs(program)) for program in programs)
            for weights in (1000, 3 * MEBIBYTE + 777):
                for capacity in (weights + need + MEBIBYTE, weights + 2 * need + 16 * MEBIBYTE):
                    done = reference_check.run(options.compare, "--serve", str(folder), "--weights", str(weights), "--capacity",
                                               str(capacity), "--format", "json")
                    facts = {fact["key"]: fact for fact in json.loads(done.stdout)["facts"]}
                    pool = facts["pool_bytes"]["bytes"]
                    for bytes_of_pool, expected in ((pool, True), (pool + pool // 100, False)):
                        count += 1
                        served = is_served(options.compare, pathlib.Path(name) / "trace.csv", capacity, weights, bytes_of_pool, programs)
                        if served != expected:
                            mistakes.append(f"{dump.name}, capacity {capacity}, weights {weights}: a pool of {bytes_of_pool} is "
                                            f"{'' if served else 'not '}served, and the answer is {pool}")
    print("\n".join(mistakes + [f"{count} replays of pools, {len(mistakes)} mistakes"]))
    return 1 if mistakes or count < 24 else 0


if __name__ == "__main__":
    sys.exit(main())
