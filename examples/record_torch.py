#!/usr/bin/env python3
"""Record which memory a PyTorch program allocates and frees, on a GPU or a CPU, as a trace for hbm.

From the command line, around a program or around a small built-in one:

    python3 record_torch.py -o trace.csv train.py --epochs 1
    python3 record_torch.py -o trace.csv.gz --demo transformer

From Python, around the part that matters:

    from record_torch import record
    with record("trace.csv") as recording:
        for batch in batches:
            train_one_step(batch)
            recording.step()

The trace is plain CSV with the columns `t,op,id,bytes,tag`, as hbm reads it; a step is a `sync` row. It needs PyTorch
1.13 or newer (Debian and Ubuntu: `apt-get install python3-torch`) and nothing else.

Where the facts come from: on a GPU from the history that the caching allocator keeps,
`torch.cuda.memory._record_memory_history` and `_snapshot`, which PyTorch documents under "Understanding CUDA Memory
Usage": blocks that are active when the recording begins, then the entries `alloc` and `free_completed`, with the
program's own line as the tag. On a CPU from `torch.profiler.profile(profile_memory=True)`: its memory events, with
range and operator as the tag. Step boundaries are calls of `step()`, or on a CPU with --optimizer-steps the ends of the
ranges that PyTorch puts around each step of an optimizer.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import re
import runpy
import stat
import sys
import time
import traceback
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

EXIT_DONE = 0
EXIT_RUN_FAILED = 1
EXIT_NOT_STARTED = 2

# PyTorch runs a node of the backward pass inside a range of this name; what follows it is the name worth keeping.
AUTOGRAD_PREFIX = "autograd::engine::evaluate_function: "


class CannotStart(Exception):
    """The recording cannot start: PyTorch is missing, or the output cannot be written. The text names the remedy."""


class NoTrace(Exception):
    """The recorded code ran, but no trace came of it: nothing was allocated, or the file could not be written."""


# Events to rows: pure functions, no PyTorch needed --------------------------------------------------------------------


class MemoryEvent(NamedTuple):
    """One event of the allocator, or the end of a step."""

    time_ns: int
    pointer: int
    size: int
    """Bytes: positive when allocated, negative when freed."""
    tag: str = ""
    ends_step: bool = False


class Row(NamedTuple):
    """One data row of a trace."""

    t: int
    """Microseconds since the first row."""
    op: str
    """`alloc`, `free` or `sync`."""
    id: Optional[int] = None
    """Counts allocations from 0; an id is never used again. A `sync` has none."""
    bytes: Optional[int] = None
    tag: str = ""


@dataclass
class Conversion:
    """The rows of a trace, and a count of everything that did not become a row of its own."""

    rows: List[Row] = field(default_factory=list)
    peak_live_bytes: int = 0
    live_at_end: int = 0
    """Blocks never freed; they stay live."""
    steps: int = 0
    """Steps that ended after the first allocation."""
    dropped_frees: int = 0
    """Frees of blocks that were allocated before the recording."""
    implied_frees: int = 0
    """Frees nobody reported: the same pointer was allocated again. They take effect at that moment."""
    resized_frees: int = 0
    """Frees that reported another size than was allocated; the row repeats what was allocated."""
    empty_events: int = 0
    """Events of zero bytes, skipped."""


def to_rows(events: Iterable[MemoryEvent]) -> Conversion:
    """Turn allocator events into the rows of a trace.

    Events are ordered by time; events of the same time keep the order they came in. Addresses become ids that are
    never used again, so the result does not depend on where the allocator put anything. Takes O(n log n) time.
    """
    result = Conversion()
    live: Dict[int, Tuple[int, int]] = {}
    live_bytes = 0
    next_id = 0
    start: Optional[int] = None

    for event in sorted(events, key=lambda each: each.time_ns):
        if event.ends_step:
            if start is not None:
                result.rows.append(Row((event.time_ns - start) // 1000, "sync"))
                result.steps += 1
            continue
        if event.size == 0:
            result.empty_events += 1
            continue
        if event.size < 0 and event.pointer not in live:
            result.dropped_frees += 1
            continue

        start = event.time_ns if start is None else start
        t = (event.time_ns - start) // 1000
        if event.pointer in live:
            freed_id, freed_bytes = live.pop(event.pointer)
            live_bytes -= freed_bytes
            result.rows.append(Row(t, "free", freed_id, freed_bytes))
            if event.size > 0:
                result.implied_frees += 1
            elif -event.size != freed_bytes:
                result.resized_frees += 1
        if event.size > 0:
            live[event.pointer] = (next_id, event.size)
            live_bytes += event.size
            result.rows.append(Row(t, "alloc", next_id, event.size, event.tag))
            result.peak_live_bytes = max(result.peak_live_bytes, live_bytes)
            next_id += 1

    result.live_at_end = len(live)
    return result


def clean_tag(text: str) -> str:
    """Return `text` without what a cell cannot hold: the grammar has no quoting, so commas and spaces become `_`."""
    return re.sub(r"[^!#-+\--~]+", "_", text)


def to_csv(conversion: Conversion, comments: Sequence[str] = ()) -> str:
    """Return the text of a trace: `comments`, one to a line, what was counted, the header row and the rows."""
    counted = (
        f"frees of blocks from before the recording, dropped: {conversion.dropped_frees}; "
        f"unreported frees, implied by reuse of the address: {conversion.implied_frees}; "
        f"frees of another size than allocated: {conversion.resized_frees}; "
        f"empty events, skipped: {conversion.empty_events}"
    )
    units = "t in microseconds since the first row; bytes as requested; blocks never freed stay live"
    lines = ["# " + " ".join(comment.split()) for comment in (*comments, units, counted)]
    tagged = any(row.tag for row in conversion.rows)
    lines.append("t,op,id,bytes,tag" if tagged else "t,op,id,bytes")
    for row in conversion.rows:
        line = f"{row.t},{row.op},,"
        if row.id is not None:
            line = f"{row.t},{row.op},{row.id},{row.bytes}"
        lines.append(f"{line},{row.tag}" if row.tag else line)
    return "\n".join(lines) + "\n"


# The output file ------------------------------------------------------------------------------------------------------


class OutputFile:
    """A file that appears complete or not at all. A name that ends in `.gz` is compressed.

    That it can be written is tried when the object is made, before a long run, and not only afterwards. An existing
    trace is left as it is until a new one is there to take its place.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        # The program may change its working directory, and a link should keep pointing to what it names.
        self._target = os.path.realpath(path)
        folder, name = os.path.split(self._target)
        self._draft = os.path.join(folder, f".{name}.{os.getpid()}.part")
        try:
            if os.path.exists(self._target) and not stat.S_ISREG(os.stat(self._target).st_mode):
                raise CannotStart(f"cannot write {path}: it is not a regular file; name a file to create with -o")
            with open(self._draft, "xb"):
                pass
            os.remove(self._draft)
        except OSError as error:
            reason = error.strerror or str(error)
            raise CannotStart(f"cannot write {path}: {reason}; name a file in a folder you may write to") from error

    def write(self, text: str) -> None:
        """Put `text` in place of whatever the file held, or raise NoTrace and leave it as it was."""
        data = text.encode("ascii", "replace")
        if self._target.endswith(".gz"):
            packed = io.BytesIO()
            # No name and no time inside: the same trace gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
                stream.write(data)
            data = packed.getvalue()
        try:
            with open(self._draft, "wb") as stream:
                stream.write(data)
            os.replace(self._draft, self._target)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.remove(self._draft)
            raise NoTrace(f"cannot write {self.path}: {error.strerror or error}; the recording is lost") from error


