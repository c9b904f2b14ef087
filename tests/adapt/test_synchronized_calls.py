#!/usr/bin/env python3
"""Checks that each call of the manager, as include/hbm/REFERENCE.md lists them, is a call of `synchronized` with the same
parameters, by value or by constant reference, or stands in the table of its comment among those that `with` is for."""

import os
import re

ROOT = os.environ.get("HBM_SOURCE_DIRECTORY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
REFERENCE = os.path.join(ROOT, "include", "hbm", "REFERENCE.md")
HEADER = os.path.join(ROOT, "include", "hbm", "adapt", "synchronized.hpp")


def by_value(parameters):
    """A list of parameters without spaces, in which each constant reference is a value."""
    return re.sub(r"const(\w+)&", r"\1", re.sub(r"\s+", "", parameters))


def parameters(text, name):
    """All lists of parameters with which `name` is declared, by value."""
    found = []
    for match in re.finditer(r"(?<![\w.:>])" + re.escape(name) + r"\(", text):
        depth, end = 1, match.end()
        while depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        found.append(by_value(text[match.end():end - 1]))
    return found


def main():
    with open(REFERENCE, encoding="utf-8") as file:
        calls = re.findall(r"^\| `(.*?)` \|", file.read(), re.M)
    with open(HEADER, encoding="utf-8") as file:
        lines = file.read().split("\n")
    comment = "\n".join(line for line in lines if line.lstrip().startswith("///"))
    code = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    table = comment[comment.index("| `view`"):comment.index("| observers")]
    through_with = set(re.findall(r"`(\w+)`", table)) - {"with"}
    missing = []
    seen = set()
    for call in calls:
        name = re.search(r"(\w+)\(", call).group(1)
        seen.add(name)
        if name in through_with:
            continue
        if name == "manager":  # its constructors
            name = "synchronized"
        wanted = by_value(call[call.index("(") + 1:call.rindex(")")])
        if wanted not in parameters(code, name):
            missing.append(call)
    for name in sorted(through_with - seen):
        missing.append(f"{name}: the table names it, but the manager has no such call")
    if missing:
        raise SystemExit("synchronized.hpp lacks calls of the manager:\n  " + "\n  ".join(missing))
    print(f"{len(calls)} calls, {len(through_with)} of them through with")


main()
