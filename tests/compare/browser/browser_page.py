"""The page that answers, driven as a person would, and the program on the command line to compare it with."""

import os
import pathlib
import shlex
import subprocess
import sys
import time
from typing import List, Optional, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))
import html_browser  # noqa: E402  (exits without a browser)

READY = "return document.documentElement.dataset.ready"
# The answer, or why there is none: [status, text, errors, command, state].
ANSWER = """
const result = document.getElementById("result"), text = (id) => document.getElementById(id).textContent;
if (!document.getElementById("busy").hidden) return null;
if (result.dataset.status !== undefined) return [Number(result.dataset.status), text("output"), text("errors"), text("command"), ""];
return /broke off|more than/.test(text("state")) ? [-1, "", "", "", text("state")] : null;"""


class AnswerPage(html_browser.Page):
    """The page in a tab of its own. `with AnswerPage(path) as page`"""

    def __init__(self, path: str, width: int = 1600, dark: bool = False, view: str = "") -> None:
        super().__init__(path, width, dark, view=view, ready=READY)

    def clear(self) -> None:
        self.run("document.getElementById('clear').click()")

    def answer(self) -> Tuple[int, str, str, str, str]:
        """Returns the next answer. Fails without one after a minute."""
        for _ in range(6000):
            found = self.run(ANSWER)
            if found:
                return tuple(found)
            time.sleep(0.01)
        raise AssertionError("no answer: " + self.run("return document.body.innerText")[:2000])

    def paste(self, text: str) -> None:
        self.clear()
        self.run("const text = document.getElementById('text'); text.value = arguments[0];"
                 "text.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }))", text)

    def wait_for_typed(self) -> None:
        """Waits for the answer about all of the text, not about a part that was typed before a pause."""
        self.wait("return document.getElementById('text').value === page.inputs[0]?.files[0].data && "
                  "document.getElementById('busy').hidden")

    def bring(self, *paths: pathlib.Path) -> None:
        """Chooses files, as in the dialogue of the browser."""
        self.clear()
        self.driver.find_element("id", "file-input").send_keys("\n".join(str(path.resolve()) for path in paths))

    def bring_folder(self, path: pathlib.Path) -> None:
        self.clear()
        self.driver.find_element("id", "folder-input").send_keys(str(path.resolve()))

    def set(self, name: str, value: str) -> None:
        """Changes a setting of the question, as by hand."""
        self.run("const field = document.getElementById(arguments[0]); field.value = arguments[1];"
                 "delete document.getElementById('result').dataset.status; field.dispatchEvent(new Event('change'))", name, value)

    def ask(self, title: str) -> None:
        """Presses a question."""
        self.run("delete document.getElementById('result').dataset.status;"
                 "[...document.querySelectorAll('#questions button')].find((each) => each.textContent === arguments[0]).click()", title)


def run_program(program: str, words: List[str], folder: pathlib.Path) -> Tuple[int, str, str]:
    """Returns exit status, stdout and stderr of the program in a folder."""
    environment = {**os.environ, "HBM_TRACE_DIRECTORY": "/traces"}
    for name in ("COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, env=environment, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def difference(page: AnswerPage, program: str, folder: pathlib.Path) -> Optional[str]:
    """Returns how the next answer differs from that of the program, run with the page's command line in `folder`."""
    status, text, errors, command, state = page.answer()
    if state:
        return state
    expected = run_program(program, shlex.split(command)[1:], folder)
    for what, found, wanted in zip(("status", "text", "errors"), (status, text, errors), expected):
        if found != wanted:
            lines = next((f"{a!r} instead of {b!r}" for a, b in zip(str(found).split("\n"), str(wanted).split("\n")) if a != b),
                         f"{str(found)[-200:]!r} instead of {str(wanted)[-200:]!r}")
            return f"{command}: another {what}: {lines}"
    return None
