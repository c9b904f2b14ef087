#!/usr/bin/env python3
"""Tests of examples/record_jax.py on a small stand-in for JAX, with the public interfaces that the recorder uses.

The traces are replayed by hbm_compare, where the environment variable HBM_COMPARE names it.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import weakref
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "record_jax.py"

sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location("record_jax", SCRIPT)
record_jax = importlib.util.module_from_spec(_spec)
sys.modules["record_jax"] = record_jax
_spec.loader.exec_module(record_jax)


# The stand-in ---------------------------------------------------------------------------------------------------------


class Dtype:
    """What the recorder needs of a dtype."""

    def __init__(self, itemsize: int) -> None:
        self.itemsize = itemsize

    def __repr__(self) -> str:
        return f"float{8 * self.itemsize}"


class Device:
    platform = "tpu"
    stats: Optional[Dict[str, int]] = {"bytes_in_use": 1536, "peak_bytes_in_use": 2048, "bytes_limit": 16384, "x": 1}

    def memory_stats(self) -> Optional[Dict[str, int]]:
        return self.stats

    def __repr__(self) -> str:
        return "TPU_0"


class Sharding:
    def __init__(self, devices: Sequence[Device], shards: int = 1, memory_kind: str = "device") -> None:
        self.device_set = set(devices)
        self.shards = shards
        self.memory_kind = memory_kind

    def shard_shape(self, shape: Tuple[int, ...]) -> Tuple[int, ...]:
        return (shape[0] // self.shards, *shape[1:])

    def __repr__(self) -> str:
        return f"Sharding({self.shards})"


class FakeJax(ModuleType):
    """A module with arrays that live and die, and functions that are jitted."""

    def __init__(self) -> None:
        super().__init__("jax")
        self.__version__ = "0.0"
        live: "weakref.WeakSet" = weakref.WeakSet()
        chip = Device()
        self.chip = chip

        class Array:
            def __init__(self, *shape: int, itemsize: int = 4, sharding: Optional[Sharding] = None) -> None:
                self.shape, self.dtype = shape, Dtype(itemsize)
                self.sharding = sharding or Sharding([chip])
                self.deleted = False
                live.add(self)

            def is_deleted(self) -> bool:
                return self.deleted

        class Tracer(Array):
            pass

        self.Array = Array
        self.core = SimpleNamespace(Tracer=Tracer)
        self.platforms_asked: List[Optional[str]] = []

        def live_arrays(platform: Optional[str] = None) -> List[Array]:
            self.platforms_asked.append(platform)
            return sorted((array for array in live if not array.deleted), key=lambda array: array.shape)

        self.live_arrays = live_arrays
        self.local_devices = lambda: [chip]
        self.tree_util = SimpleNamespace(
            keystr=lambda path: "".join(path),
            tree_flatten_with_path=lambda tree: (list(leaves_of(tree)), None),
            tree_leaves=lambda tree, is_leaf=None: [leaf for _, leaf in leaves_of(tree)],
        )
        self.analysis: Optional[SimpleNamespace] = SimpleNamespace(
            generated_code_size_in_bytes=1000, temp_size_in_bytes=5000, argument_size_in_bytes=300,
            output_size_in_bytes=200, alias_size_in_bytes=100,
        )
        self.compiled = 0

    def jit(self, function: Callable, donate_argnums: Tuple[int, ...] = (), takes: bool = True) -> Callable:
        """Run `function`, then end the donated arguments, unless this backend takes none (`takes`)."""
        fake = self

        class Jitted:
            __name__ = function.__name__

            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                result = function(*args, **kwargs)
                for at in donate_argnums if takes else ():
                    for _, leaf in leaves_of(args[at]):
                        leaf.deleted = True
                return result

            def lower(self, *args: Any, **kwargs: Any) -> SimpleNamespace:
                flags = [
                    SimpleNamespace(donated=at in donate_argnums)
                    for at, argument in enumerate((*args, *kwargs.values()))
                    for _, leaf in leaves_of(argument)
                    if not isinstance(leaf, str)  # which would be static
                ]
                outputs = getattr(function, "outputs", [])
                compiled = SimpleNamespace(
                    memory_analysis=lambda: fake.analysis,
                    out_info=outputs,
                    output_shardings=[Sharding([fake.chip]) for _ in outputs],
                )

                def compile_it() -> SimpleNamespace:
                    fake.compiled += 1
                    return compiled

                return SimpleNamespace(compile=compile_it, args_info=flags)

        return Jitted()


def leaves_of(tree: Any, path: Tuple[str, ...] = ()) -> Iterator[Tuple[Tuple[str, ...], Any]]:
    """The leaves of dictionaries, lists and tuples, each with its path."""
    if tree is None:
        return
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from leaves_of(tree[key], (*path, f"['{key}']"))
    elif isinstance(tree, (list, tuple)):
        for at, part in enumerate(tree):
            yield from leaves_of(part, (*path, f"[{at}]"))
    else:
        yield path, tree


class NumpyArray:
    """An array on the host."""

    shape, dtype, nbytes = (100,), Dtype(4), 400


# The tests ------------------------------------------------------------------------------------------------------------


class Recorded(unittest.TestCase):
    def setUp(self) -> None:
        self.jax = FakeJax()
        sys.modules["jax"] = self.jax
        self.addCleanup(sys.modules.pop, "jax", None)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "t.csv"
        self.said = ""

    @contextlib.contextmanager
    def record(self, **options: Any) -> Iterator[record_jax.Recorder]:
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), record_jax.record(str(self.path), **options) as recorder:
                yield recorder
        finally:
            self.said = said.getvalue()

    def lines(self) -> List[str]:
        opened = gzip.open(self.path, "rt") if self.path.suffix == ".gz" else open(self.path)
        with opened as stream:
            return stream.read().splitlines()

    def rows(self) -> List[Dict[str, str]]:
        """The rows by column, without their times, which must not fall."""
        lines = [line for line in self.lines() if not line.startswith("#")]
        columns = lines[0].split(",")
        made, before = [], 0
        for line in lines[1:]:
            cells = dict(zip(columns, line.split(",")))
            self.assertGreaterEqual(int(cells["t"]), before)
            before = int(cells.pop("t"))
            made.append({key: value for key, value in cells.items() if value})
        return made

    def replay(self, *options: str) -> List[Dict[str, Any]]:
        """The rows of hbm_compare's JSON; skips the test where there is no hbm_compare."""
        program = os.environ.get("HBM_COMPARE")
        if not program:
            self.skipTest("HBM_COMPARE does not name hbm_compare")
        command = [program, "--trace", str(self.path), "--format", "json", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["rows"]

    def train(self, recorder: record_jax.Recorder, steps: int, takes: bool = True) -> None:
        """Steps with a donated state of two arrays, a batch, and a loss that is dropped a step later."""
        array = self.jax.Array

        def train_step(state: Dict[str, Any], batch: Any) -> Tuple[Any, Any]:
            return {name: array(*old.shape) for name, old in state.items()}, array(1)

        step = recorder.wrap(self.jax.jit(train_step, donate_argnums=(0,), takes=takes))
        state = {"w": array(1000), "b": array(10)}
        for _ in range(steps):
            state, loss = step(state, array(256))
            gc.collect()
            recorder.step()
        self.state = state


class Training(Recorded):
    def test_rows(self) -> None:
        with self.record(title="two steps") as recorder:
            self.train(recorder, 2)
        run = {"op": "run", "id": "train_step", "tag": "train_step"}
        self.assertEqual(
            self.rows(),
            [
                {"op": "alloc", "id": "0", "bytes": "40", "tag": "train_step/0/b"},
                {"op": "alloc", "id": "1", "bytes": "4000", "tag": "train_step/0/w"},
                {"op": "alloc", "id": "2", "bytes": "1024", "tag": "train_step/1"},
                {"op": "load", "id": "train_step", "bytes": "1000", "scratch": "5000"},
                {**run, "inputs": "2", "donated": "0 1", "outputs": "3_0/b:40 4_0/w:4000 5_1:4"},
                {"op": "free", "id": "2"},
                {"op": "sync"},
                {"op": "alloc", "id": "6", "bytes": "1024", "tag": "train_step/1"},
                {**run, "inputs": "6", "donated": "3_0/b 4_0/w", "outputs": "7_0/b:40 8_0/w:4000 9_1:4"},
                {"op": "free", "id": "5_1"},
                {"op": "free", "id": "6"},
                {"op": "sync"},
                {"op": "free", "id": "9_1"},
            ],
        )
        text = "\n".join(self.lines())
        self.assertTrue(text.startswith("# two steps\n# recorded with JAX 0.0 on TPU_0\n"))
        self.assertIn(
            "# program train_step: bytes of generated_code 1000, temp 5000, argument 300, output 200, alias 100; its "
            "arguments have 5064 as arrays\n",
            text,
        )
        device_says = "memory_stats() says bytes_in_use 1536, peak_bytes_in_use 2048, bytes_limit 16384\n"
        self.assertIn(f"# step 2: {device_says}", text)
        self.assertEqual(self.jax.compiled, 1)
        self.assertEqual(set(self.jax.platforms_asked), {"tpu"})
        self.assertEqual(self.said, f"record_jax.py: 13 rows, 2 steps: {self.path}\n")

    def test_replay(self) -> None:
        with self.record() as recorder:
            self.train(recorder, 20)
        for row in self.replay("--manager", "best_fit*same_size", "--manager", "tpu::runtime_memory"):
            self.assertTrue(row["completed"], row)
            self.assertEqual((row["donations_offered"], row["donations_taken"]), (40, 40))
            self.assertEqual(row["events"], 3 + 20 * 5)

    def test_compressed(self) -> None:
        self.path = self.path.with_suffix(".csv.gz")
        with self.record() as recorder:
            self.train(recorder, 1)
        self.assertEqual(self.rows()[-1]["op"], "free")

    def test_a_donation_that_is_not_taken_is_an_input(self) -> None:
        with self.record() as recorder:
            self.train(recorder, 1, takes=False)
        run = [row for row in self.rows() if row["op"] == "run"][0]
        self.assertEqual((run["inputs"], "donated" in run), ("0 1 2", False))
        self.assertIn("train_step: 2 arguments that were to be donated stayed alive", self.said)

    def test_other_shapes_are_another_program(self) -> None:
        with self.record() as recorder:
            step = recorder.wrap(self.jax.jit(lambda x: None), name="a b,c")
            for length in (8, 9, 8):
                step(self.jax.Array(length))
        loads = [row["id"] for row in self.rows() if row["op"] == "load"]
        self.assertEqual(loads, ["a_b_c", "a_b_c@2"])
        self.assertEqual(self.jax.compiled, 2)

    def test_what_is_elsewhere_is_not_in_the_trace(self) -> None:
        array, here = self.jax.Array, self.jax.chip
        with self.record() as recorder:
            kept = [
                array(100, sharding=Sharding([Device()])),
                array(100, sharding=Sharding([here], memory_kind="pinned_host")),
                array(100, 2, sharding=Sharding([here, Device()], shards=4)),
            ]
            recorder.wrap(self.jax.jit(lambda *arrays: None), name="f")(*kept)
        allocated = [row for row in self.rows() if row["op"] == "alloc"]
        self.assertEqual([row["bytes"] for row in allocated], ["200"])

    def test_arrays_that_no_wrapped_function_made(self) -> None:
        before = self.jax.Array(7)
        with self.record() as recorder:
            between = self.jax.Array(8)
            recorder.step()
            del before
            gc.collect()
            recorder.step()
        found = [(row["op"], row.get("id"), row.get("tag")) for row in self.rows()]
        self.assertEqual(found, [("alloc", "0", "before"), ("alloc", "1", "live"), ("sync", None, None),
                                 ("free", "0", None), ("sync", None, None)])
        del between

    def test_arrays_of_the_host_are_sent_for_the_run(self) -> None:
        with self.record() as recorder:
            recorder.wrap(self.jax.jit(lambda x, y: None), name="f")(NumpyArray(), 3)
        found = [(row["op"], row["id"]) for row in self.rows()]
        self.assertEqual(found, [("alloc", "0"), ("load", "f"), ("run", "f"), ("free", "0")])
        self.assertTrue(self.replay("--manager", "best_fit")[0]["completed"])

    def test_an_output_that_is_an_argument_is_no_new_buffer(self) -> None:
        with self.record() as recorder:
            mine = self.jax.Array(5)
            self.assertIs(recorder.wrap(self.jax.jit(lambda x: x), name="f")(mine), mine)
        self.assertNotIn("outputs", self.rows()[2])

    def test_an_argument_that_is_given_twice(self) -> None:
        with self.record() as recorder:
            mine = self.jax.Array(5)
            recorder.wrap(self.jax.jit(lambda x, y: None), name="f")(mine, mine)
        self.assertEqual(self.rows()[2]["inputs"], "0")

    def test_a_call_inside_another_program_is_not_a_run(self) -> None:
        with self.record() as recorder:
            recorder.wrap(self.jax.jit(lambda x: None), name="f")(self.jax.core.Tracer(5))
        self.assertNotIn("run", [row["op"] for row in self.rows()])

    def test_names_that_look_like_buffers(self) -> None:
        with self.record() as recorder:
            recorder.wrap(self.jax.jit(lambda: None), name="0")()
        self.assertEqual(self.rows()[0]["id"], "program_0")


class Failures(Recorded):
    def failing(self, recorder: record_jax.Recorder) -> Callable:
        def train_step(state: Any, *more: Any) -> Any:
            raise RuntimeError("RESOURCE_EXHAUSTED: Error loading program\n'train_step', too large")

        train_step.outputs = [SimpleNamespace(shape=(length,), dtype=Dtype(4)) for length in (1000, 1)]
        return recorder.wrap(self.jax.jit(train_step, donate_argnums=(0,)))

    def test_the_run_that_failed_is_the_last_row(self) -> None:
        state = self.jax.Array(1000)
        with self.assertRaises(RuntimeError), self.record() as recorder:
            self.failing(recorder)(state, NumpyArray())
        last = self.rows()[-1]
        found = (last["op"], last["donated"], last["inputs"], last["outputs"])
        self.assertEqual(found, ("run", "0", "1", "2:4000 3:4"))
        text = "\n".join(self.lines())
        self.assertIn("# train_step failed: RuntimeError: RESOURCE_EXHAUSTED: Error loading program 'train_", text)
        self.assertIn("# the program ended with RuntimeError; the trace ends there\n", text)
        rows = self.replay("--manager", "tpu::runtime_memory", "--capacity", "8K")
        self.assertFalse(rows[0]["completed"])

    def test_what_was_to_be_donated_among_numbers_and_static_arguments(self) -> None:
        for more in ((), (3,), (NumpyArray(), 2.5), ("static", self.jax.Array(9)), ("static", 7, NumpyArray())):
            with self.subTest(more=more), self.assertRaises(RuntimeError), self.record() as recorder:
                self.failing(recorder)(self.jax.Array(1000), *more)
            self.assertIn("donated", self.rows()[-1])

    def test_a_program_that_goes_on_after_a_failure(self) -> None:
        state = self.jax.Array(1000)
        with self.record() as recorder:
            with self.assertRaises(RuntimeError):
                self.failing(recorder)(state, NumpyArray())
            recorder.step()
        self.assertEqual([row["op"] for row in self.rows()], ["alloc", "alloc", "load", "free", "sync"])
        self.assertTrue(self.replay("--manager", "best_fit")[0]["completed"])

    def test_a_failure_of_the_program_itself(self) -> None:
        with self.assertRaises(ZeroDivisionError), self.record() as recorder:
            self.train(recorder, 1)
            raise ZeroDivisionError
        self.assertEqual(self.rows()[-1]["op"], "free")
        self.assertIn("the program ended with ZeroDivisionError", "\n".join(self.lines()))

    def test_a_place_that_cannot_be_written(self) -> None:
        for path in (self.path.parent / "absent" / "t.csv", self.path.parent):
            self.path = path
            with self.assertRaises(record_jax.CannotStart) as raised:
                with self.record():
                    self.fail("must not run")
            self.assertIn("cannot write", str(raised.exception))

    def test_without_jax(self) -> None:
        sys.modules["jax"] = None
        with self.assertRaises(record_jax.CannotStart) as raised:
            with self.record():
                self.fail("must not run")
        self.assertIn("python3 -m pip install jax", str(raised.exception))
        self.assertFalse(self.path.exists())


class Missing(Recorded):
    """An interface that is missing is said in the trace and on stderr, and the recording goes on."""

    def assert_said(self, words: str, steps: int = 1) -> None:
        with self.record() as recorder:
            self.train(recorder, steps)
        self.assertIn(words, self.said)
        self.assertEqual(self.said.count(words), 1)
        self.assertIn(words, "\n".join(line for line in self.lines() if line.startswith("#")))
        self.assertEqual(len([row for row in self.rows() if row["op"] == "run"]), steps)
        self.replay("--manager", "best_fit")

    def test_live_arrays(self) -> None:
        del self.jax.live_arrays
        self.assert_said("there is no jax.live_arrays()", 2)

    def test_memory_analysis(self) -> None:
        self.jax.analysis = None
        self.assert_said("does not state the bytes of generated_code, temp, argument, output, alias")
        self.assertEqual([row["bytes"] for row in self.rows() if row["op"] == "load"], ["0"])
        self.assertIn("generated_code unknown, temp unknown", "\n".join(self.lines()))

    def test_jit(self) -> None:
        with self.record() as recorder:
            recorder.wrap(lambda x: None, name="plain")(self.jax.Array(4))
        self.assertIn("plain is not what jax.jit returns", self.said)
        self.assertEqual([row["op"] for row in self.rows()], ["alloc", "load", "run", "free"])

    def test_a_program_that_does_not_compile(self) -> None:
        jitted = self.jax.jit(lambda x: None)
        type(jitted).lower = lambda *_: 1 // 0
        with self.record() as recorder:
            recorder.wrap(jitted, name="f")(self.jax.Array(4))
        self.assertIn("f cannot be analysed (ZeroDivisionError)", self.said)


class TheCommandLine(unittest.TestCase):
    """The file is imported; who runs it is told so."""

    def run_it(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)

    def test_help(self) -> None:
        ended = self.run_it("--help")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn(f"PYTHONPATH={SCRIPT.parent} python3", ended.stdout)

    def test_no_arguments(self) -> None:
        ended = self.run_it()
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("from record_jax import record", ended.stderr)


if __name__ == "__main__":
    unittest.main()
