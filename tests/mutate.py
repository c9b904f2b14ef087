#!/usr/bin/env python3
"""Changes single operators and numbers of the headers, one at a time, and lists the changes that no test notices.

    python3 tests/mutate.py --scratch FOLDER --count 40 --seed 1 [--target hbm_tests_index] [--label everyday]

Works on a copy of the project in the scratch folder. A change is noticed if the target no longer builds, or a test of the
label fails, or takes more than --seconds. Needs g++, CMake, Ninja and the packages of the tests."""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHANGES = {"<": [" <= ", " > "], "<=": [" < "], ">": [" >= ", " < "], ">=": [" > "], "==": [" != "], "!=": [" == "],
           "&&": [" || "], "||": [" && "], "+": [" - "], "-": [" + "], "+=": [" -= "], "-=": [" += "]}
OPERATOR = re.compile(r" (<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-) ")
NUMBER = re.compile(r"(?<=[ (])(\d+)(?=[;,) ])")


def places(folder):
    """All changes there may be: file, line, and the line as changed. Comments, assertions and declarations stay."""
    found = []
    for path in sorted((ROOT / folder).rglob("*.hpp")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            code = line.split("//")[0]
            if re.match(r"\s*(#|template|static_assert|requires|using|concept|friend)", code):
                continue
            for match in OPERATOR.finditer(code):
                found += [(path, number, line[:match.start()] + other + line[match.end():]) for other in CHANGES[match[1]]]
            for match in NUMBER.finditer(code):
                found.append((path, number, line[:match.start()] + str(int(match[1]) + 1) + line[match.end():]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="include/hbm")
    parser.add_argument("--target", default="everyday")
    parser.add_argument("--label", default="everyday")
    parser.add_argument("--seconds", type=int, default=900)
    options = parser.parse_args()
    copy, build = options.scratch / "source", options.scratch / "build"
    if not copy.exists():
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".git"))

    def passes():
        commands = [["cmake", "--build", build, "--target", options.target],
                    ["ctest", "--test-dir", build, "-L", options.label, "--stop-on-failure", "--no-tests=error"]]
        if options.target != "everyday":
            commands[1] += ["-R", "^" + options.target.removeprefix("hbm_tests_") + "[.]"]
        try:
            return all(subprocess.run(command, capture_output=True, timeout=options.seconds, check=False).returncode == 0
                       for command in commands)
        except subprocess.TimeoutExpired:
            return False

    subprocess.run(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"],
                   stdout=subprocess.DEVNULL, check=True)
    if not passes():
        sys.exit("the tests fail without a change")
    survived = 0
    for path, number, changed in random.Random(options.seed).sample(places(options.folder), options.count):
        target = copy / path.relative_to(ROOT)
        original = target.read_text(encoding="utf-8")
        lines = original.split("\n")
        lines[number] = changed
        target.write_text("\n".join(lines), encoding="utf-8")
        if passes():
            survived += 1
            print(f"{path.relative_to(ROOT)}:{number + 1}: {changed.strip()}", flush=True)
        target.write_text(original, encoding="utf-8")
    print(f"{options.count - survived} of {options.count} noticed")


if __name__ == "__main__":
    main()
