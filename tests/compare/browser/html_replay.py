"""An independent replay of traces without programs under best fit in unlimited memory: the blocks after each row."""

import csv
import random
from typing import Dict, List, Tuple

Block = Tuple[int, int, str]  # offset and size in bytes, id
QUANTUM = 512


def best_fit(live: List[Block], size: int) -> int:
    """Returns the low end of the smallest hole that is long enough, the lowest of several. `live` is in address order."""
    chosen, least, end = -1, 1 << 62, 0
    for offset, length, _ in live:
        if size <= offset - end < least:
            chosen, least = end, offset - end
        end = offset + length
    return end if chosen < 0 else chosen


def blocks_after(path: str, rows: List[int]) -> Dict[int, List[Block]]:
    """Returns the blocks in address order after each of the rows, which are counted from 0."""
    live: List[Block] = []
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            if row["op"] == "alloc":
                size = -(-int(row["bytes"]) // QUANTUM) * QUANTUM
                live.append((best_fit(live, size), size, row["id"]))
                live.sort()
            else:
                live = [each for each in live if each[2] != row["id"]]
            if number in rows:
                found[number] = list(live)
    return found


def write_random(path: str, events: int, seed: int) -> None:
    """Writes a trace that grows, and then has blocks of all sizes come and go, quickly or slowly."""
    dice = random.Random(seed)
    live: List[int] = []
    made = now = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("t,op,id,bytes,tag\n")
        for event in range(events):
            now += dice.choice((0, 1, 3, 3, 700))
            if not live or dice.random() < (0.62 if event < events // 5 else 0.5):
                tag = dice.choice(["activation", "gradient", "weight", "workspace"])
                file.write(f"{now},alloc,b{made},{int(2 ** dice.uniform(8, 22))},{tag}\n")
                live.append(made)
                made += 1
            else:
                file.write(f"{now},free,b{live.pop(dice.randrange(len(live)))},,\n")
