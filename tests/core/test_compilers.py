#!/usr/bin/env python3
"""Checks that what only g++ and clang have stands in include/hbm/core/language.hpp, except behind an #if."""

import glob
import os
import re
import sys

ROOT = os.environ.get("HBM_SOURCE_DIRECTORY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# All three compilers have these; call_site.hpp asks which compiler it is.
FOREIGN = re.compile(r"__builtin_(?!is_constant_evaluated|FILE|LINE)|__atomic_|__int128|__attribute__|__extension__|__PRETTY_FUNCTION__")
EXCEPT = {"core/language.hpp", "core/call_site.hpp"}


def main():
    root = os.path.join(ROOT, "include", "hbm")
    files = [file for ending in ("hpp", "cpp", "h") for file in glob.glob(f"{root}/**/*.{ending}", recursive=True)]
    mistakes = []
    for file in files:
        if os.path.relpath(file, root) in EXCEPT:
            continue
        with open(file, encoding="utf-8") as text:
            mistakes += [f"{file}:{at}: {line.strip()}" for at, line in enumerate(text, 1) if FOREIGN.search(line)]
    print("\n".join(mistakes) or f"{len(files)} files without builtins of a compiler")
    return 1 if mistakes or len(files) < 100 else 0


sys.exit(main())
