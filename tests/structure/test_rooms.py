"""The tool's rooms: includes point down, folders hold at most 25 files, files at most 500 lines.

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
MAX_LINES = 500
LONG_FILES = {LIBRARY / "manager.hpp"}  # the public interface, on one page
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
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES and path not in LONG_FILES:
            errors.append(f"{path.relative_to(ROOT)}: {lines} lines, more than {MAX_LINES}")
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


found = room_errors() + circle_errors() + size_errors(TOOL) + size_errors(LIBRARY)
for error in found:
    print(error)
if not sources(TOOL) or not rooms():
    sys.exit("no rooms were found")
sys.exit(1 if found else 0)
