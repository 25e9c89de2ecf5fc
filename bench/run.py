#!/usr/bin/env python3
"""make bench: measures Toolgate beside nginx as a reverse proxy, Portkey and a relay that reads
nothing, with the same upstream behind each: CPU time, throughput, latency, memory and start-up.
docs/performance.md says how to read the numbers. The proxy under test has core 0, upstream and
load generator share core 1."""
import argparse
import dataclasses
import datetime
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bodies
import table
from rivals import (LOAD_CORE, PROXY_CORE, ROOT, Nginx, NginxWithMemoryKept, Portkey, Relay,
                    Toolgate, core_busy_seconds, cpu_seconds, on_core, page_faults,
                    resident_megabytes)

CHUNKS = 200
NEW_CONVERSATIONS = 100  # more than Toolgate remembers


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    size: int
    connections: int
    stream: bool = False
    fresh: bool = False
    without: tuple = ()

    @property
    def unit(self):
        return "chunk" if self.stream else "request"

    def bodies(self):
        more = {"stream": True} if self.stream else {}
        numbers = range(1000, 1000 + NEW_CONVERSATIONS) if self.fresh else range(self.connections)
        return [bodies.chat_request(self.size, number, **more) for number in numbers]


# A proxy that falls behind its streams reads several chunks at once and looks cheaper per chunk
# than it is. Portkey keeps up with 8 streams, not with 64. Requests are turns of conversations, one
# per connection; those that are "new" have the system prompt and the tools in common with others.
WORKLOADS = [
    Workload("1 KB", 1024, 16),
    Workload("32 KB", 32 * 1024, 16),
    Workload("512 KB", 512 * 1024, 8),
    Workload("32 KB, new", 32 * 1024, 16, fresh=True, without=("Portkey",)),
    Workload("512 KB, new", 512 * 1024, 8, fresh=True, without=("Portkey",)),
    Workload("8 streams", 1024, 8, stream=True),
    Workload("64 streams", 1024, 64, stream=True, without=("Portkey",)),
]


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.programs = self.find_programs(Path(options.build))
        self.upstream, self.upstream_port = self.start_upstream()
        self.rivals = self.make_rivals()
        self.body_files = []
        self.sent = {}  # how many requests, by rival and workload

    @staticmethod
    def find_programs(build):
        programs = {}
        for name in ("bench_upstream", "bench_load", "bench_relay"):
            found = [path for path in (build / "bench" / name, build / name) if path.exists()]
            if not found:
                sys.exit(f"{name} is not in {build}: configure with -DTOOLGATE_BENCH=ON and build")
            programs[name] = str(found[0].resolve())
        return programs

    def start_upstream(self):
        with on_core(LOAD_CORE):
            process = subprocess.Popen([self.programs["bench_upstream"], "--chunks", str(CHUNKS)],
                                       stdout=subprocess.PIPE, text=True)
        return process, int(process.stdout.readline().rpartition(":")[2])

    def make_rivals(self):
        options, port, rivals = self.options, self.upstream_port, []
        binary = Path(options.toolgate).resolve()
        if binary.exists():
            rivals.append(Toolgate(self.room("toolgate"), port, binary))
        else:
            print(f"without Toolgate: {options.toolgate} does not exist", file=sys.stderr)
        if Nginx.binary():
            rivals.append(Nginx(self.room("nginx"), port))
            rivals.append(NginxWithMemoryKept(self.room("nginx-kept"), port))
        else:
            print("without nginx: it is not installed", file=sys.stderr)
        rivals.append(Relay(self.room("relay"), port, self.programs["bench_relay"]))
        portkey = Portkey(self.room("portkey"), port, Path(options.portkey).resolve())
        if portkey.package.exists() and portkey.node:
            rivals.append(portkey)
        else:
            print(f"without Portkey: it is not in {options.portkey}", file=sys.stderr)
        wanted = options.only.lower().split(",") if options.only else None
        return [rival for rival in rivals if not wanted or rival.name.lower() in wanted]

    def room(self, name):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return folder

    def load_command(self, rival, connections, seconds, stream):
        command = [self.programs["bench_load"], "--port", str(rival.port_for(stream)),
                   "--connections", str(connections), "--seconds", str(seconds)]
        for path in self.body_files:
            command += ["--body", str(path)]
        for header in rival.headers():
            command += ["--header", header]
        return command

    def write_bodies(self, texts):
        self.body_files = [self.folder / f"body{number}.json" for number in range(len(texts))]
        for path, text in zip(self.body_files, texts):
            path.write_bytes(text)

    def run_load(self, rival, workload, seconds):
        command = self.load_command(rival, workload.connections, seconds, workload.stream)
        first = self.sent.get((rival.name, workload.name), 0)
        command += ["--fresh", "--first", str(first)] if workload.fresh else []
        with on_core(LOAD_CORE):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        result = json.loads(done.stdout or '{"requests": 0}')
        if not result["requests"] or result["failures"] or result["unfinished"]:
            self.give_up(rival, f"requests of {workload.name} failed: {result}")
        if workload.stream and not (result["events"] >= CHUNKS * result["requests"] and
                                    result["stamped"] == (CHUNKS - 2) * result["requests"]):
            self.give_up(rival, f"chunks are missing: {result}")
        self.sent[rival.name, workload.name] = first + result["requests"]
        return result

    @staticmethod
    def give_up(rival, why):
        sys.exit(f"{rival.name}: {why}\nThe end of its log:\n{rival.log.read_text()[-2000:]}")

    def measure(self, rival, workload, seconds):
        pid = rival.process.pid
        began, before = time.perf_counter(), counters(pid)
        result = self.run_load(rival, workload, seconds)
        elapsed = time.perf_counter() - began
        spent, faults, busy = (now - then for now, then in zip(counters(pid), before))
        prefix = "chunk_" if workload.stream else ""
        units = result["requests"] * (CHUNKS if workload.stream else 1)
        return {"cpu_us": spent * 1e6 / units, "per_second": units / result["seconds"],
                "p50_us": result[prefix + "p50_us"], "p99_us": result[prefix + "p99_us"],
                "busy_percent": 100 * spent / result["seconds"], "faults": faults / units,
                "others_percent": max(0.0, 100 * (busy - spent) / elapsed)}

    # Rivals take turns within a round, each round in the other order, so that a disturbance of
    # the machine meets all of them; a ratio is formed within a round.
    def measure_workload(self, workload):
        rivals = [rival for rival in self.rivals if rival.name not in workload.without]
        self.write_bodies(workload.bodies())
        for rival in rivals:
            patience = 10 if rival.name == "Portkey" else 1  # its code is compiled as it runs
            self.run_load(rival, workload, self.options.warmup * patience)
        rounds = []
        for number in range(self.options.rounds):
            self.restart(rivals, workload)
            order = rivals if number % 2 == 0 else rivals[::-1]
            rounds.append({rival.name: self.measure(rival, workload, self.options.seconds)
                           for rival in order})
            print(f"{workload.name}, round {number + 1}: " + ", ".join(
                f"{rival.name} {rounds[-1][rival.name]['cpu_us']:.1f} µs" for rival in rivals),
                file=sys.stderr)
        return self.summary(workload, rounds)

    def restart(self, rivals, workload):
        for rival in (rival for rival in rivals if rival.restarted):
            rival.stop()
            rival.start()
            self.run_load(rival, workload, self.options.warmup)

    @staticmethod
    def summary(workload, rounds):
        keys = ("cpu_us", "per_second", "p50_us", "p99_us", "busy_percent", "faults",
                "others_percent")
        result = {key: {name: statistics.median(one[name][key] for one in rounds)
                        for name in rounds[0]} for key in keys}
        return {"unit": workload.unit, "fresh": workload.fresh, **result, "rounds": rounds,
                "ratios": {name: ratios(rounds, name) for name in rounds[0]}}

    def measure_start(self, rival):
        times = []
        for _ in range(self.options.starts):
            times.append(rival.start())
            rival.stop()
        return statistics.median(times) * 1000

    def measure_memory(self, rival):
        """Resident megabytes of a fresh process: idle, and with the open streams."""
        rival.start()
        time.sleep(1)
        idle = resident_megabytes(rival.process.pid)
        self.write_bodies([bodies.chat_request(1024, stream=True, user="hold")])
        command = self.load_command(rival, self.options.streams, 60, True) + ["--hold"]
        with on_core(LOAD_CORE):
            load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ready = load.stdout.readline().strip() == "ready"
        streaming = 0
        for _ in range(30 if ready else 0):
            streaming = max(streaming, resident_megabytes(rival.process.pid))
            time.sleep(0.1)
        load.kill()
        load.wait()
        rival.stop()
        if not ready:
            self.give_up(rival, f"did not open {self.options.streams} streams within 60 s")
        return idle, streaming

    def report(self):
        report = {"command": command_line(), "date": datetime.date.today().isoformat(),
                  "machine": machine(), "rounds": self.options.rounds,
                  "seconds": self.options.seconds, "workloads": {},
                  "versions": {rival.name: rival.version() for rival in self.rivals},
                  "ready_ms": {}, "idle_megabytes": {}, "streams_megabytes": {},
                  "loaded_megabytes": {}}
        for rival in self.rivals:
            report["ready_ms"][rival.name] = self.measure_start(rival)
            memory = self.measure_memory(rival)
            report["idle_megabytes"][rival.name], report["streams_megabytes"][rival.name] = memory
        for rival in self.rivals:
            rival.start()
        for workload in WORKLOADS:
            report["workloads"][workload.name] = self.measure_workload(workload)
        for rival in self.rivals:
            report["loaded_megabytes"][rival.name] = resident_megabytes(rival.process.pid)
        report["others_percent"] = statistics.median(
            share for workload in report["workloads"].values()
            for share in workload["others_percent"].values())
        report["targets"] = table.targets_of(report)
        return report

    def close(self):
        for rival in self.rivals:
            rival.stop()
        self.upstream.kill()
        self.upstream.wait()


