#!/usr/bin/env python3
"""The snapshot of --snapshot, read by PyTorch's own viewer of memory. Skipped without it (Debian: python3-torch)."""

import contextlib
import importlib.util
import io
import pickle
import re
import sys
import unittest
from pathlib import Path
from typing import Any, Dict

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from viewer_case import Case, as_csv, churn  # noqa: E402

PLACES = ("/usr/lib/python3/dist-packages", *sys.path)
VIEWER = next((path for path in (Path(place) / "torch/cuda/_memory_viz.py" for place in PLACES) if path.is_file()), None)


class TheViewerOfPyTorchReadsSnapshots(Case):
    def setUp(self) -> None:
        super().setUp()
        # Loaded as a file: all of PyTorch takes seconds, and a Python of its own.
        spec = importlib.util.spec_from_file_location("memory_viz", str(VIEWER))
        assert spec is not None and spec.loader is not None
        self.viewer = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.viewer)

    def snapshot(self, events: int) -> Dict[str, Any]:
        """The snapshot at the end of some events, and sets `self.row`."""
        self.write("t.csv", as_csv(churn(events, 100, seed=11)))
        self.row, = self.rows("--trace", "t.csv", "--manager", "best_fit", "--capacity", "16MiB", "--snapshot", "s.pickle")
        return pickle.loads((self.path / "s.pickle").read_bytes())

    def test_its_statistics_are_those_of_the_replay(self) -> None:
        segments = self.snapshot(2_000)["segments"]
        live: Dict[str, int] = {}
        for what, name, size, _ in churn(2_000, 100, seed=11):
            if what == "alloc":
                live[name] = -(-size // 512) * 512
            else:
                del live[name]
        found = self.viewer.stats(segments)
        self.assertEqual(found["segments"], 1)
        self.assertEqual(found["total_size"].value, self.row["capacity_bytes"])
        self.assertEqual(found["active_allocated"].value, sum(live.values()))

    def test_its_flame_graph_has_every_byte_and_its_comparison_every_segment(self) -> None:
        before, after = self.snapshot(500)["segments"], self.snapshot(2_000)["segments"]
        for graph in (self.viewer.segments, self.viewer.memory):
            lines = graph(after, format_flamegraph=lambda text: text).splitlines()
            self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in lines), self.row["capacity_bytes"])
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.viewer.compare(before, after, format_flamegraph=lambda text: text)
        self.assertRegex(printed.getvalue(), re.compile(r"^only_before = \[\]\nonly_after = \[\]\n"))


if __name__ == "__main__":
    if VIEWER is None:
        print("skipped: python3-torch is missing (Debian: apt-get install python3-torch)")
        sys.exit(77)
    unittest.main()
