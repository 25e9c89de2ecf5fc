#!/usr/bin/env python3
"""screens.py [--check] [BINARY]: makes the pictures of the commands in docs/images from what they print on a
terminal. Run it after a change of their output; --check fails when a picture is not what it would make."""
import contextlib
import fcntl
import html
import http.server
import itertools
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = """[
  {"type": "function", "function": {"name": "get_forecast", "description": "The weather of the next days.",
   "parameters": {"type": "object", "required": ["city", "country"], "properties": {
     "city": {"type": "string", "minLength": 1},
     "days": {"type": "array", "items": [{"type": "integer"}, {"type": "integer"}]}}}}},
  {"type": "function", "function": {"name": "send_mail", "description": "Sends a mail.",
   "parameters": {"type": "object", "properties": {"to": {"type": "array"}}}}}
]"""
SCHEMA = """{"type": "object", "required": ["path"], "additionalProperties": false, "properties": {
  "path": {"type": "string"}, "first": {"type": "integer", "minimum": 1}, "last": {"type": "integer"},
  "options": {"type": "object", "properties": {"mode": {"enum": ["text", "image"]}}}}}"""
INPUT = """{
  "path": "src/main.cpp",
  "first": "0",
  "last": "200",
  "options": "{\\"mode\\": \\"texts\\"}"
}
"""
WEATHER = {"name": "weather", "publisher": "acme", "displayName": "Acme Weather", "contributes": {"languageModelTools": [
    {"name": "get_weather", "toolReferenceName": "weather", "canBeReferencedInPrompt": True, "displayName": "Get weather",
     "tags": ["weather", "read"], "modelDescription": "The weather of a place now: temperature, wind and rain. Use it before you advise anyone to go outside.",
     "userDescription": "What the weather is like",
     "inputSchema": {"type": "object", "required": ["city"], "properties": {
         "city": {"type": "string", "minLength": 1, "description": "Name of the place"}, "units": {"enum": ["metric", "imperial"]}}}},
    {"name": "get_forecast", "toolReferenceName": "forecast", "canBeReferencedInPrompt": True, "displayName": "Get forecast",
     "tags": ["weather", "read"], "modelDescription": "The weather of the next days.", "inputSchema": {"type": "object", "properties": {"days": {"type": "integer"}}}},
    {"name": "get_tides", "toolReferenceName": "tides", "displayName": "Get tides", "when": "config.acme.sea",
     "tags": ["sea", "read"], "modelDescription": "When the water is high and low.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "get_storms", "displayName": "Get storms", "when": "config.acme.sea and isWeb",
     "tags": ["weather", "read"], "modelDescription": "Warnings of storms.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "send_alert", "toolReferenceName": "alert", "displayName": "Send alert",
     "tags": ["write"], "modelDescription": "Tells people of bad weather.", "inputSchema": {"type": "object", "properties": {"to": {"type": "array"}}}},
]}}
TOOL_SETS = """{
  // for trips
  "outside": {"tools": ["weather", "forecast", "maps"], "description": "Before a walk"},
}
"""
# The pictures are about other tools than those that come along.
SETTINGS = """{
  "toolgate.tools.builtin": false,
  "toolgate.tools.deny": ["send_*"],
  "toolgate.models": [{"id": "gpt", "provider": "openai", "baseUrl": "https://api.openai.com/v1", "apiKeyEnv": "ACME_KEY"}],
}
"""
COLUMNS = 100
PROGRAM = """import sys


def greet(name):
    print("Hello " + name)


if __name__ == "__main__":
    greet(sys.argv[1])
"""
EDIT = {"filePath": "greet.py", "oldString": '    print("Hello " + name)', "newString": '    if not name:\n        raise ValueError("who?")\n    print(f"Hello {name}!")',
        "explanation": "Refuse an empty name"}
