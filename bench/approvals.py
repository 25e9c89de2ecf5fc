#!/usr/bin/env python3
"""Fourth part of make bench: calls of tools in process (invoke_bench.cpp), with the journal on this
disk, without waiting for it, and without one; and whole turns in auto mode (agent_bench.cpp).
docs/performance.md says how to read the numbers."""
import argparse
import datetime
import sys
import tempfile
from pathlib import Path

from cores import run
from rivals import ROOT
from table import number, write_between


def verdict(met):
    return "met" if met else "**missed**"


def rows_of(result):
    """(what, measured, target) of the whole table."""
    fast = result["durable_per_second"]
    yield ("calls/s, decided by a remembered approval, durable", number(fast),
           f"≥ 10,000, {verdict(fast >= 10_000)}")
    yield "the same, without waiting for the disk", number(result["lazy_per_second"]), ""
    yield "the same, without a journal", number(result["memory_per_second"]), ""
    yield "CPU per call, durable, µs", number(result["durable_cpu_us"]), ""
    yield "CPU per call, without a journal, µs", number(result["memory_cpu_us"]), ""
    late = result["start_p99_ms"]
    yield "decision to start of the tool, p50, ms", number(result["start_p50_ms"]), ""
    yield "decision to start of the tool, p99, ms", number(late), f"≤ 5, {verdict(late <= 5)}"
    size, slow = result["pending_megabytes"], result["list_ms"]
    yield (f"{result['pending']:,} calls that wait, MB", number(size), f"≤ 50, {verdict(size <= 50)}")
    yield "listing them, ms", number(slow), f"≤ 50, {verdict(slow <= 50)}"
    turn = result["turn_ms"] - result["plain_ms"]
    yield (f"a turn of {result['rounds']} rounds with {result['calls']} calls, CPU above the same "
           "rounds without calls, ms", number(turn), f"≤ 3, {verdict(turn <= 3)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/performance.md")
    options, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(dir=options.build) as folder:
        [result] = run([options.build / "bench/invoke_bench", folder])
        [turn] = run([options.build / "bench/agent_bench", folder])
        result |= turn
    lines = [f"Made by `python3 bench/approvals.py --markdown` on {datetime.date.today()}.", "",
             "| | measured | target |", "|---|---:|---|"]
    lines += [f"| {what} | {measured} | {target} |" for what, measured, target in rows_of(result)]
    text = "\n".join(lines)
    print(text)
    if options.markdown:
        write_between(ROOT / "docs/performance.md", "approvals", text + "\n")
    missed = sum("missed" in line for line in lines)
    if missed:
        print(f"{missed} targets missed", file=sys.stderr)


if __name__ == "__main__":
    main()
