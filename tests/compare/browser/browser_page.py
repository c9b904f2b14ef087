"""The page that answers, driven as a person would, and the program on the command line to compare it with."""

import pathlib
import sys
from typing import Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import html_browser  # noqa: E402  (exits without a browser)

# The latest answer, or why there is none: [status, text, errors, command, state].
ANSWER = """
const result = document.getElementById("result"), state = document.getElementById("state").textContent;
if (!document.getElementById("busy").hidden) return null;
if (result.dataset.status !== undefined) return [latest.status, latest.out, latest.err, document.getElementById("command").textContent, state];
return /broke off|more than/.test(state) ? [-1, "", "", "", state] : null;"""


class AnswerPage(html_browser.Page):
    """The page in a tab of its own. `with AnswerPage(path) as page`"""

    def __init__(self, path: str, width: int = 1600, dark: bool = False, view: str = "") -> None:
        super().__init__(path, width, dark, view, ready="return document.documentElement.dataset.ready")

    def clear(self) -> None:
        self.run("document.getElementById('clear').click()")

    def answer(self) -> Tuple[int, str, str, str, str]:
        """Returns the next answer. Fails without one after two minutes."""
        return tuple(self.wait(ANSWER))

    def paste(self, text: str) -> None:
        self.clear()
        self.run("const text = document.getElementById('text'); text.value = arguments[0];"
                 "text.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }))", text)

    def bring(self, *paths: pathlib.Path) -> None:
        """Chooses files, as in the dialogue of the browser."""
        self.clear()
        self.driver.find_element("id", "file-input").send_keys("\n".join(str(path.resolve()) for path in paths))

    def press_button(self, title: str) -> None:
        self.run("delete document.getElementById('result').dataset.status;"
                 "[...document.querySelectorAll('button')].find((each) => each.textContent === arguments[0]).click()", title)

    def titles(self) -> list:
        return self.run("return [...document.querySelectorAll('#questions button')].map((each) => each.textContent)")
