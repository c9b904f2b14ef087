#!/usr/bin/env python3
"""Checks the advice on donation on modules of real programs.

The folder given holds files, some packed with xz, and a reference.json. From each module that has aliases these are
removed: the advice must bring back as many arguments of each size as had been donated. And where advice is followed, the
module must hold exactly so many bytes less as was promised, and nothing more is advised.
"""

import collections
import pathlib
import re
import sys
import tempfile
from typing import Any, Dict, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402

ALIASES = re.compile(r", input_output_alias=\{ .*? \}(?=[,\n])")


def describe(compare: str, text: str) -> Dict[str, Any]:
    """Returns what hbm_compare prints about a module."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return reference_check.describe(compare, pathlib.Path(file.name))


def sizes(pairs: List[Dict[str, Any]]) -> "collections.Counter[int]":
    return collections.Counter(pair["bytes"] for pair in pairs)


def check(compare: str, path: pathlib.Path, reference: Dict[str, Any]) -> Tuple[int, List[str]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    mistakes: List[str] = []
    full = describe(compare, text)
    bytes_of = {tuple(leaf["index"]): leaf["bytes"] for leaf in full["outputs"]}
    donated = collections.Counter(bytes_of[tuple(alias["output"])] for alias in full["aliases"])
    bare_text = ALIASES.sub("", text, count=1)
    bare = describe(compare, bare_text)
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
        followed = describe(compare, re.sub(r"(HloModule [^,\s]+)", lambda name: f"{name[1]}, {aliases}", bare_text, count=1))
        saved = bare["peak_bytes_at_least"] - followed["peak_bytes_at_least"]
        if saved != bare["donation"]["saved_bytes"]:
            mistakes.append(f"following the advice saves {saved} bytes, {bare['donation']['saved_bytes']} were promised")
        if followed["donation"]["pairs"]:
            mistakes.append(f"{len(followed['donation']['pairs'])} pairs are left when the advice is followed")
        if followed["alias_size_mismatches"] != 0:
            mistakes.append("a pair of the advice has two sizes")
    if "module_3879" in path.name and sizes(full["donation"]["pairs"])[277_413_888] != 28:
        mistakes.append("the 28 caches of 277,413,888 bytes are not all named")
    return int(reference["alias_bytes"] != 0), mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, ("module",), "of them with aliases", check))
