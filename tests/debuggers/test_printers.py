"""Printers for gdb: what they show of managers, handles and results at a breakpoint agrees with what the library says.
Without gdb or a compiler the test exits with 77, "skipped"; so it does where gdb cannot call functions of the program, which
some machines' kernels prevent ("Couldn't write extended state status")."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])
COMPILER = os.environ.get("HBM_COMPILER") or "c++"
PROGRAM = r"""
#include <hbm/hbm.hpp>
#include <cstdio>

void stop() { std::fflush(stdout); }
int seven() { return 7; }

using compacting = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru>;

void work(compacting& memory) {
    const hbm::result<hbm::program> step = memory.load({.name = "step", .code = 2048, .scratch = 1024});
    const hbm::result<hbm::buffer> weights = memory.allocate(4096, "weights");
    const hbm::buffer gone = *memory.allocate(8192, "gone");
    const hbm::result<hbm::buffer> last = memory.allocate(512);
    memory.pin(*weights);
    memory.free(gone);
    const hbm::result<hbm::buffer> refused = memory.allocate(1 << 20);
    const hbm::buffer none;
    const hbm::buffer foreign{8, 1, 12345};
    for (const hbm::block_view& block : memory.blocks())
        std::printf("%llu %llu\n", static_cast<unsigned long long>(block.where.offset),
                    static_cast<unsigned long long>(block.where.size));
    stop();
    std::printf("%d", seven() && step && last && refused && none && foreign);
}

int main() {
    compacting memory{{.capacity = 65536}};
    work(memory);
    hbm::manager<hbm::best_fit> small{{.capacity = 1024}};
    const hbm::result<hbm::buffer> weights = small.allocate(512, "weights");
    stop();
    return weights ? 0 : 1;
}
"""
NAMES = ("memory", "weights", "*weights", "last", "gone", "none", "foreign", "refused", "step")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def check(is_true, text):
    if not is_true:
        sys.exit(f"{text}, in:\n{done.stdout}{done.stderr}")


if shutil.which("gdb") is None or shutil.which(COMPILER) is None:
    skip("gdb or the compiler is missing (Debian: apt-get install gdb g++)")
with tempfile.TemporaryDirectory() as scratch:
    source, program = Path(scratch, "work.cpp"), Path(scratch, "work")
    source.write_text(PROGRAM, encoding="utf-8")
    subprocess.run([COMPILER, "-std=c++20", "-g", "-O0", "-I", ROOT / "include", source, "-o", program], check=True)
    called = subprocess.run(["gdb", "-batch", "-nx", "-ex=break stop", "-ex=run", "-ex=print seven()", str(program)],
                            capture_output=True, text=True, timeout=300, check=False)
    if " = 7\n" not in called.stdout:
        skip(f"gdb cannot call functions here: {called.stderr.strip()}")
    commands = [f"source {ROOT}/examples/debuggers/hbm_gdb.py", "set width 0", "break stop", "run", "up"]
    commands += [f"print {name}" for name in NAMES] + ["continue", "up", "print small", "print weights"]
    done = subprocess.run(["gdb", "-batch", "-nx"] + [f"-ex={command}" for command in commands] + [str(program)],
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True,
                          timeout=300, check=False)
lines = done.stdout.splitlines()
shown = dict(zip(NAMES, (line.split(" = ", 1)[1] for line in lines if line.startswith("$"))))
later = [line.split(" = ", 1)[1] for line in lines if line.startswith("$")][len(NAMES):]
check(len(shown) == len(NAMES) and len(later) == 2, f"found {len(shown)} and {len(later)} values")
places = [tuple(map(int, line.split())) for line in lines if re.fullmatch(r"\d+ \d+", line)]
offsets = {size: offset for offset, size in places}  # the sizes differ
blocks = {1024: "reserved scratch", 2048: "code of program 'step'", 4096: "buffer 'weights', 1 pin", 512: "buffer"}
texts = {size: f"{size:,} bytes {text}" for size, text in blocks.items()}

# 65,536 less the reserved 1,024, the code, and two buffers.
check(shown["memory"].count("65,536 bytes, 57,856 free") == 1, "the summary of the manager differs")
for size, text in texts.items():
    check(f"[{offsets[size]:,}] = {text}" in shown["memory"], f"`{text}` is not at {offsets[size]}")
check("8,192 bytes free" in shown["memory"] and shown["memory"].count(" free,") == 3, "the holes differ")
weights = f"offset {offsets[4096]:,}: {texts[4096]}"
check(shown["*weights"].endswith(weights) and shown["weights"] == "{value = " + weights + "}", "`weights` differs")
check(shown["last"] == f"{{value = offset {offsets[512]:,}: {texts[512]}}}", "`last` differs")
check(shown["gone"].startswith("stale buffer (number "), "`gone` is not stale")
check(shown["none"] == "no buffer", "`none` differs")
check(shown["foreign"] == "buffer number 1, generation 1", "`foreign` differs")
check(shown["refused"].startswith("failure hbm::error::buffer_does_not_fit = {why = {"), "`refused` differs")
check(shown["step"] == f"{{value = program 'step', 2,048 bytes of code at offset {offsets[2048]:,}}}", "`step` differs")
check(later[0].startswith("hbm::manager of 1,024 bytes, 512 free, 1 block = {"), "the second manager differs")
check("512 bytes buffer 'weights'" in later[1], "`weights` of the second manager differs")
