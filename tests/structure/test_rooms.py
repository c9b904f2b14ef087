"""Rooms of the tool and floors of the library: includes point down.

The rooms and their order, from the ground up, are those of the table in bench/compare/README.md.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])
TOOL = ROOT / "bench" / "compare"
LIBRARY = ROOT / "include" / "hbm"
# From the ground up. Folders of one floor do not include each other.
FLOORS = ("core fwd version", "blocks", "index planning", "placement eviction donation device events", "state pack",
          "manager", "compact fits mesh tpu", "better grid must_fit", "testing growth", "explain", "adapt")
FLOOR_OF = {name: number for number, names in enumerate(FLOORS) for name in names.split()}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]compare/([^">]+)[">]', re.MULTILINE)


def sources(folder):
    """All files of C, C++ and the page below a folder."""
    endings = {".hpp", ".cpp", ".h", ".in", ".js", ".css"}
    return sorted(path for path in folder.rglob("*") if path.suffix in endings)


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


found = room_errors() + floor_errors()
for error in found:
    print(error)
if not sources(TOOL) or not rooms():
    sys.exit("no rooms were found")
sys.exit(1 if found else 0)
