"""An independent replay of traces without programs under best fit in unlimited memory: the blocks after each row."""

import bisect
import csv
import random
from typing import Dict, List, Tuple

QUANTUM = 512
Block = Tuple[int, int, str]  # offset and size in bytes, id


class BestFit:
    """A memory that places at the low end of the smallest hole that is long enough; ties go to the lowest."""

    def __init__(self) -> None:
        self.by_size: List[Tuple[int, int]] = [(1 << 60, 0)]
        self.by_begin: Dict[int, int] = {0: 1 << 60}
        self.by_end: Dict[int, int] = {1 << 60: 0}

    def _add(self, begin: int, size: int) -> None:
        bisect.insort(self.by_size, (size, begin))
        self.by_begin[begin] = size
        self.by_end[begin + size] = begin

    def _remove(self, begin: int) -> int:
        size = self.by_begin.pop(begin)
        del self.by_end[begin + size]
        del self.by_size[bisect.bisect_left(self.by_size, (size, begin))]
        return size

    def take(self, size: int) -> int:
        begin = self.by_size[bisect.bisect_left(self.by_size, (size, 0))][1]
        left = self._remove(begin) - size
        if left:
            self._add(begin + size, left)
        return begin

    def leave(self, begin: int, size: int) -> None:
        if begin + size in self.by_begin:
            size += self._remove(begin + size)
        if begin in self.by_end:
            below = self.by_end[begin]
            size += self._remove(below)
            begin = below
        self._add(begin, size)


def blocks_after(path: str, rows: List[int]) -> Dict[int, List[Block]]:
    """Returns the blocks in address order after each of the rows, which are counted from 0."""
    memory, live, found = BestFit(), {}, {}
    wanted = set(rows)
    with open(path, encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        for number, row in enumerate(csv.DictReader(lines)):
            if row["op"] == "alloc":
                size = max(1, -(-int(row["bytes"]) // QUANTUM)) * QUANTUM
                live[row["id"]] = (memory.take(size), size, row["id"])
            else:
                memory.leave(*live.pop(row["id"])[:2])
            if number in wanted:
                found[number] = sorted(live.values())
    return found


def times_of(path: str) -> List[int]:
    """Returns the microseconds of each row since the first."""
    with open(path, encoding="utf-8", newline="") as file:
        all_times = [int(row["t"]) for row in csv.DictReader(file)]
    return [each - all_times[0] for each in all_times]


def write_random(path: str, events: int, seed: int) -> None:
    """Writes a trace that grows, and then has blocks of all sizes come and go, quickly or slowly."""
    dice = random.Random(seed)
    clock = random.Random(seed + 1)
    live: List[int] = []
    made = now = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("t,op,id,bytes,tag\n")
        for event in range(events):
            now += clock.choice((0, 1, 3, 3, 700))
            if not live or dice.random() < (0.62 if event < events // 5 else 0.5 if len(live) < 3000 else 0.45):
                tag = dice.choice(["activation", "gradient", "weight", "workspace"])
                file.write(f"{now},alloc,b{made},{int(2 ** dice.uniform(8, 22))},{tag}\n")
                live.append(made)
                made += 1
            else:
                at = dice.randrange(len(live))
                live[at], live[-1] = live[-1], live[at]
                file.write(f"{now},free,b{live.pop()},,\n")
