#!/usr/bin/env python3
"""Second part of make bench: schemas beside Ajv and tokens beside npm tiktoken and gpt-tokenizer, on
one core, in CPU time. docs/performance.md says how to read the numbers."""
import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import schema_cases
from rivals import PROXY_CORE, ROOT, on_core
from table import write_between

NODE = ROOT / "build/tools/node/bin/node"


def run(command):
    with on_core(PROXY_CORE):
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure_schemas(options, folder):
    source = schema_cases.write_cases(folder)
    [ours] = run([options.build / "bench/schema_bench", folder])
    [ajv] = run([NODE, ROOT / "bench/schema_bench.mjs", options.modules, folder])
    for one in (ours, ajv):
        if one["wrong"]:
            sys.exit(f"{one['who']} gave {one['wrong']} wrong verdicts")
    return source, ours, ajv


def measure_tokens(options, folder):
    text = Path(folder, "mixed.txt")
    with text.open("wb") as file:
        subprocess.run([sys.executable, ROOT / "bench/mixed_text.py", "3"], stdout=file, check=True)
    ours = run([options.build / "bench/tokens_bench", text, options.seconds])
    return ours + run([NODE, ROOT / "bench/tokens_bench.mjs", options.modules, text, options.seconds])


def schema_table(source, ours, ajv):
    lines = [f"Schemas: {source}, visited in turn.", "",
             f"| CPU time | Toolgate | {ajv['who']} | times faster | target |",
             "|---|---:|---:|---:|---|"]
    for name, key, least in (("text to verdict, µs", "text_us", 2), ("check alone, µs", "check_us", None),
                             ("compile one schema, µs", "compile_us", 20)):
        ratio = ajv[key] / ours[key]
        verdict = "" if least is None else f"≥ {least}×, " + ("met" if ratio >= least else "**missed**")
        lines.append(f"| {name} | {ours[key]} | {ajv[key]} | {ratio:.1f} | {verdict} |")
    for name, key, most in (("normalise one tool for gpt-4.1, µs", "normalize_us", 5),
                            ("128 tools from the cache, µs", "cached_128_us", 50)):
        verdict = "met" if ours[key] <= most else "**missed**"
        lines.append(f"| {name} | {ours[key]} | | | ≤ {most}, {verdict} |")
    return lines


def token_table(counters):
    lines = ["Tokens: 3 MB of mixed text (`bench/mixed_text.py`), nanoseconds of CPU per byte; the best of "
             "counting and encoding for each.", "",
             "| | " + " | ".join(one["who"] for one in counters) + " | times the faster of the others | target |",
             "|---|" + "---:|" * (len(counters) + 1) + "---|"]
    for name in ("o200k_base", "cl100k_base"):
        if len({one[name]["tokens"] for one in counters}) != 1:
            sys.exit(f"the counts of {name} differ: {counters}")
        best = [min(one[name][how]["cpu_ns_per_byte"] for how in ("count", "encode") if how in one[name])
                for one in counters]
        ratio = min(best[1:]) / best[0]
        lines.append(f"| {name} | " + " | ".join(f"{value:.1f}" for value in best) +
                     f" | {ratio:.1f} | ≥ 3×, {'met' if ratio >= 3 else '**missed**'} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--modules", type=Path, default=ROOT / "build/tools/rivals",
                        help="where the npm packages are")
    parser.add_argument("--seconds", default="2", help="of one token measurement")
    parser.add_argument("--markdown", action="store_true", help="write the tables into docs/performance.md")
    options, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="toolgate-bench-") as folder:
        schemas = schema_table(*measure_schemas(options, folder))
        tokens = token_table(measure_tokens(options, folder))
    text = "\n".join([f"Made by `python3 bench/cores.py` on {datetime.date.today().isoformat()}.", "",
                      *schemas, "", *tokens]) + "\n"
    print(text)
    if options.markdown:
        write_between(ROOT / "docs/performance.md", "cores", text)


if __name__ == "__main__":
    main()
