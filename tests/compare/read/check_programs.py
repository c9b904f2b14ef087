#!/usr/bin/env python3
"""Compares what hbm_compare reads in files of other programs with an independent reading of the same files.

The folder given holds files, some packed with xz, and a reference.json: for each file what is in it. Every figure that
the reference has and that --describe names is compared: sums, lists row by row, and null where the file does not say.
Lists of more than 100 rows are compared by their first rows, their length and their SHA-256.
"""

import hashlib
import json
import pathlib
import sys
from typing import Any, Dict, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402

KINDS = ("module", "assignment", "oom", "pprof")

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


def check(compare: str, path: pathlib.Path, reference: Dict[str, Any]) -> Tuple[int, List[str]]:
    found = compare_file(reference_check.describe(compare, path), reference)
    return found.agreed, found.mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, KINDS, "figures agree", check))
