#!/usr/bin/env python3
"""The page that --html writes, used as a person does: mouse, fingers and keys of a real browser, at many widths."""

import os
import pathlib
import random
import sys
import unittest
from typing import Any, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import html_browser  # noqa: E402  (exits without a browser)
import html_replay  # noqa: E402
from html_browser import ActionChains, Keys, Page  # noqa: E402
from html_case import SMALL, HtmlCase, size_in_words  # noqa: E402

MANAGERS = ["--manager", "best_fit", "--manager", "first_fit", "--manager", "tpu::runtime_memory"]
HOSTILE = ["</script><script>document.title='owned'</script>", "\"'><img/src=x/onerror=document.title='owned'>", "&lt;b&gt;",
           "\u202eevil", "\\u003c", "]]>", "<!--<script>"]
RANGE = "return [view.from, view.to, view.low, view.high]"
# The colour of a canvas at a place in pixels.
PIXEL = """const [x, y, canvas = shown[0].canvas] = arguments, dot = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
dot.drawImage(canvas, -Math.floor(x), -Math.floor(y));
return [...dot.getImageData(0, 0, 1, 1).data.slice(0, 3)];"""


class HtmlReport(HtmlCase):
    """Pages, their figures and maps, held against the JSON and an independent replay."""

    def random_page(self, events: int, seed: int) -> pathlib.Path:
        """Returns the page of a random trace under best fit and others."""
        self.trace = self.folder / "random.csv"
        html_replay.write_random(str(self.trace), events, seed)
        return self.compare("--trace", str(self.trace), "--capacity", "unlimited", *MANAGERS)

    def element(self, page: Page, selector: str) -> Any:
        """Returns the element, in the middle of the window."""
        found = page.driver.find_element("css selector", selector)
        page.run("arguments[0].scrollIntoView({ block: 'center' })", found)
        return found

    def settled(self, page: Page) -> List[float]:
        """Returns the range that is shown, as soon as it is painted."""
        page.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        return page.run(RANGE)

    def point_at(self, page: Page, row: int, address: int) -> Any:
        """Moves the pointer to a row and an address in bytes of the upper map. Returns the chain of actions, to go on."""
        canvas = self.element(page, ".map canvas")
        x, y = page.run("const [x, y] = pixelOf(shown[0], arguments[1], arguments[2] / workloadOf().quantum), box = "
                        "arguments[0].getBoundingClientRect(); return [x - box.width / 2, y - box.height / 2]", canvas, row, address)
        return ActionChains(page.driver).move_to_element_with_offset(canvas, int(x), int(y))

    def test_matrix_and_figures_are_those_of_the_json(self) -> None:
        with Page(str(self.compare(*SMALL, "--capacity", "v5e"))) as page:
            self.assertEqual(self.rows, page.run("return report.data.results.rows"))
            managers, order = page.run("return [report.data.managers, report.data.order]")
            cells = page.run("return [...document.querySelectorAll('#matrix tbody tr')].map((row) => [...row.querySelectorAll('td')].map("
                             "(each) => [each.querySelector('b').textContent, each.querySelector('b + span').textContent]))")
            for manager, row in zip(order, cells):
                for workload, (first, second) in enumerate(row):
                    figures = self.rows[workload * len(managers) + manager]
                    needs, price = figures["min_capacity_bytes"] or figures["footprint_bytes"], figures["move_us"] + figures["reload_us"]
                    if not figures["completed"]:
                        self.assertEqual(["fails", f"event {figures['failed_event']:,}"], [first, second])
                    elif needs is None:
                        self.assertEqual(["fits", price != 0], [first, "+" in second])
                    else:
                        self.assertIn(size_in_words(needs), second)
            page.run("document.querySelector('#figures details').open = true")
            table = page.wait("const rows = document.querySelector('.figures')?.rows; return rows && [...rows].map((row) => "
                              "[...row.cells].map((cell) => cell.textContent))")
            for row, shown in zip(self.rows, table[1:]):
                self.assertEqual([row["manager"], str(row["events"])], [shown[0], shown[table[0].index("events")]])
            # A head sorts, and again the other way round.
            names = "return [...document.querySelectorAll('#matrix tbody th')].map((each) => each.firstChild.textContent)"
            page.driver.find_element("css selector", "#matrix th button").click()
            self.assertEqual(sorted(page.run(names)), page.run(names))
            page.driver.find_element("css selector", "#matrix th button").click()
            self.assertEqual(sorted(page.run(names), reverse=True), page.run(names))
            self.expect_sound(page)

    def test_the_map_is_what_an_independent_replay_has(self) -> None:
        path = self.random_page(3000, 11)
        rows = sorted(random.Random(3).sample(range(3000), 25))
        expected = html_replay.blocks_after(str(self.trace), rows)
        with Page(str(path)) as page:
            manager = page.run("return report.data.managers").index("best_fit")
            for row in rows:
                self.assertEqual(expected[row], [tuple(each) for each in page.blocks(0, manager, row)], f"after row {row}")
            # Zoomed in, every pixel in the middle of a block has another colour than one in a hole.
            row = rows[12]
            begin, size, _ = max(expected[row], key=lambda each: each[1])
            page.run("location.hash = arguments[0]", f"cell=0.{manager}&colour=kind&time={row}-{row + 4}"
                     f"&addresses={begin // 512}-{(begin + 4 * size) // 512}")
            page.wait("return view.low > 0 && shown.length === 1 && shown[0].area")
            self.settled(page)
            shades = page.run("return shadesOf('kind').slice(24, 27)")
            for at in range(begin + size // 16, begin + 4 * size, size // 4):
                edges = [edge for each in expected[row] for edge in (each[0], each[0] + each[1])]
                if min(abs(at - edge) for edge in edges) < size // 32:
                    continue
                inside = any(each[0] <= at < each[0] + each[1] for each in expected[row])
                pixel = page.run(PIXEL, *page.run("return pixelOf(shown[0], arguments[0], arguments[1] / 512)", row, at))
                self.assertEqual(inside, pixel in shades, f"{at}: {pixel}")
            # By tag: the parts of a column add up to the mean of the bytes in use.
            for stacked, mean in page.run("""
                showWhole(); paintAll();
                const { replay } = shown[0], columns = 100, wide = replay.rows / columns, sums = stackOf(replay, columns);
                return Array.from({ length: columns }, (_, x) => [sums.reduce((sum, each) => sum + (each ? each[x] : 0), 0),
                  replay.used.slice(x * wide, (x + 1) * wide).reduce((sum, each) => sum + each, 0) / wide]);"""):
                self.assertAlmostEqual(mean, stacked, delta=mean * 1e-6 + 1e-6)
            self.assertEqual([], page.errors())

    def test_details_lie_beside_the_pointer_in_a_window_of_a_laptop(self) -> None:
        path = self.random_page(3000, 21)
        with Page(str(path), 1280, height=640) as page:
            manager = page.run("return shown[0].manager")
            offset, size, name = max(page.blocks(0, manager, 2000), key=lambda each: each[1])
            self.point_at(page, 2000, offset + size // 2).perform()
            self.assertIn(name, page.run("return document.getElementById('details').innerText"))
            left, top, right, bottom = page.run("const { left, top, right, bottom } = document.getElementById('details')"
                                                ".getBoundingClientRect(); return [left, top, right, bottom]")
            self.assertTrue(0 <= left < right <= 1280 and 0 <= top < bottom <= 640, (left, top, right, bottom))
            x, y = page.run("const box = shown[0].canvas.getBoundingClientRect(), [x, y] = pixelOf(shown[0], view.row, view.address);"
                            "return [box.left + x, box.top + y]")
            self.assertFalse(left <= x <= right and top <= y <= bottom, "they do not hide the block")
            ActionChains(page.driver).move_to_element(page.driver.find_element("css selector", ".controls")).perform()
            self.assertTrue(page.run("return document.getElementById('details').hidden"))

    def test_a_click_keeps_what_can_be_searched(self) -> None:
        path = self.random_page(3000, 22)
        with Page(str(path), 1280) as page:
            offset, size, name = max(page.blocks(0, page.run("return shown[0].manager"), 2900), key=lambda each: each[1])
            self.point_at(page, 2900, offset + size // 2).click().perform()
            self.assertEqual(name, page.run("return nameOf(shown[0].replay, view.kept.block)"))
            self.assertEqual(len(page.run("return view.managers")), len(page.driver.find_elements("css selector", ".kept")),
                             "it is outlined in each map")
            self.element(page, "#search").send_keys("weight")
            listed = page.run("return [...document.querySelectorAll('#pane li')].map((each) => each.textContent)")
            self.assertTrue(listed and all("weight" in each for each in listed))
            page.driver.find_element("css selector", "#pane li").click()
            self.assertIn(page.run("return blockInWords(shown[0].replay, view.kept.block)"), listed[0])
            page.driver.find_element("css selector", ".kept-head button").click()
            self.assertIsNone(page.run("return view.kept"))
            self.assertIn("at the peak", page.run("return document.getElementById('pane').textContent"))
            self.expect_sound(page)

    def test_a_map_is_dragged_and_pinched_and_what_is_under_the_hand_stays(self) -> None:
        path = self.random_page(3000, 23)
        with Page(str(path), 1280) as page:
            page.run("zoom(.25)")
            canvas = self.element(page, ".map canvas")
            start, end, low, high = self.settled(page)
            width, height = page.run("return [shown[0].area.width, shown[0].area.height]")
            ActionChains(page.driver).move_to_element_with_offset(canvas, 100, 0).click_and_hold().move_by_offset(-200, 30).release().perform()
            moved = self.settled(page)
            self.assertAlmostEqual((end - start) * 200 / width, moved[0] - start, delta=2)
            self.assertAlmostEqual((high - low) * 30 / height, moved[2] - low, delta=(high - low) * 0.01)
            self.assertIsNone(page.run("return view.kept"), "a drag keeps no block")
            # Two fingers move apart to twice their distance: half of the time is left, around their middle.
            box = page.run("const box = arguments[0].getBoundingClientRect(); return [box.left, box.top]", canvas)
            x, y = box[0] + page.run("return shown[0].area.x") + width / 2, box[1] + height / 2

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
        path = self.random_page(3000, 24)
        with Page(str(path), 1280) as page:
            for _ in range(30):
                page.press(Keys.TAB)
                if page.run("return document.activeElement.matches('.map canvas')"):
                    break
            self.assertTrue(page.run("return document.activeElement.matches('.map canvas')"))
            page.press("w", "W")
            start, end, *_ = self.settled(page)
            self.assertAlmostEqual(page.run("return extentOf()") / 4, end - start, delta=2)
            page.press("d")
            self.assertGreater(self.settled(page)[0], start)
            page.press(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER)
            self.assertIsNotNone(page.run("return view.kept"))
            self.assertFalse(page.run("return document.getElementById('details').hidden"))
            page.press(Keys.ESCAPE)
            self.assertIsNone(page.run("return view.kept"))
            page.press("0")
            self.assertEqual([0, page.run("return extentOf()")], self.settled(page)[:2])
            self.expect_sound(page)

    def test_a_failure_is_marked_and_explained(self) -> None:
        path = self.compare("--workload", "llm_serving:requests=40", "--capacity", "13GiB", *MANAGERS)
        failing = next(at for at, row in enumerate(self.rows) if not row["completed"])
        with Page(str(path), 1280, view=f"#cell=0.{failing}") as page:
            row = self.rows[failing]["failed_event"]
            self.assertEqual([row, True], page.run("return [shown[0].replay.rows, hasFailed(shown[0])]"))
            next(each for each in page.driver.find_elements("css selector", ".controls button") if each.text == "Failure").click()
            self.assertEqual(row - 1, page.run("return view.row"))
            page.driver.find_element("css selector", ".fails a").click()
            page.wait("return document.querySelector('#failures details[open]')")
            self.assertIn("Remedies", page.run("return document.querySelector('#failures details[open]').textContent"))
            self.expect_sound(page)

    def test_time_can_be_the_axis_and_the_address_keeps_the_view(self) -> None:
        path = self.random_page(2000, 5)
        with Page(str(path), view="#cell=0.0&axis=time") as page:
            self.assertEqual([0, page.run("return workloadOf().duration")], page.run(RANGE)[:2])
            page.run("const { trace } = shown[0].replay; limitView(across(trace, 500), across(trace, 900), 0, Infinity)")
            kept = self.settled(page)
            address = page.wait("return /axis=time/.test(location.hash) && /time=[0-9.]+-/.test(location.hash) && location.hash")
        with Page(str(path), view=address) as page:
            for before, after in zip(kept, self.settled(page)):
                self.assertAlmostEqual(before, after, delta=0.01)
            middle = page.run("const { trace } = shown[0].replay; return rowAt(trace, middleOf(trace, 700))")
            self.assertEqual(700, page.run("const { times } = shown[0].replay.trace; let row = arguments[0];"
                                           "while (row > 700 && times[row] === times[700]) --row; return row", middle))

    def test_what_files_bring_along_stays_text(self) -> None:
        trace = self.folder / "hostile.csv"
        rows = "".join(f'{number},alloc,"{text.replace(chr(34), chr(34) * 2)}",4096,"{text.replace(chr(34), chr(34) * 2)}"\n'
                       for number, text in enumerate(HOSTILE))
        trace.write_text("t,op,id,bytes,tag\n" + rows, encoding="utf-8")
        with Page(str(self.compare("--trace", str(trace), "--capacity", "16KiB", *MANAGERS))) as page:
            page.run("goTo(shown[0], 0)")
            for text in HOSTILE[:3]:
                self.assertIn(text, page.run("return document.body.textContent + shown[0].replay.trace.names.join()"))
            self.assertNotIn("\u202e", page.run("return document.body.innerText"))
            self.assertNotEqual("owned", page.driver.title)
            self.assertEqual(0, page.run("return document.querySelectorAll('img').length"))
            self.assertEqual([], page.errors())

    def test_every_width_and_scheme_can_be_read_and_printed(self) -> None:
        path = self.compare(*SMALL, "--capacity", "v5e")
        for width, dark in ((390, False), (390, True), (1280, True), (1920, False)):
            with self.subTest(width=width, dark=dark), Page(str(path), width, dark) as page:
                boxes = page.run("return [...document.querySelectorAll('#map canvas')].map((each) => { const box = "
                                 "each.getBoundingClientRect(); return [box.left, box.right, box.height]; })")
                self.assertEqual(3, len(boxes))
                for left, right, height in boxes:
                    self.assertTrue(left >= 0 and right <= width and height > 40)
                # A printer gets the colours of paper.
                before = page.run(PIXEL, 68, 20)
                page.run("window.dispatchEvent(new Event('beforeprint'))")
                self.assertEqual([255, 255, 255], page.run("return rgbOf(themeOf().paper)"))
                self.assertNotEqual(before, page.run(PIXEL, 68, 20))
                page.run("window.dispatchEvent(new Event('afterprint'))")
                self.assertEqual(before, page.run(PIXEL, 68, 20))
                self.expect_sound(page)


if __name__ == "__main__":
    unittest.main()
