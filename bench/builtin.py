#!/usr/bin/env python3
"""Fifth part of make bench: the built-in tools that read and search, called through the API on a tree
of 100,000 files, beside ripgrep itself. docs/performance.md says how to read the numbers."""
import argparse
import datetime
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rivals import ROOT
from table import number, write_between

FOLDERS = 2_000
FILES = 50  # of each folder
LINE_BYTES = 100
NEEDLE = "zebra_crossing"


def make_tree(workspace, folders):
    """Files of some hundred bytes in three levels; one of eight ends with .log, which is ignored."""
    endings = (".ts", ".cpp", ".py", ".md", ".json", ".h", ".log", ".txt")
    text = "".join(f"let value_{i} = compute(value_{i - 1}, {i});\n" for i in range(12))
    distance = folders * FILES // 100 - 3  # between files with the needle, so that they are of all kinds
    for i in range(folders):
        folder = workspace / f"part{i % 20}/module{i % 200}/unit{i}"
        folder.mkdir(parents=True)
        for j in range(FILES):
            found = f"call {NEEDLE}()\n" if (i * FILES + j) % distance == 0 else ""
            (folder / f"file{j}{endings[j % len(endings)]}").write_text(text + found)
    (workspace / ".gitignore").write_text("*.log\n")


def make_large_file(path, size):
    """Returns how many lines it has."""
    chunk = 10_000
    count = size // LINE_BYTES // chunk * chunk
    with path.open("wb") as file:
        for first in range(0, count, chunk):
            file.write(b"".join(b"line %-94d\n" % line for line in range(first + 1, first + chunk + 1)))
    stamp = time.time() - 3600  # what was changed just now is not remembered
    os.utime(path, (stamp, stamp))
    return count


class Gateway:
    def __init__(self, folder, binary):
        for name in ("workspace", "data", "config"):
            (folder / name).mkdir(exist_ok=True)
        settings = folder / "settings.json"
        settings.write_text(json.dumps({"toolgate.logLevel": "warn"}))
        self.workspace = folder / "workspace"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [binary, "serve", "--port", str(self.port), "--workspace", self.workspace, "--data", folder / "data",
             "--settings", settings],
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder)})
        while line := self.process.stdout.readline():
            if "listening on" in line:
                break
        else:
            sys.exit("the gateway did not start")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()

    def call(self, tool, arguments):
        """Milliseconds, and the text of the answer."""
        body = json.dumps({"input": arguments})
        begin = time.perf_counter()
        self.connection.request("POST", f"/v1/tools/{tool}/invoke", body)
        answer = json.loads(self.connection.getresponse().read())
        spent = (time.perf_counter() - begin) * 1000
        if answer.get("ending") != "result":
            sys.exit(f"{tool} failed: {answer}")
        return spent, answer["content"][0]["text"]


def arguments_of_ripgrep(options, folder, tool, arguments):
    """What the gateway runs, from a program called rg that writes it down."""
    spy = folder / "spy"
    spy.mkdir(exist_ok=True)
    script = spy / "rg"
    script.write_text(f"#!/bin/sh\ncat >{spy}/input\nprintf '%s\\0' \"$@\" >{spy}/arguments\nexit 1\n")
    script.chmod(0o755)
    gateway_folder = folder / "spied"
    gateway_folder.mkdir(exist_ok=True)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{spy}:{path}"
    gateway = Gateway(gateway_folder, options.toolgate)
    os.environ["PATH"] = path
    try:
        # A search that finds nothing is made again as the other kind: the first is what is wanted.
        script_text = script.read_text()
        script.write_text(script_text.replace("cat >", f"test -e {spy}/arguments && exit 1\ncat >"))
        (spy / "arguments").unlink(missing_ok=True)
        gateway.call(tool, arguments)
    finally:
        gateway.close()
    found = (spy / "arguments").read_bytes().split(b"\0")[:-1]
    return [argument.decode() for argument in found], (spy / "input").read_bytes()


def run_ripgrep(workspace, arguments, rules):
    with tempfile.TemporaryFile() as stdin:
        stdin.write(rules)
        stdin.flush()
        stdin.seek(0)
        begin = time.perf_counter()
        subprocess.run(["rg", *arguments], cwd=workspace, stdin=stdin, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=False)
        return (time.perf_counter() - begin) * 1000


def verdict(met):
    return "met" if met else "**missed**"


