#!/usr/bin/env python3
"""Turn a memory snapshot of PyTorch into a trace for hbm: python3 snapshot_to_trace.py snapshot.pickle >trace.csv

In the program: torch.cuda.memory._record_memory_history() at the start, torch.cuda.memory._dump_snapshot(FILE) at the
end. --device N takes another device than the first with a history. Buffers that were there before the history come
first; a tag is the nearest line of the program that is not PyTorch's own.
"""

import argparse
import pickle
import re


class PlainData(pickle.Unpickler):
    """A snapshot holds lists, dictionaries, texts and numbers; a pickle that names anything else may run code."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"found {module}.{name}, expected plain data")


def tag_of(frames):
    """Return `function(file.py:12)` of the program's own line, or else of the first in Python. Cells have no quotes."""
    python = [frame for frame in frames if frame["filename"].endswith(".py")]
    for frame in [frame for frame in python if "/torch/" not in frame["filename"]] + python:
        text = f"{frame['name']}({frame['filename'].rsplit('/', 1)[-1]}:{frame['line']})"
        return re.sub(r'[^!-~]|[",]', "_", text)
    return ""


def rows_of(snapshot, device):
    """Return the rows of a device: op, id, bytes, tag. An address gets a new id each time that it is allocated."""
    history = [entry for entry in snapshot["device_traces"][device] if entry["action"] in ("alloc", "free_completed")]
    blocks = [block for segment in snapshot["segments"] if segment["device"] == device for block in segment["blocks"]]
    active = {block["address"]: block for block in blocks if block["state"].startswith("active")}
    first = {entry["addr"]: entry for entry in reversed(history)}
    older = {addr: entry["size"] for addr, entry in first.items() if entry["action"] == "free_completed"}
    older |= {addr: block.get("requested_size", block["size"]) for addr, block in active.items() if addr not in first}

    live, rows = {}, []
    for addr, size in sorted(older.items()):
        live[addr] = len(rows)
        rows.append(("alloc", live[addr], size, "older_than_the_history"))
    for entry in history:
        addr = entry["addr"]
        if addr in live:  # freed, or its free is missing in the history
            rows.append(("free", live.pop(addr), "", ""))
        if entry["action"] == "alloc":
            live[addr] = len(rows)
            rows.append(("alloc", live[addr], entry["size"], tag_of(entry.get("frames", []))))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot")
    parser.add_argument("--device", type=int)
    given = parser.parse_args()
    with open(given.snapshot, "rb") as file:
        snapshot = PlainData(file).load()
    histories = snapshot["device_traces"]
    device = given.device if given.device is not None else next((n for n, each in enumerate(histories) if each), 0)
    print("op,id,bytes,tag")
    for row in rows_of(snapshot, device):
        print(*row, sep=",")


if __name__ == "__main__":
    main()