# Tools behind a URL, as someone registers them who wants to be asked.
ASKING_TOOLS = {"replace_in_file": "Replaces text in a file.", "send_mail": "Sends a mail.", "deploy": "Puts a version into production."}
WAITING = {"send_mail": {"to": "ann@example.com", "subject": "Minutes of Monday", "body": "Dear Ann,\nhere they are."},
           "deploy": {"service": "shop", "version": "2.4.1", "regions": ["eu-north", "eu-west"]}}


def many_tools():
    """5,000 tools of 40 extensions, as someone has who installed everything."""
    verbs = ("get", "list", "create", "update", "delete", "search", "export")
    things = ("issue", "page", "mail", "invoice", "build", "ticket", "file", "user", "event")
    makers = ("Northwind", "Contoso", "Fabrikam", "Acme", "Litware")
    products = ("Mail", "Calendar", "Wiki", "Builds", "Store", "Files", "Tickets", "Maps")
    for number in range(40):
        maker, product = makers[number % 5], products[number // 5]
        tools = [{"name": f"{verbs[i % 7]}_{product.lower()}_{things[i % 9]}_{maker.lower()}_{i}", "displayName": "Tool",
                  "modelDescription": f"Works on a {things[i % 9]}.", "tags": ["read" if i % 7 in (0, 1, 5) else "write"],
                  "when": "config.acme.labs" if i % 41 == 40 else "", "inputSchema": {"type": "object", "properties": {}}}
                 for i in range(8 + 6 * (39 - number))]
        yield {"name": product.lower(), "publisher": maker.lower(), "displayName": f"{maker} {product}",
               "contributes": {"languageModelTools": tools}}


SCREENS = {
    "normalize": "toolgate normalize --family gpt-4.1 tools.json > shaped.json",
    "validate": "toolgate validate --schema read_file.json input.json",
    "tokens": "toolgate tokens --show greeting.txt",
    "tools": "toolgate tools",
    "tools-show": "toolgate tools show weather --family gpt-4.1",
    "tools-many": "toolgate tools",
    "toolsets": "toolgate toolsets",
    "doctor": "toolgate doctor",
}
# With a gateway that runs and calls that wait.
ASKING_SCREENS = {
    "call": "toolgate call replace_in_file --input @edit.json",
    "chat": "toolgate chat -m toolgate/demo",
    "pending": "toolgate pending",
    "approvals-list": "toolgate approvals",
    "audit": "toolgate audit --limit 8",
}
QUESTION = rb"Your choice[^:]*:\S+ left\): $"
PROMPT = rb"\xe2\x80\xba [^\xe2]*\x1b\[2C$"
# What is pressed when the command has printed what; the picture shows what stands there at the last of them.
STEPS = {
    "call": [(QUESTION, b"d")],
    "chat": [(PROMPT, b'Put it into production: #deploy {"service": "shop", "version": "2.4.1"}\r'), (QUESTION, b"o"), (PROMPT, b"\x04")],
}
COLOURS = {"31": "#f2777a", "32": "#99cc99", "33": "#ffcc66", "36": "#66cccc"}
CELL, LINE, MARGIN = 8.4, 20, 16
NO_BREAK_SPACE = "\u00a0"  # of several plain ones only the first is drawn


def write_files(folder):
    """The homes in which the commands run: most in `one`, that of 5,000 tools in `many`, with a gateway in `asking`."""
    one, many = folder / "one", folder / "many"
    profile = one / ".config/toolgate"
    files = {one / "tools.json": TOOLS, one / "read_file.json": SCHEMA, one / "input.json": INPUT,
             one / "greeting.txt": "Tokenizers split “Straßenbahnhaltestelle” into pieces, déjà vu!",
             profile / "extensions/acme.weather/package.json": json.dumps(WEATHER),
             many / ".config/toolgate/settings.json": '{"toolgate.tools.builtin": false}',
             profile / "mine.toolsets.jsonc": TOOL_SETS, profile / "settings.json": SETTINGS,
             folder / "asking/shop/greet.py": PROGRAM, folder / "asking/shop/edit.json": json.dumps(EDIT)}
    for manifest in many_tools():
        name = f"{manifest['publisher']}.{manifest['name']}"
        files[many / f".config/toolgate/extensions/{name}/package.json"] = json.dumps(manifest)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def environment_of(home):
    foreign = ("XDG_", "OPENAI_", "TOOLGATE_", "NO_COLOR", "ACME_KEY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "HOME": str(home)}


def run_on_terminal(command, home, binary, folder=None, steps=()):
    """What stands on a terminal that the command has for both outputs, at its end or at the last of the steps."""
    shell = command.replace("toolgate", str(binary), 1)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(["sh", "-c", shell], cwd=folder or home, stdin=slave, stdout=slave, stderr=slave,
                               env=environment_of(home))
    os.close(slave)
    output, seen, left = b"", 0, list(steps)
    shown = None
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
        if left and re.search(left[0][0], output[seen:]):
            shown, seen = output, len(output)
            os.write(master, left.pop(0)[1])
    process.wait()
    return screen_of((shown or output).decode())


def screen_of(output):
    """The lines that a terminal shows after this output, with the colours of their characters."""
    lines, row, column, style = [[]], 0, 0, ""
    for move, count, what, character in re.findall(r"(\x1b\[\??(\d*)([A-Za-z]))|([^\x1b])", output):
        number = int(count or 1)
        if what == "m":
            style = move if count not in ("", "0") else ""
        elif what in ("A", "B"):
            row = max(0, row + (number if what == "B" else -number))
        elif what == "C":
            column += number
        elif what in ("K", "J"):
            del lines[row][column:]
            del lines[row + 1:len(lines) if what == "J" else row + 1]
        elif character == "\r":
            column = 0
        elif character == "\n":
            row, column = row + 1, 0
            lines += [] if row < len(lines) else [[]]
        elif not move:
            lines[row] += [(" ", "")] * (column - len(lines[row]))
            lines[row][column:column + 1] = [(character, style)]
            column += 1
    runs = ([(style, "".join(one for one, _ in run)) for style, run in itertools.groupby(line, lambda cell: cell[1])] for line in lines)
    return "\n".join("".join(f"{style}{text}\x1b[0m" if style else text for style, text in line) for line in runs)


class Tool(http.server.BaseHTTPRequestHandler):
    """What stands behind the URLs of the tools that ask."""
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b"done"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def asking_gateway(home, binary):
    """A gateway with tools that ask, two calls that wait, two approvals and a trail."""
    tools = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tool)
    threading.Thread(target=tools.serve_forever, daemon=True).start()
    gateway = subprocess.Popen([binary, "serve", "--port", "0"], cwd=home / "shop", env=environment_of(home),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = gateway.stdout.readline().split()[-1]
    token = (home / ".local/share/toolgate/operator-token").read_text().strip()

    def api(method, path, body=None):
        request = urllib.request.Request(url + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def waiting(count):
        while True:
            rows = api("GET", "/v1/invocations?state=WaitingForConfirmation")["data"]
            if len(rows) == count:
                return rows
            time.sleep(0.01)

    def start_call(tool):
        return subprocess.Popen([binary, "call", tool, "--input", json.dumps(WAITING[tool])], cwd=home / "shop", env=environment_of(home),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    calls = []
    try:
        for name, description in ASKING_TOOLS.items():
            api("POST", "/v1/tools", {"name": name, "description": description, "inputSchema": {"type": "object"}, "allowPrivateAddresses": True,
                                      "url": f"http://127.0.0.1:{tools.server_address[1]}/{name}"})
        for tool, answer in (("deploy", {"decision": "allow", "scope": "always", "target": "arguments"}),
                             ("send_mail", {"decision": "allow", "scope": "workspace"})):
            call = start_call(tool)
            api("POST", f"/v1/invocations/{waiting(1)[0]['id']}/confirm", answer)
            call.wait()
        yield {"wait": lambda: [(calls.append(start_call(tool)), waiting(number)) for number, tool in enumerate(WAITING, 1)],
               "forget": lambda: api("DELETE", "/v1/approvals")}
    finally:
        for call in calls:
            call.terminate()
            call.wait()
        gateway.terminate()
        gateway.wait()
        tools.shutdown()


def same_each_time(text):
    """Ids, times and ports as they might have been."""
    names = {}
    letters = "kT4mQzR8vXc2LpWd7HnYfB3s"

    def id_of(match):
        kind, own = match[1], match[2]
        number = names.setdefault((kind, own[:8]), len(names))
        return f"{kind}_{(letters[number % 24:] + letters)[:len(own)]}"

    text = re.sub(r"(inv|apr|chat)_(\w{24}|\w{8})\b", id_of, text)
    text = re.sub(r"127\.0\.0\.1:\d{5}", "127.0.0.1:48025", text)
    text = re.sub(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "2025-03-01 09:30:12", text)
    text = re.sub(r"(?<![\d.])(\d+ ms|\d+\.\d s)\b", "12 ms", text)
    text = re.sub(r"\b[\d,]+ tokens", "330 tokens", text)  # the ids of calls count, too
    return re.sub(r"\b\d:\d\d left", "4:59 left", text)


def spans_of(line):
    style, at = "", 0
    for match in re.finditer(r"\x1b\[(\d*)m", line):
        if match.start() > at:
            yield style, line[at:match.start()]
        code, at = match[1], match.end()
        style = {"1": "font-weight:bold", "2": "opacity:.6"}.get(code, f"fill:{COLOURS[code]}" if code in COLOURS else "")
    if at < len(line):
        yield style, line[at:]


def as_svg(command, output):
    lines = [f"$ \x1b[1m{command}\x1b[0m", *output.rstrip("\n").split("\n")]
    width = max(len(re.sub(r"\x1b\[\d*m", "", line)) for line in lines) * CELL + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN - 4
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" role="img">',
           f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#24292f"/>',
           '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">']
    for number, line in enumerate(lines):
        column = 0
        for style, text in spans_of(line):
            shown = text.strip(" ")  # spaces at the ends are not drawn everywhere
            start = column + len(text) - len(text.lstrip(" "))
            column += len(text)
            if not shown:
                continue
            place = f'x="{MARGIN + start * CELL:.1f}" y="{MARGIN + 12 + number * LINE}"'
            out.append(f'<text {place}' + (f' style="{style}"' if style else "") +
                       f' textLength="{len(shown) * CELL:.1f}">{html.escape(shown).replace(" ", NO_BREAK_SPACE)}</text>')
    return "\n".join([*out, "</g>", "</svg>"]) + "\n"


def make_pictures(folder, binary):
    write_files(folder)
    for name, command in SCREENS.items():
        home = folder / ("many" if name == "tools-many" else "one")
        yield name, as_svg(command, run_on_terminal(command, home, binary))
    home = folder / "asking"
    with asking_gateway(home, binary) as gateway:
        for name in ("approvals-list", "audit", "call", "chat", "pending"):
            if name == "call":
                gateway["forget"]()
            if name == "pending":
                gateway["wait"]()
            output = run_on_terminal(ASKING_SCREENS[name], home, binary, home / "shop", STEPS.get(name, ()))
            yield name, as_svg(ASKING_SCREENS[name], same_each_time(output))


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    binary = pathlib.Path(words[0] if words else ROOT / "build/release/toolgate").resolve()
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in make_pictures(pathlib.Path(folder).resolve(), binary):
            path = ROOT / f"docs/images/{name}.svg"
            if "--check" not in sys.argv:
                path.write_text(picture)
            elif not path.exists() or path.read_text() != picture:
                stale.append(str(path.relative_to(ROOT)))
    if stale:
        sys.exit(f"not what the commands print now, run scripts/screens.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
