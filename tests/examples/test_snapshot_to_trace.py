#!/usr/bin/env python3
"""Tests of examples/snapshot_to_trace.py, on snapshots as PyTorch writes them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "snapshot_to_trace.py"

OWN = {"name": "train_step", "filename": "/home/ann/train.py", "line": 12}
TORCH = {"name": "empty", "filename": "/usr/lib/python3/site-packages/torch/empty.py", "line": 7}
UNWIND = {"name": "torch::unwind", "filename": "??", "line": 0}


def entry(action: str, addr: int, size: int, frames: list) -> dict:
    return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": frames}


SNAPSHOT = {
    "segments": [
        {"device": 0, "address": 4096, "blocks": [
            {"address": 4096, "size": 1024, "requested_size": 1000, "state": "active_allocated"},
            {"address": 5120, "size": 512, "requested_size": 500, "state": "active_allocated"},
            {"address": 5632, "size": 512, "requested_size": 0, "state": "inactive"}]}],
    "device_traces": [[
        entry("segment_alloc", 4096, 4096, []), entry("free_completed", 70, 7, []), entry("free_completed", 70, 7, []),
        entry("alloc", 5120, 300, [UNWIND, OWN]), entry("free_completed", 5120, 300, []),
        entry("alloc", 5120, 500, [UNWIND, TORCH, OWN]), entry("alloc", 9000, 20, [UNWIND, TORCH])], []],
}
TRACE = """op,id,bytes,tag
alloc,0,7,older_than_the_history
alloc,1,1000,older_than_the_history
free,0,,
alloc,3,300,train_step(train.py:12)
free,3,,
alloc,5,500,train_step(train.py:12)
alloc,6,20,empty(empty.py:7)
"""


class Snapshots(unittest.TestCase):
    def run_on(self, content: object, *arguments: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "snapshot.pickle"
            path.write_bytes(pickle.dumps(content))
            command = [sys.executable, str(SCRIPT), str(path), *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_addresses_become_ids(self) -> None:
        self.assertEqual(self.run_on(SNAPSHOT).stdout, TRACE)
        self.assertEqual(self.run_on(SNAPSHOT, "--device", "1").stdout, "op,id,bytes,tag\n")

    def test_a_pickle_that_names_code_is_refused(self) -> None:
        result = self.run_on({"segments": os.system})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("expected plain data", result.stderr)


if __name__ == "__main__":
    unittest.main()