# PyTorch --------------------------------------------------------------------------------------------------------------


def import_torch() -> ModuleType:
    """Import PyTorch, or raise CannotStart with the remedy."""
    try:
        import torch
        import torch.profiler
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise CannotStart(f"PyTorch does not load: {error}; install what is missing") from error
        raise CannotStart(
            f"{sys.executable} has no PyTorch; on Debian and Ubuntu: apt-get install python3-torch, and run this with "
            "/usr/bin/python3; elsewhere: python3 -m pip install torch"
        ) from error
    except (ImportError, OSError) as error:
        raise CannotStart(f"PyTorch does not load: {error}; reinstall it") from error
    return torch


# On a CPU: the profiler.

STEP_RANGE = "hbm.step"
OPTIMIZER_RANGE = "Optimizer.step#"


def memory_events(
    torch: ModuleType, profiler: Any, with_tags: bool, optimizer_steps: bool = False
) -> Iterator[MemoryEvent]:
    """Yield the allocator events of the CPU that a stopped `torch.profiler.profile` has seen, and the ends of steps.

    A tag says what the memory was for: the innermost `record_function` range, and the outermost operator inside it,
    such as `Optimizer.step#AdamW.step/aten::zeros_like` or `aten::linear`.
    """
    kinds = torch._C._profiler
    user_range = kinds.RecordScope.USER_SCOPE
    # A stack and not recursion: the ranges of a program may nest deeper than Python likes to call.
    stack = [(event, "", "") for event in reversed(profiler.profiler.kineto_results.experimental_event_tree())]
    while stack:
        event, enclosing_range, operator = stack.pop()
        if event.tag == kinds._EventType.Allocation:
            fields = event.extra_fields
            if fields.device.type == "cpu":
                tag = clean_tag("/".join(filter(None, (enclosing_range, operator)))) if with_tags else ""
                yield MemoryEvent(event.start_time_ns, fields.ptr, fields.alloc_size, tag)
        elif event.tag == kinds._EventType.TorchOp:
            name = event.name.replace(AUTOGRAD_PREFIX, "", 1)
            if event.extra_fields.scope == user_range:
                enclosing_range, operator = name, ""
                if name == STEP_RANGE:
                    yield MemoryEvent(event.start_time_ns, 0, 0, ends_step=True)
                elif optimizer_steps and name.startswith(OPTIMIZER_RANGE):
                    yield MemoryEvent(event.end_time_ns, 0, 0, ends_step=True)
            else:
                operator = operator or name
        stack.extend((child, enclosing_range, operator) for child in reversed(event.children))


