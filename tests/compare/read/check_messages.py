#!/usr/bin/env python3
"""Compares the out-of-memory messages that hbm_compare finds with an independent reading of the same texts.

The folder given holds texts below oom/ and a reference.json with the events in each. Every event must be found by
--describe, with the same sizes, and nothing else; and --message must answer each text.
"""

import json
import pathlib
import sys
from typing import Any, Dict, List, Tuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference_check  # noqa: E402

# The names of the reference for the sizes of an event, and ours.
SIZES = {"used": "request", "requires": "request", "request": "request", "free": "free", "largest": "largest",
         "reserved": "reserved", "reservable": "reservable", "capacity": "capacity", "exceeded": "exceeded"}
# Loads that fail for want of code and of scratch are one kind of event in the reference.
EVENTS = {"reservation": "load"}


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


def check(compare: str, path: pathlib.Path, reference: Dict[str, Any]) -> Tuple[int, List[str]]:
    events = reference["events"]
    messages = reference_check.describe(compare, path)["messages"]
    answer = reference_check.run(compare, "--message", str(path)).stdout
    mistakes = []
    # A list of usage without the line that failed is no event in the reference.
    left = [each for each in messages if each["event"] != "report"]
    for event in events:
        match = next((each for each in left if agrees(each, event)), None)
        if match is None:
            mistakes.append(f"no message for {json.dumps(event)[:120]}")
        elif match["times"] > 1:
            match["times"] -= 1
        else:
            left.remove(match)
    mistakes += [f"line {each['line']} is no event of the reference" for each in left]
    if not answer.endswith("\n") or len(max(answer.split("\n")[:40], key=len)) > 400:
        mistakes.append("the answer is no text of lines")
    return len(events), mistakes


if __name__ == "__main__":
    sys.exit(reference_check.main(__doc__, ("oom",), "messages found and answered", check))
