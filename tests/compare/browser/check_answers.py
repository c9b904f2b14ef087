#!/usr/bin/env python3
"""Compares the page's answers with those of the command line, to the letter: status, text and errors.

The files are the samples of the page, the recorded traces, the corpora of the fuzz targets (most of them damaged), and
the files below each folder of --shared. Each file is brought alone. Each folder of a dump is brought as a folder, too.
"""

import argparse
import lzma
import pathlib
import re
import statistics
import sys
import tempfile
import time
from typing import Iterator, List

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_page import AnswerPage, difference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
CORPORA = ("assignment", "json", "message", "module", "pickle", "pprof", "samples", "trace")
NO_DATA = ("README.md", "reference.json")


def files_below(folder: pathlib.Path, most: int) -> Iterator[pathlib.Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in NO_DATA and path.stat().st_size <= most:
            yield path


def alone(path: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """Returns a copy in a folder of its own, unpacked if it is in xz: the program also reads other files of a dump."""
    folder = scratch / str(len(list(scratch.iterdir())))
    folder.mkdir()
    copy = folder / (path.stem if path.suffix == ".xz" else path.name)
    copy.write_bytes(lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes())
    return copy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "build/page/hbm.html")
    parser.add_argument("--compare", type=pathlib.Path, default=ROOT / "build/compare/bench/hbm_compare")
    parser.add_argument("--traces", type=pathlib.Path, default=ROOT / "build/page/bench/traces")
    parser.add_argument("--most", type=int, default=1 << 30, help="the size of the largest file that is brought")
    parser.add_argument("--shared", type=pathlib.Path, nargs="*", default=[], help="folders of other files")
    settings = parser.parse_args()
    program = str(settings.compare.resolve())
    folders = [ROOT / "bench/compare/browser/samples", *(ROOT / "tests/fuzz/corpus" / name for name in CORPORA),
               settings.traces, *settings.shared]
    differences: List[str] = []
    times: List[float] = []
    count = 0
    with AnswerPage(str(settings.page)) as page, tempfile.TemporaryDirectory() as name:
        for folder in folders:
            before, begin = count, time.monotonic()
            for path in files_below(folder, settings.most):
                file = alone(path, pathlib.Path(name))
                page.bring(file)
                found = difference(page, program, file.parent)
                if found:
                    differences.append(f"{path}: {found}")
                count += 1
                if page.run("return document.getElementById('command').textContent").startswith("hbm_compare --message "):
                    times += map(float, re.findall(r"in (\d+) ms", page.run("return document.getElementById('state').textContent")))
                    page.set("device", "v5p")
                    found = difference(page, program, file.parent)
                    if found:
                        differences.append(f"{path} on another device: {found}")
                    page.run("document.getElementById('device').value = ''")
                    count += 1
            for dump in sorted({each.parent for each in folder.rglob("*after_optimizations.txt")}):
                page.bring_folder(dump)
                found = difference(page, program, dump.parent)
                if found:
                    differences.append(f"{dump}: {found}")
                count += 1
            print(f"{folder}: {count - before} answers in {time.monotonic() - begin:.0f} s", flush=True)
        ready = page.run("return document.documentElement.dataset.ready")
        differences += page.errors()
    for each in differences:
        print(each)
    if times:
        print(f"ready {ready} ms after the page was opened; {len(times)} answers to messages after the choice of the file: "
              f"median {statistics.median(times):.0f} ms, most {max(times):.0f} ms")
    print(f"{count} answers, {len(differences)} differences")
    return 1 if differences or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
