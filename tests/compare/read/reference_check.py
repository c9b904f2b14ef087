"""Checks of hbm_compare against the readings of other programs' files in a folder with a reference.json."""

import argparse
import concurrent.futures
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Sequence, Tuple

Reading = Dict[str, Any]
# The number of facts that agree, and what is wrong, in sentences.
Outcome = Tuple[int, List[str]]


def run(compare: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs the program. Raises RuntimeError if it fails."""
    done = subprocess.run([compare, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return done


def describe(compare: str, path: pathlib.Path) -> Dict[str, Any]:
    """Returns what `--describe` prints about a file."""
    answer = json.loads(run(compare, "--describe", str(path)).stdout)
    if answer.get("schema") != "hbm-describe/1" or len(answer.get("files", [])) != 1:
        raise RuntimeError("the answer is not of the schema hbm-describe/1, with one file")
    return answer["files"][0]


def main(words: str, kinds: Sequence[str], facts: str, check: Callable[[str, pathlib.Path, Reading], Outcome],
         option: str = "--programs") -> int:
    """Checks each file of these kinds, unpacked; without kinds, each file. Prints mistakes, and how many facts agree.
    Returns the exit status."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the hbm_compare program")
    parser.add_argument(option, required=True, type=pathlib.Path, dest="folder", help="the folder with reference.json")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    options = parser.parse_args()
    reference = json.loads((options.folder / "reference.json").read_text(encoding="utf-8"))
    readings = reference["readings"] if kinds else reference
    names = [name for name in sorted(readings)
             if options.only in name and (not kinds or readings[name]["kind"] in kinds)]

    def checked(name: str) -> Outcome:
        path = options.folder / name
        try:
            if path.suffix == ".xz":
                packed, path = path, pathlib.Path(scratch) / name[:-len(".xz")]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(lzma.decompress(packed.read_bytes()))
            return check(options.compare, path, readings[name])
        except (RuntimeError, ValueError, KeyError, IndexError) as error:
            return 0, [f"{type(error).__name__}: {error}"]

    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(checked, names))
    mistakes = [f"{name}: {each}" for name, (_, found) in zip(names, outcomes) for each in found]
    print("\n".join(each[:400] for each in mistakes[:100]), end="\n" if mistakes else "", file=sys.stderr)
    print(f"{len(names)} files, {sum(count for count, _ in outcomes)} {facts}, {len(mistakes)} mistakes")
    return 1 if mistakes or not names else 0
