#!/usr/bin/env python3
"""Replays snapshots of PyTorch under torch_caching, and compares what is reserved with the segments of the snapshot.

A snapshot has the segments at its end, and a trace of the last allocations. From the end backwards, that gives the
segments and blocks at the beginning of the trace. A trace that fills such segments is put before the recorded one, so
that the model begins in that state. Then the bytes reserved after each allocation must be those of PyTorch. Segments that
torch.cuda.empty_cache returns before the first allocation are left out: a trace has no row for that call.
"""

import csv
import pathlib
import pickle
import sys
import tempfile
from typing import Any, Dict, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402

MEBIBYTE = 1 << 20
Row = Tuple[str, str, int]


def rounded(size: int) -> int:
    return max(512, (size + 511) // 512 * 512)


class Allocator:
    """The state of PyTorch's allocator: sizes of segments, and of the blocks in use, by address."""

    def __init__(self, segments: List[Dict[str, Any]]) -> None:
        self.segments = {segment["address"]: segment["total_size"] for segment in segments}
        self.is_small = {segment["address"]: segment["segment_type"] == "small" for segment in segments}
        self.blocks = {}
        for segment in segments:
            address = segment["address"]
            for block in segment["blocks"]:
                if block["state"] != "inactive":
                    self.blocks[address] = block["size"]
                address += block["size"]

    def undo(self, event: Dict[str, Any]) -> None:
        address, size = event["addr"], event["size"]
        if event["action"] == "segment_alloc":
            del self.segments[address]
        elif event["action"] == "segment_free":
            self.segments[address] = size
            self.is_small[address] = size == 2 * MEBIBYTE
        elif event["action"] == "alloc":
            del self.blocks[address]
        elif event["action"] == "free_completed":
            self.blocks[address] = rounded(size)

    def pieces(self, begin: int) -> List[Tuple[int, int, bool]]:
        """The blocks of a segment: address, size, and whether it is in use."""
        made: List[Tuple[int, int, bool]] = []
        at, end = begin, begin + self.segments[begin]
        for address in sorted(a for a in self.blocks if begin <= a < end) + [end]:
            if address > at:
                # In the large pool no free block has a MiB or less: this is the tail of the block before.
                if made and not self.is_small[begin] and address - at <= MEBIBYTE:
                    made[-1] = (made[-1][0], address - made[-1][0], True)
                else:
                    made.append((at, address - at, False))
            if address != end:
                made.append((address, self.blocks[address], True))
                at = address + self.blocks[address]
        return made

    def prelude(self) -> List[Row]:
        """Rows that lead to this state from an empty memory, in the order of addresses."""
        rows: List[Row] = []
        holes: List[str] = []
        for number, begin in enumerate(sorted(self.segments)):
            size = self.segments[begin]
            whole = [MEBIBYTE] * (size // MEBIBYTE) if self.is_small[begin] else [size]
            rows += [("alloc", f"s{number}_{at}", part) for at, part in enumerate(whole)]
            rows += [("free", f"s{number}_{at}", 0) for at in range(len(whole))]
            for address, length, is_used in self.pieces(begin):
                if is_used:
                    rows.append(("alloc", f"b{address:x}_0", length))
                    continue
                most = MEBIBYTE if self.is_small[begin] else length
                for at in range(0, length, most):
                    holes.append(f"h{address:x}_{at}")
                    rows.append(("alloc", holes[-1], min(most, length - at)))
        return rows + [("free", hole, 0) for hole in holes]


def rows_and_reserved(snapshot: Dict[str, Any], device: int) -> Tuple[List[Row], List[int], int]:
    """The rows of a trace, the bytes reserved after each recorded row, and the number of rows before these."""
    events = [event for event in snapshot["device_traces"][device] if event["action"] != "free_requested"]
    # Segments that are freed before anything is allocated, by torch.cuda.empty_cache: begin after that.
    while events and events[0]["action"] == "segment_free":
        events.pop(0)
    state = Allocator([segment for segment in snapshot["segments"] if segment["device"] == device])
    reserved = sum(state.segments.values())
    for event in reversed(events):
        state.undo(event)
        reserved += {"segment_alloc": -1, "segment_free": 1}.get(event["action"], 0) * event["size"]
    rows = state.prelude()
    before = len(rows)
    uses: Dict[int, int] = {}
    after: List[int] = []
    for event in events:
        address = event["addr"]
        if event["action"] == "segment_alloc":
            reserved += event["size"]
        elif event["action"] == "segment_free":
            reserved -= event["size"]
        else:
            what = "alloc" if event["action"] == "alloc" else "free"
            if what == "alloc":
                uses[address] = uses.get(address, 0) + 1
            rows.append((what, f"b{address:x}_{uses.get(address, 0)}", event["size"] if what == "alloc" else 0))
            after.append(reserved)
    return rows, after, before


def check(compare: str, path: pathlib.Path, reference: Dict[str, Any]) -> Tuple[int, List[str]]:
    snapshot = pickle.loads(path.read_bytes())
    mistakes: List[str] = []
    facts = 0
    for device in reference["devices"]:
        rows, expected, before = rows_and_reserved(snapshot, int(device))
        with tempfile.TemporaryDirectory() as scratch:
            trace, series = pathlib.Path(scratch) / "trace.csv", pathlib.Path(scratch) / "series.csv"
            with trace.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([("op", "id", "bytes"), *((op, name, size or "") for op, name, size in rows)])
            reference_check.run(compare, "--trace", str(trace), "--manager", "torch_caching", "--capacity", "unlimited",
                                "--series", str(series))
            with series.open(encoding="utf-8", newline="") as file:
                found = [int(row["highest_end"]) for row in csv.DictReader(file)][before:]
        if len(found) != len(expected):
            mistakes.append(f"device {device}: {len(found)} values, expected {len(expected)}")
        wrong = [(row, *pair) for row, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
        facts += len(expected) - len(wrong)
        mistakes += [f"device {device}, row {row}: {value} bytes are reserved, expected {wanted}" for row, value, wanted in wrong]
    return facts, mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, ("snapshot",), "values of reserved memory", check))
