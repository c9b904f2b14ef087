#!/usr/bin/env python3
"""A sweep of 1,000 cells with the scripts for GNU parallel, Slurm and Open MPI is to the byte what a single run writes,
also where a shard was killed and made again. Stand-ins run the tasks of sbatch and mpirun, so that neither has to be
installed; GNU parallel has to be."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

COMPARE = os.environ.get("HBM_COMPARE", "")
EXAMPLES = Path(os.environ.get("HBM_SOURCE_DIRECTORY", Path(__file__).resolve().parents[2])) / "examples"

# Ten workloads, ten seeds, two memories, five managers; what a shell would split, expand or read as several words.
SWEEP = ["--workload", "uniform_churn:operations=100|200,live=1..5", "--seed", "1..10",
         "--capacity", "1GiB,unlimited", "--manager", "best_fit", "--manager", "buddy", "--manager", "first_fit",
         "--manager", "good_fit", "--manager", "compacting<best_fit>", "--rounds", "0"]

# Stands in for hbm_compare, and kills it the first time that it makes the second shard.
KILLER = """#!/bin/sh
case "$*" in *"--shard 2/2"*)
    if test ! -e "{folder}/killed"; then
        touch "{folder}/killed"
        "{compare}" "$@" &
        kill -KILL $!
        wait $!
        exit 1
    fi ;;
esac
exec "{compare}" "$@"
"""


# Stand in for the engines that start tasks: one task after the other, and an error if one of them fails.
SBATCH = """#!/bin/sh
while case "$1" in --*) true ;; *) false ;; esac; do
    case "$1" in --array=*) tasks=${1#--array=} ;; esac
    shift
done
status=0
for task in $(echo "$tasks" | tr , ' '); do SLURM_ARRAY_TASK_ID=$task "$@" || status=1; done
exit $status
"""
MPIRUN = """#!/bin/sh
last=$(($2 - 1))
shift 2
status=0
for rank in $(seq 0 $last); do OMPI_COMM_WORLD_RANK=$rank "$@" || status=1; done
exit $status
"""


@unittest.skipUnless(COMPARE, "HBM_COMPARE has to name the program: run this through ctest")
class Engines(unittest.TestCase):
    expected = b""

    @classmethod
    def setUpClass(cls) -> None:
        cls.expected = subprocess.run([COMPARE, *SWEEP, "--format", "json", "-q"], check=True,
                                      stdout=subprocess.PIPE).stdout

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hbm_sweep_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.killer = self.write("killer", KILLER.format(folder=self.folder, compare=COMPARE))

    def write(self, name: str, script: str) -> Path:
        """Writes a program into the folder of the test."""
        path = self.folder / name
        path.write_text(script)
        path.chmod(0o755)
        return path

    def run_script(self, script: str, folder: str, compare: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(EXAMPLES / script), "2", str(self.folder / folder), *SWEEP], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env={**os.environ, "HBM_COMPARE": compare, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def check_engine(self, script: str) -> None:
        self.assertEqual(self.expected.count(b'"manager"'), 1000)
        whole = self.run_script(script, "whole", COMPARE)
        self.assertEqual(whole.returncode, 0, whole.stdout)
        result = self.folder / "whole" / "result.json"
        self.assertEqual(result.read_bytes(), self.expected)

        broken = self.run_script(script, "broken", str(self.killer))
        self.assertNotEqual(broken.returncode, 0, broken.stdout)
        self.assertTrue((self.folder / "killed").exists())
        self.assertFalse((self.folder / "broken" / "2.json").exists())
        self.assertFalse((self.folder / "broken" / "result.json").exists())
        again = self.run_script(script, "broken", str(self.killer))
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertEqual((self.folder / "broken" / "result.json").read_bytes(), self.expected)

        # A shard that was lost and made again is the same, and those that are there are left alone.
        first, second = (self.folder / "whole" / name for name in ("1.json", "2.json"))
        before = second.read_bytes()
        untouched = first.stat().st_mtime_ns
        second.unlink()
        result.unlink()
        lost = self.run_script(script, "whole", COMPARE)
        self.assertEqual(lost.returncode, 0, lost.stdout)
        self.assertEqual(second.read_bytes(), before)
        self.assertEqual(first.stat().st_mtime_ns, untouched)
        self.assertEqual(result.read_bytes(), self.expected)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed (Debian: apt-get install parallel)")
    def test_gnu_parallel(self) -> None:
        self.check_engine("sweep_parallel.sh")

    def test_open_mpi(self) -> None:
        self.write("mpirun", MPIRUN)
        self.check_engine("sweep_mpi.sh")

    def test_slurm(self) -> None:
        self.write("sbatch", SBATCH)
        self.check_engine("sweep_slurm.sh")


if __name__ == "__main__":
    unittest.main()
