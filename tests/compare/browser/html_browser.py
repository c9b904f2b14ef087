"""Drives a page in headless Chromium, and checks what every page must keep. Without a browser or selenium it exits with 77,
which ctest reads as "skipped"."""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
from typing import Any, List

SKIPPED = 77


def exit_without(program: str) -> None:
    """Ends the test as skipped."""
    print(f"skipped: {program} is missing (Debian: apt-get install chromium chromium-driver python3-selenium)")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    # Debian's python3-selenium is for Debian's interpreter alone.
    if os.path.exists("/usr/bin/python3") and os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3"):
        sys.exit(subprocess.run(["/usr/bin/python3", "-B", *sys.argv], check=False).returncode)
    exit_without("python3-selenium")

DRIVER = shutil.which("chromedriver")
if DRIVER is None or not (shutil.which("chromium") or shutil.which("google-chrome")):
    exit_without("chromium or chromedriver")

# Every element with text of its own: its contrast with what is behind it, after WCAG 2.
CONTRAST = """
const parse = (text) => { const all = text.match(/[0-9.]+/g).map(Number); return all.length < 4 ? [...all, 1] : all; };
const light = (rgb) => { const [r, g, b] = rgb.map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const behind = (each) => { for (; each; each = each.parentElement) {
  const [r, g, b, a] = parse(getComputedStyle(each).backgroundColor); if (a === 1) return [r, g, b]; } return [255, 255, 255]; };
const wrong = [];
for (const each of document.querySelectorAll("body *")) {
  if (each.closest("svg,script,canvas") || ![...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
  if (each.getClientRects().length === 0 || each.disabled) continue;
  const fore = parse(getComputedStyle(each).color).slice(0, 3), back = behind(each);
  const [high, low] = [light(fore), light(back)].sort((a, b) => b - a), ratio = (high + .05) / (low + .05);
  if (ratio < 4.5) wrong.push(`${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return wrong;"""

# Every control has a name, every picture a text, every id is unique, headings do not skip a level.
NAMES = """
const wrong = [], named = (each) => (each.getAttribute("aria-label") || each.textContent || (each.labels && each.labels.length
  && each.labels[0].textContent) || each.title || "").trim();
for (const each of document.querySelectorAll("a,button,select,input,summary,[tabindex],canvas,svg[role],[role=region]")) {
  const label = each.tagName === "SELECT" ? each.labels.length && each.labels[0].querySelector("span").textContent : named(each);
  if (!label) wrong.push("no name: " + each.outerHTML.slice(0, 80));
}
for (const each of document.querySelectorAll("img")) if (!each.alt) wrong.push("no text: img");
const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
if (new Set(ids).size !== ids.length) wrong.push("an id twice");
let last = 0;
for (const each of document.querySelectorAll("h1,h2,h3")) { const level = Number(each.tagName[1]);
  if (level > last + 1) wrong.push("a heading skips a level: " + each.textContent); last = level; }
for (const each of document.querySelectorAll("th")) if (!each.scope) wrong.push("a head without scope: " + each.textContent);
return wrong;"""


# Browsers that show no page. Starting one takes as long as a short test.
IDLE: List[Any] = []


def start_browser() -> Any:
    """Returns a browser that ends with the test program, with an empty tab, which stays."""
    asked = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1920,1100"):
        asked.add_argument(argument)
    asked.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=asked)
    atexit.register(driver.quit)
    driver.set_script_timeout(120)
    return driver


class Page:
    """A page in a tab of its own, alone in its browser. `with Page(path, width) as page`"""

    def __init__(self, path: str, width: int = 1600, dark: bool = False, view: str = "", height: int = 1000,
                 ready: str = "return document.getElementById('map')?.dataset.painted") -> None:
        self.driver = IDLE.pop() if IDLE else start_browser()
        self.home = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.command("Page.bringToFront")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.address = pathlib.Path(path).absolute().as_uri()
        self.driver.get(self.address + view)
        self.wait(ready)

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: Any) -> None:
        """Closes the tab, and clears what was logged."""
        self.driver.close()
        self.driver.switch_to.window(self.home)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        IDLE.append(self.driver)

    def command(self, name: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str) -> Any:
        """Returns the value of the script as soon as it is true."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"nothing came of: {script}\n{self.driver.get_log('browser')}")

    def blocks(self, workload: int, manager: int, row: int) -> List[Any]:
        """Returns offset and size in bytes and the name of the blocks after a row, by address."""
        return self.driver.execute_async_script(
            "const [workload, manager, row, done] = arguments, { quantum } = report.data.workloads[workload];"
            "keptReplay(workload, manager).then((replay) => done(placesAt(replay, row).map((at) => [replay.place.offset[at] * quantum,"
            "replay.place.size[at] * quantum, nameOf(replay, replay.place.block[at])]).sort((a, b) => a[0] - b[0])))",
            workload, manager, row)

    def errors(self) -> List[str]:
        """Returns the messages of the console, and the addresses that were fetched in addition to the page."""
        wrong = [entry["message"] for entry in self.driver.get_log("browser")]
        fetched = self.run("return performance.getEntriesByType('resource').map((each) => each.name)")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                fetched.append(message["params"]["request"]["url"])
        return wrong + [f"fetched {name[:80]}" for name in fetched if not name.startswith(("data:", "blob:", self.address))]

    def faults(self) -> List[str]:
        """Returns the text that people cannot read, and the controls that they cannot reach."""
        wide = self.run("return document.documentElement.scrollWidth - innerWidth")
        return self.run(CONTRAST) + self.run(NAMES) + ([f"{wide} pixels too wide"] if wide > 0 else [])

    def hover(self, element: Any, across: int, up: int) -> None:
        ActionChains(self.driver).move_to_element_with_offset(element, across, up).perform()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()
