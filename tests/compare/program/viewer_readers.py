"""A best fit of our own, for the tests of hbm_compare's files for other programs."""

from __future__ import annotations

import bisect
from typing import Dict, List, Tuple


class BestFit:
    """The smallest hole that is long enough, and of equals the lowest; blocks begin where their hole begins."""

    def __init__(self, capacity: int, quantum: int = 512) -> None:
        self.capacity, self.quantum = capacity, quantum
        self.by_size: List[Tuple[int, int]] = [(capacity, 0)]
        self.begins: Dict[int, int] = {0: capacity}  # of holes: their sizes
        self.ends: Dict[int, int] = {capacity: 0}  # of holes: their beginnings
        self.live: Dict[str, Tuple[int, int]] = {}  # by id: offset and size
        self.used = 0

    def _add(self, begin: int, size: int) -> None:
        if size:
            bisect.insort(self.by_size, (size, begin))
            self.begins[begin], self.ends[begin + size] = size, begin

    def _remove(self, begin: int) -> int:
        size = self.begins.pop(begin)
        del self.ends[begin + size]
        del self.by_size[bisect.bisect_left(self.by_size, (size, begin))]
        return size

    def allocate(self, name: str, asked: int) -> bool:
        size = max(1, -(-asked // self.quantum)) * self.quantum
        at = bisect.bisect_left(self.by_size, (size, 0))
        if at == len(self.by_size):
            return False
        begin = self.by_size[at][1]
        self._add(begin + size, self._remove(begin) - size)
        self.live[name] = (begin, size)
        self.used += size
        return True

    def free(self, name: str) -> None:
        begin, size = self.live.pop(name)
        self.used -= size
        if begin + size in self.begins:
            size += self._remove(begin + size)
        if begin in self.ends:
            begin = self.ends[begin]
            size += self._remove(begin)
        self._add(begin, size)

    def largest_free(self) -> int:
        return self.by_size[-1][0] if self.by_size else 0

    def highest_end(self) -> int:
        return max((begin + size for begin, size in self.live.values()), default=0)
