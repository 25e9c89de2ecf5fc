#!/usr/bin/env python3
"""Third part of make bench: a catalogue of 5,680 tools, in process (catalog_bench.cpp) and end to end
through a gateway on one core, in CPU time; and `when` clauses beside VS Code's own parser.
docs/performance.md says how to read the numbers."""
import argparse
import datetime
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import bodies
import tool_corpus
from cores import NODE, run
from rivals import (LOAD_CORE, PROXY_CORE, ROOT, Toolgate, core_busy_seconds, cpu_seconds, on_core,
                    resident_megabytes)
from table import number, write_between

ATTACHED = 128
MANY = 512
CONNECTIONS = 16
PLAIN_BYTES = 1024


def filter_lists(profile):
    """Lists with names of every kind: sets, tools, patterns, and some that are misspelled."""
    sets, names = list(profile.sets), profile.names
    chosen = tool_corpus.some_of(names, 60)
    include = tool_corpus.some_of(sets, 20) + chosen[:40] + ["get_*", "*_search", "*list*item*"]
    include += [f"{name}_x" for name in chosen[40:45]]
    exclude = tool_corpus.some_of(sets, 7)[1:6] + chosen[45:60] + ["*delete*", "remove_?*"]
    exclude += ["no such tool at all", f"{sets[0]}x"]
    return {"include_tools": include, "exclude_tools": exclude}


def write_requests(folder, profile):
    """The same message with different tools; returns the bodies by name."""
    fields = {"plain": {}, "filtered": filter_lists(profile), "everything": {"use_vscode_tools": True},
              "attached": {"include_tools": tool_corpus.some_of(profile.own_names, ATTACHED)},
              "many": {"include_tools": tool_corpus.some_of(profile.own_names, MANY)}}
    fields["auto"] = {**fields["attached"], "tool_execution": "auto"}
    plain = json.loads(bodies.chat_request(PLAIN_BYTES))
    requests = {name: bodies.encoded({**plain, **more}) for name, more in fields.items()}
    for name, body in requests.items():
        (folder / f"{name}.json").write_bytes(body)
    return requests


class Gateway(Toolgate):
    """Toolgate with the profile's extensions; `allowed` are the only tools it offers, if given, and
    `limit` is how many a request may have."""

    def __init__(self, folder, upstream_port, binary, profile_home, allowed=None, limit=ATTACHED):
        folder.mkdir()
        super().__init__(folder, upstream_port, binary)
        self.profile_home = profile_home
        settings = json.loads(self.settings.read_text())
        settings["toolgate.models"][0]["family"] = "gpt-4.1"
        if allowed:
            settings["toolgate.tools.allow"] = allowed
        settings["toolgate.limits.tools"] = limit
        settings["github.copilot.chat.virtualTools.threshold"] = limit
        self.settings.write_text(json.dumps(settings))

    def environment(self):
        return {**os.environ, "XDG_CONFIG_HOME": str(self.profile_home)}


