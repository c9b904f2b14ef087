"""Valgrind reports uses of memory that no buffer and no program owns, and none that is right.
Without Valgrind or its header the test exits with 77, "skipped"."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = r"""
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/valgrind_marks.hpp>
#include <hbm/hbm.hpp>
#include <cstdlib>
#include <string_view>

template <class Placement>
using marked = hbm::manager<Placement, hbm::evict_lru, hbm::donate_fitting, hbm::relieve_cheapest, hbm::no_device,
                            hbm::valgrind_marks>;

template <class Placement>
int use(std::string_view mistake) {
    constexpr std::uint64_t q = 64;
    auto* const base = static_cast<std::byte*>(std::malloc(64 * q));
    marked<Placement> memory{{.capacity = 64 * q, .quantum = q}, {.events = hbm::valgrind_marks(base)}};
    const auto read = [&](std::uint64_t offset) {
        volatile const std::byte* const there = base + offset;
        return *there == std::byte{1} ? 1 : 0;
    };
    const auto write = [&](hbm::extent where) {
        for (std::uint64_t at = where.offset; at < where.end(); ++at) base[at] = std::byte{1};
    };
    const hbm::buffer held = *memory.allocate(4 * q);
    const std::uint64_t offset = memory.where(held).offset;
    if (mistake == "undefined") return read(offset);
    write(memory.where(held));
    const hbm::buffer fixed = *memory.allocate(q);
    memory.pin(fixed);
    const std::uint64_t later = memory.where(fixed).offset;
    write(memory.where(fixed));
    const hbm::program step = *memory.load({.name = "step", .code = 2 * q, .scratch = 3 * q});
    const std::uint64_t code = memory.where(step).offset;
    write(memory.where(step));
    hbm::extent scratch;
    for (const hbm::block_view& block : memory.blocks())
        if (block.kind == hbm::block_kind::scratch || block.kind == hbm::block_kind::reservation) scratch = block.where;
    write(scratch);
    const auto ran = memory.run(step, {.donated = {held}, .outputs = {{q}}});
    int sum = read(memory.where(ran->outputs[0]).offset) + read(later);
    if (mistake == "tail") return read(offset) + read(offset + 3 * q);
    if (mistake == "beyond") return read(32 * q);
    memory.free(fixed);
    sum += read(later);
    memory.sync();
    if (mistake == "retired") return read(later);
    memory.free(ran->outputs[0]);
    if (mistake == "freed") return read(offset) + read(offset + 3 * q);
    sum += read(code);
    memory.unload(step);
    if (mistake == "unloaded") return read(code);
    if (mistake == "scratch") return read(scratch.offset);
    return sum == 4 ? 0 : 3;
}

int main(int, char** arguments) {
    const std::string_view mistake = arguments[2];
    return arguments[1][0] == 'b' ? use<hbm::bottom_reserve<hbm::best_fit>>(mistake) : use<hbm::best_fit>(mistake);
}
"""
MISTAKES = {"best_fit": ("none", "retired", "scratch", "unloaded"),
            "bottom_reserve": ("none", "undefined", "tail", "beyond", "freed", "scratch")}

with tempfile.TemporaryDirectory() as scratch:
    source, program = Path(scratch, "marks.cpp"), Path(scratch, "marks")
    source.write_text(PROGRAM, encoding="utf-8")
    compiler = os.environ.get("HBM_COMPILER") or "c++"
    include = Path(os.environ["HBM_SOURCE_DIRECTORY"], "include")
    try:
        subprocess.run(["valgrind", "--version"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([compiler, "-E", "-include", "valgrind/memcheck.h", "-x", "c++", os.devnull], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: Valgrind or its header is missing (Debian: apt-get install valgrind)")
        sys.exit(77)
    subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-g", "-I", include, source, "-o", program], check=True)
    for placement, mistakes in MISTAKES.items():
        for mistake in mistakes:
            done = subprocess.run(["valgrind", "-q", "--error-exitcode=9", program, placement, mistake],
                                  stderr=subprocess.PIPE, text=True, check=False)
            report = {"none": "", "undefined": "uninitialised"}.get(mistake, "Invalid read")
            if done.returncode != (9 if report else 0) or report not in done.stderr:
                sys.exit(f"{placement}, {mistake}: exit status {done.returncode}\n{done.stderr}")
print("free memory and undefined memory are reported, nothing else")
