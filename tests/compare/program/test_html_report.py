#!/usr/bin/env python3
"""The page that --html writes, driven in a browser as a person would."""

import json
import os
import pathlib
import random
import re
import sys
import unittest
from typing import Dict, List, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import html_browser  # noqa: E402  (exits without a browser)
import html_replay  # noqa: E402
from html_browser import Keys, Page  # noqa: E402
from html_case import SMALL, HtmlCase, size_in_words  # noqa: E402

HOSTILE = ["</script><script>document.title='owned'</script>", "\"'><img/src=x/onerror=document.title='owned'>", "&lt;b&gt;",
           "\u202eevil", "\\u003c", "]]>", "<!--<script>"]


class HtmlReport(HtmlCase):
    """Pages, their figures and their maps, held against the JSON and an independent replay."""

    def expect_figures(self, page: Page) -> None:
        """Fails if the words of the matrix, or any figures, differ from the JSON."""
        self.assertEqual(self.rows, page.run("return hbmReport.data.results.rows"))
        managers = page.run("return hbmReport.data.managers")
        cells = page.run("return [...document.querySelectorAll('#grid td a')].map((each) => [each.getAttribute('href'), "
                         "each.querySelector('b').textContent, each.querySelector('span').textContent])")
        self.assertEqual(len(self.rows), len(cells))
        for place, first, second in cells:
            workload, manager = map(int, re.fullmatch(r"#cell=(\d+)\.(\d+)", place).groups())
            row = self.rows[workload * len(managers) + manager]
            self.assertEqual(managers[manager], row["manager"])
            if not row["completed"]:
                self.assertEqual(("fails", f"event {row['failed_event']:,}"), (first, second))
                continue
            price = row["move_us"] + row["reload_us"]
            self.assertEqual(price != 0, "+" in second, place)
            needs = row["min_capacity_bytes"] or row["footprint_bytes"]
            if needs is None:
                self.assertEqual("fits", first)
            else:
                self.assertIn(size_in_words(needs), second)
                if not page.run("return document.querySelector('#grid tr[data-manager=\"%d\"]').dataset.moves" % manager) == "yes":
                    self.assertAlmostEqual(needs / row["peak_live_bytes"], float(first.split("×")[0]), delta=0.00051)
        head = page.run("return [...document.querySelectorAll('.figures')].map((table) => [...table.rows].map((row) => "
                        "[...row.cells].map((cell) => cell.textContent)))")
        shown = [dict(zip(table[0], row)) for table in head for row in table[1:]]
        for row, told in zip(self.rows, shown):
            for key, value in told.items():
                wanted = row[key]
                text = "–" if wanted is None else str(wanted).lower() if isinstance(wanted, bool) else \
                    f"{wanted:.6f}" if isinstance(wanted, float) else str(wanted)
                self.assertEqual(text, value, key)

    def expect_map(self, page: Page, trace: pathlib.Path, rows: List[int]) -> Tuple[int, Dict[int, List[html_replay.Block]]]:
        """Fails if the blocks after `rows` differ from an independent replay. Returns the manager's number, and the blocks."""
        expected = html_replay.blocks_after(str(trace), rows)
        manager = page.run("return hbmReport.data.managers").index("best_fit")
        for row in rows:
            found = [(each["offset"], each["size"], each["id"]) for each in page.blocks(0, manager, row)]
            self.assertEqual(expected[row], found, f"after row {row}")
        return manager, expected

    def test_the_map_is_what_an_independent_replay_has(self) -> None:
        trace = self.folder / "random.csv"
        html_replay.write_random(str(trace), 6000, 11)
        path = self.compare("--trace", str(trace), "--capacity", "unlimited", "--manager", "best_fit", "--manager", "buddy")
        dice = random.Random(3)
        rows = sorted(dice.sample(range(6000), 25))
        with Page(str(path)) as page:
            manager, expected = self.expect_map(page, trace, rows)
            # Programs may name the workload and the manager.
            self.assertEqual(page.blocks(0, manager, rows[3]), page.blocks(str(trace), "best_fit", rows[3]))
            self.assertRegex(page.run("try { hbm.numberOf('bestfit', hbm.data.managers, 'manager'); } catch (wrong) "
                                      "{ return wrong.message; }"), "found the manager bestfit, expected .*best_fit")
            # The legend leaves out kinds that are missing: no program was loaded, and nothing moved.
            legend = page.wait("const words = document.querySelector('#viewer .legend').textContent; "
                               "return words.includes('activation') && words")
            for words in ("code", "scratch", "reservation", "moves", "evictions", "reloads"):
                self.assertNotIn(words, legend)
            # Zoomed in, every pixel in the middle of a block has another colour than one in a hole.
            row = rows[12]
            begin, size, _ = max(expected[row], key=lambda each: each[1])
            page.run("location.hash = arguments[0]", f"cell=0.{manager}&colour=kind&time={row}-{row + 4}"
                     f"&addresses={begin // 512}-{(begin + 4 * size) // 512}")
            page.wait("return hbm.view.low > 0 && hbm.shown[0].area && hbm.shown[0].replay !== null")
            for at in range(begin + size // 16, begin + 4 * size, size // 4):
                inside = [each for each in expected[row] if each[0] <= at < each[0] + each[1]]
                edges = [edge for each in expected[row] for edge in (each[0], each[0] + each[1])]
                if min(abs(at - edge) for edge in edges) < size // 32:
                    continue
                pixel = page.run("return hbmReport.pixelAt(0, arguments[0], arguments[1])", row, at)
                self.assertEqual(bool(inside), pixel == [86, 180, 233], f"{at}: {pixel}")
            self.assertEqual([], page.errors())

    def test_time_can_be_the_axis(self) -> None:
        trace = self.folder / "timed.csv"
        html_replay.write_random(str(trace), 1500, 5)
        times = html_replay.times_of(str(trace))
        path = self.compare("--trace", str(trace), "--capacity", "unlimited", "--manager", "best_fit", "--manager", "buddy")
        slow = [row for row in range(400, 1400) if times[row + 1] - times[row] == 700][::20]
        expected = html_replay.blocks_after(str(trace), slow)
        pixel = ("const { canvas, area } = hbm.shown[0], dot = new OffscreenCanvas(1, 1).getContext('2d', "
                 "{ willReadFrequently: true }); dot.drawImage(canvas, -Math.floor((area.x + arguments[0] * area.width) * "
                 "area.scale), -Math.floor((area.y + (1 - arguments[1]) * area.height) * area.scale)); "
                 "return [...dot.getImageData(0, 0, 1, 1).data.slice(0, 3)]")
        with Page(str(path), view="#cell=0.0&colour=kind") as page:
            manager = page.run("return hbmReport.data.managers").index("best_fit")
            # The control changes the axis, and the address keeps it.
            choose = ("const all = [...document.querySelectorAll('.controls label')].find((each) => each.textContent"
                      ".startsWith('Across')).querySelector('select'); all.value = arguments[0]; "
                      "all.dispatchEvent(new Event('change'))")
            page.run(choose, "time")
            page.wait("return location.hash.includes('axis=time')")
            self.assertEqual([0, page.run("return hbm.data.workloads[0].duration")],
                             page.run("return [hbm.view.from, hbm.view.to]"))
            self.assertGreater(page.run("return hbm.view.to"), times[-1])
            checked = 0
            for row in slow:
                begin, size, _ = max(expected[row], key=lambda each: each[1])
                page.run("location.hash = arguments[0]", f"cell=0.{manager}&colour=kind&axis=time&time={times[row] - 100}"
                         f"-{times[row] + 800}&addresses={begin // 512}-{(begin + 4 * size) // 512}")
                page.wait(f"return hbm.view.from === {times[row] - 100} && hbm.shown[0].area && hbm.shown[0].replay")
                low, high = page.run("return [hbm.view.low, hbm.view.high]")
                self.assertEqual(row, page.run("return hbm.rowAt(hbm.shown[0].replay.trace, arguments[0])", times[row] + 350))
                for at in range(begin + size // 16, begin + 4 * size, size // 4):
                    edges = [edge for each in expected[row] for edge in (each[0], each[0] + each[1])]
                    if min(abs(at - edge) for edge in edges) < size // 32:
                        continue
                    inside = any(each[0] <= at < each[0] + each[1] for each in expected[row])
                    self.assertTrue(low * 512 <= at, "the view holds the block")
                    if at >= high * 512:
                        break
                    seen = page.run(pixel, 0.5, (at / 512 - low) / (high - low))
                    self.assertEqual(inside, seen == [86, 180, 233], f"row {row}, address {at}: {seen}")
                    checked += 1
            self.assertGreater(checked, 30)
            page.run("document.querySelector('.map canvas').focus()")
            page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
            self.assertIn(" ms", page.run("return document.getElementById('readout').textContent"))
            self.assertEqual(["999 \u00b5s", "1.000 ms", "40.000000 s", "39.999999 s", "39.9996 s", "0.50 s", "1,234 s"], page.run(
                "return [[999], [1000], [4e7], [39999999], [39999600, 100], [5e5, 2e4, 2e6], [1234e6, 1e6]]"
                ".map((each) => hbm.timeInWords(...each))"))
            row = page.run("return hbm.view.row")
            page.run(choose, "events")
            page.wait("return !location.hash.includes('axis=')")
            self.assertTrue(page.run("return hbm.view.from <= arguments[0] && arguments[0] <= hbm.view.to", row))
            self.expect_sound(page)

    def test_a_failure_stands_at_its_time_and_a_trace_without_times_has_no_such_axis(self) -> None:
        (self.folder / "t.csv").write_text("t,op,id,bytes\n1000,alloc,a,512\n1400,alloc,b,512\n1900,alloc,c,4096\n"
                                           "900000,free,a,\n", encoding="utf-8")
        (self.folder / "u.csv").write_text("op,id,bytes\nalloc,a,512\n", encoding="utf-8")
        path = self.compare("--trace", str(self.folder / "t.csv"), "--trace", str(self.folder / "u.csv"), "--capacity", "4K",
                            "--manager", "best_fit")
        with Page(str(path), view="#cell=0.0&axis=time") as page:
            self.assertEqual(900, page.run("return hbm.data.workloads[0].cells[0].failed_time"))
            self.assertTrue(900 < page.run("return hbm.view.to") < 1000)
            self.expect_sound(page)
            page.run("location.hash = '#cell=1.0&axis=time'")
            page.wait("return hbm.view.workload === 1 && hbm.shown[0].replay")
            self.assertFalse(page.run("return hbm.view.byTime"))
            self.assertNotIn("Across", page.run("return document.querySelector('.controls').textContent"))
            self.assertEqual([], page.errors())

    def test_programs_evictions_and_moves_are_in_the_map(self) -> None:
        path = self.compare("--workload", "llm_serving", "--capacity", "v5e", "--manager", "tpu::runtime_memory",
                            "--manager", "best_fit/evict_lru")
        with Page(str(path), view="#cell=0.0&beside=1") as page:
            for manager, row in enumerate(self.rows):
                marks = page.run("return hbm.marksOf(hbm.shown[arguments[0]].replay).map((each) => each.kind)", manager)
                self.assertEqual([row["moves"], row["evictions"], row["reloads"]],
                                 [marks.count(kind) for kind in ("moved", "evicted", "reloaded")])
            self.assertIn("reservation for scratch", {each["kind"] for each in page.blocks(0, 0, 20000)})
            for words in ("code of a program", "reservation for scratch", "moves", "evictions", "reloads"):
                page.wait(f"return document.querySelector('#viewer .legend').textContent.includes('{words}')")
            for blocks in (page.blocks(0, manager, 9000) for manager in (0, 1)):
                for below, above in zip(blocks, blocks[1:]):
                    self.assertLessEqual(below["offset"] + below["size"], above["offset"])
            self.expect_sound(page)

    def test_every_width_and_scheme_can_be_read(self) -> None:
        path = self.compare(*SMALL)
        for width in (400, 1600):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark), Page(str(path), width, dark) as page:
                    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                    self.expect_figures(page)
                    self.expect_sound(page)

    def test_hover_and_keys_tell_and_the_address_keeps_the_view(self) -> None:
        path = self.compare(*SMALL, "--capacity", "v5e")
        with Page(str(path), view="#cell=0.2&beside=3") as page:
            canvas = page.driver.find_element("css selector", ".map canvas")
            page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", canvas)
            page.hover(canvas, 0, canvas.size["height"] // 2 - 40)
            told = page.run("return document.getElementById('readout').textContent")
            for word in ("size", "lifetime", "allocated at", "event", "in use"):
                self.assertIn(word, told)
            page.run("arguments[0].focus()", canvas)
            page.press(Keys.ARROW_DOWN)
            self.assertNotEqual(told, page.run("return document.getElementById('readout').textContent"))
            page.press("+", Keys.ARROW_RIGHT)
            view = page.run("return JSON.stringify([hbm.view, location.hash])")
            state, kept = json.loads(view)
            self.assertGreater(state["from"], 0)
        with Page(str(path), view=kept) as page:
            again = page.run("return hbm.view")
            for key in ("workload", "managers", "row", "from", "to", "cursor"):
                self.assertEqual(state[key], again[key], key)
            # A cell is chosen by the keyboard alone, the matrix sorted and filtered.
            page.run("document.querySelector('#grid td a').focus()")
            page.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
            second = page.run("return Number(document.querySelectorAll('#grid tbody tr:not([hidden])')[1].dataset.manager)")
            page.wait(f"return hbm.view.workload === 1 && hbm.view.managers[0] === {second} && hbm.shown[0].area")
            page.driver.find_element("css selector", "#grid thead th:nth-child(2) button").send_keys(Keys.ENTER)
            order = page.run("return [...document.querySelectorAll('#grid tbody tr td:nth-child(2)')].map((c) => +c.dataset.order)")
            self.assertEqual(sorted(order), order)
            page.run("const all = document.querySelector('#filters select'); all.value = 'buddy'; "
                     "all.dispatchEvent(new Event('change'))")
            self.assertEqual(1, page.run("return [...document.querySelectorAll('#grid tbody tr')].filter((r) => !r.hidden).length"))
            self.assertIn("placement=buddy", page.run("return location.hash"))
            self.expect_sound(page)

    def test_a_click_keeps_a_block_and_nothing_jumps(self) -> None:
        path = self.compare(*SMALL, "--capacity", "v5e")
        with Page(str(path), view="#cell=0.2&beside=3") as page:
            canvas = page.driver.find_element("css selector", ".map canvas")
            page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", canvas)
            tops = set()
            for across in range(-300, 301, 60):
                page.hover(canvas, across, 20)
                tops.add(page.run("return arguments[0].getBoundingClientRect().top", canvas))
            self.assertEqual(1, len(tops), "the map does not move under the pointer")
            # The largest block at the peak is kept by the button.
            page.run("[...document.querySelectorAll('.buttons button')].find((each) => each.textContent === 'Peak').click()")
            row = page.run("return hbm.view.kept.row")
            self.assertEqual(row, page.run("const { used } = hbm.shown[0].replay.curves; return used.indexOf(Math.max(...used))"))
            blocks = page.blocks(0, page.run("return hbm.shown[0].manager"), row)
            largest = max(blocks, key=lambda each: each["size"])
            text = page.run("return document.getElementById('pane').textContent")
            self.assertIn(f"({largest['size']:,} bytes)", text)
            self.assertIn(f"{len(blocks):,} of {len(blocks):,} blocks", text)
            listed = page.run("return [...document.querySelectorAll('#pane li b')].map((each) => each.textContent)")
            self.assertEqual([size_in_words(size) for size in sorted((each["size"] for each in blocks), reverse=True)[:200]], listed)
            # A buffer of the trace is outlined in both maps.
            page.run("[...document.querySelectorAll('#pane li')].find((each) => each.textContent.includes('weights')).click()")
            outlined = ("return [...document.querySelectorAll('.map.half .canvas')].map((each) => each.querySelectorAll('.kept')"
                        ".length > 0)")
            self.assertEqual([True, True], page.run(outlined))
            # It stays while the pointer moves on, and while the map is dragged and zoomed.
            height = page.run("return document.getElementById('pane').getBoundingClientRect().height")
            kept = page.run("return hbm.view.kept.block")
            page.hover(canvas, 100, -30)
            page.run("arguments[0].focus()", canvas)
            page.press("w", "d", "s")
            self.assertEqual(kept, page.run("return hbm.view.kept.block"))
            # A search lists what has the words; a click in the list keeps that block.
            page.run("const search = document.getElementById('pane-search'); search.value = 'no such name'; "
                     "search.dispatchEvent(new Event('input'))")
            self.assertIn(f"0 of {len(blocks):,} blocks", page.run("return document.getElementById('pane').textContent"))
            page.run("const search = document.getElementById('pane-search'); search.value = ''; "
                     "search.dispatchEvent(new Event('input')); document.querySelectorAll('#pane li')[1].click()")
            self.assertEqual(height, page.run("return document.getElementById('pane').getBoundingClientRect().height"))
            self.assertNotEqual(kept, page.run("return hbm.view.kept.block"))
            # Another workload begins without a cursor and without a kept block.
            page.run("const all = document.querySelector('.controls select'); all.value = '1'; all.dispatchEvent(new Event('change'))")
            page.wait("return hbm.view.workload === 1 && hbm.shown[0].replay")
            self.assertEqual([-1, None], page.run("return [hbm.view.cursor, hbm.view.kept]"))
            self.expect_sound(page)

    def test_the_picture_comes_first_and_is_reached_by_few_tabs(self) -> None:
        path = self.compare("--workload", "llm_serving:weights=8448MiB")
        with Page(str(path), 1280) as page:
            self.assertEqual(2, page.run("return hbm.shown.length"))
            self.assertLess(page.run("return document.querySelectorAll('.map canvas')[1].getBoundingClientRect().bottom"), 1000)
            page.run("document.body.focus()")
            for stops in range(1, 12):
                page.press(Keys.TAB)
                if page.run("return document.activeElement.tagName") == "CANVAS":
                    break
            self.assertLessEqual(stops, 11, "at most ten stops before the map")

    def test_axes_have_round_places_at_equal_distances(self) -> None:
        path = self.compare(*SMALL, "--capacity", "v5e")
        with Page(str(path)) as page:
            ticks = "return hbm.ticks(...arguments).places"
            self.assertEqual([0, 50, 100, 150, 200], page.run(ticks, 0, 227, 5, False))
            self.assertEqual([200_000, 400_000, 600_000], page.run(ticks, 130_000, 650_000, 4, False))
            self.assertEqual([1024, 2048, 3072], page.run(ticks, 700, 3500, 4, True))
            for first, length in ((0, 7), (13, 29), (1e5, 3e6)):
                places = page.run(ticks, first, first + length, 6, False)
                self.assertEqual(1, len({b - a for a, b in zip(places, places[1:])}))
                self.assertLessEqual(len(places), 7)

    def test_failures_are_explained_and_marked(self) -> None:
        path = self.compare("--workload", "transformer_training:steps=4", "--capacity", "14GiB")
        with Page(str(path)) as page:
            self.assertIn("No manager", page.run("return document.querySelector('h1').textContent"))
            why = page.driver.find_element("css selector", ".fails a")
            page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", why)
            why.click()
            text = page.wait("return document.querySelector('.failure[open] pre')?.textContent")
            self.assertIn("RESOURCE_EXHAUSTED", text)
            self.expect_figures(page)
            self.expect_sound(page)

    def test_it_can_be_read_with_scripts_off(self) -> None:
        path = self.compare(*SMALL)
        for width in (400, 1600):
            with Page(str(path), width, scripts=False) as page:
                node = page.command("DOM.getDocument", depth=-1)["root"]
                text = page.command("DOM.getOuterHTML", nodeId=node["nodeId"])["outerHTML"]
                self.assertIn("<h1>", text)
                self.assertNotIn("has-scripts", text.split("<body")[0].split("<style")[0])
                visible = page.driver.find_elements("css selector", "#grid td, .replay img, .scatter svg, svg.curves")
                self.assertGreater(len(visible), 40)
                self.assertTrue(all(each.is_displayed() for each in visible[:10]))
                self.assertFalse(page.driver.find_element("css selector", "#viewer").is_displayed())
                self.assertEqual([], page.driver.get_log("browser"))

    def test_what_files_bring_along_stays_text(self) -> None:
        trace = self.folder / "\"><img src=x onerror=alert(1)>.csv"
        lines = [f"alloc,{each},{1 << 20},{each}" for each in HOSTILE]
        text = "op,id,bytes,tag\n" + "\n".join(lines) + "\n"
        trace.write_bytes(text.encode() + b"alloc,\xff\xfe,512,\xc3\x28\n")
        path = self.compare("--trace", str(trace), "--capacity", "6MiB", "--manager", "best_fit", "--manager", "first_fit")
        raw = path.read_bytes()
        raw.decode("utf-8")  # is valid
        self.assertNotIn(b"<img src=x", raw)
        self.assertNotIn(b"<img/src", raw)
        self.assertEqual(raw.count(b"</script>"), raw.count(b"<script"))
        with Page(str(path)) as page:
            self.assertNotIn("owned", page.run("return document.title"))
            ids = [each["id"] for each in page.blocks(0, 0, 5)]
            self.assertEqual(sorted(HOSTILE[:6]), sorted(ids))
            for row in range(6):
                page.run("hbm.pick(hbm.shown[0], arguments[0], 100)", row)
            self.assertEqual(0, page.run("return document.querySelectorAll('img[src=x]').length"))
            self.assertEqual([], page.errors())

    def measure(self, page: Page, path: pathlib.Path) -> None:
        """Prints the size of the page, its first paint and the time of its images, and fails if they are far too slow."""
        page.command("Performance.enable", timeDomain="threadTicks")

        def busy(script: str) -> float:
            """Returns the milliseconds of processor time that the page's thread takes for the script, the median of 15."""
            taken = []
            for _ in range(15):
                before = page.thread_milliseconds()
                page.run(f"for (let each = 0; each < 4; ++each) {{ {script} }}")
                taken.append((page.thread_milliseconds() - before) / 4)
            return sorted(taken)[7]

        first = page.run("return performance.getEntriesByType('paint')[0].startTime")
        whole = busy("hbm.shown[0].picture.paint()")
        page.run("hbm.zoom(.5, 1)")
        drag = busy("hbm.view.from += 9; hbm.view.to += 9; hbm.preview()")
        print(f"280,000 events: {path.stat().st_size:,} bytes, first paint after {first:.0f} ms, processor time of an image: "
              f"{drag:.1f} ms for all pictures while a hand drags, {whole:.1f} ms for a whole map when it has let go")
        self.assertLess(drag, 60, "milliseconds an image while a hand drags")
        self.assertLess(whole, 60, "milliseconds for a whole map; 16 on a machine that does nothing else")
        self.assertLess(first, 10_000, "milliseconds to the first paint")

    def test_a_large_trace_is_exact_and_small(self) -> None:
        trace = self.folder / "large.csv"
        html_replay.write_random(str(trace), 280_000, 7)
        path = self.compare("--trace", str(trace), "--capacity", "unlimited", "--manager", "best_fit", "--manager", "first_fit")
        # Without zlib the streams are stored, and have another header.
        if re.search('id="trace-0">(...)', path.read_text(encoding="utf-8")).group(1) != "eAE":
            self.assertLess(path.stat().st_size, 3_000_000)
        rows = [0, 57_000, 141_234, 279_999]
        with Page(str(path)) as page:
            manager, expected = self.expect_map(page, trace, rows)
            used = page.run("return hbm.shown[0].replay.curves.used[57000] * 512")
            self.assertEqual(sum(each[1] for each in expected[57_000]), used)
            self.measure(page, path)
            self.expect_figures(page)
            self.expect_sound(page)


if __name__ == "__main__":
    unittest.main()
