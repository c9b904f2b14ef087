#!/usr/bin/env python3
"""The files of hbm_compare for other programs: hostile names and failures."""

from __future__ import annotations

import csv
import os
import re
import sys
import unittest
from pathlib import Path
from typing import List

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from viewer_case import FORMATS, Case, as_csv, churn  # noqa: E402
from viewer_readers import BestFit  # noqa: E402


class HostileTraces(Case):
    def test_names_that_no_format_likes_are_escaped_or_replaced(self) -> None:
        """Quotes, backslashes, bytes that are not UTF-8 in ids and tags; control characters in the file's name."""
        names = [b'a"quote', b"back\\slash", b"bad\xff\xfe\x80utf8", b"</script>", b"\xed\xa0\x80surrogate",
                 "emoji\U0001f600".encode(), b"';drop", b"#no_comment", b"=1+1"]
        text = b"op,id,bytes,tag\n" + b"".join(b"alloc,x%s,1024,%s\n" % (name, name) for name in names)
        file = os.fsdecode(b"evil\"\\name,\xff\n\t\x01\x7f.csv")
        (self.path / file).write_bytes(text)
        readable = [name.decode("utf-8", "replace") for name in names]
        self.compare("--trace", file, "--manager", "best_fit", "--capacity", "1MiB",
                     *(word for name, each in FORMATS.items() for word in ("--" + name, each)))

        def fold(found: List[str]) -> List[str]:
            """Readers differ in how many replacement characters stand for some wrong bytes in a row."""
            return [re.sub("\ufffd+", "\ufffd", name) for name in found]

        folded = fold(readable)
        events = self.perfetto()
        self.assertEqual(fold([e["args"]["tag"] for e in events if e["ph"] == "b"]), folded)
        self.assertEqual(fold([e["name"] for e in events if e["ph"] == "b"]), folded)
        with open(self.path / "s.csv", newline="", encoding="utf-8", errors="surrogateescape") as series:
            rows = list(csv.DictReader(series))
        self.assertEqual({os.fsencode(row["workload"]) for row in rows}, {os.fsencode(file)})
        self.assertEqual(len(rows), len(names))


class Failures(Case):
    def test_a_failure_ends_every_file(self) -> None:
        events = churn(2_000, 100, seed=5)
        self.write("t.csv", as_csv(events))
        row, = self.write_all("--trace", "t.csv", "--manager", "best_fit", "--capacity", "2MiB")
        self.assertFalse(row["completed"])
        memory = BestFit(2 << 20)
        for at, (what, name, size, _) in enumerate(events):
            if what == "free":
                memory.free(name)
            elif not memory.allocate(name, size):
                break
        self.assertEqual(row["failed_event"], at)
        self.assertEqual(len(self.series()), at)
        failed, = [event for event in self.perfetto() if event["name"] == "failed"]
        self.assertEqual(failed["args"], {"row": at, "message": row["error"]})


if __name__ == "__main__":
    unittest.main()
