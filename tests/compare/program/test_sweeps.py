#!/usr/bin/env python3
"""Lists, files of sweeps, shards, and the regression gate, as a user meets them."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

COMPARE = os.environ.get("HBM_COMPARE", "")
TWO = ["--manager", "best_fit", "--manager", "buddy", "--rounds", "0"]
CHURN = "uniform_churn:operations=200,live=20"


@unittest.skipUnless(COMPARE, "HBM_COMPARE has to name the program: run this through ctest")
class Case(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()

    def run_it(self, *arguments: str, status: int = 0, columns: int = 120) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([COMPARE, *arguments], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=dict(os.environ, COLUMNS=str(columns)))
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, *arguments: str) -> List[Dict[str, Any]]:
        return json.loads(self.run_it(*arguments, "--format", "json").stdout)["rows"]

    def wrong(self, *arguments: str) -> str:
        done = self.run_it(*arguments, status=2)
        self.assertEqual(done.stdout, "")
        return done.stderr


class Lists(Case):
    def test_each_combination_has_its_rows_and_keys(self) -> None:
        rows = self.rows("--workload", "uniform_churn:operations=100|200,live=3..5", "--seed", "7,1..2", "--capacity",
                         "1GiB,min", "--quantum", "65536,1048576", *TWO)
        expected = [(f"uniform_churn:operations={operations},live={live}", operations, live, quantum, capacity, seed,
                     manager)
                    for operations, live, quantum, capacity, seed, manager in itertools.product(
                        ("100", "200"), ("3", "4", "5"), (65536, 1048576), ("1GiB", "min"), (7, 1, 2),
                        ("best_fit", "buddy"))]
        self.assertEqual([(row["workload"], row["parameter_operations"], row["parameter_live"], row["quantum_bytes"],
                           row["capacity_asked"], row["seed"], row["manager"]) for row in rows], expected)

    def test_a_row_of_a_list_is_the_row_of_its_own_command(self) -> None:
        own = ("seed", "capacity_asked", "parameter_live")
        rows = self.rows("--workload", "uniform_churn:operations=100,live=3|30", "--seed", "1..3", "--capacity",
                         "256MiB,unlimited", *TWO)
        self.assertEqual(len(rows), 2 * 3 * 2 * 2)
        self.assertGreater(len({row["placement_digest"] for row in rows}), 6, "seeds and parameters make a difference")
        for row in rows:
            if row["manager"] == "buddy":
                continue
            single, _ = self.rows("--workload", row["workload"], "--seed", str(row["seed"]), "--capacity",
                                  row["capacity_asked"], "--variants", "0", *TWO)
            self.assertEqual({key: value for key, value in row.items() if key not in own}, single)

    def test_axes_that_are_none_of_a_workload_are_null_and_csv_has_the_same_columns(self) -> None:
        self.write("t.csv", "op,id,bytes\nalloc,a,512\n")
        command = ["--trace", "t.csv", "--workload", "slow_leak:steps=1|2", "--seed", "1,2", *TWO]
        rows = self.rows(*command)
        self.assertEqual(len(rows), 2 + 2 * 2 * 2)
        self.assertIsNone(rows[0]["seed"])
        self.assertIsNone(rows[0]["parameter_steps"])
        table = list(csv.DictReader(io.StringIO(self.run_it(*command, "--format", "csv").stdout)))
        self.assertEqual(list(table[0]), list(rows[0]))
        self.assertEqual([row["seed"] for row in table], ["", ""] + ["1", "1", "2", "2"] * 2)

    def test_quantiles_over_seeds_are_exact(self) -> None:
        command = ["--workload", CHURN, "--seed", "1..8", "--capacity", "350MiB", "--manager", "buddy", "--rounds", "0"]
        rows = self.rows(*command)
        peaks = sorted(row["peak_live_bytes"] for row in rows if row["completed"])
        self.assertTrue(1 < len(peaks) < 8, "some seeds fail and some complete, or this test shows nothing")
        chosen = [peaks[0], peaks[math.ceil(len(peaks) / 2) - 1], peaks[-1]]
        table = self.run_it(*command).stdout
        self.assertNotRegex(table, r"(?m) $")
        self.assertIn(f"{len(peaks)} of 8", table)
        found = re.search(r"([\d.]+)M / ([\d.]+)M / ([\d.]+)M\s*", table.split("completes")[1])
        assert found is not None
        shown = table.split("peak live")[1]
        for each in chosen:
            self.assertIn(f"{each / 2**20:.2f}M", shown)
        self.assertEqual(table.count("\nmanager "), 1, "a table for all seeds, not a table a seed")


    def test_a_recommendation_takes_one_measure(self) -> None:
        command = ["--workload", CHURN, "--recommend", "--rounds", "0", "--variants", "0", "--capacity"]
        def unfolded(capacity: str) -> str:
            return " ".join(self.run_it(*command, capacity).stdout.split())
        least, both = (unfolded(each) for each in ("min", "min,unlimited"))
        apart = (" Not counted: 1 point in unlimited memory, where footprints are another measure; --capacity unlimited "
                 "alone ranks them.")
        self.assertIn(apart, both)
        said = least.replace("completes the workload", "completes the point of the sweep that counts")
        self.assertEqual(both.replace(apart, ""), said.replace("on any workload", "at any point"))
        self.assertNotIn(apart, unfolded("unlimited"))
        whole = json.loads(self.run_it(*command, "min,unlimited", "--format", "json").stdout)
        best = whole["recommendation"]["best"]
        needs = [row["min_capacity_bytes"] for row in whole["rows"]
                 if row["manager"] == best["manager"] and row["capacity_asked"] == "min"]
        self.assertEqual([best["bytes"]], needs)


class SweepFiles(Case):
    text = ("# what stands here is of every grid\n\nmanager best_fit\nmanager buddy\nseed 1..2\n"
            f"workload {CHURN}\n\ngrid\n  capacity 1GiB,min\ngrid\nworkload slow_leak:steps=2|3\nseed 9\n")

    def test_a_file_is_the_sum_of_its_grids(self) -> None:
        self.write("sweep.txt", self.text.replace("\n", "\r\n"))
        rows = self.rows("--sweep", "sweep.txt", "--rounds", "0")
        self.assertEqual([(row["workload"], row["capacity_asked"], row["seed"]) for row in rows[::2]],
                         [(CHURN, "1GiB", 1), (CHURN, "1GiB", 2), (CHURN, "min", 1), (CHURN, "min", 2),
                          ("slow_leak:steps=2", None, 9), ("slow_leak:steps=3", None, 9)])

    def test_what_is_wrong_has_a_place(self) -> None:
        for line, words in (("seed 1,x", "3:8: found `x`, expected a whole number"),
                            (" capacity  1GiB,,2GiB", "3:17: found nothing, expected unlimited"),
                            ("seed", "3:5: found nothing, expected a value after seed"),
                            ("sed 3", "3:1: found `sed`, expected grid, workload"),
                            ("grid 3", "3:6: found `3`, expected nothing after `grid`"),
                            ("manager buddy", "3:1: found `manager`, expected that line before the first grid"),
                            ("workload llm_servin", "3:10: unknown workload `llm_servin`; did you mean"),
                            ("workload slow_leak:steps=2..1", "3:10: found `steps=2..1`, expected")):
            with self.subTest(line):
                self.write("bad.txt", "manager buddy\ngrid\n" + line + "\n")
                self.assertTrue(self.wrong("--sweep", "bad.txt").startswith("hbm_compare: bad.txt:" + words),
                                self.wrong("--sweep", "bad.txt"))
        self.write("empty.txt", "# nothing\n\n")
        self.assertIn("empty.txt:1:1: found no line with an option, expected grid, workload",
                      self.wrong("--sweep", "empty.txt"))
        self.assertIn("cannot open missing.txt: No such file", self.wrong("--sweep", "missing.txt"))


class Shards(Case):
    command = ["--workload", "uniform_churn:operations=60,live=2|9", "--workload", "llm_serving:requests=3", "--trace",
               "t.csv", "--seed", "1..3", "--manager", "best_fit*", "--manager", "buddy", "--rounds", "0",
               "--capacity", "15GiB"]

    def setUp(self) -> None:
        super().setUp()
        self.write("t.csv", "op,id,bytes\nalloc,a,512\n")

    def make(self, count: int) -> List[str]:
        names = [f"{at}.json" for at in range(1, count + 1)]
        for at, name in enumerate(names, 1):
            self.run_it(*self.command, "--shard", f"{at}/{count}", "-o", name)
        return names

    def test_merged_shards_are_the_single_run_to_the_byte(self) -> None:
        whole = {each: self.run_it(*self.command, "--format", each).stdout for each in ("json", "csv")}
        self.assertGreater(len(json.loads(whole["json"])["rows"]), 100)
        for count in (1, 2, 7, 60):
            names = self.make(count)
            for order in (names, names[::-1]):
                self.assertEqual(self.run_it("merge", *order).stdout, whole["json"])
            self.assertEqual(self.run_it("merge", *names, "--format", "csv").stdout, whole["csv"])

    def test_what_people_read_is_merged_to_the_byte_as_well(self) -> None:
        names = self.make(3)
        for command in (self.command, self.command + ["--wide", "--baseline", "buddy"]):
            if command is not self.command:
                names = [f"wide{at}.json" for at in (1, 2)]
                for at, name in enumerate(names, 1):
                    self.run_it(*command, "--shard", f"{at}/2", "-o", name)
            for form in (["--format", "table"], ["--format", "md"], ["--recommend"],
                         ["--recommend", "--format", "json"]):
                self.assertEqual(self.run_it("merge", *names, *form).stdout, self.run_it(*command, *form).stdout)

    def test_pages_and_files_for_viewers_are_merged_to_the_byte_as_well(self) -> None:
        # Failures to explain, a least memory that was searched, and no limit: each is replayed in its own memory.
        self.command = ["--workload", "llm_serving:requests=4", "--trace", "t.csv", "--capacity", "10GiB,min,unlimited",
                        "--manager", "best_fit*", "--manager", "buddy", "--rounds", "0"]
        names = self.make(3)
        written = ["--html", "--perfetto", "--snapshot", "--pprof", "--series", "--on-oom", "--save"]
        for side, command in (("whole", [*self.command, "--format", "table"]),
                              ("merged", ["merge", *names, "--format", "table"])):
            files = [word for each in written for word in (each, side + each)]
            self.run_it(*command, *files, "-o", side + ".txt")
        for each in ["--html", "--perfetto", "--snapshot", "--pprof", "--series", "--on-oom", "--save", ".txt"]:
            whole, merged = ((self.folder / (side + each)).read_bytes() for side in ("whole", "merged"))
            self.assertTrue(whole == merged and len(whole) > 100, each)
        self.assertIn("fails", self.read("merged.txt"))
        self.assertEqual(self.run_it("merge", *names, "--wide").stdout, self.run_it(*self.command, "--wide").stdout)
        self.run_it("merge", *names, "--check", "whole--save")

    def test_a_shard_whose_figures_were_spoiled_is_no_table(self) -> None:
        name, = self.make(1)
        whole = self.read(name)
        for spoiled, words in (('"moves":-1', "found `-1` as `moves` of a row, expected a whole number"),
                               ('"moves":null', "found nothing as `moves` of a row, expected a whole number")):
            self.write(name, re.sub(r'"moves":\d+', spoiled, whole, count=1))
            self.assertIn(words, self.wrong("merge", name, "--format", "table"))

    def test_a_failure_in_a_shard_is_one_of_the_events(self) -> None:
        self.command = ["--workload", "slow_leak:steps=50", "--manager", "best_fit", "--rounds", "0",
                        "--capacity", "1MiB,2MiB"]
        name, = self.make(1)
        whole = self.read(name)
        for spoiled, words in (('"failed_event":18446744073709551615', "expected one of 957 events"),
                               ('"failed_event":null', "found nothing as `failed_event` of a row, expected the event"),
                               ('"failed_event":0,"error":null', "found nothing as `error` of a row, expected the")):
            pattern = r'"failed_event":\d+,"error":"[^"]*"' if "error" in spoiled else r'"failed_event":\d+'
            self.write(name, re.sub(pattern, spoiled, whole))
            self.assertIn(words, self.wrong("merge", name, "--format", "table"))
        # The page replays beyond an event that is too early.
        self.write(name, re.sub(r'"failed_event":\d+', '"failed_event":2', whole))
        self.run_it("merge", name, "--format", "table", "--html", "page.html")

    def test_a_shard_names_no_file_to_write(self) -> None:
        name, = self.make(1)
        whole = json.loads(self.read(name))
        for option in ("-o", "--html", "--save"):
            spoiled = json.loads(json.dumps(whole))
            spoiled["shard"]["arguments"] += [option, "written"]
            self.write(name, json.dumps(spoiled))
            self.assertIn(option, self.wrong("merge", name, "--format", "table"))
            self.assertFalse((self.folder / "written").exists())

    def test_missing_doubled_and_foreign_shards_are_named_with_the_command_that_mends_it(self) -> None:
        names = self.make(3)
        message = self.wrong("merge", names[0], names[2])
        self.assertIn("found 2 of 3 shards", message)
        again = re.search(r"shard 2/3: hbm_compare (.*) -o FILE", message)
        assert again is not None
        # The command can be given to a shell as it stands.
        made = subprocess.run(["sh", "-c", f'"$HBM_COMPARE" {again[1]}'], cwd=self.folder, text=True, check=True,
                              capture_output=True).stdout
        self.assertEqual(made, self.read(names[1]))

        self.write("copy.json", self.read(names[1]))
        message = self.wrong("merge", *names, "copy.json")
        self.assertIn("copy.json: found shard 2/3, expected another one: 2.json is that shard", message)
        self.assertIn("--shard 2/3 -o FILE", message)

        self.run_it(*self.command, "--capacity", "1GiB", "--shard", "2/3", "-o", "other.json")
        message = self.wrong("merge", names[0], "other.json", names[2])
        self.assertIn("other.json: found shard 2/3 of another command, `hbm_compare ", message)
        self.assertIn("--shard 2/3 -o FILE", message)

        self.run_it(*self.command, "--shard", "2/4", "-o", "other.json")
        self.assertIn("other.json: found shard 2/4, expected one of 3", self.wrong("merge", names[0], "other.json"))

        self.write("t.csv", "op,id,bytes\nalloc,a,1024\n")
        self.run_it(*self.command, "--shard", "2/3", "-o", "other.json")
        self.assertRegex(self.wrong("merge", names[0], "other.json", names[2]),
                         r"other\.json: found shard 2/3 whose input t\.csv has the digest [0-9a-f]{16}, expected")

        self.write("other.json", self.read(names[1]).replace('"version":"', '"version":"9.'))
        self.assertIn("found shard 2/3 that version 9.", self.wrong("merge", names[0], "other.json", names[2]))

    def test_what_is_no_shard(self) -> None:
        first, = self.make(1)
        self.write("cut.json", self.read(first)[:-4])
        self.assertRegex(self.wrong("merge", "cut.json"), r"cut\.json:\d+:\d+: found the end of the file, expected ")
        self.run_it(*self.command, "--format", "json", "-o", "whole.json")
        self.assertIn("whole.json: found a whole result, expected a shard", self.wrong("merge", "whole.json"))
        self.assertIn("cannot open missing.json: ", self.wrong("merge", "missing.json"))
        lines = self.read(first).splitlines()
        self.write("short.json", "\n".join(lines[:2] + lines[3:]) + "\n")
        self.assertIn("make it again: hbm_compare ", self.wrong("merge", "short.json"))
        self.assertIn("a shard itself", self.wrong("merge", first, "-o", first))


class Gate(Case):
    command = ["--workload", CHURN, "--workload", "llm_serving:requests=4", "--seed", "1,2", "--capacity",
               "unlimited,10GiB", "--manager", "bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size", *TWO]

    def setUp(self) -> None:
        super().setUp()
        self.run_it(*self.command, "--save", "base.json", "-q")

    def check(self, status: int, *more: str) -> str:
        return self.run_it(*self.command, "--format", "csv", "--check", "base.json", *more, status=status).stderr

    def change(self, key: str, by: int, row: int = 0) -> str:
        """Changes a figure of the stored run; returns the name of its row."""
        whole = json.loads(self.read("base.json"))
        whole["rows"][row][key] += by
        self.write("base.json", json.dumps(whole))
        return f"{whole['rows'][row]['workload']} under {whole['rows'][row]['manager']}, "

    def test_the_same_figures_pass_whatever_the_clock_says(self) -> None:
        self.assertEqual(self.check(0), "")
        self.assertEqual(self.check(0, "--rounds", "3", "-q"), "")
        saved = self.read("base.json")
        self.run_it(*self.command, "--rounds", "3", "--save", "timed.json", "-q")
        self.assertEqual(self.read("timed.json"), saved)

    def test_each_figure_has_its_direction(self) -> None:
        plain = self.read("base.json")
        rows = json.loads(plain)["rows"]
        serving = next(at for at, row in enumerate(rows) if row["moves"] > 1 and row["evictions"] > 1)
        for row, key, worse in ((0, "footprint_bytes", -512), (0, "peak_live_bytes", -512),
                                (serving, "moves", -1), (serving, "moved_bytes", -512), (serving, "evictions", -1),
                                (serving, "reload_us", -5), (serving, "relieved", -1),
                                (serving, "donations_taken", 1), (serving, "donated_bytes", 512)):
            before = rows[row][key]
            self.assertGreaterEqual(before, abs(worse), key)
            self.write("base.json", plain)
            name = self.change(key, worse, row)
            found = self.check(1)
            self.assertIn(f"worse: {name}", found, key)
            self.assertRegex(found, rf"{key}: {before} instead of {before + worse} \({abs(worse)} (more|less)")
            self.write("base.json", plain)
            name = self.change(key, -worse, row)
            found = self.check(0)
            self.assertIn(f"better: {name}", found, key)
            self.assertNotIn("worse", found)

    def test_a_workload_that_no_longer_completes_is_worse_and_its_other_figures_are_not_compared(self) -> None:
        self.command = ["--workload", CHURN, "--capacity", "4K", *TWO]
        self.run_it(*self.command, "--save", "base.json", "-q")
        fails = self.read("base.json")
        self.write("base.json", fails.replace('"completed":false', '"completed":true'))
        lines = self.check(1).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("no longer completes: ", lines[0])
        self.write("base.json", re.sub(r'"failed_event":\d+', '"failed_event":99999', fails))
        self.assertIn("failed_event: ", self.check(1))

    def test_a_malformed_file_has_a_place_and_status_2(self) -> None:
        plain = self.read("base.json")
        for text, words in ((plain[:-4], r"base\.json:\d+:\d+: found the end of the file"),
                            (plain.replace('"rows":', '"rows":,'), r"base\.json:1:34: found "),
                            (plain.replace("hbm-compare/1", "x"), r"base\.json:1:11: found `x`, expected the schema"),
                            (plain.replace('"footprint_bytes":', '"footprint_bytes":"x","y":', 1),
                             r"base\.json:3:1: found an object, expected the keys of the first row"),
                            (re.sub(r'"footprint_bytes":\d+', '"footprint_bytes":"x"', plain, count=1),
                             r"base\.json:2:1: found a figure that is not a number"),
                            (plain.replace('"seed":2', '"seed":1'), r"base\.json:\d+:1: found the row .* twice"),
                            ("[]", r"base\.json:1:1: found an array, expected a result"),
                            ("", r"base\.json:1:1: found the end of the file")):
            with self.subTest(words):
                self.write("base.json", text)
                self.assertRegex(self.check(2), "hbm_compare: " + words)
        self.assertIn("cannot open missing.json: ", self.wrong(*self.command, "--check", "missing.json"))


if __name__ == "__main__":
    unittest.main()
