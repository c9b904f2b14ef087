#!/usr/bin/env python3
"""The page that answers, driven in a browser as a person would. Skipped without `build/page/hbm.html` (the preset `page`)."""

import gzip
import os
import pathlib
import re
import shutil
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("HBM_SOURCE_DIRECTORY", pathlib.Path(__file__).resolve().parents[3]))
PAGE = pathlib.Path(os.environ.get("HBM_PAGE", ROOT / "build/page/hbm.html"))
if not PAGE.is_file():
    print(f"skipped: {PAGE} was not built (cmake --workflow --preset page)")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_page import AnswerPage, difference, run_program  # noqa: E402
from html_browser import Keys  # noqa: E402
from html_case import COMPARE, HtmlCase  # noqa: E402

SAMPLES = ROOT / "bench/compare/browser/samples"
MESSAGE = (SAMPLES / "load.txt").read_text(encoding="utf-8")
HOSTILE = {"cut.prof": b"\x0a\x04\x08\x01", "zeros.bin": bytes(300), "cut.pickle": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}",
           "long.pickle": b"\x80\x04\x8d\x05\x00\x00\x00\x01\x00\x00\x00hello.", "bad.csv": b"op,id,bytes\nalloc,a,-5\n",
           "script.csv": b"op,id,bytes\n</pre><script>document.title='owned'</script>,<img src=x onerror=alert(1)>,1\n",
           "huge.csv": b"op,id,bytes\nalloc,a,99999999999999999999999\n", "utf16.txt": "RESOURCE_EXHAUSTED".encode("utf-16")}


