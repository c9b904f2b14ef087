#!/usr/bin/env python3
"""The page that answers, driven in a browser as a person would. Skipped without `build/page/hbm.html` (the preset `page`)."""

import gzip
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("HBM_SOURCE_DIRECTORY", pathlib.Path(__file__).resolve().parents[3]))
PAGE = pathlib.Path(os.environ.get("HBM_PAGE", ROOT / "build/page/hbm.html"))
if not PAGE.is_file():
    print(f"skipped: {PAGE} was not built (cmake --workflow --preset page)")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_page import AnswerPage  # noqa: E402
from html_case import COMPARE, HtmlCase  # noqa: E402

SAMPLES = ROOT / "bench/compare/browser/samples"
MESSAGE = (SAMPLES / "load.txt").read_text(encoding="utf-8")
TRACE = "op,id,bytes\nalloc,a,4096\nalloc,b,8192\nfree,a,\nalloc,c,2048\nfree,b,\nfree,c,\n"
HOSTILE = {"cut.prof": b"\x0a\x04\x08\x01", "zeros.bin": bytes(300), "bad.csv": b"op,id,bytes\nalloc,a,-5\n",
           "script.csv": b"op,id,bytes\n</pre><script>document.title='owned'</script>,<img src=x onerror=alert(1)>,1\n"}


class AnswersInThePage(HtmlCase):
    """Answers of the page, held against those of the program on the command line that it shows."""

    def expect_as_program(self, page: AnswerPage) -> None:
        """Fails if the next answer differs from that of the program, run with the same words on the same files."""
        status, text, errors, command, state = page.answer()
        words = page.run("return asked")
        done = subprocess.run([COMPARE, *words, "--progress", "never"], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual((done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")), (status, text, errors), state)
        self.assertTrue(command.startswith("hbm_compare " + shlex.quote(words[0])), command)

    def file(self, name: str, content: bytes) -> pathlib.Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def test_a_pasted_message_and_a_dropped_log_are_answered(self) -> None:
        self.file("pasted.txt", MESSAGE.encode())
        drop = ("const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'train.log'));"
                "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))")
        with AnswerPage(str(PAGE)) as page:
            page.paste(MESSAGE)
            self.expect_as_program(page)
            self.assertIn("jit_step", page.run("return document.querySelector('#answer .headline').textContent"))
            page.run("const menu = document.getElementById('device'); menu.value = 'v5p';"
                     "delete document.getElementById('result').dataset.status; menu.dispatchEvent(new Event('change'))")
            self.expect_as_program(page)
            self.expect_sound(page)
            page.clear()
            self.file("train.log", MESSAGE.encode())
            page.run(drop, MESSAGE)
            self.expect_as_program(page)

    def test_every_example_and_every_button_that_it_shows_works(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            names = page.run("return [...document.querySelectorAll('#examples button')].map((each) => each.textContent)")
            self.assertEqual(4, len(names))
            for name in names:
                with self.subTest(name):
                    page.clear()
                    page.press_button(name)
                    self.assertEqual(0, page.answer()[0])
                    for title in page.titles():
                        page.press_button(title)
                        self.assertEqual((0, title), (page.answer()[0], title))
            self.expect_sound(page)

    def test_a_trace_shows_its_map_and_then_all_managers(self) -> None:
        trace = self.file("a.csv", TRACE.encode())
        self.file("small.csv.gz", gzip.compress(TRACE.encode()))
        with AnswerPage(str(PAGE), width=1280) as page:
            page.bring(trace)
            page.wait("return document.getElementById('map')?.dataset.painted && report.data.managers.length > 2")
            page.answer()
            self.assertEqual(len(page.run("return report.data.order")), len(page.driver.find_elements("css selector", "#matrix tbody tr")))
            page.driver.find_elements("css selector", "#matrix a")[1].click()
            page.wait("return document.getElementById('map').dataset.painted && view.managers.length === 1")
            self.expect_sound(page)
            page.bring(self.folder / "small.csv.gz")
            self.assertEqual(0, page.answer()[0])

    def test_hostile_files_get_the_errors_of_the_program(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            for name, content in HOSTILE.items():
                with self.subTest(name):
                    page.bring(self.file(name, content))
                    self.expect_as_program(page)
            self.assertNotEqual("owned", page.driver.title)
            self.assertEqual([], page.errors())

    def test_policy_forbids_requests(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            found = page.driver.execute_async_script("const done = arguments[0];"
                "fetch('https://example.org/').then(() => done('fetched'), () => done('refused'))")
            self.assertEqual("refused", found)
            self.assertIn("Content Security Policy", " ".join(page.errors()))

    def test_long_run_shows_progress_and_can_be_cancelled(self) -> None:
        rows = "".join(f"alloc,b{n},{512 + n * 7919 % 65536}\n" + (f"free,b{n - 3000},\n" if n >= 3000 else "") for n in range(60_000))
        with AnswerPage(str(PAGE)) as page:
            page.bring(self.file("long.csv", ("op,id,bytes\n" + rows).encode()))
            page.wait("return document.getElementById('progress').value > 0")
            page.press_button("Cancel")
            self.assertEqual("Cancelled.", page.run("return document.getElementById('state').textContent"))
            page.paste(MESSAGE)
            self.assertEqual(0, page.answer()[0])
            self.assertEqual([], page.errors())

    def test_phone_shows_all_in_light_and_dark(self) -> None:
        for dark in (False, True):
            with self.subTest(dark=dark), AnswerPage(str(PAGE), width=390, dark=dark) as page:
                self.expect_sound(page)
                page.paste(MESSAGE)
                page.answer()
                self.expect_sound(page)
                page.bring(self.file("a.csv", TRACE.encode()))
                page.wait("return document.getElementById('map')?.dataset.painted && report.data.managers.length > 2")
                self.expect_sound(page)


if __name__ == "__main__":
    unittest.main()
