#!/usr/bin/env python3
"""Compares what hbm_compare --describe says of real buffer assignments, memory usage reports and module configurations
with an independent reading of the same files."""

import argparse
import hashlib
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List

KINDS = ("assignment", "report", "config")
ROW_KEYS = ("parameter", "index", "output", "bytes", "kind", "number", "about_bytes")
SHOWN = 50


def rows_digest(rows: List[Dict[str, Any]]) -> str:
    compact = [[row[key] for key in ROW_KEYS if key in row] for row in rows]
    return hashlib.sha256(json.dumps(compact, separators=(",", ":")).encode()).hexdigest()


def same(expected: Any, found: Any) -> bool:
    """Whether every key of the expected value is found with its value; a size that was rounded may differ by a byte."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(key in found and same(value, found[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(same(a, b) for a, b in zip(expected, found))
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return abs(expected - found) <= 1
    return type(expected) is type(found) and expected == found


def mistakes_in(name: str, expected: Dict[str, Any], found: Dict[str, Any]) -> List[str]:
    mistakes = []
    for key, value in expected.items():
        if key.endswith("_sha256"):
            rows = found.get(key[: -len("_sha256")]) or []
            if rows_digest(rows) != value:
                mistakes.append(f"{name}: {key[: -len('_sha256')]}: the rows differ from those expected")
        elif key.endswith("_count"):
            if len(found.get(key[: -len("_count")]) or []) != value:
                mistakes.append(f"{name}: {key}: expected {value}")
        elif f"{key}_count" in expected:
            if not same(value, (found.get(key) or [])[:SHOWN]):
                mistakes.append(f"{name}: {key}: the first {SHOWN} rows differ")
        elif key not in found or not same(value, found[key]):
            mistakes.append(f"{name}: {key}: expected {json.dumps(value)[:300]}, found {json.dumps(found.get(key))[:300]}")
    return mistakes


def describe(compare: pathlib.Path, path: pathlib.Path, folder: pathlib.Path) -> Dict[str, Any]:
    if path.suffix == ".xz":
        unpacked = folder / path.stem
        unpacked.write_bytes(lzma.decompress(path.read_bytes()))
        path = unpacked
    result = subprocess.run([str(compare), "--describe", str(path)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return {"error": result.stderr.strip()}
    return json.loads(result.stdout)["files"][0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=pathlib.Path, required=True, help="the program hbm_compare")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder with reference.json")
    arguments = parser.parse_args()

    readings = json.loads((arguments.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    names = [name for name in sorted(readings) if readings[name]["kind"] in KINDS]
    if not names:
        print("no file to check", file=sys.stderr)
        return 2
    mistakes: List[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found = describe(arguments.compare, arguments.programs / name, pathlib.Path(folder))
            mistakes += [f"{name}: {found['error']}"] if "error" in found else mistakes_in(name, readings[name], found)
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(names)} files, {len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
