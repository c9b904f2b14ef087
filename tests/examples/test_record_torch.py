#!/usr/bin/env python3
"""Tests of examples/record_torch.py, on stand-ins for PyTorch."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Dict, List, Optional, Sequence

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "record_torch.py"

sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location("record_torch", SCRIPT)
record_torch = importlib.util.module_from_spec(_spec)
sys.modules["record_torch"] = record_torch
_spec.loader.exec_module(record_torch)

MemoryEvent, to_rows = record_torch.MemoryEvent, record_torch.to_rows


class Conversion(unittest.TestCase):
    def test_rows(self) -> None:
        """Events as their time in ns, pointer, size and tag; the rows, and what is counted."""
        cases = (
            ("allocate and free", [(5_000, 16, 100, "a"), (9_999, 32, 7), (12_000, 16, -100)],
             "0,alloc,0,100,a 4,alloc,1,7 7,free,0,100", {"peak_live_bytes": 107, "live_at_end": 1}),
            ("no events", [], "", vars(record_torch.Conversion())),
            ("an address used again gets a new id", [(0, 1, 8), (1, 1, -8), (2, 1, 8), (3, 1, -8)],
             "0,alloc,0,8 0,free,0,8 0,alloc,1,8 0,free,1,8", {"implied_frees": 0}),
            ("events are ordered by time", [(3_000, 1, -8), (1_000, 1, 8), (2_000, 2, 16)],
             "0,alloc,0,8 1,alloc,1,16 2,free,0,8", {}),
            ("events of one time keep their order", [(7, 1, 8), (7, 1, -8), (7, 1, 4), (7, 2, 2)],
             "0,alloc,0,8 0,free,0,8 0,alloc,1,4 0,alloc,2,2", {}),
            ("frees from before the recording are dropped and set no time",
             [(0, 9, -512), (5_000, 1, 8), (6_000, 9, -512)],
             "0,alloc,0,8", {"dropped_frees": 2}),
            ("an address allocated twice was freed between", [(0, 1, 8), (4_000, 1, 32, "b"), (5_000, 1, -32)],
             "0,alloc,0,8 4,free,0,8 4,alloc,1,32,b 5,free,1,32",
             {"implied_frees": 1, "peak_live_bytes": 32, "live_at_end": 0}),
            ("a free of another size repeats what was allocated", [(0, 1, 8), (1, 1, -16)],
             "0,alloc,0,8 0,free,0,8", {"resized_frees": 1}),
            ("empty events are skipped even at a live address", [(0, 1, 8), (1, 1, 0), (2, 2, 0)],
             "0,alloc,0,8", {"empty_events": 2, "live_at_end": 1}),
        )
        for name, events, rows, counted in cases:
            with self.subTest(name):
                result = to_rows(MemoryEvent(*event) for event in events)
                lines = [line for line in record_torch.to_csv(result).splitlines() if not line.startswith("#")]
                self.assertEqual(" ".join(lines[1:]), rows)
                self.assertEqual({key: getattr(result, key) for key in counted}, counted)

    def test_text(self) -> None:
        plain = record_torch.to_csv(to_rows([MemoryEvent(0, 1, 8)]), ["two\nlines"])
        self.assertTrue(plain.startswith("# two lines\n# "))
        self.assertTrue(plain.endswith("\nt,op,id,bytes\n0,alloc,0,8\n"))
        tagged = record_torch.to_csv(to_rows([MemoryEvent(0, 1, 8, "x"), MemoryEvent(2_000, 1, -8)]))
        self.assertTrue(tagged.endswith("\nt,op,id,bytes,tag\n0,alloc,0,8,x\n2,free,0,8\n"))

    def test_tags_hold_nothing_a_cell_cannot(self) -> None:
        self.assertEqual(record_torch.clean_tag('a,b "c"\n\u00e9#d'), "a_b_c_#d")
        usual = "Optimizer.step#SGD.step/aten::add_"
        self.assertEqual(record_torch.clean_tag(usual), usual)


class EventTree(unittest.TestCase):
    """The walk over what the profiler returns, on a hand-made tree."""

    def setUp(self) -> None:
        event_type = SimpleNamespace(Allocation="allocation", TorchOp="operator")
        kinds = SimpleNamespace(_EventType=event_type, RecordScope=SimpleNamespace(USER_SCOPE="user"))
        self.torch = SimpleNamespace(_C=SimpleNamespace(_profiler=kinds))
        self.clock = 0

    def operator(self, name: str, *children: object, scope: str = "function") -> SimpleNamespace:
        return SimpleNamespace(tag="operator", name=name, extra_fields=SimpleNamespace(scope=scope), children=children)

    def memory(self, size: int, device: str = "cpu") -> SimpleNamespace:
        self.clock += 1
        fields = SimpleNamespace(ptr=self.clock, alloc_size=size, device=SimpleNamespace(type=device))
        return SimpleNamespace(tag="allocation", start_time_ns=self.clock, extra_fields=fields, children=[])

    def walk(self, *roots: object, with_tags: bool = True) -> List[record_torch.MemoryEvent]:
        results = SimpleNamespace(experimental_event_tree=lambda: list(roots))
        profiler = SimpleNamespace(profiler=SimpleNamespace(kineto_results=results))
        return list(record_torch.memory_events(self.torch, profiler, with_tags))

    def test_order_and_tags(self) -> None:
        events = self.walk(
            self.memory(1),
            self.operator("aten::zeros", self.operator("aten::empty", self.memory(2)), self.memory(3)),
            self.operator("train", self.operator("aten::add", self.memory(4)), self.memory(5), scope="user"),
            self.operator("autograd::engine::evaluate_function: AddBackward0", self.memory(6)),
            self.memory(-7),
        )
        self.assertEqual([event.size for event in events], [1, 2, 3, 4, 5, 6, -7])
        tags = ["", "aten::zeros", "aten::zeros", "train/aten::add", "train", "AddBackward0", ""]
        self.assertEqual([event.tag for event in events], tags)

    def test_without_tags(self) -> None:
        self.assertEqual(self.walk(self.operator("aten::empty", self.memory(2)), with_tags=False)[0].tag, "")

    def test_other_devices_are_not_seen(self) -> None:
        self.assertEqual([event.size for event in self.walk(self.memory(1, "cuda"), self.memory(2))], [2])

    def test_deep_nesting(self) -> None:
        tree = self.memory(1)
        for _ in range(5000):
            tree = self.operator("aten::f", tree)
        self.assertEqual(len(self.walk(tree)), 1)


class Steps(EventTree):
    """Where a step ends, on hand-made trees."""

    def ends(self, *roots: object, optimizer_steps: bool = False) -> List[Optional[int]]:
        """The sizes of the events in order of time; None where a step ends."""
        results = SimpleNamespace(experimental_event_tree=lambda: list(roots))
        profiler = SimpleNamespace(profiler=SimpleNamespace(kineto_results=results))
        events = record_torch.memory_events(self.torch, profiler, False, optimizer_steps)
        return [None if event.ends_step else event.size for event in sorted(events, key=lambda each: each.time_ns)]

    def range(self, name: str, *children: object) -> SimpleNamespace:
        made = self.operator(name, *children, scope="user")
        self.clock += 1
        made.start_time_ns = self.clock - 1 - len(children)
        made.end_time_ns = self.clock
        return made

    def test_markers(self) -> None:
        first, marker, second = self.memory(1), self.range("hbm.step"), self.memory(2)
        marker.start_time_ns = 1
        self.assertEqual(self.ends(first, marker, second), [1, None, 2])
        self.assertEqual(self.ends(first, self.range("hbm.steps"), second), [1, 2])

    def test_optimizers(self) -> None:
        tree = [self.memory(1), self.range("Optimizer.step#SGD.step", self.memory(2)), self.memory(3)]
        self.assertEqual(self.ends(*tree), [1, 2, 3])
        self.assertEqual(self.ends(*tree, optimizer_steps=True), [1, 2, None, 3])

    def test_rows(self) -> None:
        end = MemoryEvent(2_000, 0, 0, ends_step=True)
        result = to_rows([end, MemoryEvent(1_000, 1, 8), end, MemoryEvent(5_000, 1, -8), end._replace(time_ns=0)])
        self.assertEqual([row.op for row in result.rows], ["alloc", "sync", "sync", "free"])
        self.assertEqual((result.steps, result.empty_events), (2, 0))
        self.assertIn("\n1,sync,,\n", record_torch.to_csv(result))


class FakeCuda:
    """A stand-in for torch.cuda.memory: the history that a test gives it, and which calls were made."""

    def __init__(self, old: bool = False) -> None:
        self.old, self.calls = old, []
        self.snapshots: List[dict] = []

    def _record_memory_history(self, *given: object, **named: object) -> None:
        if self.old and (named.keys() & {"max_entries", "stacks"} or named.get("enabled", True) is None):
            raise TypeError("unexpected keyword")
        self.calls.append((given, named))

    def _snapshot(self) -> dict:
        return self.snapshots.pop(0)


def entry(action: str, addr: int = 0, size: int = 0, us: Optional[int] = None, *frames: str) -> dict:
    """An entry of the history; frames are `file:line:name`, the innermost first."""
    parts = [frame.split(":") for frame in frames]
    made = {"action": action, "addr": addr, "size": size, "stream": 0}
    made["frames"] = [{"filename": part[0], "line": int(part[1]), "name": part[2]} for part in parts]
    return made if us is None else {**made, "time_us": us}


def block(size: int, state: str, requested: Optional[int] = None) -> dict:
    return {"size": size, "state": state, **({} if requested is None else {"requested_size": requested})}


class Cuda(unittest.TestCase):
    """Recording on a GPU, on a stand-in for PyTorch."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "t.csv"
        self.memory = FakeCuda()
        self.available = True
        torch = ModuleType("torch")
        torch.__version__ = "2.9"
        torch.cuda = SimpleNamespace(memory=self.memory, is_available=lambda: self.available, current_device=lambda: 1)
        torch._C = None
        torch.profiler = ModuleType("torch.profiler")
        for name, module in (("torch", torch), ("torch.profiler", torch.profiler)):
            kept = sys.modules.get(name)
            sys.modules[name] = module
            self.addCleanup(sys.modules.pop, name, None) if kept is None else self.addCleanup(
                sys.modules.__setitem__, name, kept
            )

    def record(self, *entries: dict, before: Sequence[dict] = (), error: Optional[Exception] = None,
               old_entries: Sequence[dict] = (), steps: int = 0, **options: object) -> List[Dict[str, str]]:
        segments = [{"address": 0, "device": 0, "blocks": [block(512, "active_allocated")]}]
        segments.append({"address": 4096, "device": 1, "blocks": list(before)})
        self.memory.snapshots = [
            {"segments": segments, "device_traces": [[], list(old_entries)]},
            {"segments": segments, "device_traces": [[entry("alloc", 1, 77)], [*old_entries, *entries]]},
        ]
        said = io.StringIO()
        with contextlib.suppress(MemoryError), contextlib.redirect_stderr(said):
            with record_torch.record(str(self.path), **options) as recording:
                for _ in range(steps):
                    recording.step()
                if error:
                    raise error
        self.said = said.getvalue()
        with open(self.path, newline="") as stream:
            lines = [line.rstrip("\n") for line in stream if not line.startswith("#")]
        return [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]

    def test_history(self) -> None:
        late = int(time.time()) * 1_000_000 + 60_000_000
        rows = self.record(
            entry("segment_alloc", 8192, 2048, late),
            entry("alloc", 8192, 1000, late, "/x/torch/nn/linear.py:3:forward", "/home/me/train.py:12:step, one"),
            entry("free_requested", 8192, 1000, late + 5),
            entry("free_completed", 8192, 1000, late + 7),
            entry("alloc", 8192, 600, late + 9, "??:0:x"),
            entry("free_completed", 4096, 500, late + 11),
            entry("snapshot", us=late + 12),
            before=[block(512, "active_allocated", 500), block(512, "inactive"), block(1024, "active_pending_free")],
        )
        found = [(row["op"], row["id"], row["bytes"], row.get("tag", "")) for row in rows]
        self.assertEqual(
            found,
            [
                ("alloc", "0", "500", ""),
                ("alloc", "1", "1024", ""),
                ("alloc", "2", "1000", "train.py:12/step_one"),
                ("free", "2", "1000", ""),
                ("alloc", "3", "600", ""),
                ("free", "0", "500", ""),
            ],
        )
        self.assertEqual([int(row["t"]) - int(rows[2]["t"]) for row in rows[2:]], [0, 7, 9, 11])
        text = self.path.read_text()
        self.assertIn("recorded on cuda:1 with torch.cuda.memory._record_memory_history, PyTorch 2.9", text)
        first, last = self.memory.calls
        self.assertEqual((first[1]["enabled"], last[1]["enabled"]), ("all", None))

    def test_steps(self) -> None:
        now = time.time_ns() // 1000
        rows = self.record(entry("alloc", 1, 8, now - 1_000_000), entry("alloc", 2, 8, now + 60_000_000), steps=2)
        self.assertEqual([row["op"] for row in rows], ["alloc", "sync", "sync", "alloc"])

    def test_without_times(self) -> None:
        rows = self.record(entry("alloc", 1, 8), entry("free_completed", 1, 8), steps=3)
        self.assertEqual([row["op"] for row in rows], ["alloc", "free"])
        self.assertIn("does not say when memory was allocated", self.said)

    def test_older_pytorch(self) -> None:
        self.memory.old = True
        self.record(entry("alloc", 1, 8))
        self.assertEqual(self.memory.calls[0][1].get("trace_alloc_record_context"), True)
        self.assertEqual(self.memory.calls[1], ((False,), {}))

    def test_a_history_that_was_on_before(self) -> None:
        rows = self.record(entry("alloc", 2, 16, 50), old_entries=[entry("alloc", 1, 8, 10)])
        self.assertEqual([row["bytes"] for row in rows], ["16"])

    def test_a_history_that_was_full(self) -> None:
        with unittest.mock.patch.object(record_torch.CudaHistory, "MOST_ENTRIES", 2):
            self.record(entry("alloc", 1, 8, 1), entry("free_completed", 1, 8, 2))
        self.assertIn("the oldest are lost", self.said)

    def test_what_did_not_fit_is_the_last_row(self) -> None:
        tried = [entry("alloc", 1, 8, 10), entry("oom", 0, 4096, 20, "a.py:1:f")]
        rows = self.record(*tried, error=MemoryError())
        found = (rows[-1]["op"], rows[-1]["bytes"], rows[-1]["tag"])
        self.assertEqual(found, ("alloc", "4096", "out_of_memory/a.py:1/f"))
        self.assertIn("out of memory: 4096 bytes were requested", self.path.read_text())
        self.assertEqual(len(self.record(*tried)), 1)
        self.assertEqual(len(self.record(*tried, entry("alloc", 2, 8, 30), error=MemoryError())), 2)
        # Frees on the way out leave it the last row.
        rows = self.record(*tried, entry("free_completed", 1, 8, 40), error=MemoryError())
        self.assertEqual([row["op"] for row in rows], ["alloc", "free", "alloc"])

    def test_no_gpu(self) -> None:
        self.available = False
        with self.assertRaises(record_torch.CannotStart) as raised:
            self.record(entry("alloc", 1, 8), device="cuda")
        self.assertIn("record with --device cpu", str(raised.exception))
        # Without a GPU it is the profiler's turn, which this stand-in lacks.
        with self.assertRaises(record_torch.CannotStart) as raised:
            self.record(entry("alloc", 1, 8))
        self.assertIn("PyTorch 2.9 reports no memory events", str(raised.exception))

    def test_nothing_recorded(self) -> None:
        with self.assertRaises(record_torch.NoTrace) as raised:
            self.record(entry("snapshot"))
        self.assertIn("on cuda:1, so nothing was written; what a program does on the CPU", str(raised.exception))

    @unittest.skipUnless(os.environ.get("HBM_COMPARE"), "HBM_COMPARE does not name hbm_compare")
    def test_replay(self) -> None:
        self.record(
            *(entry(what, 1 + at, 1000 + at, 10 * at + more) for at in range(40) for more, what in
              ((0, "alloc"), (3, "free_completed"))),
            before=[block(512, "active_allocated")],
            steps=1,
        )
        command = [os.environ["HBM_COMPARE"], "--trace", str(self.path), "--format", "json"]
        done = subprocess.run([*command, "--manager", "best_fit"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = json.loads(done.stdout)["rows"][0]
        self.assertEqual((row["completed"], row["peak_live_bytes"], row["events"]), (True, 512 + 1536, 82))


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def program(self, text: str) -> str:
        """Write a Python program into the folder of the test and return its name."""
        (self.path / "program.py").write_text(textwrap.dedent(text))
        return "program.py"

    def run_script(self, *arguments: str, pythonpath: Optional[Path] = None) -> subprocess.CompletedProcess:
        environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        if pythonpath:
            environment["PYTHONPATH"] = str(pythonpath)
        command = [sys.executable, str(SCRIPT), *arguments]
        return subprocess.run(command, cwd=self.path, env=environment, capture_output=True, text=True, timeout=300)

    def assert_refused(self, result: subprocess.CompletedProcess, message: str) -> None:
        """Nothing ran: status 2, a message, and neither stdout nor a file."""
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual([path for path in self.path.rglob("*.csv*") if path.is_file()], [])


class WrongUsage(CommandLine):
    def test_help(self) -> None:
        result = self.run_script("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        options = ("--demo", "--steps", "--no-tags", "--device", "--optimizer-steps")
        for word in (*options, "hbm.step", "exit status", "OMP_NUM_THREADS"):
            self.assertIn(word, result.stdout)

    def test_usage(self) -> None:
        program = self.program("print('must not run')")
        for arguments, message in (
            ([], "-o/--output"),
            (["-o", "t.csv"], "name either a PROGRAM to record or a --demo"),
            (["-o", "t.csv", "--demo", "mlp", program], "name either a PROGRAM to record or a --demo"),
            (["-o", "t.csv", "--demo", "cnn"], "invalid choice: 'cnn'"),
            (["-o", "t.csv", "--demo", "mlp", "--steps", "0"], "'0' is not a whole number"),
            (["-o", "t.csv", "--steps", "3", program], "--steps belongs to --demo"),
            (["-o", "t.csv", "--device", "tpu", program], "invalid choice: 'tpu'"),
            (["-o", "t.csv", "absent.py"], "cannot read the program absent.py"),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_script(*arguments), message)

    def test_output_that_cannot_be_written(self) -> None:
        program = self.program("print('must not run')")
        (self.path / "folder.csv").mkdir()
        for output in ("absent/t.csv", "folder.csv", os.devnull):
            with self.subTest(output=output):
                self.assert_refused(self.run_script("-o", output, program), f"cannot write {output}: ")
        self.assertTrue(os.path.exists(os.devnull))

    def test_missing_torch(self) -> None:
        (self.path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")
        result = self.run_script("-o", "t.csv", self.program("print('must not run')"), pythonpath=self.path)
        self.assert_refused(result, "apt-get install python3-torch")

    def test_old_torch(self) -> None:
        package = self.path / "torch"
        package.mkdir()
        (package / "__init__.py").write_text("__version__ = '1.8.0'\n_C = None\n")
        (package / "profiler.py").write_text("")
        result = self.run_script("-o", "t.csv", "--demo", "mlp", pythonpath=self.path)
        self.assert_refused(result, "PyTorch 1.8.0 reports no memory events; 1.13 or newer does")


if __name__ == "__main__":
    unittest.main()