class CpuProfile:
    """Records with the profiler what this thread does on the CPU."""

    origin = "on a CPU with torch.profiler, profile_memory=True"
    where = "on the recorded thread"
    blind_spot = "threads and processes that the program starts itself are not seen"

    def __init__(self, torch: ModuleType, tags: bool, optimizer_steps: bool) -> None:
        event_types = getattr(getattr(torch._C, "_profiler", None), "_EventType", None)
        if not hasattr(event_types, "Allocation"):
            raise CannotStart(f"PyTorch {torch.__version__} reports no memory events; 1.13 or newer does")
        self._torch, self._tags, self._optimizer_steps = torch, tags, optimizer_steps
        activities = [torch.profiler.ProfilerActivity.CPU]
        self._profiler = torch.profiler.profile(activities=activities, profile_memory=True)

    def start(self) -> None:
        """Begin to record."""
        self._profiler.__enter__()

    def step(self) -> None:
        """Note that a step is over."""
        with self._torch.profiler.record_function(STEP_RANGE):
            pass

    def stop(self, failed: bool) -> Tuple[List[MemoryEvent], List[str]]:
        """End the recording; return its events, and words for the trace."""
        self._profiler.__exit__(None, None, None)
        return list(memory_events(self._torch, self._profiler, self._tags, self._optimizer_steps)), []


# On a GPU: the memory history of the caching allocator.


def has_cuda_history(torch: ModuleType) -> bool:
    """Whether there is a GPU whose allocator keeps a history."""
    cuda = getattr(torch, "cuda", None)
    memory = getattr(cuda, "memory", None)
    has_calls = hasattr(memory, "_record_memory_history") and hasattr(memory, "_snapshot")
    return has_calls and cuda.is_available()


def frame_words(frames: Optional[Sequence[Dict[str, Any]]]) -> str:
    """The innermost frame of the program itself, or of whatever there is, as `train.py:12/step`; "" without frames."""
    known = [frame for frame in frames or () if frame.get("filename") not in (None, "", "??")]
    own = [frame for frame in known if f"{os.sep}torch{os.sep}" not in frame["filename"]] or known
    if not own:
        return ""
    return clean_tag(f"{os.path.basename(own[0]['filename'])}:{own[0].get('line', 0)}/{own[0].get('name', '')}")


