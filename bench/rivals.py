"""Starts and stops what the benchmark compares: Toolgate, nginx, Portkey and a bare relay, each
on one core with the same upstream behind it, and reads what they use from /proc. Used by run.py."""
import contextlib
import glob
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROXY_CORE = 0
LOAD_CORE = 1


@contextlib.contextmanager
def on_core(core):
    """What is started inside runs on that core; affinity is inherited."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def process_tree(pid):
    """The process and its descendants."""
    pids = [pid]
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError):
            for child in Path(task).read_text().split():
                pids += process_tree(int(child))
    return pids


def cpu_seconds(pid):
    """CPU time of all threads of the tree so far, to the nanosecond."""
    total = 0
    for member in process_tree(pid):
        for path in glob.glob(f"/proc/{member}/task/*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(Path(path).read_text().split()[0])
    return total / 1e9


def core_busy_seconds(core):
    """Time that core has been busy with anything at all, interrupts and stolen time included."""
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith(f"cpu{core} "):
            user, nice, system, _, _, *rest = map(int, line.split()[1:9])
            return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def page_faults(pid):
    """Minor faults of the tree so far: memory that was given back and is fetched anew costs CPU."""
    total = 0
    for member in process_tree(pid):
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()[7])
    return total


def resident_megabytes(pid):
    """Resident set of the tree; pages that its processes share count once per process."""
    total = 0
    for member in process_tree(pid):
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{member}/statm").read_text().split()[1])
    return total * os.sysconf("SC_PAGE_SIZE") / 1e6


class Rival:
    """One proxy under test. Subclasses say how it is started and where it is asked."""
    name = ""
    ready_path = "/healthz"
    restarted = False  # before each round

    def __init__(self, folder, upstream_port):
        self.folder = Path(folder)
        self.upstream_port = upstream_port
        self.process = None
        self.port = self.stream_port = 0
        self.log = self.folder / f"{self.name}.log"

    def headers(self):
        return []

    def environment(self):
        return dict(os.environ)

    def start(self):
        """Returns the seconds from exec to the first 200."""
        self.port, self.stream_port = free_port(), free_port()
        command, environment = self.command(), self.environment()
        with on_core(PROXY_CORE), open(self.log, "a") as log:
            began = time.perf_counter()
            self.process = subprocess.Popen(command, env=environment, cwd=self.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait_ready(began + 30)
        return time.perf_counter() - began

    def wait_ready(self, deadline):
        while time.perf_counter() < deadline:
            if self.process.poll() is not None:
                break
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            try:
                connection.request("GET", self.ready_path)
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                time.sleep(0.0002)
            finally:
                connection.close()
        raise SystemExit(f"{self.name} did not become ready; its log:\n{self.log.read_text()}")

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            for pid in reversed(process_tree(self.process.pid)):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    def port_for(self, stream):
        return self.stream_port if stream else self.port


class Toolgate(Rival):
    name = "Toolgate"

    def __init__(self, folder, upstream_port, binary):
        super().__init__(folder, upstream_port)
        self.binary = binary
        self.settings = self.folder / "settings.json"
        self.settings.write_text(json.dumps({
            "toolgate.logLevel": "warn",
            "toolgate.tools.builtin": False,  # what is measured has tools of its own
            "toolgate.models": [{"id": "mock", "provider": "openai",
                                 "baseUrl": f"http://127.0.0.1:{upstream_port}/v1"}]}))
        for name in ("workspace", "data", "config"):
            (self.folder / name).mkdir(exist_ok=True)

    def command(self):
        return [str(self.binary), "serve", "--port", str(self.port),
                "--workspace", str(self.folder / "workspace"), "--data", str(self.folder / "data"),
                "--settings", str(self.settings)]

    def environment(self):
        return {**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config")}

    def port_for(self, stream):
        return self.port

    def version(self):
        return "this tree"


class Relay(Rival):
    """Moves bytes and reads none of them: what is left of a proxy's cost is the kernel's."""
    name = "relay"

    def __init__(self, folder, upstream_port, binary):
        super().__init__(folder, upstream_port)
        self.binary = binary

    def command(self):
        return [self.binary, "--port", str(self.port), "--upstream", str(self.upstream_port)]

    def port_for(self, stream):
        return self.port

    def version(self):
        return "of bench/relay.cpp"


class Nginx(Rival):
    name = "nginx"
    restarted = True  # how its heap happens to lie decides what big bodies cost

    def command(self):
        text = (ROOT / "bench/nginx.conf.in").read_text()
        for key, value in {"FOLDER": self.folder, "PORT": self.port,
                           "STREAM_PORT": self.stream_port,
                           "UPSTREAM_PORT": self.upstream_port}.items():
            text = text.replace(f"@{key}@", str(value))
        if os.geteuid() != 0:
            text = text.replace("user root;\n", "")
        (self.folder / "nginx.conf").write_text(text)
        return [self.binary(), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"),
                "-e", str(self.log), "-g", "daemon off;"]

    @staticmethod
    def binary():
        return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")

    def version(self):
        said = subprocess.run([self.binary(), "-v"], capture_output=True, text=True)
        return said.stderr.strip().rpartition("/")[2]


class NginxWithMemoryKept(Nginx):
    """glibc may give nginx's body buffers back after each request, depending on what lies behind
    them on the heap; nginx then pays for a hundred page faults per big request. Here it may not."""
    name = "nginx, memory kept"

    def environment(self):
        return {**os.environ, "MALLOC_MMAP_THRESHOLD_": "67108864",
                "MALLOC_TRIM_THRESHOLD_": "268435456"}


class Portkey(Rival):
    name = "Portkey"
    ready_path = "/"

    def __init__(self, folder, upstream_port, install):
        super().__init__(folder, upstream_port)
        self.package = Path(install) / "node_modules/@portkey-ai/gateway"
        own_node = ROOT / "build/tools/node/bin/node"
        self.node = str(own_node) if own_node.exists() else shutil.which("node")

    def command(self):
        return [self.node, str(self.package / "build/start-server.js"),
                f"--port={self.port}", "--headless"]

    def environment(self):
        return {**os.environ, "NODE_ENV": "production", "TRUSTED_CUSTOM_HOSTS": "127.0.0.1"}

    def headers(self):
        return ["x-portkey-provider: openai",
                f"x-portkey-custom-host: http://127.0.0.1:{self.upstream_port}/v1"]

    def port_for(self, stream):
        return self.port

    def version(self):
        package = json.loads((self.package / "package.json").read_text())["version"]
        node = subprocess.run([self.node, "--version"], capture_output=True, text=True)
        return f"{package} on node {node.stdout.strip().lstrip('v')}"