SEARCHES = (
    ("file_search, few files of all", "file_search", {"query": "**/unit77*/file1.cpp"}),
    ("file_search, one of eight files", "file_search", {"query": "*.ts"}),
    ("grep_search, plain text in a hundred files", "grep_search",
     {"query": NEEDLE, "isRegexp": False, "maxResults": 200}),
    ("grep_search, a pattern in one kind of file", "grep_search",
     {"query": "zebra_\\w+\\(", "isRegexp": True, "includePattern": "**/*.cpp", "maxResults": 200}),
)


def measure_searches(options, folder, gateway):
    for what, tool, arguments in SEARCHES:
        command, rules = arguments_of_ripgrep(options, folder, tool, arguments)
        ours, theirs = [], []
        for round_number in range(options.rounds + 1):
            spent, text = gateway.call(tool, arguments)
            direct = run_ripgrep(gateway.workspace, command, rules)
            if round_number > 0:  # the first fills the caches
                ours.append(spent)
                theirs.append(direct)
        if not re.search(r"file\d+\.", text):
            sys.exit(f"{what}: nothing was found: {text[:300]}")
        ratio = statistics.median(ours) / statistics.median(theirs)
        yield f"{what}, ms", number(statistics.median(ours)), ""
        yield "the same, `rg` itself, ms", number(statistics.median(theirs)), ""
        yield "the ratio", f"{ratio:.2f}", f"≤ 1.2, {verdict(ratio <= 1.2)}"


def measure_structure(options, gateway):
    spent = [gateway.call("read_project_structure", {}) for _ in range(options.rounds + 1)]
    middle = statistics.median(each for each, _ in spent[1:])
    yield "read_project_structure, ms", number(middle), f"≤ 300, {verdict(middle <= 300)}"
    size = len(spent[0][1].encode()) / 1000
    yield "its answer, KB", number(size), f"≤ 64, {verdict(size <= 64)}"


def measure_reading(options, gateway, lines):
    def read(first):
        return gateway.call("read_file", {"filePath": "large.txt", "startLine": first, "endLine": first + 199})

    def middle_of(first):
        spent = []
        for i in range(options.rounds * 3):
            each, text = read(first + i)
            if f"line {first + i} " not in text:
                sys.exit(f"read_file gave other lines: {text[:200]}")
            spent.append(each)
        return statistics.median(spent)

    beginning = middle_of(1_000)
    first_time, _ = read(lines // 2)
    again = middle_of(lines // 2)
    gigabytes = lines * LINE_BYTES / 1e9
    yield (f"read_file, 200 lines near the beginning of {gigabytes:.1f} GB, ms", number(beginning),
           f"≤ 5, {verdict(beginning <= 5)}")
    yield "the same from the middle, for the first time, ms", number(first_time), ""
    yield "the same from the middle, again, ms", number(again), f"≤ 5, {verdict(again <= 5)}"


def measure(options):
    with tempfile.TemporaryDirectory(prefix="toolgate-bench-") as name:
        folder = Path(name)
        workspace = folder / "workspace"
        workspace.mkdir()
        make_tree(workspace, options.folders)
        gateway = Gateway(folder, options.toolgate)
        try:
            rows = list(measure_searches(options, folder, gateway))
            rows += measure_structure(options, gateway)
            lines = make_large_file(workspace / "large.txt", options.large_bytes)
            rows += measure_reading(options, gateway, lines)
        finally:
            gateway.close()
    return rows


def as_markdown(options, rows):
    files = options.folders * FILES
    lines = [f"Made by `python3 bench/builtin.py --markdown` on {datetime.date.today()}: {files:,} files, median of "
             f"{options.rounds} rounds.", "", "| | measured | target |", "|---|---:|---|"]
    lines += [f"| {what} | {measured} | {target} |" for what, measured, target in rows]
    return "\n".join(lines) + "\n"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--toolgate", type=Path, help="the gateway's binary; that of --build unless given")
    parser.add_argument("--quick", action="store_true", help="short and rough, to try the setup")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/performance.md")
    options, _ = parser.parse_known_args()
    options.toolgate = (options.toolgate or options.build / "toolgate").resolve()
    options.rounds = 3 if options.quick else 15
    options.folders = FOLDERS // 10 if options.quick else FOLDERS
    options.large_bytes = (1 << 30) // (10 if options.quick else 1)
    return options


def main():
    options = parse_options()
    text = as_markdown(options, measure(options))
    print(text)
    if options.markdown:
        write_between(ROOT / "docs/performance.md", "builtin", text)
    missed = text.count("missed")
    if missed:
        print(f"{missed} targets missed", file=sys.stderr)


if __name__ == "__main__":
    main()