def active_blocks(snapshot: Dict[str, Any], device: int) -> Iterator[Tuple[int, int, str]]:
    """Yield address, requested bytes and tag of each block of the device that is in use."""
    for segment in snapshot["segments"]:
        address = segment["address"]
        for block in segment["blocks"]:
            if segment.get("device", 0) == device and block["state"] != "inactive":
                size = block.get("requested_size", block["size"])
                yield block.get("address", address), size, frame_words(block.get("frames"))
            address += block["size"]


class CudaHistory:
    """Records with the caching allocator's history what the whole process does on the present GPU."""

    MOST_ENTRIES = 1_000_000

    def __init__(self, torch: ModuleType, tags: bool) -> None:
        self._memory, self._tags = torch.cuda.memory, tags
        self._device = torch.cuda.current_device()
        self._steps: List[int] = []
        self.blind_spot = "what a program does on the CPU is recorded with --device cpu"
        self.where = f"on cuda:{self._device}"
        self.origin = f"{self.where} with torch.cuda.memory._record_memory_history"

    def start(self) -> None:
        """Begin to record; what is in use already comes first."""
        most = self.MOST_ENTRIES
        try:
            self._memory._record_memory_history(enabled="all", stacks="python", max_entries=most)
        except TypeError:  # PyTorch 2.0
            self._memory._record_memory_history(True, trace_alloc_max_entries=most, trace_alloc_record_context=True)
        self._start_ns = time.time_ns()
        snapshot = self._memory._snapshot()
        self._before = list(active_blocks(snapshot, self._device))
        # Somebody may have switched the history on before.
        self._old_entries = len(self._entries(snapshot))

    def step(self) -> None:
        """Note that a step is over."""
        self._steps.append(time.time_ns())

    def stop(self, failed: bool) -> Tuple[List[MemoryEvent], List[str]]:
        """End the recording; return its events, and words for the trace. `failed`: the program ended with an error."""
        snapshot = self._memory._snapshot()
        try:
            self._memory._record_memory_history(enabled=None)
        except TypeError:
            self._memory._record_memory_history(False)
        return self._events(self._entries(snapshot)[self._old_entries :], failed)

    def _entries(self, snapshot: Dict[str, Any]) -> List[Dict[str, Any]]:
        traces = snapshot.get("device_traces") or []
        return list(traces[self._device]) if self._device < len(traces) else []

    def _events(self, entries: Sequence[Dict[str, Any]], failed: bool) -> Tuple[List[MemoryEvent], List[str]]:
        words = []
        if len(entries) + self._old_entries >= self.MOST_ENTRIES:
            words.append(f"the history holds {self.MOST_ENTRIES:,} entries and was full: the oldest are lost")
        is_timed = all("time_us" in entry for entry in entries)
        if not is_timed:
            words.append("this PyTorch does not say when memory was allocated: t counts events, and steps are left out")
        times = [
            1000 * entry["time_us"] if is_timed else self._start_ns + 1000 * at for at, entry in enumerate(entries)
        ]
        first = min([self._start_ns, *times])
        made = [MemoryEvent(first, pointer, size, tag if self._tags else "") for pointer, size, tag in self._before]
        refused = None
        for when, entry in zip(times, entries):
            action, size = entry["action"], entry.get("size", 0)
            tag = frame_words(entry.get("frames")) if self._tags else ""
            if action == "oom":
                words.append(f"out of memory: {size} bytes were requested")
                refused = MemoryEvent(when, -1, size, clean_tag(f"out_of_memory/{tag}"))
            elif action in ("alloc", "free_completed"):
                made.append(MemoryEvent(when, entry["addr"], size if action == "alloc" else -size, tag))
                refused = None if action == "alloc" else refused
        # What did not fit is the last row, for whoever asks why, unless the program went on.
        if failed and refused is not None:
            made.append(refused._replace(time_ns=max(event.time_ns for event in [*made, refused])))
        steps = self._steps if is_timed else []
        made.extend(MemoryEvent(when, 0, 0, ends_step=True) for when in steps)
        return made, words


