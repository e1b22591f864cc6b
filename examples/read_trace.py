"""Reads the trace of a run and prints each change of a grasp, and the largest force at one node.

cargo xtask run --headless --trace run.jsonl
python3 examples/read_trace.py run.jsonl
"""

import json
import math
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    frames = [line for line in lines if line["kind"] == "frame"]
    changes = [line for line in lines if line["kind"] == "grasp"]
    print(f"{len(lines)} lines, {len(frames)} frames of the solver")
    for change in changes:
        print(f"{change['time']:8.3f} s  {change['from']} -> {change['to']}: {change['reason']}")
    forces = [math.hypot(*held["vector"]) for frame in frames for held in frame["reactions"]]
    if forces:
        print(f"largest force at one node: {max(forces):.2f} N")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("expected the path of a trace: palpate --headless --trace run.jsonl writes one")
    main(sys.argv[1])
