#!/usr/bin/env python3
"""The page that --html writes, used as a person does: mouse, fingers and keys of a real browser, at many widths."""

import csv
import math
import os
import pathlib
import sys
import unittest
from collections import Counter
from typing import Any, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import html_browser  # noqa: E402  (exits without a browser)
import html_replay  # noqa: E402
from html_browser import ActionChains, Keys, Page  # noqa: E402
from html_case import SMALL, HtmlCase  # noqa: E402

MANAGERS = ["--manager", "best_fit", "--manager", "first_fit", "--manager", "tpu::runtime_memory"]


class HtmlPerson(HtmlCase):
    """Hands and keys on pages of small traces."""

    def random_page(self, name: str, events: int, seed: int) -> pathlib.Path:
        """Returns the page of a random trace."""
        self.trace = self.folder / "random.csv"
        html_replay.write_random(str(self.trace), events, seed)
        page = self.compare("--trace", str(self.trace), "--capacity", "unlimited", *MANAGERS)
        return page.rename(self.folder / name)

    def element(self, page: Page, selector: str) -> Any:
        """Returns the element, in the middle of the window."""
        found = page.driver.find_element("css selector", selector)
        page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", found)
        return found

    def settled(self, page: Page) -> List[float]:
        """Returns the range that is shown, as soon as nothing moves."""
        page.run("window.paintedBefore = document.getElementById('map').dataset.painted")
        page.driver.execute_async_script("setTimeout(arguments[0], 400)")
        return page.run("return [hbm.view.from, hbm.view.to, hbm.view.low, hbm.view.high]")

    def test_a_click_keeps_what_can_be_copied_and_searched(self) -> None:
        path = self.random_page("page.html", 4000, 21)
        with Page(str(path), 1280) as page:
            canvas = self.element(page, ".map canvas")
            # The pointer goes to the middle of the largest block at the end, and clicks.
            block = max(page.blocks(0, page.run("return hbm.view.managers[0]"), 3900), key=lambda each: each["size"])
            x, y = page.run(
                "const { area, replay } = hbm.shown[0], { from, to, low, high } = hbm.view, box = arguments[0].getBoundingClientRect();"
                "return [area.x + (hbm.middleOf(replay.trace, 3900) - from) / (to - from) * area.width - box.width / 2,"
                "area.y + (1 - (arguments[1] / 512 - low) / (high - low)) * area.height - box.height / 2]",
                canvas, block["offset"] + block["size"] // 2)
            ActionChains(page.driver).move_to_element_with_offset(canvas, int(x), int(y)).click().perform()
            kept = page.run("return hbm.shown[0].replay.block.name[hbm.view.kept.block]")
            self.assertEqual(block["id"], kept)
            self.assertIn("at=", page.run("return location.hash"))
            # Its name is copied by a double click on it, though the pointer crosses other blocks on its way.
            name = self.element(page, "#pane dd")
            ActionChains(page.driver).move_to_element_with_offset(name, 4 - name.size["width"] // 2, 0).double_click().perform()
            self.assertEqual(kept, page.run("return getSelection().toString().trim()"))
            # A search by typing, and a click in the list.
            search = self.element(page, "#pane-search")
            search.send_keys("weight")
            listed = page.run("return [...document.querySelectorAll('#pane li')].map((each) => each.textContent)")
            self.assertTrue(listed and all("weight" in each for each in listed))
            page.driver.find_element("css selector", "#pane li").click()
            chosen = page.run("return hbm.blockName(hbm.shown[0].replay, hbm.view.kept.block)")
            self.assertIn(chosen, listed[0])
            # It is released, and the pane then lists what is live at the peak.
            page.driver.find_element("css selector", ".kept-head button").click()
            self.assertIsNone(page.run("return hbm.view.kept"))
            self.assertIn("at the peak", page.run("return document.getElementById('pane').textContent"))
            self.expect_sound(page)

    def test_the_strip_shows_the_whole_run_and_moves_its_visible_part(self) -> None:
        path = self.random_page("page.html", 4000, 22)
        with Page(str(path), 1280) as page:
            strip = self.element(page, "#strip")
            wide = page.run("return arguments[0].clientWidth - hbm.edges.left - hbm.edges.right", strip)
            places = page.run("return hbm.edges.left - arguments[0].clientWidth / 2", strip)
            extent = page.run("return hbm.extentOf(hbm.view)")
            at = lambda share: int(places + share * wide)  # noqa: E731
            ActionChains(page.driver).move_to_element_with_offset(strip, at(0.3), 0).click_and_hold() \
                .move_by_offset(int(wide * 0.2), 0).release().perform()
            start, end, *_ = self.settled(page)
            self.assertAlmostEqual(0.3, start / extent, delta=0.01)
            self.assertAlmostEqual(0.5, end / extent, delta=0.01)
            # The visible part is dragged; the address is written when the hand lets go.
            before = page.run("return location.hash")
            self.assertIn("time=", before)
            ActionChains(page.driver).move_to_element_with_offset(strip, at(0.4), 0).click_and_hold().move_by_offset(int(wide * 0.3), 0).perform()
            moved = self.settled(page)
            self.assertAlmostEqual(0.6, moved[0] / extent, delta=0.01)
            self.assertEqual(before, page.run("return location.hash"))
            ActionChains(page.driver).release().perform()
            self.assertNotEqual(before, page.run("return location.hash"))
            self.assertAlmostEqual(end - start, moved[1] - moved[0], delta=1)
            # The frame lies over the part, and an end of it is dragged alone.
            left, width = page.run("const frame = document.querySelector('#strip i'); return [frame.offsetLeft - hbm.edges.left, frame.offsetWidth]")
            self.assertAlmostEqual(0.6, left / wide, delta=0.01)
            self.assertAlmostEqual(0.2, width / wide, delta=0.02)
            ActionChains(page.driver).move_to_element_with_offset(strip, at(0.8), 0).click_and_hold().move_by_offset(int(wide * 0.1), 0).release().perform()
            first, last, *_ = self.settled(page)
            self.assertAlmostEqual(moved[0], first, delta=1)
            self.assertAlmostEqual(0.9, last / extent, delta=0.01)
            self.expect_sound(page)

    def test_a_map_is_dragged_and_pinched_and_what_is_under_the_hand_stays(self) -> None:
        path = self.random_page("page.html", 4000, 23)
        with Page(str(path), 1280) as page:
            page.run("hbm.zoom(.25, .5)")
            canvas = self.element(page, ".map canvas")
            start, end, low, high = self.settled(page)
            before = page.run("return location.hash")
            width, height = page.run("return [hbm.shown[0].area.width, hbm.shown[0].area.height]")
            ActionChains(page.driver).move_to_element_with_offset(canvas, 100, 0).click_and_hold().move_by_offset(-200, 30).perform()
            moved = self.settled(page)
            self.assertAlmostEqual((end - start) * 200 / width, moved[0] - start, delta=2)
            self.assertAlmostEqual((high - low) * 30 / height, moved[2] - low, delta=(high - low) * 0.01)
            self.assertEqual(before, page.run("return location.hash"), "the address waits for the hand")
            ActionChains(page.driver).release().perform()
            self.assertNotEqual(before, page.run("return location.hash"))
            self.assertIsNone(page.run("return hbm.view.kept"), "a drag keeps no block")
            # Two fingers move apart to twice their distance: half of the time is left, around their middle.
            box = page.run("const box = arguments[0].getBoundingClientRect(); return [box.left, box.top]", canvas)
            x, y = box[0] + page.run("return hbm.shown[0].area.x") + width / 2, box[1] + height / 2

            def touch(kind: str, apart: float) -> None:
                points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
                page.command("Input.dispatchTouchEvent", type=kind, touchPoints=points if kind != "touchEnd" else [])

            first, last, *_ = self.settled(page)
            touch("touchStart", 60)
            for apart in (75, 90, 105, 120):
                touch("touchMove", apart)
            touch("touchEnd", 120)
            left, right, *_ = self.settled(page)
            self.assertAlmostEqual((last - first) / 2, right - left, delta=(last - first) * 0.03)
            self.assertAlmostEqual((first + last) / 2, (left + right) / 2, delta=(last - first) * 0.03)
            self.expect_sound(page)

    def test_the_keyboard_alone_is_enough(self) -> None:
        path = self.random_page("page.html", 4000, 24)
        with Page(str(path), 1280) as page:
            for _ in range(11):
                page.press(Keys.TAB)
                if page.run("return document.activeElement.matches('.map canvas')"):
                    break
            self.assertTrue(page.run("return document.activeElement.matches('.map canvas')"))
            page.press("w", "W")
            start, end, *_ = self.settled(page)
            self.assertAlmostEqual(page.run("return hbm.extentOf(hbm.view)") / 4, end - start, delta=2)
            page.press("d")
            after = self.settled(page)
            self.assertAlmostEqual(start + (end - start) / 4, after[0], delta=2)
            page.press("a", "s")
            self.assertGreater(self.settled(page)[1] - self.settled(page)[0], end - start)
            page.press(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER)
            self.assertIsNotNone(page.run("return hbm.view.kept"))
            page.press(Keys.ESCAPE)
            self.assertIsNone(page.run("return hbm.view.kept"))
            # The cursor comes back into view from wherever it was left.
            page.press("w", "d", "d", "d", "d", "d", "d", Keys.ARROW_RIGHT)
            self.assertTrue(page.run("const { from, to, row } = hbm.view; return from <= row && row < to"))
            page.press("f")
            page.wait("return document.fullscreenElement?.id === 'viewer'")
            page.press("f")
            page.wait("return !document.fullscreenElement")
            page.press("0")
            self.assertEqual([0, page.run("return hbm.extentOf(hbm.view)")], self.settled(page)[:2])
            # The strip is the stop after the maps, and pans by arrow keys.
            page.press("w", Keys.TAB, *([Keys.TAB] if page.run("return hbm.shown.length") > 1 else []))
            self.assertEqual("strip", page.run("return document.activeElement.id"))
            start = self.settled(page)[0]
            page.press(Keys.ARROW_RIGHT)
            self.assertGreater(self.settled(page)[0], start)
            self.expect_sound(page)

    def test_the_stacked_area_and_the_histogram_have_all_bytes_and_all_buffers(self) -> None:
        path = self.random_page("page.html", 3000, 25)
        with Page(str(path), 1280) as page:
            # The parts of a column add up to the mean of the bytes in use, for every way to colour.
            for way in ("tag", "size", "lifetime", "kind"):
                pairs = page.run("""
                    const { replay } = hbm.shown[0], view = { from: 0, to: replay.rows }, { used } = replay.curves, columns = 100, wide = replay.rows / columns;
                    const sums = hbm.stackOf(replay, view, hbm.classesOf(replay, hbm.scaleOf(replay, arguments[0])), columns);
                    return Array.from({ length: columns }, (_, x) => [sums.reduce((sum, each) => sum + (each ? each[x] : 0), 0),
                      used.slice(x * wide, (x + 1) * wide).reduce((sum, each) => sum + each, 0) / wide]);""", way)
                for stacked, mean in pairs:
                    self.assertAlmostEqual(mean, stacked, delta=mean * 1e-6 + 1e-6)
            counts: Counter = Counter()
            with open(self.trace, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if row["op"] == "alloc":
                        quanta = -(-int(row["bytes"]) // 512)
                        counts[2 ** math.ceil(math.log2(quanta))] += 1
            bars = page.run("return hbm.sizeBars(hbm.shown[0].replay).bars.map((bar) => [bar.limit, bar.count, bar.levels.reduce((a, b) => a + b)])")
            self.assertEqual(sorted((limit, count, count) for limit, count in counts.items()), [tuple(bar) for bar in bars])
            self.assertEqual(len(bars), len(page.driver.find_elements("css selector", ".sizes li")))
            self.expect_sound(page)

    def test_pictures_are_exact_however_they_are_reckoned(self) -> None:
        path = self.random_page("page.html", 3000, 28)
        with Page(str(path), 1280) as page:
            # A picture is that of a loop over all pixels that each rectangle covers.
            differences = page.run("""
                const dice = (() => { let seed = 9; return () => (seed = seed * 48271 % 2147483647) / 2147483647; })();
                const width = 90, height = 40, count = 300, paper = [238, 241, 244], colours = [[230, 159, 0], [0, 114, 178]];
                const sums = new Float64Array(width * height * 4), places = { count, begin: [], end: [], offset: [], size: [], shade: [] };
                for (let each = 0; each < count; ++each) {
                  // Sixty lanes of spans, which do not lie on one another.
                  const begin = each / 3 - 5, end = begin + dice() * 20, offset = each % 60 * .75 - 2, size = dice() * .75, shade = each % 2;
                  for (const [name, value] of Object.entries({ begin, end, offset, size, shade })) places[name].push(value);
                  for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) {
                    const part = Math.max(0, Math.min(end, x + 1) - Math.max(begin, x)) * Math.max(0, Math.min(height - offset, y + 1) - Math.max(height - offset - size, y));
                    [...colours[shade], 1].forEach((value, at) => sums[(y * width + x) * 4 + at] += part * value);
                  }
                }
                const cover = new hbm.Cover(width, height), { second } = hbm.Cover;
                cover.add(places, { from: 0, to: width, low: 0, high: height },
                  { redGreen: colours.map(([red, green]) => red + green * second), blueCover: colours.map(([, , blue]) => blue + second) });
                cover.finish(paper);
                let most = 0;
                for (let at = 0; at < sums.length; at += 4) for (let colour = 0; colour < 3; ++colour) {
                  const part = sums[at + 3], seen = Math.min(1, Math.max(.2, part));
                  const expected = part < 1e-4 ? paper[colour] : sums[at + colour] / part * seen + paper[colour] * (1 - seen);
                  most = Math.max(most, Math.abs(expected - cover.image.data[at + colour]));
                }
                return [most, new Set(cover.image.data).size, cover.steps.some((each) => each !== 0)];""")
            self.assertLessEqual(differences[0], 1.5)
            self.assertGreater(differences[1], 100)
            self.assertFalse(differences[2], "the cover is empty for the next picture")
            # The least and the most of rows are those of a plain loop.
            wrong = page.run("""
                const { replay } = hbm.shown[0], wrong = [];
                for (const name of ["used", "highest", "largest"]) for (let from = 0; from < 2900; from += 37) for (const length of [1, 31, 32, 65, 100]) {
                  const part = [...replay.curves[name].slice(from, from + length)], found = hbm.extremesOf(replay, name).of(from, from + length);
                  if (found[0] !== Math.min(...part) || found[1] !== Math.max(...part)) wrong.push([name, from, length]);
                }
                return wrong;""")
            self.assertEqual([], wrong)
            self.assertEqual([], page.errors())

    def test_the_steps_of_a_program_are_marked_where_its_runs_end(self) -> None:
        trace = self.folder / "steps.csv"
        rows = ["op,id,bytes,inputs,outputs", "load,p,4096,,"]
        ends = []
        for step in range(30):
            rows += [f"alloc,a{step}_{at},{4096 * (at + 1)},," for at in range(3 + step % 4)] + [f"run,p,,a{step}_0,y{step}:8192"]
            ends.append(len(rows) - 1)
            rows += [f"free,y{step},,,"] + [f"free,a{step}_{at},,," for at in range(3 + step % 4)]
        trace.write_text("\n".join(rows) + "\n", encoding="utf-8")
        path = self.compare("--trace", str(trace), *MANAGERS)
        with Page(str(path), 1280) as page:
            self.assertEqual(ends, page.run("return hbm.stepEnds(0)"))
            self.assertEqual("steps, each ends with a run of a program", page.run("return document.querySelector('.key.step').textContent"))
            page.run("hbm.pick(hbm.shown[0], arguments[0], 0)", ends[4])
            self.assertIn("6 of 30", page.run("return document.getElementById('readout').textContent"))
            # Each mark is seen; far away only every tenth is.
            marks = """
                const { area, replay, picture } = hbm.shown[0], kept = [], context = new Proxy({}, { set: () => true, get: () => (...box) => kept.push(box[0]) });
                hbm.paintSteps({ ...area, context, width: arguments[0] }, replay, hbm.view, picture.theme);
                return kept.map((x) => (x - area.x) / arguments[0] * hbm.view.to);"""
            for found, expected in zip(page.run(marks, 1200), ends):
                self.assertAlmostEqual(found, expected, delta=1)
            self.assertEqual(len(ends), len(page.run(marks, 1200)))
            for found, expected in zip(page.run(marks, 20), ends[9::10]):
                self.assertAlmostEqual(found, expected, delta=len(rows) / 20)
            self.assertEqual(3, len(page.run(marks, 20)))
            self.expect_sound(page)
        with Page(str(self.random_page("page.html", 500, 30)), 1280) as page:
            self.assertEqual([[], None], page.run("return [hbm.stepEnds(0), document.querySelector('.key.step')]"))

    def test_a_snapshot_is_shown_under_the_allocator_that_wrote_it(self) -> None:
        snapshot = self.folder / "s.pickle"
        self.compare("--workload", "uniform_churn:operations=900", "--manager", "best_fit", "--snapshot", str(snapshot))
        path = self.compare("--trace", str(snapshot))
        with Page(str(path), 1280) as page:
            self.assertEqual("torch_caching", page.run("return hbm.nameOf(hbm.view.managers[0])"))
            blocks = page.blocks(0, page.run("return hbm.view.managers[0]"), 700)
            plain = {each["id"]: each["size"] for each in page.blocks(0, page.run("return hbm.data.managers.indexOf('best_fit')"), 700)}
            # Blocks of over a MiB may have a MiB more than they need, and none lies on another.
            self.assertEqual(set(plain), {each["id"] for each in blocks})
            for each, above in zip(blocks, blocks[1:]):
                self.assertLessEqual(each["offset"] + each["size"], above["offset"])
                self.assertIn(each["size"] - plain[each["id"]], range((1 << 20) + 1))
            self.expect_sound(page)

    def test_a_printer_gets_all_pictures_at_once_in_the_colours_of_paper(self) -> None:
        path = self.random_page("page.html", 3000, 29)
        corner = ("return [...document.querySelectorAll('#viewer .map canvas')].map((each) => [...each.getContext('2d')"
                  ".getImageData(each.width - 20, 24, 1, 1).data.slice(0, 3)])")
        with Page(str(path), 1280, dark=True) as page:
            dark = page.run(corner)
            light = page.run("window.dispatchEvent(new Event('beforeprint'));" + corner)
            again = page.run("window.dispatchEvent(new Event('afterprint'));" + corner)
            self.assertEqual(dark, again)
            self.assertNotIn(True, [before == printed for before, printed in zip(dark, light)])
            self.assertIn([255, 255, 255], light)

    def test_two_pages_are_compared_over_the_same_axis(self) -> None:
        after = self.random_page("after.html", 5000, 26)
        before = self.random_page("before.html", 4000, 27)
        (self.folder / "no.html").write_text("<!DOCTYPE html><title>no</title>", encoding="utf-8")
        with Page(str(before), 1280) as page:
            page.driver.find_element("css selector", "#viewer input[type=file]").send_keys(str(self.folder / "no.html"))
            page.wait("return document.getElementById('readout').textContent.includes('no.html is not a page')")
            own = page.run("return hbm.shown[0].manager")
            page.driver.find_element("css selector", "#viewer input[type=file]").send_keys(str(after))
            page.wait("return hbm.shown.length === 2 && hbm.shown[1].manager >= hbm.ownManagers && hbm.shown[1].area")
            self.assertEqual(own, page.run("return hbm.shown[0].manager"))
            self.assertEqual(f"{page.run('return hbm.nameOf(hbm.shown[0].manager)')} in after.html",
                             page.run("return document.querySelectorAll('.map.half figcaption b')[1].textContent"))
            self.assertEqual([4000, 5000], page.run("return hbm.shown.map((each) => each.replay.rows)"))
            self.assertEqual(5000, page.run("return hbm.view.to"))
            # The second map has the blocks of the other page.
            second = page.run("return hbm.shown[1].manager")
            shown = page.blocks(0, second, 4500)
            with Page(str(after), 1280) as other:
                self.assertEqual(other.blocks(0, second - page.run("return hbm.ownManagers"), 4500), shown)
            # A block that is kept above is no block of the other trace; the manager can be chosen.
            page.run("hbm.goTo(hbm.shown[0], 2000)")
            self.assertEqual([True, False], page.run("return hbm.shown.map((each) => each.canvas.parentElement.querySelector('.kept') !== null)"))
            self.assertEqual(6, page.run("return document.querySelectorAll('.controls select')[1].options.length"))
            self.expect_sound(page)

    def test_managers_that_read_alike_have_one_row_and_short_names(self) -> None:
        path = self.compare("--workload", "transformer_training:steps=4", *MANAGERS, "--manager", "compact", "--manager", "good_fit",
                            "--manager", "best_fit/evict_lru")
        with Page(str(path), 1280) as page:
            visible = ("return [...document.querySelectorAll('#grid tbody tr:not([hidden])')].map((row) => [row.querySelector('.name').textContent, "
                       "[...row.cells].slice(1).map((cell) => cell.textContent).join()])")
            rows = page.run(visible)
            others = [text for name, text in rows if name not in ("best_fit", rows[0][0])]
            self.assertEqual(len(set(others)), len(others), "equal rows are shown once")
            self.assertIn("best_fit", [name for name, _ in rows])
            names = page.run("return [...document.querySelectorAll('#grid .name')].map((each) => [each.textContent, each.title])")
            compact = next(title for name, title in names if name == "compact")
            self.assertRegex(compact, r"^compacting<\w+>$")
            self.assertIn(f"compact = {compact}", page.run("return document.getElementById('names').textContent"))
            self.element(page, ".equals").click()
            self.assertGreater(len(page.run(visible)), len(rows))
            self.element(page, ".equals").click()
            self.assertEqual(rows, page.run(visible))
            # Needs, costs and failures differ in form.
            self.assertTrue(page.run("return [...document.querySelectorAll('#grid td')].every((each) => ['need', 'cost', 'lf'].filter((kind) => "
                                     "each.classList.contains(kind)).length === 1)"))
            self.expect_sound(page)

    def test_a_sweep_has_the_table_of_the_terminal(self) -> None:
        path = self.compare("--workload", "llm_serving:requests=40", "--seed", "1..5", "--capacity", "13GiB,14GiB", *MANAGERS)
        with Page(str(path), 1280) as page:
            table = page.run("return [...document.querySelector('.seeds').rows].map((row) => [...row.cells].map((cell) => cell.textContent))")
            heads = {name: number for number, name in enumerate(table[0])}
            column = next(number for name, number in heads.items() if "13GiB" in name)
            for row in table[3:]:
                rows = [each for each in self.rows if each["manager"] == row[0] and each["capacity_bytes"] == 13 << 30]
                self.assertEqual(5, len(rows))
                completed = sum(each["completed"] for each in rows)
                if completed < 5:
                    self.assertEqual(f"{completed} of 5", row[column])
            self.assertIn("2 of 5", [row[column] for row in table])
            # Below it each seed has a column, and the words that all share stand once.
            heads = page.run("return [...document.querySelectorAll('#grid thead th')].map((head) => head.textContent)")
            self.assertEqual("managerllm_serving:requests=40", heads[0])
            self.assertEqual([f"capacity {size}GiB, seed {seed}" for size in (13, 14) for seed in range(1, 6)], heads[1:])
            self.expect_sound(page)

    def test_every_width_has_its_pictures(self) -> None:
        path = self.compare(*SMALL, "--capacity", "v5e")
        for width in (400, 768, 1280, 1920):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark), Page(str(path), width, dark, view="#cell=0.2&beside=3") as page:
                    page.wait("return hbm.below.every((each) => each.area)")
                    boxes = page.run("return [...document.querySelectorAll('#viewer canvas')].map((each) => { const box = "
                                     "each.getBoundingClientRect(); return [box.left, box.right, box.height]; })")
                    self.assertEqual(5, len(boxes))
                    for left, right, height in boxes:
                        self.assertGreaterEqual(left, 0)
                        self.assertLessEqual(right, width)
                        self.assertGreater(height, 40)
                    self.assertGreater(boxes[0][1] - boxes[0][0], width * 0.85)
                    self.expect_sound(page)


if __name__ == "__main__":
    unittest.main()
