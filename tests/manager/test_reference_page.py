#!/usr/bin/env python3
"""Checks that include/hbm/REFERENCE.md lists each public function of the manager with the first sentence of its comment.
With --write it writes the page anew."""

import os
import re
import sys

ROOT = os.environ.get("HBM_SOURCE_DIRECTORY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADERS = os.path.join(ROOT, "include", "hbm")
PAGE = os.path.join(HEADERS, "REFERENCE.md")


def public_part(path, name):
    """The lines of a class between its first `public:` and the `private:` after it."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = next(i for i, line in enumerate(lines) if re.search(rf"(^|\) )(class|struct) {name}\b(?!;)", line))
    begin = lines.index("public:", at) + 1
    return lines[begin:lines.index("private:", begin)]


def entries(lines):
    """(section, name, declaration, its own comment, the comment that holds for it: until the next one or a blank line)."""
    section, comment, fresh = "", [], []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        heading = re.match(r"// -- (.*?)( -+)?$", line)
        if heading:
            section, comment = heading.group(1).rstrip(" -"), []
        elif line.startswith("///"):
            fresh.append(line[3:].strip())
            continue
        elif not line and not fresh:
            comment = []
        elif line and not line.startswith("//"):
            declaration = line
            depth = lambda text: text.count("(") - text.count(")")
            while at < len(lines) and not (depth(declaration) == 0 and re.search(r"[{;]", declaration)):
                declaration += " " + lines[at].strip()
                at += 1
            opened = declaration.count("{") - declaration.count("}")
            while at < len(lines) and opened > 0:
                opened += lines[at].count("{") - lines[at].count("}")
                at += 1
            own = " ".join(fresh)
            if fresh:
                comment = fresh
            name = re.search(r"(?:^|[\s*&])(~?\w+|operator==)\(", re.sub(r"\[\[.*?\]\]|explicit|requires.*", "", declaration))
            if name and "constexpr" in declaration and not declaration.startswith(("static constexpr auto", "using")):
                yield section, name.group(1), declaration, own, " ".join(comment)
        fresh = []


def signature(declaration):
    text = re.sub(r"\[\[.*?\]\] *|\b(constexpr|explicit|friend|noexcept|const(?= *[{:]|$)) *", "", declaration)
    depth = 0
    for at, character in enumerate(text):  # up to the end of the parameters
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")" and "(" in text[:at]:
            return re.sub(r"\s+", " ", text[:at + 1]).replace("( ", "(")
    return text


def first_sentence(comment):
    sentence = re.match(r"(.*?\.)(\s|$)", comment)
    return sentence.group(1) if sentence else comment


def page():
    view = {}
    for _, name, _, _, comment in entries(public_part(os.path.join(HEADERS, "state", "memory_view.hpp"), "memory_view")):
        view.setdefault(name, comment)
    text = ["# The calls of a manager", "",
            "One line a call, with the first sentence of its comment in [manager.hpp](manager.hpp), or, for what only looks, in",
            "[state/memory_view.hpp](state/memory_view.hpp): what it returns on failure and what it costs stands there. Sizes and",
            "offsets are bytes.",
            "The lines are written by `tests/manager/test_reference_page.py --write`, which is also a test.", ""]
    section = None
    calls = list(entries(public_part(os.path.join(HEADERS, "manager.hpp"), "manager")))
    for heading, name, declaration, own, held in calls:
        if "operator" in name or name == "requires":
            continue
        comment = own or view.get(name) or held
        if not comment:
            raise SystemExit(f"{name}: no comment says what it does")
        if heading != section:
            section = heading
            title = (heading.split(":")[0] or "making").capitalize()
            text += [f"## {title}", "", "| call | what it does |", "|---|---|"]
        line = f"| `{signature(declaration)}` | {first_sentence(comment)} |"
        text.append(line)
    out = []
    for line in text:  # a blank line after each table
        if line.startswith("## ") and out and out[-1].startswith("|"):
            out.append("")
        out.append(line)
    return "\n".join(out) + "\n"


def main():
    made = page()
    if "--write" in sys.argv[1:]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return
    with open(PAGE, encoding="utf-8") as file:
        kept = file.read()
    if kept != made:
        old, new = set(kept.split("\n")), set(made.split("\n"))
        for line in sorted(old ^ new):
            print(("- " if line in old else "+ ") + line)
        raise SystemExit("include/hbm/REFERENCE.md is not what the comments say: run tests/manager/test_reference_page.py --write")
    print(f"{made.count('| `')} calls, each with a line")


main()
