#!/usr/bin/env python3
"""Puts the page together: one file with the program, its loader, the script and style of the report, and the examples.

The build calls it. The output depends on the inputs alone.
"""

import argparse
import base64
import gzip
import hashlib
import html
import json
import pathlib

ROOM = pathlib.Path(__file__).resolve().parent
REPORT = ROOM.parent / "page" / "script"
SCRIPTS = ("program.js", "inputs.js", "page.js")
# id, words on the page, file of samples/ or of the recorded traces, and the most lines of it that the page has.
EXAMPLES = (("load", "a program that does not load", "load.txt", 9),
            ("dump", "a dump of XLA", "dump/module_0012.jit_train_step.after_optimizations.txt", 999),
            ("growth", "samples of a leak", "memory_stats.csv", 999),
            ("trace", "the first events of a recorded trace", "resnet18_sgd.csv", 4000))


def part(name, data):
    """Returns data as a part of the page: gzip in base64."""
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
    return f'<script type="text/plain" id="{name}">{packed}</script>\n'


def read(path):
    return path.read_text(encoding="utf-8")


def example(name, lines, traces):
    """Returns the file of an example as JSON."""
    path = traces / name if (traces / name).is_file() else ROOM / "samples" / name
    return json.dumps([{"path": name, "data": "".join(read(path).splitlines(keepends=True)[:lines])}]).encode()


def assemble(arguments):
    script = '"use strict";\n' + "".join(map(read, sorted(REPORT.glob("*.js")))) + "".join(read(ROOM / name) for name in SCRIPTS) + "openPage();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    data = part("loader", arguments.loader.read_bytes()) + part("code", arguments.code.read_bytes())
    data += '<script type="text/plain" id="worker">\n' + read(ROOM / "worker.js") + "</script>\n"
    for name, _, path, lines in EXAMPLES:
        data += part(f"example-{name}", example(path, lines, arguments.traces))
    fields = {
        "policy": f"default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-{digest}'; worker-src blob:; style-src 'unsafe-inline'; "
                  "img-src data:; base-uri 'none'; form-action 'none'",
        "version": arguments.version,
        "style": read(REPORT / "report.css") + read(ROOM / "page.css"),
        "examples": ",\n".join(f'<button type="button" data-example="{name}">{html.escape(words)}</button>' for name, words, _, _ in EXAMPLES),
        "data": data,
        "script": script,
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