class EndToEnd:
    def __init__(self, options, folder, home, profile, requests):
        self.options, self.folder, self.requests = options, folder, requests
        with on_core(LOAD_CORE):
            self.upstream = subprocess.Popen([options.build / "bench/bench_upstream"],
                                             stdout=subprocess.PIPE, text=True)
        port = int(self.upstream.stdout.readline().rpartition(":")[2])
        self.whole = Gateway(folder / "whole", port, options.toolgate.resolve(), home)
        self.few = Gateway(folder / "few", port, options.toolgate.resolve(), home,
                           tool_corpus.some_of(profile.own_names, ATTACHED))
        self.roomy = Gateway(folder / "roomy", port, options.toolgate.resolve(), home, limit=MANY)

    def load(self, gateway, seconds, body=None, connections=CONNECTIONS):
        """Requests of this body, or GET /v1/tools without one."""
        command = [self.options.build / "bench/bench_load", "--port", gateway.port, "--connections",
                   connections, "--seconds", seconds]
        if body is None:
            command += ["--path", "/v1/tools"]
        else:
            (self.folder / "body.json").write_bytes(body)
            command += ["--body", self.folder / "body.json"]
        cpu, busy = cpu_seconds(gateway.process.pid), core_busy_seconds(PROXY_CORE)
        with on_core(LOAD_CORE):
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        spent = cpu_seconds(gateway.process.pid) - cpu
        result = json.loads(done.stdout or '{"requests": 0}')
        if not result["requests"] or result["failures"] or result["unfinished"]:
            sys.exit(f"requests failed: {result}\n{gateway.log.read_text()[-2000:]}")
        others = core_busy_seconds(PROXY_CORE) - busy - spent
        return {"cpu_us": spent * 1e6 / result["requests"],
                "cpu_mb_per_second": result["bytes"] / 1e6 / spent,
                "mb_per_second": result["bytes"] / 1e6 / result["seconds"],
                "others_percent": max(0.0, 100 * others / result["seconds"])}

    def measure_chat(self):
        """What tools add to a request's CPU time, each difference formed within a round."""
        cases = {"include_tools": (self.whole, self.requests["attached"]),
                 "use_vscode_tools": (self.few, self.requests["everything"]),
                 "everything": (self.whole, self.requests["everything"]),
                 "many": (self.roomy, self.requests["many"]),
                 "auto": (self.whole, self.requests["auto"])}
        plain = self.requests["plain"]
        for gateway, body in [(self.whole, plain), (self.few, plain), (self.roomy, plain), *cases.values()]:
            self.load(gateway, self.options.warmup, body)
        rounds = []
        for _ in range(self.options.rounds):
            base = {gateway: self.load(gateway, self.options.seconds, plain)["cpu_us"]
                    for gateway in (self.whole, self.few, self.roomy)}
            rounds.append({name: self.load(gateway, self.options.seconds, body)["cpu_us"]
                           - base[gateway] for name, (gateway, body) in cases.items()})
            rounds[-1]["plain"] = base[self.whole]
            print("more CPU per chat request, µs: " + ", ".join(
                f"{name} {value:.1f}" for name, value in rounds[-1].items()), file=sys.stderr)
        return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}

    def measure_list(self):
        self.load(self.whole, self.options.warmup, connections=2)
        rounds = [self.load(self.whole, self.options.seconds, connections=2)
                  for _ in range(self.options.rounds)]
        return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}

    def first_list(self):
        """CPU milliseconds and bytes of the first GET /v1/tools of a process."""
        before = cpu_seconds(self.whole.process.pid)
        connection = http.client.HTTPConnection("127.0.0.1", self.whole.port, timeout=60)
        connection.request("GET", "/v1/tools")
        text = connection.getresponse().read()
        connection.close()
        return (cpu_seconds(self.whole.process.pid) - before) * 1000, text

    def measure(self):
        result = {"ready_ms": self.whole.start() * 1000}
        self.few.start()
        self.roomy.start()
        result["start_megabytes"] = resident_megabytes(self.whole.process.pid)
        result["first_list_ms"], text = self.first_list()
        result["list_bytes"], result["tools"] = len(text), len(json.loads(text)["data"])
        result["list"] = self.measure_list()
        result["chat"] = self.measure_chat()
        result["loaded_megabytes"] = resident_megabytes(self.whole.process.pid)
        return result

    def close(self):
        self.whole.stop()
        self.few.stop()
        self.roomy.stop()
        self.upstream.kill()
        self.upstream.wait()


def verdict(met):
    return "met" if met else "**missed**"


def at_most(name, value, limit=None):
    return (name, number(value), "" if limit is None else f"≤ {number(limit)}, {verdict(value <= limit)}")


def rows_of(inside, outside):
    """(what, measured, target) of the whole table."""
    chat, listing = outside["chat"], outside["list"]
    yield at_most("filter + select, fresh catalogue, ms", inside["select_fresh_us"] / 1000, 5)
    yield at_most("the same, the processor's caches emptied, ms", inside["select_cold_us"] / 1000, 5)
    for what, name in (("lists of all kinds", "filtered"), ("no lists", "everything")):
        known = inside[f"{name}_us"] - inside["plain_us"]
        yield at_most(f"filter + select, nothing changed, {what}, µs", known, 100)
    attached = inside["attached_us"] - inside["plain_us"]
    kilobytes = (inside["attached_bytes"] - inside["plain_bytes"]) / 1000
    yield at_most(f"{ATTACHED} tools ({kilobytes:.0f} KB) attached, in process, µs", attached, 50)
    yield at_most(f"{ATTACHED} tools by `include_tools`, end to end, µs", chat["include_tools"], 50)
    yield at_most(f"{ATTACHED} tools by `use_vscode_tools`, end to end, µs", chat["use_vscode_tools"], 50)
    yield at_most(f"{MANY} tools by `include_tools`, end to end, µs", chat["many"], 200)
    yield at_most(f"a request in auto mode with {ATTACHED} tools, all that is done for it up to its first token "
                  "and after, CPU ms", (chat["plain"] + chat["auto"]) / 1000, 0.3)
    yield at_most(f"all tools in {inside['everything_offered']:.0f} entries, end to end, µs",
                  chat["everything"])
    yield at_most("for comparison: the request without tools, end to end, µs", chat["plain"])
    speed = listing["cpu_mb_per_second"]
    yield (f"GET /v1/tools, {outside['list_bytes'] / 1e6:.1f} MB, MB per CPU second", number(speed),
           f"≥ 500, {verdict(speed >= 500)}")
    yield at_most("the same, MB/s", listing["mb_per_second"])
    yield at_most("first GET /v1/tools of a process, CPU ms", outside["first_list_ms"])
    yield at_most("manifests to catalogue, CPU ms", inside["load_us"] / 1000)
    yield at_most("new catalogue after a change, CPU ms", inside["build_us"] / 1000)
    yield at_most("grouping all tools, CPU ms", inside["group_us"] / 1000)
    for what, name in ((f"{ATTACHED} tools", "attached"), ("all tools", "everything")):
        yield at_most(f"first request with {what}, after start, CPU ms", inside[f"{name}_first_us"] / 1000)
        yield at_most(f"first request with {what}, after a change, CPU ms",
                      inside[f"{name}_cold_us"] / 1000)
    yield at_most("ready after start, ms", outside["ready_ms"])
    yield at_most("RSS after start, MB", outside["start_megabytes"])
    yield at_most("RSS after all of the above, MB", outside["loaded_megabytes"])


