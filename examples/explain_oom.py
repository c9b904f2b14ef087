#!/usr/bin/env python3
"""Runs a command and, if it runs out of a TPU's memory, prints what was missing and what to do first.

    python3 explain_oom.py python3 train.py --batch 64

The output of the command is passed on. hbm_compare reads it, and answers as JSON (hbm-answer/1). It must be on the
PATH, or named by the environment variable HBM_COMPARE. The exit status is that of the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Sequence


def messages_in(log: str, program: str) -> List[Dict[str, Any]]:
    """Returns the messages about a TPU's memory in a log; empty if there is none."""
    answer = subprocess.run([program, "--message", "-", "--format", "json"], input=log.encode(), capture_output=True,
                            check=False)
    if answer.returncode != 0:
        return []
    return [json.loads(line) for line in answer.stdout.splitlines()]


def advice(answer: Dict[str, Any]) -> str:
    """Returns the headline, the largest allocation, and the first remedy, one to a line."""
    lines = [answer["headline"]]
    for table in answer["tables"]:
        for row in table["rows"][:1]:
            size = "unknown" if row["bytes"] is None else f"{row['bytes'] / 2**30:.2f} GiB"
            lines.append(f"  largest: {row['count']} x {size} {row['shape']}, "
                         f"{row['source'] or row['operation'] or 'unknown line'}")
    for remedy in answer["remedies"][:1]:
        lines.append(f"  first: {remedy['text']}")
    return "\n".join(lines)


def main(command: Sequence[str]) -> int:
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    log: List[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as child:
        assert child.stdout is not None
        for line in child.stdout:
            sys.stdout.write(line)
            log.append(line)
    if child.returncode != 0:
        for message in messages_in("".join(log), os.environ.get("HBM_COMPARE", "hbm_compare")):
            print(advice(message), file=sys.stderr)
    return child.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
