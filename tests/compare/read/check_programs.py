#!/usr/bin/env python3
"""Compares what hbm_compare reads in files of other programs with an independent reading of the same files.

The folder given holds files, some packed with xz, and a reference.json: for each file what is in it. Every figure that
the reference has and that --describe names is compared: sums, lists row by row, and null where the file does not say.
Lists of more than 100 rows are compared by their first rows, their length and their SHA-256.
"""

import argparse
import concurrent.futures
import hashlib
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Tuple

KINDS = ("module", "assignment", "report", "config", "oom", "pprof", "snapshot")

# What --describe must name if the reference has it. Anything else is compared if both have it.
REQUIRED = ("name", "argument_bytes", "output_bytes", "alias_bytes", "temp_bytes", "constant_bytes", "peak_bytes",
            "arguments", "outputs", "aliases")

# What a row of a list is hashed by, in this order.
HASHED = ("parameter", "index", "output", "bytes", "kind", "number", "about_bytes")


class Comparison:
    """Counts the figures of a file that agree and collects those that do not."""

    def __init__(self) -> None:
        self.agreed = 0
        self.mistakes: List[str] = []

    def compare(self, where: str, found: Any, right: Any) -> None:
        if isinstance(right, dict) and isinstance(found, dict):
            for key in right:
                if key in found:
                    self.compare(f"{where}.{key}", found[key], right[key])
                else:
                    self.mistakes.append(f"{where}: no {key}, expected {right[key]}")
        elif isinstance(right, list) and isinstance(found, list):
            if len(found) != len(right):
                self.mistakes.append(f"{where}: {len(found)} rows, expected {len(right)}")
            for at, (one, other) in enumerate(zip(found, right)):
                self.compare(f"{where}[{at}]", one, other)
            if not right:
                self.agreed += 1
        elif isinstance(right, float) or isinstance(found, float):
            # Half a unit of the last digit may have a fraction of a byte, which need not be printed.
            is_number = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (found, right))
            self.expect(where, found, right, is_number and abs(found - right) < 1)
        else:
            self.expect(where, found, right, found == right and isinstance(found, bool) == isinstance(right, bool))

    def expect(self, where: str, found: Any, right: Any, agree: bool) -> None:
        if agree:
            self.agreed += 1
        else:
            self.mistakes.append(f"{where} is {json.dumps(found)}, expected {json.dumps(right)}")

    def compare_rows(self, key: str, found: Any, reference: Dict[str, Any]) -> None:
        """A list, of which a reference may have only the first rows, the number of rows and a checksum."""
        right = reference[key]
        if not isinstance(found, list):
            self.compare(key, found, right)
            return
        if f"{key}_sha256" not in reference:
            self.compare_some(key, found, right)
            return
        self.compare(f"{key}_count", len(found), reference[f"{key}_count"])
        rows = [[row[name] for name in HASHED if name in row] for row in found]
        text = json.dumps(rows, separators=(",", ":"))
        self.compare(f"{key}_sha256", hashlib.sha256(text.encode()).hexdigest(), reference[f"{key}_sha256"])
        self.compare_some(key, found[:len(right)], right)

    def compare_some(self, key: str, found: List[Any], right: List[Any]) -> None:
        """Of rows, what both have; but what a row is hashed by must be there."""
        if len(found) != len(right):
            self.mistakes.append(f"{key}: {len(found)} rows, expected {len(right)}")
        if not right:
            self.compare(key, found, right)
        for at, (row, golden) in enumerate(zip(found, right)):
            if isinstance(row, dict) and isinstance(golden, dict):
                golden = {name: value for name, value in golden.items()
                          if name in row or (name in HASHED and value is not None)}
            self.compare(f"{key}[{at}]", row, golden)


def compare_file(found: Dict[str, Any], reference: Dict[str, Any]) -> Comparison:
    """Compares a file of the answer with the reading of the reference."""
    done = Comparison()
    done.compare("kind", found.get("kind"), reference["kind"])
    # Sums of rounded sizes stand in an object of their own.
    golden = {**reference.get("about", {}), **reference}
    for key, right in golden.items():
        if key == "kind" or key.endswith("_sha256"):
            continue
        if key.endswith("_count") and f"{key[:-len('_count')]}_sha256" in golden:
            continue
        if key not in found:
            if key in REQUIRED:
                done.mistakes.append(f"no {key}, expected {json.dumps(right)[:60]}")
        elif isinstance(right, list):
            done.compare_rows(key, found[key], golden)
        else:
            done.compare(key, found[key], right)
    return done


def describe(compare: str, path: pathlib.Path) -> Tuple[str, Dict[str, Any]]:
    """What is wrong with a run, and its answer."""
    done = subprocess.run([compare, "--describe", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip()}", {}
    answer = json.loads(done.stdout)
    if answer.get("schema") != "hbm-describe/1" or len(answer.get("files", [])) != 1:
        return "the answer is not of the schema hbm-describe/1, with one file", {}
    return "", answer["files"][0]


def check(compare: str, programs: pathlib.Path, scratch: pathlib.Path, name: str,
          reference: Dict[str, Any]) -> Comparison:
    """Checks a file, which is unpacked into the folder `scratch` first if it is packed."""
    path = programs / name
    if path.suffix == ".xz":
        path = scratch / name[:-len(".xz")]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.decompress((programs / name).read_bytes()))
    try:
        problem, found = describe(compare, path)
    except ValueError as error:
        problem, found = f"the answer is no JSON: {error}", {}
    if not problem:
        return compare_file(found, reference)
    failed = Comparison()
    failed.mistakes.append(problem)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program, built with zlib")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder with reference.json")
    parser.add_argument("--kinds", default=",".join(KINDS), help="only files of these kinds (default: all)")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    arguments = parser.parse_args()

    kinds = arguments.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        print(f"unknown kinds {', '.join(unknown)}; there are {', '.join(KINDS)}", file=sys.stderr)
        return 2
    readings = json.loads((arguments.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    names = [name for name in sorted(readings) if readings[name]["kind"] in kinds and arguments.only in name]
    if not names:
        print("no file to check", file=sys.stderr)
        return 2
    mistakes: List[str] = []
    files = {kind: [0, 0, 0] for kind in kinds}  # checked, agreed, figures agreed
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(check, arguments.compare, arguments.programs, pathlib.Path(scratch), name, readings[name])
                   for name in names]
        for name, future in zip(names, futures):
            found = future.result()
            count = files[readings[name]["kind"]]
            count[0] += 1
            count[1] += not found.mistakes
            count[2] += found.agreed
            mistakes += [f"{name}: {each}" for each in found.mistakes]
    most = 100
    for mistake in mistakes[:most]:
        print(mistake[:400], file=sys.stderr)
    if len(mistakes) > most:
        print(f"and {len(mistakes) - most} more", file=sys.stderr)
    for kind, (checked, agreed, figures) in files.items():
        print(f"{kind}: {agreed} of {checked} files agree, {figures} figures")
    print(f"{len(names)} files, {sum(each[2] for each in files.values())} figures agree, {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
