"""Rooms of the tool and floors of the library: includes point down, folders hold at most 25 files, and no class of the
library has more than two bases in a row.

The rooms and their order, from the ground up, are those of the table in bench/compare/README.md.
"""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])
TOOL = ROOT / "bench" / "compare"
LIBRARY = ROOT / "include" / "hbm"
MAX_FILES = 25
MAX_BASES = 2
# From the ground up. Folders of one floor do not include each other.
FLOORS = ("core fwd version", "blocks", "index planning", "placement eviction donation device events", "state pack",
          "manager", "fits mesh tpu", "better grid must_fit", "testing growth", "explain", "adapt")
FLOOR_OF = {name: number for number, names in enumerate(FLOORS) for name in names.split()}
CLASS = re.compile(r"\b(?:class|struct) +(\w+)[^{}();]*?[^:{}();]:(?!:)([^{}();]*){")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]compare/([^">]+)[">]', re.MULTILINE)


def sources(folder):
    """All files of C, C++ and the page below a folder."""
    endings = {".hpp", ".cpp", ".h", ".in", ".js", ".css"}
    return sorted(path for path in folder.rglob("*") if path.suffix in endings)


def size_errors(folder):
    errors = []
    counts = defaultdict(int)
    for path in sources(folder):
        counts[path.parent] += 1
    for place, count in sorted(counts.items()):
        if count > MAX_FILES:
            errors.append(f"{place.relative_to(ROOT)}: {count} files, more than {MAX_FILES}")
    return errors


def rooms():
    page = (TOOL / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)


def room_errors():
    errors = []
    floor = {room: number for number, room in enumerate(rooms())}
    folders = {path.name for path in TOOL.iterdir() if path.is_dir()}
    if folders != set(floor):
        errors.append(f"the table of bench/compare/README.md and the folders differ: {sorted(folders ^ set(floor))}")
    for path in sources(TOOL):
        parts = path.relative_to(TOOL).parts
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = Path(included).parts
            if not (TOOL / included).exists():
                errors.append(f"{'/'.join(parts)} includes compare/{included}, which does not exist")
            elif len(parts) > 1 and (len(target) == 1 or floor.get(target[0], 0) > floor.get(parts[0], 0)):
                errors.append(f"{'/'.join(parts)} includes compare/{included}, which is above its room")
    return errors


def floor_errors():
    """Includes of the library that do not point down. A header next to the folders has a floor of its own name."""
    errors = []
    for path in sorted(LIBRARY.rglob("*.hpp")):
        name = path.relative_to(LIBRARY).as_posix()
        own = re.split(r"[/.]", name)[0]
        if own == "hbm":  # the umbrella stands above all floors
            continue
        if own not in FLOOR_OF:
            errors.append(f"{name}: {own} belongs to no floor yet: give it one in this test")
            continue
        for opening, included in re.findall(r'(?m)^ *# *include *(["<])([^">]*)', path.read_text(encoding="utf-8")):
            target = re.split(r"[/.]", included.removeprefix("hbm/"))[0]
            if opening == '"':
                errors.append(f"{name} includes \"{included}\": write <hbm/...>")
            elif included.startswith("hbm/") and target != own and FLOOR_OF.get(target, 99) >= FLOOR_OF[own]:
                errors.append(f"{name} includes {included}, which is not on a floor below")
    return errors


def base_errors():
    """Classes of the library with more than two bases in a row, by name alone."""
    bases = defaultdict(set)
    for path in LIBRARY.rglob("*.hpp"):
        text = re.sub(r"//[^\n]*|\[\[.*?\]\]", "", path.read_text(encoding="utf-8"))
        while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:  # template arguments, from the inside out
            text = shorter
        for name, heads in CLASS.findall(text):
            bases[name] |= {re.sub(r".*::|\b(public|private|protected|virtual|typename)\b", "", each).strip()
                            for each in heads.split(",")}

    def chains(name):
        return [[name] + rest for base in bases.get(name, ()) if base != name for rest in chains(base)] or [[name]]

    if len(bases) < 10:
        return [f"only {len(bases)} classes with a base were found: is this test still right?"]
    return [" : ".join(chain) + f": more than {MAX_BASES} bases in a row"
            for name in sorted(bases) for chain in chains(name) if len(chain) > MAX_BASES + 1]


def circle_errors():
    """Circles of includes between folders of which neither lies in the other."""
    below = defaultdict(set)
    for path in sources(TOOL):
        folder = path.relative_to(TOOL).parent.as_posix()
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = Path(included).parent.as_posix()
            nested = target == folder or f"{folder}/".startswith(f"{target}/") or f"{target}/".startswith(f"{folder}/")
            if not nested and "." not in (folder, target):
                below[folder].add(target)
    errors = []
    done = set()

    def visit(folder, trail):
        if folder in trail:
            errors.append("a circle: " + " -> ".join(trail[trail.index(folder):] + [folder]))
            return
        if folder in done:
            return
        for target in sorted(below[folder]):
            visit(target, trail + [folder])
        done.add(folder)

    for folder in sorted(below):
        visit(folder, [])
    return errors


found = room_errors() + floor_errors() + base_errors() + circle_errors() + size_errors(TOOL) + size_errors(LIBRARY)
for error in found:
    print(error)
if not sources(TOOL) or not rooms():
    sys.exit("no rooms were found")
sys.exit(1 if found else 0)
