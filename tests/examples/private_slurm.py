"""A Slurm cluster of this machine alone: a controller and a node, started for a test and ended after it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "sinfo", "munged", "munge")


def program(name: str) -> Optional[str]:
    """Its path; daemons are not in everybody's PATH."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def missing() -> str:
    """Why no cluster can be started here; empty if it can be tried."""
    lacking = [name for name in PROGRAMS if program(name) is None]
    if lacking:
        return "not installed: " + ", ".join(lacking) + " (Debian: apt-get install slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "slurmd starts jobs only as root"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """Its files are in a folder of its own; `environment` makes sbatch and sinfo find it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: List[subprocess.Popen[bytes]] = []
        self.environment: Dict[str, str] = {}

    def start(self) -> None:
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o700, parents=True)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        munge = self.folder / "munge" / "socket"
        self.spawn("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}",
                   f"--pid-file={self.folder}/munge/pid", f"--log-file={self.folder}/munge/log",
                   f"--seed-file={self.folder}/munge/seed")
        self.wait("munged", munge.exists)
        host = socket.gethostname().split(".")[0]
        settings = self.folder / "slurm.conf"
        settings.write_text(f"""\
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
CryptoType=crypto/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = {"SLURM_CONF": str(settings)}
        self.spawn("slurmctld", "-D", "-f", str(settings))
        self.spawn("slurmd", "-D", "-f", str(settings), "-N", host)
        self.wait("the node", self.is_idle)

    def spawn(self, name: str, *arguments: str) -> None:
        log = open(self.folder / f"{name}.out", "wb")
        path = program(name)
        assert path is not None
        self.running.append(subprocess.Popen([path, *arguments], stdout=log, stderr=log,
                                             env={**os.environ, **self.environment}))
        log.close()

    def is_idle(self) -> bool:
        asked = subprocess.run([str(program("sinfo")), "--noheader", "--format=%T"], text=True, check=False,
                               capture_output=True, env={**os.environ, **self.environment}, timeout=60)
        return asked.stdout.strip() == "idle"

    def wait(self, what: str, is_there) -> None:
        for _ in range(600):
            if is_there():
                return
            time.sleep(0.1)
        raise RuntimeError(f"{what} did not start; the last lines of the logs:\n{self.logs()}")

    def logs(self) -> str:
        return "\n".join(line for each in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out"))
                         for line in each.read_text(errors="replace").splitlines()[-12:])

    def stop(self) -> None:
        """Ends what `start` started, the last first."""
        for each in reversed(self.running):
            each.terminate()
            try:
                each.wait(20)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.running.clear()
