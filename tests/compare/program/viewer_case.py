"""What the tests of hbm_compare's files for other programs have in common: traces, runs, and the files read back."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple


COMPARE = os.environ.get("HBM_COMPARE", "")
FORMATS = {"perfetto": "p.json", "series": "s.csv"}

Event = Tuple[str, str, int, str]  # operation, id, bytes, tag


def churn(events: int, live: int, seed: int, tags: int = 5) -> List[Event]:
    """Allocations and frees in a random order, with up to `live` blocks at a time."""
    numbers = random.Random(seed)
    held: List[str] = []
    made: List[Event] = []
    while len(made) < events:
        if held and numbers.random() < len(held) / live / 2 + 0.02:
            at = numbers.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            made.append(("free", held.pop(), 0, ""))
        else:
            name = f"b{len(made)}"
            held.append(name)
            made.append(("alloc", name, numbers.randrange(1, 100_000), f"tag{numbers.randrange(tags)}"))
    return made


def as_csv(events: List[Event], times: Optional[List[int]] = None) -> str:
    lines = ["op,id,bytes,tag" if times is None else "t,op,id,bytes,tag"]
    for at, (what, name, size, tag) in enumerate(events):
        row = f"{what},{name},{size if what == 'alloc' else ''},{tag}"
        lines.append(row if times is None else f"{times[at]},{row}")
    return "\n".join(lines) + "\n"


class Case(unittest.TestCase):
    """A folder of its own, and ways to run hbm_compare in it."""

    @classmethod
    def setUpClass(cls) -> None:
        assert COMPARE, "HBM_COMPARE has to name the program: run this through ctest"

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def compare(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([COMPARE, *arguments], cwd=self.path, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode("utf-8", "replace"))
        return done

    def rows(self, *arguments: str) -> List[Dict[str, Any]]:
        return json.loads(self.compare("--format", "json", *arguments).stdout)["rows"]

    def write_all(self, *arguments: str) -> List[Dict[str, Any]]:
        """Writes a file of each format that holds many managers; the rows of the comparison."""
        return self.rows(*arguments, *(word for name, file in FORMATS.items() for word in ("--" + name, file)))

    def perfetto(self) -> List[Dict[str, Any]]:
        whole = json.loads((self.path / "p.json").read_text(encoding="utf-8"))
        self.assertEqual(set(whole), {"displayTimeUnit", "traceEvents"})
        return whole["traceEvents"]

    def series(self) -> List[Dict[str, str]]:
        with open(self.path / "s.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def fragmentation(free: int, largest: int) -> str:
    """Six decimals, rounded to the nearest, a half upwards."""
    millionths = 0 if free == 0 else ((free - largest) * 2_000_000 + free) // (2 * free)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06d}"
