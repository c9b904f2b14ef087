"""An independent replay of traces without programs under best fit in unlimited memory: the blocks after each row."""

import csv
import random
from typing import Dict, List, Tuple

from viewer_readers import BestFit

Block = Tuple[int, int, str]  # offset and size in bytes, id


def blocks_after(path: str, rows: List[int]) -> Dict[int, List[Block]]:
    """Returns the blocks in address order after each of the rows, which are counted from 0."""
    memory, found = BestFit(1 << 60), {}
    wanted = set(rows)
    with open(path, encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        for number, row in enumerate(csv.DictReader(lines)):
            if row["op"] == "alloc":
                memory.allocate(row["id"], int(row["bytes"]))
            else:
                memory.free(row["id"])
            if number in wanted:
                found[number] = sorted((*where, name) for name, where in memory.live.items())
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
