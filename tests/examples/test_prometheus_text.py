#!/usr/bin/env python3
"""What examples/18_watch.cpp writes for Prometheus, read by a parser that shares nothing with the writer, and by
promtool where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Dict, Tuple

WATCH = os.environ.get("HBM_WATCH", "")
MIB = 1 << 20
Sample = Tuple[str, Tuple[Tuple[str, str], ...]]

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"'
LINE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([^ ]+)")


def parse(text: str) -> Tuple[Dict[Sample, float], Dict[str, str]]:
    """Samples by name and labels, and types by name; everything that the format demands is demanded."""
    assert text.endswith("\n")
    samples: Dict[Sample, float] = {}
    types: Dict[str, str] = {}
    helps = set()
    finished = set()
    current = ""
    for line in text[:-1].split("\n"):
        if line.startswith("#"):
            _, keyword, name, words = line.split(" ", 3)
            assert re.fullmatch(NAME, name) and words, line
            if keyword == "HELP":
                assert name not in helps, line
                helps.add(name)
            else:
                assert keyword == "TYPE" and words in ("gauge", "counter") and name not in types, line
                types[name] = words
                finished.add(current)
                current = name
            continue
        found = LINE.fullmatch(line)
        assert found, line
        name = found.group(1)
        assert name == current and name not in finished, line
        labels = tuple(sorted((key, re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), value))
                              for key, value in re.findall(LABEL, found.group(2) or "")))
        assert len(dict(labels)) == len(labels) and (name, labels) not in samples, line
        samples[name, labels] = float(line.rsplit(" ", 1)[1])
    assert set(types) == helps
    return samples, types


class WatchedMemory(unittest.TestCase):
    def setUp(self) -> None:
        if not WATCH:
            self.skipTest("HBM_WATCH names no program: the examples are not built")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "hbm.prom"
        self.shown = subprocess.run([WATCH, self.path], capture_output=True, text=True, check=True).stdout

    def test_every_line_is_of_the_format_and_says_what_is_in_memory(self) -> None:
        samples, types = parse(self.path.read_text(encoding="utf-8"))
        self.assertEqual({dict(labels)["device"] for _, labels in samples}, {"TPU_0"})

        def value(metric: str, **labels: str) -> float:
            return samples["hbm_" + metric, tuple(sorted({"device": "TPU_0", **labels}.items()))]

        # 6 GiB of weights, 400 MiB of what leaks, two programs of 180 and 64 MiB, and their scratch of at most 3 GiB.
        live = (6 * 1024 + 400 + 180 + 64 + 3 * 1024) * MIB
        self.assertEqual(value("live_bytes"), live)
        self.assertEqual(value("capacity_bytes"), 15.75 * 1024 * MIB)
        self.assertEqual(value("free_bytes"), value("capacity_bytes") - live)
        self.assertEqual(value("reserved_bytes"), 3 * 1024 * MIB)
        # The largest batch is every fifth, 1,199 the last of them, when a MiB less had leaked.
        self.assertEqual(value("peak_live_bytes"), live - MIB + (512 + 4 * 64) * MIB)
        self.assertLessEqual(value("largest_free_bytes"), value("free_bytes"))
        self.assertEqual(value("program_bytes", program="train_step", part="code"), 180 * MIB)
        self.assertEqual(value("program_bytes", program="eval_step", part="scratch"), 1024 * MIB)
        self.assertEqual(value("program_resident", program="eval_step"), 1)
        self.assertEqual(value("tag_bytes", tag="metrics", of="buffers"), 400 * MIB)
        self.assertEqual(value("tag_bytes", tag="", of="programs"), 244 * MIB)
        self.assertEqual(value("steps_total"), 1200)
        self.assertAlmostEqual(value("growth_bytes_per_step"), MIB / 3, delta=1)
        self.assertAlmostEqual(value("tag_growth_bytes_per_step", tag="metrics", of="buffers"), MIB / 3, delta=1)
        left = (value("capacity_bytes") - value("peak_live_bytes")) / (MIB / 3)
        self.assertAlmostEqual(value("steps_left"), left, delta=left / 100)
        for name, what in types.items():
            self.assertEqual(name.endswith("_total"), what == "counter", name)
        for metric in ("moves_total", "evictions_total", "reloads_total", "fragmentation_ratio"):
            self.assertGreaterEqual(value(metric), 0)

    def test_the_screen_shows_the_same(self) -> None:
        samples, _ = parse(self.path.read_text(encoding="utf-8"))
        frames = self.shown.rstrip("\n").split("\n\n")
        self.assertEqual(len(frames), 3)
        self.assertIn("steady after 400 steps", frames[0])
        left = int(samples["hbm_steps_left", (("device", "TPU_0"),)])
        self.assertIn(f"mostly 'metrics': memory ends in {left} steps", frames[-1])
        self.assertIn("9.63G / 15.75G", frames[-1])

    def test_a_file_that_cannot_be_written_is_an_error(self) -> None:
        done = subprocess.run([WATCH, self.path / "no" / "folder"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write ", done.stderr)

    @unittest.skipUnless(shutil.which("promtool"), "promtool (Debian: prometheus) is not installed")
    def test_promtool_finds_nothing_wrong(self) -> None:
        with open(self.path, "rb") as text:
            done = subprocess.run(["promtool", "check", "metrics"], stdin=text, capture_output=True, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
