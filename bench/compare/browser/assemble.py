#!/usr/bin/env python3
"""Puts the page together: one file with the program, its loader, the scripts, the style and the examples.

The build calls it. The output depends on the inputs alone.
"""

import argparse
import base64
import gzip
import hashlib
import html
import json
import pathlib
import re

ROOM = pathlib.Path(__file__).resolve().parent
REPORT = ROOM.parent / "page" / "script"
SCRIPTS = ("program.js", "inputs.js", "questions.js", "answer.js", "start.js")
# id, words on the page, files of samples/ or of the recorded traces, and the question if it is not the first that fits.
EXAMPLES = (("load", "a program that does not load", ("load.txt",), ""),
            ("compile", "a compilation that needs too much", ("compile.txt",), ""),
            ("pieces", "memory in pieces", ("pieces.txt",), ""),
            ("server", "a server whose pool is too large", ("server.txt",), "serve"),
            ("dump", "a dump of XLA", ("dump/module_0012.jit_train_step.after_optimizations.txt",), ""),
            ("growth", "samples of a leak", ("memory_stats.csv",), ""),
            ("trace", "a recorded trace", ("convnet.1.csv",), ""))


def packed(data):
    """Returns data as gzip in base64."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def part(name, data):
    return f'<script type="text/plain" id="{name}">{packed(data)}</script>\n'


def digest(script):
    """Returns the source of a script in a content security policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") + "'"


def read(path):
    return path.read_text(encoding="utf-8")


def report_scripts():
    """Returns the scripts of the pages that the program writes, of which it carries a list."""
    return [read(REPORT / f"{name}.js") for name in re.findall(r"@(\w+)_js@", read(REPORT.parent / "assets.cpp.in"))]


def example_files(names, traces):
    """Returns the files of an example as JSON."""
    def place(name):
        return traces / name if (traces / name).is_file() else ROOM / "samples" / name
    return json.dumps([{"path": name, "data": read(place(name))} for name in names]).encode()


def assemble(arguments):
    scripts = ["\n" + read(ROOM / name) for name in SCRIPTS]
    # The pages that the program writes run under the policy of this page as well.
    allowed = [digest(script) for script in scripts] + [digest("\n" + script) for script in report_scripts()]
    policy = ("default-src 'none'; script-src 'wasm-unsafe-eval' " + " ".join(allowed) + "; worker-src blob:; frame-src blob:; "
              "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'")
    data = part("loader", arguments.loader.read_bytes()) + part("code", arguments.code.read_bytes())
    data += '<script type="text/plain" id="worker">\n' + read(ROOM / "worker.js") + "</script>\n"
    for name, _, files, _ in EXAMPLES:
        data += part(f"example-{name}", example_files(files, arguments.traces))
    fields = {
        "policy": policy,
        "version": arguments.version,
        "style": read(REPORT / "report.css") + read(ROOM / "page.css"),
        "examples": ",\n".join(f'<button type="button" data-example="{name}" data-ask="{question}">{html.escape(words)}</button>'
                               for name, words, _, question in EXAMPLES),
        "data": data,
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    text = read(ROOM / "page.html")
    for name, value in fields.items():
        text = text.replace(f"@{name}@", value)
    arguments.output.write_text(text, encoding="utf-8")
    print(f"{arguments.output}: {arguments.output.stat().st_size:,} bytes")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--loader", type=pathlib.Path, required=True, help="the loader that emscripten wrote")
parser.add_argument("--code", type=pathlib.Path, required=True, help="the program as WebAssembly")
parser.add_argument("--traces", type=pathlib.Path, required=True, help="the folder of the recorded traces")
parser.add_argument("--version", required=True)
parser.add_argument("--output", type=pathlib.Path, required=True)
assemble(parser.parse_args())
