#!/usr/bin/env python3
"""Runs every test suite, prints a line for each and its failures in full, and ends with
`N passed, M failed, K skipped`. `make test` calls it; only Python's standard library is used."""
import argparse
import concurrent.futures
import http.client as http_client
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build/tools"
NODE = TOOLS / "node/bin/node"
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)

# Skips that are no fault of the machine, also where CI=true.
ALLOWED_SKIPS = ("third-party data", "PyPI could not be reached", "no file system with long attributes",
                 "nothing can be mounted here")

# A machine of CI's may stand still for half a minute, which no test of time limits survives. So many files of a suite
# are tried once more there, and what failed at first is shown.
SECOND_TRIES = 2 if os.environ.get("CI") == "true" else 0
TRIED_ONCE = {"builtin_escape", "builtin_files", "builtin_hard_names"}  # a race that is lost once is a hole


@dataclass
class Result:
    passed: int = 0
    failures: list = field(default_factory=list)  # (test, text)
    skips: list = field(default_factory=list)     # (test, reason)

    def add(self, other):
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips


def failed(test, text):
    return Result(failures=[(test, text)])


def skipped(test, reason):
    return Result(skips=[(test, reason)])


class Runner:
    def __init__(self, build):
        self.build = build
        self.reports = build / "test-reports"
        self.reports.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "TOOLGATE_BINARY": str(build / "toolgate"), "NO_COLOR": "1",
                            "TOOLGATE_NODE": str(NODE), "TOOLGATE_SANITIZE": self.sanitizers(),
                            "PATH": f"{NODE.parent}:{os.environ.get('PATH', '')}"}
        self.alone = None  # how to start a command with nothing but loopback, once known

    def sanitizers(self):
        cache = self.build / "CMakeCache.txt"
        match = re.search(r"^TOOLGATE_SANITIZE:\w+=(.*)$", cache.read_text() if cache.exists() else "", re.MULTILINE)
        return match[1] if match else ""

    def run(self, command, timeout):
        """Output and exit status; a command over its time is killed with all its children."""
        process = subprocess.Popen([str(part) for part in command], cwd=ROOT, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
            return output, process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return f"{output}\n[killed after {timeout} s]", -9
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise

    def loopback_only(self):
        """The prefix for commands that must not reach the network, empty where that is not permitted."""
        if self.alone is None:
            self.alone = []
            up = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
            for prefix in (["unshare", "-n"], ["unshare", "-rn"]):
                if shutil.which("unshare") and self.run([*prefix, *up, "true"], 20)[1] == 0:
                    self.alone = [*prefix, *up]
                    break
            else:
                print("note: no network namespace is permitted here; http and clients run with the network as it is")
        return self.alone

    def report_of(self, name, command, timeout, report):
        """Runs a command that writes a JUnit report; one that ends without it counts as one failure."""
        report.unlink(missing_ok=True)
        output, status = self.run(command, timeout)
        (self.reports / f"{name}.log").write_text(output)
        try:
            result = read_junit(report)
        except (OSError, xml.ParseError):
            return failed(name, f"ended with {status} and without a report:\n{output[-6000:]}")
        if status != 0 and not result.failures:
            result.add(failed(name, f"ended with {status}:\n{output[-6000:]}"))
        if not result.passed and not result.failures and not result.skips:
            result.add(failed(name, f"ran no test:\n{output[-2000:]}"))
        return result

    def counted(self, name, command, timeout):
        """Runs a command that closes with the usual line; its other output is shown when it fails."""
        output, status = self.run(command, timeout)
        (self.reports / f"{name}.log").write_text(output)
        match = None
        for match in CLOSING.finditer(output):
            pass
        if not match or (status != 0 and match[2] == "0"):
            return failed(name, f"ended with {status}:\n{output[-6000:]}")
        result = Result(passed=int(match[1]))
        bad, left_out = int(match[2]), int(match[3])
        if bad:
            result.failures = [(name, output[:match.start()][-20000:])] + [(name, "")] * (bad - 1)
        if left_out:
            reasons = [line for line in output.splitlines() if "skip" in line.lower() and not CLOSING.match(line)]
            reasons += ["no reason given"] * left_out
            result.skips = [(name, reason) for reason in reasons[:left_out]]
        return result


def read_junit(report):
    result = Result()

    def walk(element, path):
        for child in element:
            if child.tag == "testsuite":
                walk(child, [*path, child.get("name", "")])
            elif child.tag == "testcase":
                case(child, path)

    def case(element, path):
        name = ": ".join(part for part in [*path, element.get("name", "")] if part)
        bad = element.findall("failure") + element.findall("error")
        if bad:
            text = "\n".join((one.text or one.get("message", "")).strip() for one in bad)
            result.failures.append((name, text))
        elif (skip := element.find("skipped")) is not None or element.get("status") == "notrun":
            reason = (skip.get("message") or skip.text or "") if skip is not None else "disabled"
            result.skips.append((name, reason.strip() or "no reason given"))
        else:
            result.passed += 1

    walk(xml.parse(report).getroot(), [])
    return result


def google_tests(runner, name):
    report = runner.reports / f"{name}.xml"
    return runner.report_of(name, [runner.build / f"tests/toolgate_{name}", f"--gtest_output=xml:{report}",
                                   "--gtest_brief=1"], 600, report)


def unit(runner):
    return google_tests(runner, "unit")


def random(runner):
    return google_tests(runner, "random")


def golden(runner):
    files = sorted(ROOT.glob("tests/golden/*/*.json"))
    return runner.counted("golden", [runner.build / "tests/toolgate_golden", *files], 300)


def corpus(runner):
    """Each fuzz target runs once on every seed of its own."""
    total = Result()
    for source in sorted(ROOT.glob("fuzz/*_fuzz.cpp")):
        name = source.name.removesuffix("_fuzz.cpp")
        total.add(runner.counted(f"corpus-{name}", [runner.build / f"fuzz/replay_{name}",
                                                    ROOT / "fuzz/corpus" / name], 300))
    return total


def layers(runner):
    return runner.counted("layers", [sys.executable, ROOT / "tests/layers/check_layers.py"], 60)


def compile_flags(build):
    """How sources of src/base are compiled, without what belongs to one file. Those above take no other flags."""
    entries = json.loads((build / "compile_commands.json").read_text())
    entry = next(entry for entry in entries if pathlib.Path(entry["file"]).is_relative_to(ROOT / "src/base"))
    kept, take_next = [], False
    for word in entry.get("arguments") or shlex.split(entry["command"]):
        if take_next or (re.match(r"-(I|D|std=|isystem|f|W)", word) and "pch" not in word):
            kept.append(word)
        take_next = word == "-isystem" and not take_next
    return kept


class Includes:
    """What headers of ours include, by themselves or through others of ours."""

    def __init__(self):
        self.roots = {path: root for root in (ROOT / "src", ROOT / "include") for path in sorted(root.rglob("*.h"))}
        self.direct = {str(path.relative_to(root)): re.findall(r'^#include (["<])(.+)[">]', path.read_text(), re.M)
                       for path, root in self.roots.items()}

    def foreign(self, name):
        """The headers of others."""
        found, seen, waiting = set(), set(), [name]
        while waiting:
            current = waiting.pop()
            seen.add(current)
            for quote, other in self.direct.get(current, []):
                if quote == "<":
                    found.add(other)
                elif other not in seen:
                    waiting.append(other)
        return found


JSON = {"boost/json/array.hpp", "boost/json/object.hpp", "boost/json/string.hpp", "boost/json/value.hpp"}
ASIO = {"boost/asio/awaitable.hpp", "boost/asio/io_context.hpp"}
FMT = {"fmt/format.h"}
# Those that take long are compiled once, for the headers that include all of a set anyway.
FOREIGN_SETS = [ASIO | JSON | FMT | {"CLI/App.hpp"}, ASIO | JSON | FMT, ASIO | FMT, JSON | FMT, FMT]


def headers(runner):
    """Each header compiles alone."""
    try:
        flags = compile_flags(runner.build)
    except (OSError, StopIteration) as error:
        return failed("headers", f"compile_commands.json has no source below src/base {error}")
    folder = runner.reports / "headers"
    folder.mkdir(exist_ok=True)
    includes = Includes()

    def write(source, names):
        source.write_text("".join(f"#include <{name}>\n" for name in sorted(names)))
        return source

    def precompile(number):
        source = write(folder / f"foreign{number}.h", FOREIGN_SETS[number])
        return runner.run(["clang++-19", *flags, "-x", "c++-header", source, "-o", f"{source}.pch"], 300)

    def compile_alone(path):
        name = str(path.relative_to(includes.roots[path]))
        foreign = includes.foreign(name)
        number = next((number for number, names in enumerate(FOREIGN_SETS) if names <= foreign), None)
        known = [] if number is None else ["-include-pch", folder / f"foreign{number}.h.pch"]
        source = write(folder / (name.replace("/", "_") + ".cpp"), [name])
        return path, *runner.run(["clang++-19", *flags, *known, "-fsyntax-only", source], 300)

    result = Result()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for output, status in pool.map(precompile, range(len(FOREIGN_SETS))):
            if status != 0:
                return failed("headers", output)
        for path, output, status in pool.map(compile_alone, includes.roots):
            result.add(Result(passed=1) if status == 0 else failed(str(path.relative_to(ROOT)), output))
    return result


def node_file(runner, name, path, timeout):
    report = runner.reports / f"{name}.xml"
    return runner.report_of(name, [
        *runner.loopback_only(), NODE, "--import", ROOT / "tests/clients/packages.mjs", "--test",
        "--test-reporter=junit", f"--test-reporter-destination={report}",
        "--test-reporter=spec", "--test-reporter-destination=stdout", path], timeout, report)


def node_files(runner, name, pattern, timeout):
    if not NODE.exists():
        return skipped(name, "the pinned Node is not installed; run scripts/install.sh test")
    if not (runner.build / "toolgate").exists():
        return failed(name, f"{runner.build / 'toolgate'} is not built")
    total = Result()
    second_tries = SECOND_TRIES
    for path in sorted(ROOT.glob(pattern)):
        started = time.monotonic()
        label = path.name.removesuffix(".test.mjs")
        result = node_file(runner, f"{name}-{label}", path, timeout)
        if result.failures and second_tries > 0 and label not in TRIED_ONCE:
            second_tries -= 1
            show_failures(f"{name}, which is tried once more", result)
            result = node_file(runner, f"{name}-{label}", path, timeout)
        show_counts(f"  {label}", result, started)
        for bucket in (result.failures, result.skips):
            bucket[:] = [(f"{label}: {test}", text) for test, text in bucket]
        total.add(result)
    return total


def http(runner):
    return node_files(runner, "http", "tests/http/*.test.mjs", 400)


def differential(runner):
    for name in ("schema", "shell"):
        runner.environment[f"TOOLGATE_{name.upper()}_LINES"] = str(runner.build / f"tests/toolgate_{name}_lines")
    return node_files(runner, "differential", "tests/differential/*.test.mjs", 300)


def clients(runner):
    return node_files(runner, "clients", "tests/clients/*.test.mjs", 300)


def python_clients(runner):
    python = TOOLS / "python/bin/python"
    if not python.exists():
        return skipped("python clients", "PyPI could not be reached")
    report = runner.reports / "python.xml"
    return runner.report_of("python", [*runner.loopback_only(), python, "-m", "pytest", "-q", "-p",
                                       "no:cacheprovider", f"--junitxml={report}",
                                       ROOT / "tests/clients/python"], 300, report)


def style(runner):
    formatter = shutil.which("clang-format-19")
    if not formatter:
        return skipped("style", "clang-format-19 is not installed")
    files = [path for folder in ("src", "include", "tests", "fuzz", "bench", "examples")
             for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    result = Result()
    output, status = runner.run([formatter, "--dry-run", "-Werror", *files], 300)
    bad = {line.split(":")[0] for line in output.splitlines() if ": error:" in line}
    if status != 0 and not bad:
        return failed("style", output)
    for path in files:
        name = path.relative_to(ROOT)
        result.add(failed(str(name), f"not formatted: clang-format-19 -i {name}") if str(path) in bad
                   else Result(passed=1))
    return result


def embed(runner):
    """Installs the library, tries each header alone, and builds and runs examples/embed, all from the prefix."""
    folder = runner.reports / "embed"
    shutil.rmtree(folder, ignore_errors=True)
    prefix, built = folder / "prefix", folder / "build"
    steps = [("install", ["cmake", "--install", runner.build, "--prefix", prefix, "--component", "library"]),
             ("configure", ["cmake", "-G", "Ninja", "-S", ROOT / "examples/embed", "-B", built,
                            "-DCMAKE_CXX_COMPILER=clang++-19", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                            "-DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON",  # or warnings of our headers would be hidden
                            f"-DCMAKE_PREFIX_PATH={prefix}", *ccache_flags(), *sanitizer_flags(runner)]),
             ("build", ["cmake", "--build", built])]
    result = Result()
    for name, command in steps:
        output, status = runner.run(command, 300)
        (runner.reports / f"embed-{name}.log").write_text(output)
        if status != 0:
            result.add(failed(name, output[-6000:]))
            return result
        result.passed += 1
    output, status = runner.run([built / "embed"], 60)
    expected = (ROOT / "examples/embed/expected.txt").read_text()
    result.add(Result(passed=1) if (output, status) == (expected, 0)
               else failed("output", f"ended with {status} and printed\n{output}\ninstead of\n{expected}"))
    result.add(check_prefix(prefix))
    result.add(check_archive(runner, prefix, built))
    result.add(check_installed_headers(runner, prefix, built))
    return result


def ccache_flags():
    return ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []


def sanitizer_flags(runner):
    return [f"-DCMAKE_CXX_FLAGS=-fsanitize={runner.sanitizers()}"] if runner.sanitizers() else []


def check_prefix(prefix):
    """The public headers and nothing of src/ are there, and nothing names the folder it was built in."""
    wanted, found = ({str(path.relative_to(root / "include")) for path in (root / "include").rglob("*.*")}
                     for root in (ROOT, prefix))
    result = Result(passed=1) if wanted and wanted == found else failed("installed headers", f"{wanted ^ found}")
    texts = sorted(prefix.rglob("*.cmake"))
    bound = [path.name for path in texts if str(ROOT) in path.read_text()]
    result.add(failed("package files", f"{bound or 'none of them'} name {ROOT}") if bound or not texts
               else Result(passed=1))
    return result


def check_archive(runner, prefix, built):
    """Every object in the archive, used by the example or not, links with the libraries that are promised."""
    flags = [f"-fsanitize={runner.sanitizers()}"] if runner.sanitizers() else []
    libraries = ["-lfmt", "-lboost_json", "-lboost_container", "-lsimdjson", "-lpcre2-8"]
    output, status = runner.run(["clang++-19", *flags, *built.rglob("main.cpp.o"), "-Wl,--whole-archive",
                                 *prefix.rglob("libtoolgate.a"), "-Wl,--no-whole-archive", *libraries,
                                 "-o", built / "everything"], 300)
    return Result(passed=1) if status == 0 else failed("archive", output[-6000:])


def check_installed_headers(runner, prefix, built):
    """Each header compiles alone with the flags that find_package gave the example."""
    words = shlex.split(json.loads((built / "compile_commands.json").read_text())[0]["command"])
    compiler = [*words[:words.index("-o")], "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    result = Result()

    def compile_alone(header):
        source = built / f"{header.stem}_alone.cpp"
        source.write_text(f"#include <toolgate/{header.name}>\n")
        return header.name, *runner.run([*compiler, "-c", source, "-o", source.with_suffix(".o")], 300)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, output, status in pool.map(compile_alone, sorted((prefix / "include/toolgate").glob("*.h"))):
            result.add(Result(passed=1) if status == 0 else failed(f"{name} alone", output[-6000:]))
    return result


def make_run(runner):
    """`make run` serves the demo model, with nothing else typed, and ends when it is interrupted."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = runner.reports / "run.log"
    environment = {name: value for name, value in runner.environment.items()
                   if not name.startswith(("XDG_", "MAKE", "MFLAGS"))}
    with tempfile.TemporaryDirectory() as home, log.open("w") as output:
        process = subprocess.Popen(["make", "run", f"PORT={port}"], cwd=ROOT, env={**environment, "HOME": home},
                                   stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            answered = chat_when_ready(port, process)
            ended = process.poll() is None and ends_when_interrupted(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    said = log.read_text()[-6000:]
    if answered and ended and "***" not in said:  # make's mark of a command that failed
        return Result(passed=1)
    return failed("make run", f"answered: {answered}, ended when interrupted: {ended}\n{said}")


def ends_when_interrupted(process):
    try:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
        return True
    except subprocess.TimeoutExpired:
        return False


def chat_when_ready(port, process):
    """Whether the demo model answers before the server ends or ten minutes have passed."""
    body = {"model": "toolgate/demo", "messages": [{"role": "user", "content": "hello"}]}
    until = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < until:
        connection = http_client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status == 200 and "choices" in json.load(response)
        except OSError:
            time.sleep(0.2)
        except (ValueError, http_client.HTTPException):
            return False
        finally:
            connection.close()
    return False


SUITES = {"unit": unit, "random": random, "golden": golden, "corpus": corpus, "layers": layers, "style": style,
          "headers": headers, "embed": embed, "run": make_run, "http": http, "differential": differential,
          "clients": clients, "python": python_clients}

SANITIZED_ONLY = ("unit", "corpus")  # where both builds are tested: to compile these twice takes long
SANITIZED = (*SANITIZED_ONLY, "random", "http")


def show_counts(name, result, started):
    parts = [f"{result.passed} passed"]
    parts += [f"{len(result.failures)} FAILED"] if result.failures else []
    parts += [f"{len(result.skips)} skipped"] if result.skips else []
    print(f"{name:<18} {', '.join(parts)} ({time.monotonic() - started:.1f} s)", flush=True)


def show_failures(name, result):
    for test, text in result.failures:
        if text:
            print(f"  FAILED {name}: {test}\n" + "\n".join(f"    {line}" for line in text.splitlines()), flush=True)


def run_suite(name, runner):
    started = time.monotonic()
    try:
        result = SUITES[name](runner)
    except OSError as error:
        result = failed(name, str(error))
    show_counts(name, result, started)
    show_failures(name, result)
    reasons = {}
    for test, reason in result.skips:
        reasons.setdefault(reason, []).append(test)
    for reason, tests in reasons.items():
        names = ", ".join(tests[:3]) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")
        print(f"  skipped {names}: {reason}")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SUITES, default=list(SUITES), metavar="SUITE")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--sanitized", type=pathlib.Path, metavar="DIR",
                        help="run unit and corpus with the sanitizer build in DIR instead, random and http too")
    parser.add_argument("--list", action="store_true", help="name the suites")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SUITES))
        return 0
    runner = Runner(options.build.resolve())
    total = Result()
    for name in options.only:
        if not options.sanitized or name not in SANITIZED_ONLY:
            total.add(run_suite(name, runner))
    if options.sanitized:
        print("under the address and undefined-behaviour sanitizers:")
        sanitized = Runner(options.sanitized.resolve())
        for name in filter(options.only.__contains__, SANITIZED):
            total.add(run_suite(name, sanitized))
    missing = [reason for _, reason in total.skips if not any(word in reason for word in ALLOWED_SKIPS)]
    in_ci = os.environ.get("CI") == "true"
    if missing and in_ci:
        print(f"CI=true and skipped for something missing: {'; '.join(sorted(set(missing)))}")
    print(f"{total.passed} passed, {len(total.failures)} failed, {len(total.skips)} skipped")
    return 1 if total.failures or (missing and in_ci) else 0


if __name__ == "__main__":
    sys.exit(main())
