"""Readers for the tests of hbm_compare's files for other programs, and a best fit. They share nothing with it."""

from __future__ import annotations

import bisect
import struct
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Tuple, Union

MARK = object()


def strict_unpickle(data: bytes) -> Any:
    """What PyTorch's viewer of memory snapshots unpickles: a dozen opcodes, and any other is an error."""
    stack: List[Any] = []
    memo: Dict[int, Any] = {}
    at = 0

    def take(count: int) -> bytes:
        nonlocal at
        piece = data[at:at + count]
        assert len(piece) == count, "the pickle ends early"
        at += count
        return piece

    def above_mark() -> List[Any]:
        begin = len(stack) - 1 - stack[::-1].index(MARK)
        items = stack[begin + 1:]
        del stack[begin:]
        return items

    assert take(1) == b"\x80" and 2 <= take(1)[0] <= 4
    while True:
        opcode = take(1)
        if opcode == b".":
            assert at == len(data) and len(stack) == 1
            return stack.pop()
        if opcode == b"(":
            stack.append(MARK)
        elif opcode == b"}":
            stack.append({})
        elif opcode == b"]":
            stack.append([])
        elif opcode == b"e":
            items = above_mark()
            # The viewer passes them as arguments of one call, of which JavaScript has only so many.
            assert len(items) <= 1000, "too many items at once"
            stack[-1].extend(items)
        elif opcode == b"u":
            items = above_mark()
            keys = items[::2]
            assert len(items) % 2 == 0 and len(set(keys)) == len(keys)
            stack[-1].update(zip(keys, items[1::2]))
        elif opcode == b"\x86":
            stack[-2:] = [tuple(stack[-2:])]
        elif opcode == b"X":
            stack.append(take(struct.unpack("<I", take(4))[0]).decode("utf-8"))
        elif opcode == b"K":
            stack.append(take(1)[0])
        elif opcode == b"M":
            stack.append(struct.unpack("<H", take(2))[0])
        elif opcode == b"J":
            stack.append(struct.unpack("<i", take(4))[0])
        elif opcode == b"\x8a":
            length = take(1)[0]
            assert length <= 8
            stack.append(int.from_bytes(take(length), "little", signed=True))
        elif opcode in b"\x88\x89":
            stack.append(opcode == b"\x88")
        elif opcode == b"q":
            memo[take(1)[0]] = stack[-1]
        elif opcode == b"r":
            memo[struct.unpack("<I", take(4))[0]] = stack[-1]
        elif opcode == b"h":
            stack.append(memo[take(1)[0]])
        elif opcode == b"j":
            stack.append(memo[struct.unpack("<I", take(4))[0]])
        else:
            raise AssertionError(f"opcode {opcode!r}, which the viewer does not know")


def fields_of(message: bytes) -> Iterator[Tuple[int, Union[int, bytes]]]:
    """The fields of a message of protocol buffers: numbers and bytes, and nothing else."""
    at = 0

    def variable() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            assert shift <= 70
            if byte < 0x80:
                return value

    while at < len(message):
        key = variable()
        if key & 7 == 0:
            yield key >> 3, variable()
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            length = variable()
            assert at + length <= len(message)
            yield key >> 3, message[at:at + length]
            at += length


def numbers_of(packed: Union[int, bytes]) -> List[int]:
    """A repeated number, packed or not."""
    if isinstance(packed, int):
        return [packed]
    made: List[int] = []
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            made.append(value)
            value = shift = 0
    assert shift == 0
    return made


@dataclass
class Profile:
    """A profile of pprof, with texts in the place of their numbers."""

    types: List[Tuple[str, str]] = field(default_factory=list)
    samples: List[Tuple[List[str], Dict[str, int], Dict[str, str]]] = field(default_factory=list)
    comments: List[str] = field(default_factory=list)
    default_type: str = ""


def read_profile(data: bytes) -> Profile:
    """Every index is that of something that is there; the first text is empty, as the format wants it."""
    parts = list(fields_of(data))
    assert {number for number, _ in parts} <= {1, 2, 4, 5, 6, 13, 14}
    texts = [value.decode("utf-8") for number, value in parts if number == 6]
    assert texts[0] == "" and len(set(texts)) == len(texts)
    messages = {which: [list(fields_of(value)) for number, value in parts if number == which] for which in (1, 2, 4, 5)}
    functions = {dict(each)[1]: texts[dict(each)[2]] for each in messages[5]}
    assert len(functions) == len(messages[5]) and 0 not in functions
    locations = {}
    for each in messages[4]:
        line = dict(fields_of(dict(each)[4]))
        locations[dict(each)[1]] = functions[line[1]]
    assert len(locations) == len(messages[4]) and 0 not in locations
    made = Profile()
    made.types = [(texts[dict(each)[1]], texts[dict(each)[2]]) for each in messages[1]]
    for each in messages[2]:
        stack = [locations[number] for key, value in each if key == 1 for number in numbers_of(value)]
        values = [number for key, value in each if key == 2 for number in numbers_of(value)]
        assert len(values) == len(made.types)
        labels = [dict(fields_of(value)) for key, value in each if key == 3]
        made.samples.append((stack, dict(zip((name for name, _ in made.types), values)),
                             {texts[label[1]]: texts[label[2]] for label in labels}))
    made.comments = [texts[number] for key, value in parts if key == 13 for number in numbers_of(value)]
    made.default_type = "".join(texts[value] for key, value in parts if key == 14)
    return made


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