@dataclass
class Recording:
    """What a `with record(...)` block yields."""

    path: str
    conversion: Conversion = field(default_factory=Conversion)
    """Empty until the block has ended."""
    source: Any = None
    """A CpuProfile or a CudaHistory, while the block runs."""

    def step(self) -> None:
        """Say that a step of the program is over: a `sync` row in the trace."""
        if self.source is not None:
            self.source.step()


@contextlib.contextmanager
def record(
    path: str, *, title: str = "", tags: bool = True, device: str = "auto", optimizer_steps: bool = False
) -> Iterator[Recording]:
    """Record the memory events of the `with` block and write them to `path`.

    `device` is `cuda` (the present GPU, all threads), `cpu` (this thread), or `auto`: a GPU if there is one whose
    allocator keeps a history. The trace is also written when the block ends with an exception: what led to a failure is
    often what one wants to see. `title` goes into the first comment line; `tags` adds the column that says what
    allocated; `optimizer_steps` (on a CPU) ends a step with each step of an optimizer. Raises CannotStart before the
    block runs, NoTrace after it.
    """
    output = OutputFile(path)
    torch = import_torch()
    on_gpu = device != "cpu" and has_cuda_history(torch)
    if device == "cuda" and not on_gpu:
        raise CannotStart("there is no GPU whose memory PyTorch keeps a history of; record with --device cpu")
    source = CudaHistory(torch, tags) if on_gpu else CpuProfile(torch, tags, optimizer_steps)
    recording = Recording(path, source=source)
    comments = [title] if title else []
    comments.append(f"recorded {source.origin}, PyTorch {torch.__version__}")
    failed = True
    source.start()
    try:
        yield recording
        failed = False
    finally:
        if failed:
            comments.append("the program ended with an error or was interrupted; the trace ends there")
        recording.source = None
        events, words = source.stop(failed)
        for sentence in words:
            print(f"record_torch.py: {sentence}", file=sys.stderr)
        recording.conversion = to_rows(events)
        if recording.conversion.rows:
            output.write(to_csv(recording.conversion, [*comments, *words]))
        elif not failed:
            raise NoTrace(
                f"PyTorch allocated no memory {source.where}, so nothing was written; {source.blind_spot}"
            )


# Demonstrations -------------------------------------------------------------------------------------------------------


def demo_mlp(torch: ModuleType, steps: int) -> None:
    """Train a small multilayer perceptron: fixed shapes, so every step looks like the one before."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(torch.randn(64, 256)), torch.randint(10, (64,)))
        loss.backward()
        optimizer.step()


def demo_transformer(torch: ModuleType, steps: int) -> None:
    """Train a small transformer on sequences whose length changes, so that old holes do not fit new tensors."""
    nn = torch.nn
    vocabulary, width = 2000, 128
    layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
    embedding, head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
    encoder = nn.TransformerEncoder(layer, num_layers=4)
    parameters = [*embedding.parameters(), *encoder.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=0.0003)
    for step in range(steps):
        tokens = torch.randint(vocabulary, (4, 32 + 16 * (5 * step % 7)))
        optimizer.zero_grad(set_to_none=True)
        logits = head(encoder(embedding(tokens)))
        nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        optimizer.step()


DEMOS: Dict[str, Callable[[ModuleType, int], None]] = {"mlp": demo_mlp, "transformer": demo_transformer}


# The command line -----------------------------------------------------------------------------------------------------


def positive(text: str) -> int:
    """Return `text` as a whole number above zero, for argparse."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 to 999999999")
    return int(text)


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    """Parse the command line; ends the process with status 2 on wrong usage, as argparse does."""
    parser = argparse.ArgumentParser(
        prog="record_torch.py",
        usage="%(prog)s -o FILE [OPTION]... (PROGRAM [ARGUMENT ...] | --demo NAME [--steps N])",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Record which memory a PyTorch program allocates and frees, as a trace for hbm.",
        epilog="""\
examples:
  python3 record_torch.py -o mlp.csv --demo mlp
  python3 record_torch.py -o train.csv.gz train.py --epochs 1
  hbm_compare --trace mlp.csv

options go before PROGRAM; what follows PROGRAM is handed to it.

notes:
  On a CPU the profiler keeps every operator in memory until the end: record a few steps, not an epoch.
  There only the thread that runs PROGRAM is seen, with the backward passes it starts; other processes never are.
  A PROGRAM says itself where a step ends with: with torch.profiler.record_function("hbm.step"): pass
  When PROGRAM fails or is interrupted, what it did until then is still written.
  Some kernels ask for one scratch block a thread: with OMP_NUM_THREADS=1 a trace varies less from machine to machine.

exit status: 0 done; 1 the program failed, or nothing was recorded; 2 nothing was run: wrong usage, the output cannot be
written, or PyTorch is missing.""",
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the trace; compressed when named *.gz")
    parser.add_argument("--demo", choices=sorted(DEMOS), help="record a small built-in program instead of PROGRAM")
    parser.add_argument("--steps", metavar="N", type=positive, help="training steps of the demo (default 20)")
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="whose memory to record (auto: the GPU's if there is one)",
    )
    parser.add_argument("--optimizer-steps", action="store_true", help="on a CPU: a step ends with an optimizer's")
    parser.add_argument("--no-tags", action="store_true", help="leave out the column that says what allocated")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing when all went well")
    parser.add_argument("command", metavar="PROGRAM", nargs=argparse.REMAINDER, help="a program and its arguments")
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if bool(options.demo) == bool(options.command):
        parser.error("name either a PROGRAM to record or a --demo (mlp, transformer)")
    if options.steps and not options.demo:
        parser.error("--steps belongs to --demo")
    if options.command and not os.path.isfile(options.command[0]):
        parser.error(f"cannot read the program {options.command[0]}: there is no such file; options go before PROGRAM")
    return options