def ratios(rounds, name):
    """CPU of the one that is named, divided by that of each other."""
    return {other: statistics.median(one[name]["cpu_us"] / one[other]["cpu_us"] for one in rounds)
            for other in rounds[0] if other != name}


def counters(pid):
    return cpu_seconds(pid), page_faults(pid), core_busy_seconds(PROXY_CORE)


def command_line():
    words = [word for word in sys.argv[1:] if word.startswith("--qui") or word == "--markdown"]
    return " ".join(["python3 bench/run.py", *words])


def machine():
    names = [line.partition(":")[2].strip() for line in open("/proc/cpuinfo")
             if line.startswith("model name")]
    return {"cpu": names[0] if names else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release().partition("-")[0]}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    build = ROOT / "build/release"
    parser.add_argument("--build", default=build, help="where the programs of bench/ are")
    parser.add_argument("--toolgate", default=build / "toolgate", help="the gateway's binary")
    parser.add_argument("--portkey", default=ROOT / "build/tools/portkey",
                        help="the folder that Portkey was installed into")
    parser.add_argument("--only", help="names of rivals, separated by commas")
    parser.add_argument("--quick", action="store_true", help="short and rough, to try the setup")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="of one measurement")
    parser.add_argument("--json", metavar="FILE", help="write every number there")
    parser.add_argument("--markdown", action="store_true",
                        help="write the table into docs/performance.md")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 11)
    options.seconds = options.seconds or (0.5 if options.quick else 2)
    options.warmup = 0.3 if options.quick else 1
    options.starts = 3 if options.quick else 10
    options.streams = 1000
    return options


def main():
    options = parse_options()
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("the benchmark wants two cores: one for the proxy, one for everything else")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    os.sched_setaffinity(0, {LOAD_CORE})
    with tempfile.TemporaryDirectory(prefix="toolgate-bench-") as folder:
        bench = Bench(options, folder)
        try:
            report = bench.report()
        finally:
            bench.close()
    print(table.as_markdown(report))
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if options.markdown:
        table.write_between(ROOT / "docs/performance.md", "bench", table.as_markdown(report))
    if missed := [target for target in report["targets"] if table.is_missed(target)]:
        sys.exit("missed: " + "; ".join(target["name"] for target in missed))


if __name__ == "__main__":
    main()