class AnswersInThePage(HtmlCase):
    """Tests with a page of their own, and files in a folder that is removed after the test."""

    def setUp(self) -> None:
        super().setUp()
        self.dump = pathlib.Path(shutil.copytree(SAMPLES / "dump", self.folder / "dump"))

    def expect_as_program(self, page: AnswerPage, folder: pathlib.Path) -> None:
        self.assertIsNone(difference(page, COMPARE, folder))

    def test_pasted_message_is_explained_as_by_the_bare_program(self) -> None:
        (self.folder / "pasted.txt").write_text(MESSAGE, encoding="utf-8")
        with AnswerPage(str(PAGE)) as page:
            page.paste(MESSAGE)
            status, text, errors, command, _ = page.answer()
            self.assertEqual((status, text, errors), run_program(COMPARE, ["pasted.txt"], self.folder))
            self.assertEqual("hbm_compare --message pasted.txt", command)
            self.assertIn("3.15G too short", page.run("return document.querySelector('#output b').textContent"))
            self.expect_sound(page)

    def test_other_device_stands_out_and_a_pool_is_offered_for_a_load(self) -> None:
        titles = "return [...document.querySelectorAll('#questions button')].map((each) => each.textContent)"
        with AnswerPage(str(PAGE)) as page:
            page.paste(MESSAGE)
            page.answer()
            self.assertIn("The largest KV pool", page.run(titles))
            page.set("device", "v5p")
            page.answer()
            bold = page.run("return [...document.querySelectorAll('#output b')].map((each) => each.textContent)")
            self.assertTrue(bold[1].startswith("On TPU v5p"), bold)
            page.clear()
            page.paste("RESOURCE_EXHAUSTED: Attempting to allocate 2.36G. That was not possible. There are 1.73G free.")
            page.answer()
            self.assertNotIn("The largest KV pool", page.run(titles))
            self.expect_sound(page)

    def test_typed_text_is_answered_without_a_press(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            page.driver.find_element("id", "text").send_keys(MESSAGE.strip())
            page.wait_for_typed()
            self.assertIn("jit_step", page.answer()[1])

    def test_examples_are_answered_as_by_the_program(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            names = page.run("return [...document.querySelectorAll('#examples button')].map((each) => each.dataset.example)")
            self.assertEqual(7, len(names))
            for name in names:
                with self.subTest(name):
                    page.clear()
                    page.run("document.querySelector(`[data-example=\"${arguments[0]}\"]`).click()", name)
                    files = page.wait("return page.inputs.length > 0 && page.inputs.every((each) => each.option) && "
                                      "page.allFiles().map((each) => [each.path, each.data])")
                    for path, data in files:
                        (self.folder / path).parent.mkdir(exist_ok=True)
                        (self.folder / path).write_text(data, encoding="utf-8")
                    self.assertEqual(0, page.answer()[0])
                    self.expect_as_program(page, self.folder)
            self.expect_sound(page)

    def test_hostile_files_get_the_errors_of_the_program(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            for name, content in HOSTILE.items():
                with self.subTest(name):
                    (self.folder / name).write_bytes(content)
                    page.bring(self.folder / name)
                    self.expect_as_program(page, self.folder)
            self.assertNotEqual("owned", page.driver.title)
            self.assertEqual([], page.errors())

    def test_questions_have_the_answers_of_the_program(self) -> None:
        """About two programs, two messages and two traces, with the settings that each takes."""
        trace = "op,id,bytes\nalloc,a,4096\nalloc,b,8192\nfree,a,\nalloc,c,2048\nfree,b,\nfree,c,\n"
        dump = next((SAMPLES / "dump").iterdir())
        for names in (("load.txt", "pieces.txt"), ("a.csv", "b.csv"), (dump.name,), ("load.txt", dump.name), ("memory_stats.csv",)):
            (self.folder / "a.csv").write_text(trace, encoding="utf-8")
            (self.folder / "b.csv").write_text(trace.replace("8192", "9000"), encoding="utf-8")
            for name in ("load.txt", "pieces.txt", "memory_stats.csv"):
                (self.folder / name).write_bytes((SAMPLES / name).read_bytes())
            (self.folder / dump.name).write_bytes(dump.read_bytes())
            with self.subTest(names), AnswerPage(str(PAGE)) as page:
                page.bring(*(self.folder / name for name in names))
                self.expect_as_program(page, self.folder)
                for name, value in (("device", "v5p"), ("donate", "all"), ("managers", "*best_fit*"), ("weights", "1GiB")):
                    page.run("document.getElementById(arguments[0]).value = arguments[1]", name, value)
                titles = page.run("return [...document.querySelectorAll('#questions button')].map((each) => each.textContent)")
                self.assertGreater(len(titles), 1)
                for title in titles:
                    page.ask(title)
                    self.expect_as_program(page, self.folder)
                self.assertEqual([], page.errors())

    def test_folder_stands_for_its_dump(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            page.bring_folder(self.dump)
            self.expect_as_program(page, self.folder)
            self.assertIn("--program dump", page.answer()[3])

    def test_dropped_text_and_files_are_answered(self) -> None:
        drop = ("const data = new DataTransfer(); if (arguments[0]) data.items.add(new File([arguments[1]], arguments[0]));"
                "else data.items.add(arguments[1], 'text/plain');"
                "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))")
        with AnswerPage(str(PAGE)) as page:
            page.run(drop, "", MESSAGE)
            self.assertEqual("hbm_compare --message pasted.txt", page.answer()[3])
            page.clear()
            page.run(drop, "train.log", MESSAGE)
            status, text, errors, command, _ = page.answer()
            (self.folder / "train.log").write_text(MESSAGE, encoding="utf-8")
            self.assertEqual((status, text, errors), run_program(COMPARE, ["train.log"], self.folder))
            self.assertEqual("hbm_compare --message train.log", command)

    def test_gzip_files_are_as_on_the_command_line(self) -> None:
        """Whole ones, of several members, damaged ones, and one that would fill memory."""
        trace = gzip.compress(b"op,id,bytes\nalloc,a,4096\nfree,a,\n", mtime=0)
        log = gzip.compress(MESSAGE.encode(), mtime=0)
        files = {"small.csv.gz": trace, "members.csv.gz": trace + gzip.compress(b"alloc,b,512\n"), "log.gz": log,
                 "members.log.gz": gzip.compress(b"step 1\n") + log, "cut.csv.gz": trace[:-9], "cut.log.gz": log[:-3],
                 "tail.csv.gz": trace + bytes(8), "filled.csv.gz": trace + bytes(10240), "empty.csv.gz": gzip.compress(b"") + bytes(512),
                 "junk.csv.gz": trace + bytes(8) + b"x", "sum.log.gz": log[:-6] + b"??" + log[-4:], "head.gz": b"\x1f\x8b\x08",
                 "bits.csv.gz": trace[:14] + bytes([trace[14] ^ 64]) + trace[15:], "bomb.csv.gz": gzip.compress(bytes(100 << 20))}
        with AnswerPage(str(PAGE)) as page:
            for name, content in files.items():
                with self.subTest(name):
                    (self.folder / name).write_bytes(content)
                    page.bring(self.folder / name)
                    self.expect_as_program(page, self.folder)
            self.assertEqual([], page.errors())

    def test_settings_of_a_message_and_a_program(self) -> None:
        """Another device and donated arguments, one after the other."""
        dump = next((SAMPLES / "dump").iterdir())
        for name in ("compile.txt", f"dump/{dump.name}"):
            (self.folder / pathlib.Path(name).name).write_bytes((SAMPLES / name).read_bytes())
        with AnswerPage(str(PAGE)) as page:
            page.bring(self.folder / "compile.txt")
            page.answer()
            page.set("device", "v5p")
            self.expect_as_program(page, self.folder)
            self.assertIn("On TPU v5p (95.74G): ", page.answer()[1])
            page.bring(self.folder / "compile.txt", self.folder / dump.name)
            page.answer()
            for numbers in ("0, 1", "all", "none", "9", "1-0"):
                with self.subTest(numbers):
                    page.set("donate", numbers)
                    self.expect_as_program(page, self.folder)
            page.set("donate", "0, 1")
            self.assertIn(":donate=0+1", page.answer()[3])
            page.ask("If all possible arguments were donated")
            self.expect_as_program(page, self.folder)
            self.assertIn(":donate=all", page.answer()[3])
            self.expect_sound(page)

    def test_report_is_shown_and_runs_under_the_policy(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            page.bring_folder(self.dump)
            page.answer()
            page.ask("Memory over time, as a page")
            self.expect_as_program(page, self.folder)
            page.driver.switch_to.frame(page.driver.find_element("css selector", "#report iframe"))
            page.wait("return document.getElementById('map')?.dataset.painted")
            page.driver.switch_to.default_content()
            self.assertEqual([], page.errors())

    def test_policy_forbids_requests(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            found = page.driver.execute_async_script("const done = arguments[0];"
                "fetch('https://example.org/').then(() => done('fetched'), () => done('refused'))")
            self.assertEqual("refused", found)
            self.assertIn("Content Security Policy", " ".join(page.errors()))

    def test_address_keeps_the_question_and_no_data(self) -> None:
        with AnswerPage(str(PAGE), view="#ask=recommend&device=v5p&managers=*best_fit*") as page:
            page.driver.find_element("id", "folder-input").send_keys(str(self.dump))
            self.assertEqual("hbm_compare --program dump --capacity v5p --manager '*best_fit*' --rounds 0 --recommend",
                             page.answer()[3])
            page.paste(MESSAGE)
            page.answer()
            self.assertEqual("#managers=*best_fit*", re.sub("%2A", "*", page.run("return location.hash")))

    def test_long_run_shows_progress_and_can_be_cancelled(self) -> None:
        rows = "".join(f"alloc,b{n},{512 + n * 7919 % 65536}\n" + (f"free,b{n - 3000},\n" if n >= 3000 else "") for n in range(60_000))
        (self.folder / "long.csv").write_text("op,id,bytes\n" + rows, encoding="utf-8")
        with AnswerPage(str(PAGE)) as page:
            page.bring(self.folder / "long.csv")
            page.wait("return document.getElementById('progress').value > 0")
            page.run("document.getElementById('cancel').click()")
            self.assertEqual("Cancelled.", page.run("return document.getElementById('state').textContent"))
            page.paste(MESSAGE)
            self.assertEqual(0, page.answer()[0])
            self.assertEqual([], page.errors())

    def test_memory_that_does_not_suffice_gets_the_words_of_the_program(self) -> None:
        (self.folder / "large.csv").write_text("op,id,bytes\n" + "".join(f"alloc,b{n},512\n" for n in range(500_000)), encoding="utf-8")
        with AnswerPage(str(PAGE)) as page:
            page.driver.execute_async_script("""const done = arguments[0];
                page.unpack("loader").then((response) => response.text()).then((loader) => {
                  const limit = "WebAssembly.Memory.prototype.grow = () => { throw new RangeError(); };";
                  const text = [limit, loader, document.getElementById("worker").textContent];
                  page.program.worker.terminate();
                  page.program.source = URL.createObjectURL(new Blob(text, { type: "text/javascript" }));
                  page.program.start();
                  done();
                });""")
            page.bring(self.folder / "large.csv")
            self.assertEqual((1, "", "hbm_compare: the host's memory does not suffice for these traces\n"), page.answer()[:3])
            page.paste(MESSAGE)
            self.assertEqual(0, page.answer()[0])

    def test_phone_shows_all_in_light_and_dark(self) -> None:
        for dark in (False, True):
            with self.subTest(dark=dark), AnswerPage(str(PAGE), width=400, dark=dark) as page:
                self.expect_sound(page)
                page.paste(MESSAGE)
                _, text, _, _, _ = page.answer()
                self.assertLess(max(map(len, text.split("\n"))), 64)
                self.expect_sound(page)
                page.bring_folder(self.dump)
                page.answer()
                self.expect_sound(page)

    def test_keyboard_reaches_the_questions(self) -> None:
        with AnswerPage(str(PAGE)) as page:
            page.press(Keys.TAB)
            self.assertEqual("text", page.run("return document.activeElement.id"))
            page.press(MESSAGE.strip())
            page.wait_for_typed()
            for _ in range(30):
                page.press(Keys.TAB)
                if page.run("return document.activeElement.textContent") == "The message for scripts":
                    break
            page.press(Keys.ENTER)
            page.wait("return document.getElementById('command').textContent.includes('json')")
            self.assertIn('"schema":"hbm-message/1"', page.answer()[1])


if __name__ == "__main__":
    unittest.main()
