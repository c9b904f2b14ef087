#!/usr/bin/env python3
"""Record which memory a JAX program uses on one device, step by step, as a trace for hbm.

    import jax
    from record_jax import record

    with record("trace.csv") as recorder:
        train_step = recorder.wrap(jax.jit(train_step, donate_argnums=0))
        for batch in batches:
            state, loss = train_step(state, batch)
            recorder.step()

with PYTHONPATH naming the folder of this file, as in `PYTHONPATH=hbm/examples python3 train.py`; then
`hbm_compare --trace trace.csv --capacity v5e`. The trace is also written when the block ends with an error; a run
of a wrapped function that failed last is then its last row, so that `hbm_compare --on-oom why.txt` explains it.

Only public interfaces of JAX are used. Where the installed JAX lacks one, the trace says so in a comment, stderr does
too, and the recording goes on:

    program: code, scratch    jax.stages.Compiled.memory_analysis(), of wrapped.lower(...).compile():
                              generated_code_size_in_bytes and temp_size_in_bytes; argument_, output_ and
                              alias_size_in_bytes are in a comment beside the program
    arguments of a run        the arrays in the arguments of the call, jax.tree_util.tree_flatten_with_path
    outputs of a run          the arrays in its result; of a run that failed jax.stages.Compiled.out_info, or
                              Lowered.out_info, with Compiled.output_shardings
    donated arguments         jax.Array.is_deleted() after the call; of a run that failed jax.stages.ArgInfo.donated of
                              jax.stages.Lowered.args_info
    other buffers             jax.live_arrays() before each run and at each step()
    size on the device        jax.sharding.Sharding.shard_shape() times the size of the dtype
    that a buffer is gone     weak references to arrays, and jax.Array.is_deleted()
    what the device says      jax.Device.memory_stats(), as a comment at each step()

Static integers are not told apart: an argument in static_argnums that is an integer looks like one that is traced, and
JAX does not say which leaves of a call it left out. It matters only for what a run that failed would have donated: its
leaves are matched with what JAX says by their number, taking all of them, all numbers or all arrays, the first that
agrees. If two agree, a donation may be put down for the wrong argument. To be sure, pass what is static as a value that
is no number, such as an Enum.

What it does not see: programs and temporaries of functions that are not wrapped (their results are seen); the padding
that a device adds to arrays (compare the comment on argument sizes); when between two rows a buffer was freed. Two
arrays that share a buffer, as an output that is an argument handed through may, count twice. Each signature of a
wrapped function is compiled once more than without the recorder, and dropped again before it runs.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import importlib
import math
import os
import re
import sys
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

COLUMNS = "t,op,id,bytes,tag,inputs,donated,outputs,scratch"
SIZES = ("generated_code", "temp", "argument", "output", "alias")


class CannotStart(Exception):
    """The recording cannot start: JAX is missing, or the output cannot be written. The text names the remedy."""


def clean(text: str) -> str:
    """Return `text` without what a cell cannot hold: the grammar has no quoting, so commas and spaces become `_`."""
    return re.sub(r"[^!$-+\--~]+", "_", text)


def path_words(path: str) -> str:
    """Return a path into a pytree, as `jax.tree_util.keystr` writes it, in the form `0/params/w`."""
    return "/".join(re.findall(r"[^\[\]'\".]+", path))


class Buffer(NamedTuple):
    """An array that has an id in the trace."""

    name: str
    size: int
    array: Callable[[], Any]
    """Returns the array, or None when it is gone."""


@dataclass
class Program:
    """What is known of a wrapped function with arguments of certain shapes."""

    name: str
    donates: Optional[List[bool]] = None
    """For each leaf of the arguments that is not static, whether it is to be donated; None if that is not known."""
    outputs: Optional[List[int]] = None
    """Bytes of each output on the device; None if that is not known."""


@dataclass
class Recorder:
    """What a `with record(...)` block yields. For use by one thread."""

    jax: Any
    device: Any
    clock: Callable[[], int] = time.perf_counter_ns
    lines: List[str] = field(default_factory=list)
    """Rows and comments, in order."""
    words: List[str] = field(default_factory=list)
    """What could not be found out, a sentence each."""
    rows: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        self._start = self.clock()
        self._known: Dict[int, Buffer] = {}
        self._programs: Dict[Tuple[str, str], Program] = {}
        self._serial = 0
        self._failed_run: Optional[Dict[str, Any]] = None
        self._sent_unused: List[str] = []
        self._find_others("before")

    # What users call ------------------------------------------------------------------------------------------------

    def wrap(self, function: Callable, name: str = "") -> Callable:
        """Return a function that does the same and records each of its runs; `function` is what jax.jit returned."""
        label = clean(name or getattr(function, "__name__", "") or "program")

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            return self._run(function, label, args, kwargs)

        return recorded

    def step(self) -> None:
        """Say that a step is over: what was freed is free, and the device has caught up."""
        self._forget_failed_run()
        self._find_freed()
        self._find_others("live")
        self._row("sync")
        self.steps += 1
        stats = None
        with contextlib.suppress(AttributeError, NotImplementedError):
            stats = self.device.memory_stats()
        if not stats:
            self._say("this device has no memory_stats(): nothing to compare the trace with")
            return
        known = [f"{key} {stats[key]}" for key in ("bytes_in_use", "peak_bytes_in_use", "bytes_limit") if key in stats]
        self.lines.append(f"# step {self.steps}: memory_stats() says {', '.join(known)}")

    def finish(self) -> None:
        """Write down what ended since the last row, and the run that failed, if that was the last thing."""
        if self._failed_run:
            self._row("run", **self._failed_run)
        else:
            self._find_freed()

    # Rows -----------------------------------------------------------------------------------------------------------

    def _say(self, sentence: str) -> None:
        if sentence not in self.words:
            self.words.append(sentence)
            print(f"record_jax.py: {sentence}", file=sys.stderr)

    def _row(self, op: str, **cells: Any) -> None:
        t = (self.clock() - self._start) // 1000
        given = {"t": t, "op": op, **cells}
        self.lines.append(",".join(str(given.get(column, "")) for column in COLUMNS.split(",")).rstrip(","))
        self.rows += 1

    def _new_id(self, path: str = "") -> str:
        """An id that is never used again, with the place of an output in its result, for whoever reads the trace."""
        self._serial += 1
        return f"{self._serial - 1}_{clean(path)}" if path else str(self._serial - 1)

    def _alloc(self, array: Any, tag: str) -> Optional[Buffer]:
        """Write a row for an array that is on the device; None if it is elsewhere."""
        size = self._size(array)
        if size is None:
            return None
        made = self._remember(array, size)
        self._row("alloc", id=made.name, bytes=size, tag=clean(tag))
        return made

    # Arrays ---------------------------------------------------------------------------------------------------------

    def _size(self, array: Any, sharding: Any = None) -> Optional[int]:
        """Bytes of an array on the device; None if it is not there."""
        try:
            sharding = sharding or array.sharding
            kind = getattr(sharding, "memory_kind", None)
            on_host = kind == "pinned_host" or (kind == "unpinned_host" and self.device.platform != "cpu")
            if on_host or self.device not in sharding.device_set:
                return None
            return math.prod(sharding.shard_shape(tuple(array.shape))) * array.dtype.itemsize
        except AttributeError:
            self._say("arrays do not tell their shards: their sizes are those of whole arrays")
        return math.prod(array.shape) * array.dtype.itemsize

    def _remember(self, array: Any, size: int, path: str = "") -> Buffer:
        try:
            reference: Callable[[], Any] = weakref.ref(array)
        except TypeError:
            self._say("arrays have no weak references: a recorded array is kept until it is deleted")
            reference = functools.partial(lambda kept: kept, array)
        self._known[id(array)] = Buffer(self._new_id(path), size, reference)
        return self._known[id(array)]

    def _look_up(self, array: Any) -> Optional[Buffer]:
        known = self._known.get(id(array))
        return known if known is not None and known.array() is array else None

    def _is_deleted(self, array: Any) -> bool:
        try:
            return array.is_deleted()
        except AttributeError:
            self._say("arrays do not say whether they are deleted: donated arguments are those that were to be donated")
            return False

    def _find_freed(self) -> None:
        for key, known in list(self._known.items()):
            array = known.array()
            if array is None or self._is_deleted(array):
                del self._known[key]
                self._row("free", id=known.name)

    def _find_others(self, tag: str) -> None:
        """Rows for arrays that came into being elsewhere."""
        live_arrays = getattr(self.jax, "live_arrays", None)
        if live_arrays is None:
            self._say("there is no jax.live_arrays(): only arguments and outputs of wrapped functions are seen")
            return
        for array in live_arrays(getattr(self.device, "platform", None)):
            if not self._is_deleted(array) and self._look_up(array) is None:
                self._alloc(array, tag)

    # Programs -------------------------------------------------------------------------------------------------------

    def _leaves(self, tree: Any) -> List[Tuple[str, Any]]:
        """The leaves of a pytree, each with its path."""
        tools = self.jax.tree_util
        try:
            return [(path_words(tools.keystr(path)), leaf) for path, leaf in tools.tree_flatten_with_path(tree)[0]]
        except AttributeError:
            self._say("there is no jax.tree_util.tree_flatten_with_path: arguments have numbers for names")
            return [(str(at), leaf) for at, leaf in enumerate(tools.tree_leaves(tree))]

    def _is_array(self, leaf: Any) -> bool:
        return isinstance(leaf, self.jax.Array)

    def _signature(self, leaves: Sequence[Tuple[str, Any]]) -> str:
        def words(leaf: Any) -> str:
            if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
                return f"{leaf.shape} {leaf.dtype} {getattr(leaf, 'sharding', '')}"
            kind = type(leaf).__name__
            return f"{kind} {leaf!r}" if isinstance(leaf, (str, bool, type(None))) else kind

        return ";".join(f"{path} {words(leaf)}" for path, leaf in leaves)

    def _program(
        self, function: Callable, label: str, leaves: Sequence[Tuple[str, Any]], call: Tuple[Any, Any]
    ) -> Program:
        """The program of a call; a new one is analysed, and a row loads it."""
        key = (label, self._signature(leaves))
        if key in self._programs:
            return self._programs[key]
        versions = 1 + sum(1 for known, _ in self._programs if known == label)
        name = f"program_{label}" if label[:1].isdigit() else label
        made = Program(name if versions == 1 else f"{name}@{versions}")
        sizes = self._analyse(function, made, call)
        arguments = sum(self._size(leaf) or 0 for _, leaf in leaves if self._is_array(leaf))
        told = ", ".join(f"{size} {sizes.get(size, 'unknown')}" for size in SIZES)
        self.lines.append(f"# program {made.name}: bytes of {told}; its arguments have {arguments} as arrays")
        self._row("load", id=made.name, bytes=sizes.get("generated_code", 0), scratch=sizes.get("temp", 0))
        self._programs[key] = made
        return made

    def _analyse(self, function: Callable, program: Program, call: Tuple[Any, Any]) -> Dict[str, int]:
        """The sizes that the compiler states; what else it says is noted in `program`."""
        if not hasattr(function, "lower"):
            self._say(f"{program.name} is not what jax.jit returns: its code and scratch are 0 in the trace")
            return {}
        try:
            lowered = function.lower(*call[0], **call[1])
            compiled = lowered.compile()
        except Exception as error:  # the call that follows fails in the same way, with the message for the user
            kind = type(error).__name__
            self._say(f"{program.name} cannot be analysed ({kind}): its code and scratch are 0 in the trace")
            return {}
        with contextlib.suppress(AttributeError):
            infos = self.jax.tree_util.tree_leaves(lowered.args_info, is_leaf=lambda info: hasattr(info, "donated"))
            program.donates = [bool(info.donated) for info in infos]
        with contextlib.suppress(Exception):  # a convenience for runs that fail; its form depends on the version
            stage = compiled if hasattr(compiled, "out_info") else lowered
            infos = self.jax.tree_util.tree_leaves(stage.out_info)
            shardings = self.jax.tree_util.tree_leaves(compiled.output_shardings)
            sizes = [self._size(info, sharding) for info, sharding in zip(infos, shardings)]
            program.outputs = [size for size in sizes if size is not None]
        stats = None
        with contextlib.suppress(Exception):  # backends that do not implement it say so in several ways
            stats = compiled.memory_analysis()
        found = {size: getattr(stats, f"{size}_size_in_bytes", None) for size in SIZES}
        missing = [size for size in SIZES if not isinstance(found[size], int) or found[size] < 0]
        if missing:
            self._say(
                f"memory_analysis() of {program.name} does not state the bytes of {', '.join(missing)}; code and "
                "scratch that are not stated are 0 in the trace"
            )
        return {size: value for size, value in found.items() if size not in missing}

    # Runs -----------------------------------------------------------------------------------------------------------

    def _run(self, function: Callable, label: str, args: Tuple, kwargs: Dict[str, Any]) -> Any:
        leaves = self._leaves((args, kwargs))
        tracer = getattr(getattr(self.jax, "core", None), "Tracer", ())
        if any(isinstance(leaf, tracer) for _, leaf in leaves):
            return function(*args, **kwargs)  # a part of another program, not a run of its own
        self._forget_failed_run()
        self._find_freed()
        arguments: List[Buffer] = []
        arrays: List[Any] = []
        sent: List[Buffer] = []
        for path, leaf in leaves:
            words = f"{label}/{path.partition('/')[2]}"
            if self._is_array(leaf):
                known = self._look_up(leaf) or self._alloc(leaf, words)
                if known is not None:
                    arguments.append(known)
                    arrays.append(leaf)
            elif hasattr(leaf, "nbytes") and hasattr(leaf, "dtype"):  # of NumPy: sent to the device for this run
                sent.append(Buffer(self._new_id(), leaf.nbytes, lambda: None))
                self._row("alloc", id=sent[-1].name, bytes=leaf.nbytes, tag=clean(words))
        self._find_others("live")
        program = self._program(function, label, leaves, (args, kwargs))
        inputs = [known.name for known in sent]
        asked = self._asked(program, leaves, arrays)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            self._note_failure(program, error, arguments, asked, inputs)
            raise
        taken = [self._is_deleted(array) for array in arrays]
        if not hasattr(self.jax.Array, "is_deleted") and asked is not None and not any(taken):
            taken = asked
        kept = sum(1 for at, flag in enumerate(asked or []) if flag and not taken[at])
        if kept:
            self._say(f"{program.name}: {kept} arguments that were to be donated stayed alive: inputs in the trace")
        outputs = []
        for path, leaf in self._leaves(result):
            size = self._size(leaf) if self._is_array(leaf) and self._look_up(leaf) is None else None
            if size is not None:
                outputs.append(f"{self._remember(leaf, size, path).name}:{size}")
        self._run_row(program, arguments, taken, inputs, outputs)
        for array, is_gone in zip(arrays, taken):
            if is_gone:
                self._known.pop(id(array), None)
        for known in sent:
            self._row("free", id=known.name)
        return result

    def _asked(
        self, program: Program, leaves: Sequence[Tuple[str, Any]], arrays: Sequence[Any]
    ) -> Optional[List[bool]]:
        """For each array, whether it is to be donated; None if that is not known."""
        if program.donates is None:
            return None
        every = [leaf for _, leaf in leaves]
        numbers = [leaf for leaf in every if hasattr(leaf, "dtype") or isinstance(leaf, (int, float, complex))]
        # Which leaves are static is not said: taken are all of them, all numbers or all arrays, if the count agrees.
        for some in (every, numbers, [leaf for leaf in numbers if hasattr(leaf, "dtype")]):
            if len(some) == len(program.donates):
                flags = {id(leaf): flag for leaf, flag in zip(some, program.donates)}
                return [flags[id(array)] for array in arrays]
        return None

    def _run_cells(
        self,
        program: Program,
        arguments: Sequence[Buffer],
        donated: Sequence[bool],
        inputs: Sequence[str],
        outputs: Sequence[str],
    ) -> Dict[str, Any]:
        given = [known.name for known, gone in zip(arguments, donated) if gone]
        read = [known.name for known, gone in zip(arguments, donated) if not gone and known.name not in given]
        return {
            "id": program.name,
            "tag": program.name,
            "inputs": " ".join([*inputs, *dict.fromkeys(read)]),
            "donated": " ".join(dict.fromkeys(given)),
            "outputs": " ".join(outputs),
        }

    def _run_row(self, *parts: Any) -> None:
        self._row("run", **self._run_cells(*parts))

    def _note_failure(
        self,
        program: Program,
        error: Exception,
        arguments: Sequence[Buffer],
        asked: Optional[Sequence[bool]],
        inputs: Sequence[str],
    ) -> None:
        """Keep the run that failed: it is the last row, unless the program goes on."""
        message = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        self.lines.append(f"# {program.name} failed: {message}")
        if program.outputs is None:
            self._say(f"the outputs of {program.name} are unknown: the run that failed has none in the trace")
        outputs = [f"{self._new_id()}:{size}" for size in program.outputs or []]
        self._failed_run = self._run_cells(program, arguments, asked or [False] * len(arguments), inputs, outputs)
        self._sent_unused = list(inputs)

    def _forget_failed_run(self) -> None:
        """The program went on after a run that failed: what was sent for it is gone."""
        if self._failed_run:
            for name in self._sent_unused:
                self._row("free", id=name)
        self._failed_run = None


# The file -------------------------------------------------------------------------------------------------------------


def import_jax() -> Any:
    """Import JAX, or raise CannotStart with the remedy."""
    try:
        return importlib.import_module("jax")
    except ImportError as error:
        remedy = "install it: python3 -m pip install jax"
        raise CannotStart(f"{sys.executable} cannot import JAX ({error}); {remedy}") from error


def write_whole(path: str, text: str) -> None:
    """Put `text` into a file, all of it or nothing; compressed if its name ends in `.gz`."""
    data = text.encode("ascii", "replace")
    draft = f"{path}.{os.getpid()}.part"
    try:
        with open(draft, "wb") as stream:
            # No time inside: the same trace gives the same bytes.
            stream.write(gzip.compress(data, mtime=0) if path.endswith(".gz") else data)
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(draft)
        raise


@contextlib.contextmanager
def record(path: str, *, device: Any = None, title: str = "") -> Iterator[Recorder]:
    """Record what the block does on `device`, the first local device by default, and write it to `path`.

    `title` goes into the first comment. Raises CannotStart before the block runs.
    """
    target = os.path.realpath(path)  # the program may change its working directory
    if not os.access(os.path.dirname(target), os.W_OK) or os.path.isdir(target):
        raise CannotStart(f"cannot write {path}: name a file in a folder that exists and that you may write to")
    jax = import_jax()
    recorder = Recorder(jax, jax.local_devices()[0] if device is None else device)
    ending = ""
    try:
        yield recorder
    except BaseException as error:
        ending = f"the program ended with {type(error).__name__}; the trace ends there"
        raise
    finally:
        recorder.finish()
        comments = [
            title,
            f"recorded with JAX {getattr(jax, '__version__', '(unknown)')} on {recorder.device}",
            ending,
            "t in microseconds; bytes as arrays have them, without the device's padding",
            *recorder.words,
        ]
        text = [f"# {' '.join(comment.split())}" for comment in comments if comment]
        write_whole(target, "\n".join([*text, COLUMNS, *recorder.lines]) + "\n")
        print(f"record_jax.py: {recorder.rows:,} rows, {recorder.steps:,} steps: {path}", file=sys.stderr)


def main(arguments: Sequence[str]) -> int:
    """Print how the module is used: it records nothing by itself. Returns 0 for --help, else 2, as argparse does."""
    is_help = bool(arguments) and arguments[0] in ("-h", "--help")
    folder = os.path.dirname(os.path.abspath(__file__))
    usage = (
        "usage: record_jax.py is imported by the program whose memory it records:\n\n"
        "    from record_jax import record\n\n"
        '    with record("trace.csv") as recorder:\n'
        "        train_step = recorder.wrap(jax.jit(train_step, donate_argnums=0))\n"
        "        for batch in batches:\n"
        "            state, loss = train_step(state, batch)\n"
        "            recorder.step()\n\n"
        f"run it as: PYTHONPATH={folder} python3 YOUR_PROGRAM.py\n"
        "then:      hbm_compare --growth --trace trace.csv"
    )
    print(usage, file=sys.stdout if is_help else sys.stderr)
    return 0 if is_help else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
