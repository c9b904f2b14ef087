#!/usr/bin/env python3
"""Compares the out-of-memory messages that hbm_compare finds with an independent reading of the same texts.

The folder given holds texts below oom/ and a reference.json with the events in each. Every event must be found by
--describe, with the same sizes, and nothing else; and --message must answer each text.
"""

import argparse
import json
import pathlib
import subprocess
import sys
from typing import Any, Dict, List

# The names of the reference for the sizes of an event, and ours.
SIZES = {"used": "request", "requires": "request", "request": "request", "free": "free", "largest": "largest",
         "reserved": "reserved", "reservable": "reservable", "capacity": "capacity", "exceeded": "exceeded"}
# Loads that fail for want of code and of scratch are one kind of event in the reference.
EVENTS = {"reservation": "load"}


def run(compare: str, *arguments: str) -> str:
    done = subprocess.run([compare, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def agrees(found: Dict[str, Any], event: Dict[str, Any]) -> bool:
    """Whether a message is the event of the reference."""
    if EVENTS.get(found["event"], found["event"]) != event["event"]:
        return False
    if event.get("program") is not None and found["program"] != event["program"]:
        return False
    if event.get("space") is not None and found["space"] != event["space"]:
        return False
    for theirs, ours in SIZES.items():
        if event.get(theirs) is None:
            continue
        size = found[ours]
        if size is None or abs(size["bytes"] - event[theirs]["bytes"]) > 1e-9 * event[theirs]["bytes"]:
            return False
    return True


def check_file(compare: str, path: pathlib.Path, events: List[Dict[str, Any]]) -> List[str]:
    try:
        messages = json.loads(run(compare, "--describe", str(path)))["files"][0]["messages"]
        answer = run(compare, "--message", str(path))
    except (RuntimeError, KeyError, ValueError) as error:
        return [f"{path.name}: {error}"]
    mistakes = []
    # A list of usage without the line that failed is no event in the reference.
    left = [each for each in messages if each["event"] != "report"]
    for event in events:
        match = next((each for each in left if agrees(each, event)), None)
        if match is None:
            mistakes.append(f"{path.name}: no message for {json.dumps(event)[:120]}")
        elif match["times"] > 1:
            match["times"] -= 1
        else:
            left.remove(match)
    mistakes += [f"{path.name}: line {each['line']} is no event of the reference" for each in left]
    if not answer.endswith("\n") or len(max(answer.split("\n")[:40], key=len)) > 400:
        mistakes.append(f"{path.name}: the answer is no text of lines")
    return mistakes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", required=True, help="the program hbm_compare")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder with reference.json")
    asked = parser.parse_args()
    readings = json.loads((asked.programs / "reference.json").read_text(encoding="utf-8"))["readings"]
    mistakes: List[str] = []
    events = 0
    files = [name for name, reading in readings.items() if reading["kind"] == "oom"]
    for name in files:
        events += len(readings[name]["events"])
        mistakes += check_file(asked.compare, asked.programs / name, readings[name]["events"])
    print("\n".join(mistakes) if mistakes else f"{len(files)} texts, {events} messages: found and answered")
    return 1 if mistakes or not files else 0


if __name__ == "__main__":
    sys.exit(main())