def run_program(command: Sequence[str]) -> Dict[str, Any]:
    """Run a Python program as `python3 PROGRAM ARGUMENT...` would, and return its globals."""
    sys.argv[:] = command
    sys.path[0] = os.path.dirname(os.path.abspath(command[0]))
    try:
        return runpy.run_path(command[0], run_name="__main__")
    except SystemExit as error:
        if error.code is None or error.code == 0:
            return {}
        raise


def describe_failure(error: BaseException) -> str:
    """Return one line on how the program ended; when it crashed, print the traceback as Python would."""
    if isinstance(error, SystemExit):
        return f"the program exited: {error.code}"
    if isinstance(error, KeyboardInterrupt):
        return "the program was interrupted"
    traceback.print_exception(type(error), error, error.__traceback__)
    return f"the program failed: {type(error).__name__}"


def say(text: str) -> None:
    """Print one line for the user to stderr; stdout belongs to the program."""
    print(f"record_torch.py: {text}", file=sys.stderr)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status."""
    options = parse_arguments(arguments)
    title = f"demo {options.demo}" if options.demo else os.path.basename(options.command[0])
    failure = ""
    # Held until the recording has ended: what the program still holds at its end stays live in the trace.
    program_globals: Dict[str, Any] = {}
    recording = Recording(options.output)
    try:
        with record(
            options.output,
            title=clean_tag(title),
            tags=not options.no_tags,
            device=options.device,
            optimizer_steps=options.optimizer_steps,
        ) as recording:
            if options.demo:
                torch = import_torch()
                torch.manual_seed(1234)
                DEMOS[options.demo](torch, options.steps or 20)
            else:
                program_globals = run_program(options.command)
    except CannotStart as error:
        say(str(error))
        return EXIT_NOT_STARTED
    except NoTrace as error:
        say(str(error))
        return EXIT_RUN_FAILED
    except BaseException as error:  # whatever the program raised, SystemExit and KeyboardInterrupt among it
        failure = describe_failure(error)
        say(failure)
    del program_globals

    conversion = recording.conversion
    if not conversion.rows:
        say("PyTorch allocated no memory before that, so nothing was written")
    elif failure or not options.quiet:
        say(
            f"{len(conversion.rows):,} rows, {conversion.peak_live_bytes:,} bytes live at the peak, "
            f"{conversion.live_at_end:,} blocks live at the end: {options.output}"
        )
    return EXIT_RUN_FAILED if failure else EXIT_DONE


if __name__ == "__main__":
    sys.exit(main())