def measure_conditions(options):
    """Ours and VS Code's; nothing where the npm package is not installed."""
    cases = ROOT / "bench/when_cases.json"
    [ours] = run([options.build / "bench/when_bench", cases])
    if not (options.modules / "node_modules/@codingame/monaco-vscode-api").exists():
        print(f"without VS Code's parser: it is not in {options.modules}", file=sys.stderr)
        return ours, None
    [theirs] = run([NODE, ROOT / "bench/when_bench.mjs", options.modules, cases])
    if ours["verdicts"] != theirs["verdicts"]:
        sys.exit(f"the verdicts about conditions differ:\n{ours}\n{theirs}")
    return ours, theirs


def condition_table(ours, theirs):
    name = theirs["who"] if theirs else "VS Code's parser"
    lines = [f"Conditions: the {ours['clauses']} `when` clauses of `bench/when_cases.json`, nanoseconds of CPU "
             "time per clause.", "",
             f"| | Toolgate | {name} | times faster | target |", "|---|---:|---:|---:|---|"]
    for what, key, least in (("parse and evaluate", "both_ns", 10), ("evaluate alone", "evaluate_ns", None)):
        if not theirs:
            lines.append(f"| {what} | {number(ours[key])} | not installed | | |")
            continue
        ratio = theirs[key] / ours[key]
        target = f"≥ {least}×, {verdict(ratio >= least)}" if least else ""
        lines.append(f"| {what} | {number(ours[key])} | {number(theirs[key])} | {ratio:.1f} | {target} |")
    return lines


def check(inside, outside, profile):
    """A benchmark of something that did not happen is worth nothing."""
    if inside["tools"] != len(profile.names):
        sys.exit(f"{inside['tools']:.0f} tools are in the catalogue, not {len(profile.names)}")
    if inside["attached_offered"] != ATTACHED:
        sys.exit(f"{inside['attached_offered']:.0f} tools were attached, not {ATTACHED}")
    if inside["plain_offered"] or not inside["everything_offered"] or not outside["tools"]:
        sys.exit(f"the wrong tools were offered: {inside}, {outside}")


def measure(options):
    with tempfile.TemporaryDirectory(prefix="toolgate-bench-") as name:
        folder = Path(name)
        profile_folder = folder / "config/toolgate"
        profile = tool_corpus.write_profile(profile_folder)
        requests = write_requests(profile_folder, profile)
        [inside] = run([options.build / "bench/catalog_bench", profile_folder])
        end_to_end = EndToEnd(options, folder, folder / "config", profile, requests)
        try:
            outside = end_to_end.measure()
        finally:
            end_to_end.close()
    check(inside, outside, profile)
    return profile, inside, outside, measure_conditions(options)


def as_markdown(options, profile, inside, outside, conditions):
    lines = [f"Made by `python3 bench/catalogue.py` on {datetime.date.today().isoformat()}: {profile.source}, "
             f"median of {options.rounds} rounds of {options.seconds:g} s. Other programs took "
             f"{outside['list']['others_percent']:.0f} % of the gateway's core meanwhile.", "",
             "| | measured | target |", "|---|---:|---|"]
    lines += [f"| {what} | {measured} | {target} |" for what, measured, target in rows_of(inside, outside)]
    lines += ["", *condition_table(*conditions)]
    return "\n".join(lines) + "\n"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--toolgate", type=Path, help="the gateway's binary; that of --build unless given")
    parser.add_argument("--modules", type=Path, default=ROOT / "build/tools/rivals",
                        help="where the npm packages are")
    parser.add_argument("--quick", action="store_true", help="short and rough, to try the setup")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/performance.md")
    options, _ = parser.parse_known_args()
    options.toolgate = options.toolgate or options.build / "toolgate"
    options.rounds = 2 if options.quick else 7
    options.seconds = 0.5 if options.quick else 2
    options.warmup = 0.3 if options.quick else 1
    return options


def main():
    options = parse_options()
    text = as_markdown(options, *measure(options))
    print(text)
    if options.markdown:
        write_between(ROOT / "docs/performance.md", "catalogue", text)


if __name__ == "__main__":
    main()
