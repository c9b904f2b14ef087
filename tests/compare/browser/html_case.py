"""What the tests of pages share: pages of their own, in a folder that is removed after the test."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from html_browser import Page

COMPARE = os.environ.get("HBM_COMPARE", "")
SMALL = ["--workload", "llm_serving:requests=40", "--workload", "transformer_training:steps=4"]


class HtmlCase(unittest.TestCase):
    """Runs hbm_compare, and checks what every page must keep."""

    def setUp(self) -> None:
        if not COMPARE:
            self.fail("HBM_COMPARE has to name hbm_compare: run this through ctest")
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def compare(self, *arguments: str) -> pathlib.Path:
        """Returns the page of a run, and sets `self.rows` from its JSON."""
        page, result = self.folder / "page.html", self.folder / "result.json"
        subprocess.run([COMPARE, *arguments, "-q", "--format", "json", "-o", str(result), "--html", str(page)],
                       check=True)
        self.rows = json.loads(result.read_text(encoding="utf-8"))["rows"]
        return page

    def expect_sound(self, page: Page) -> None:
        self.assertEqual([], page.faults())
        self.assertEqual([], page.errors())


def size_in_words(size: int) -> str:
    """As hbm_compare writes sizes; ties go to even, as in Python."""
    if size < 1024:
        return f"{size}B"
    for unit in "KMGTPE":
        if size < 1024 * 1024:
            return f"{size / 1024:.{1 if unit == 'K' else 2}f}{unit}"
        size //= 1024
    return ""
