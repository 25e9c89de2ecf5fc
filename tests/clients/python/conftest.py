"""A mock upstream and a gateway before it, for all tests of the Python clients."""
import json
import os
import pathlib
import queue
import re
import subprocess
import threading
import time
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NODE = os.environ.get("TOOLGATE_NODE", str(ROOT / "build/tools/node/bin/node"))
BINARY = os.environ.get("TOOLGATE_BINARY", str(ROOT / "build/release/toolgate"))

TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "get_time", "description": "time", "parameters": {
        "type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}}},
]


class Upstream:
    """The mock as a child process, with what it tells about its requests."""

    def __init__(self):
        self.process = subprocess.Popen([NODE, str(ROOT / "tests/mock/serve.mjs")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.told = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.told.put(json.loads(line))

    def forget(self):
        while not self.told.empty():
            self.told.get()

    def wait_for(self, key, value=None, seconds=10):
        end = time.monotonic() + seconds
        while True:
            told = self.told.get(timeout=max(0.01, end - time.monotonic()))
            if key in told and value in (None, told[key]):
                return told[key]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    upstream = Upstream()
    folder = tmp_path_factory.mktemp("gateway")
    for name in ("workspace", "data"):
        (folder / name).mkdir()
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"toolgate.tools.builtin": False, "toolgate.models": [
        {"id": "mock-1", "provider": "openai", "baseUrl": f"http://127.0.0.1:{upstream.port}/v1"}]}))
    gateway = subprocess.Popen([BINARY, "serve", "--port", "0", "--workspace", folder / "workspace", "--data",
                                folder / "data", "--settings", settings], stdout=subprocess.PIPE, text=True,
                               stderr=(folder / "log").open("w"), env={**os.environ, "HOME": str(folder)})
    match = re.search(r"listening on (http://\S+)", gateway.stdout.readline())
    assert match, "the gateway did not start"
    yield types.SimpleNamespace(upstream=upstream, base_url=f"{match[1]}/v1")
    gateway.terminate()
    assert gateway.wait(20) == 0
    upstream.stop()
