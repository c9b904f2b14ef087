#!/usr/bin/env python3
"""Checks the advice on donation on modules of real programs.

The folder given holds files, some packed with xz, and a reference.json. From each module that has aliases these are
removed: the advice must bring back as many arguments of each size as had been donated. And where advice is followed, the
module must hold exactly so many bytes less as was promised, and nothing more is advised.
"""

import argparse
import collections
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any, Dict, List

ALIASES = re.compile(r", input_output_alias=\{ .*? \}(?=[,\n])")


def describe(compare: str, path: pathlib.Path, text: str) -> Dict[str, Any]:
    """What hbm_compare says of a module."""
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([compare, "--describe", str(path)], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(done.stdout)["files"][0]


def sizes(pairs: List[Dict[str, Any]]) -> "collections.Counter[int]":
    return collections.Counter(pair["bytes"] for pair in pairs)


def check(compare: str, path: pathlib.Path, text: str, reference: Dict[str, Any]) -> List[str]:
    """What is wrong with the advice on a module, in sentences."""
    mistakes: List[str] = []
    full = describe(compare, path, text)
    bytes_of = {tuple(leaf["index"]): leaf["bytes"] for leaf in full["outputs"]}
    donated = collections.Counter(bytes_of[tuple(alias["output"])] for alias in full["aliases"])
    bare_text = ALIASES.sub("", text, count=1)
    bare = describe(compare, path, bare_text)
    if donated and bare["aliases"]:
        mistakes.append("the aliases were not removed")
    advised = sizes(bare["donation"]["pairs"])
    for size, count in donated.items():
        if size != 0 and advised[size] < count:
            mistakes.append(f"{count} arguments of {size} bytes were donated, the advice finds {advised[size]}")
    if bare["donation"]["saved_bytes"] < reference["alias_bytes"]:
        mistakes.append(f"{reference['alias_bytes']} bytes were donated, the advice saves {bare['donation']['saved_bytes']}")

    aliases = bare["donation"]["input_output_alias"]
    if aliases:
        followed = describe(compare, path, re.sub(r"(HloModule [^,\s]+)", lambda name: f"{name[1]}, {aliases}", bare_text, count=1))
        saved = bare["peak_bytes_at_least"] - followed["peak_bytes_at_least"]
        if saved != bare["donation"]["saved_bytes"]:
            mistakes.append(f"following the advice saves {saved} bytes, {bare['donation']['saved_bytes']} were promised")
        if followed["donation"]["pairs"]:
            mistakes.append(f"{len(followed['donation']['pairs'])} pairs are left when the advice is followed")
        if followed["alias_size_mismatches"] != 0:
            mistakes.append("a pair of the advice has two sizes")
    if "module_3879" in path.name and sizes(full["donation"]["pairs"])[277_413_888] != 28:
        mistakes.append("the 28 caches of 277,413,888 bytes are not all named")
    return mistakes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder with reference.json")
    arguments = parser.parse_args()

    readings = json.loads((arguments.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    names = [name for name in sorted(readings) if readings[name]["kind"] == "module"]
    mistakes: List[str] = []
    with_aliases = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            packed = (arguments.programs / name).read_bytes()
            text = (lzma.decompress(packed) if name.endswith(".xz") else packed).decode("utf-8", errors="replace")
            path = pathlib.Path(scratch) / pathlib.PurePath(name).name.removesuffix(".xz")
            with_aliases += readings[name]["alias_bytes"] != 0
            mistakes += [f"{name}: {each}" for each in check(arguments.compare, path, text, readings[name])]
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{len(names)} modules, {with_aliases} of them with aliases, {len(mistakes)} mistakes")
    return 1 if mistakes or not names else 0


if __name__ == "__main__":
    sys.exit(main())
