#!/usr/bin/env python3
"""screens.py [--check] [BINARY]: makes the pictures of the commands in docs/images from what they print on a
terminal. Run it after a change of their output; --check fails when a picture is not what it would make."""
import fcntl
import html
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
SETTINGS = """{
  "toolgate.tools.deny": ["send_*"],
  "toolgate.models": [{"id": "gpt", "provider": "openai", "baseUrl": "https://api.openai.com/v1", "apiKeyEnv": "ACME_KEY"}],
}
"""
COLUMNS = 100


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
COLOURS = {"31": "#f2777a", "32": "#99cc99", "33": "#ffcc66", "36": "#66cccc"}
CELL, LINE, MARGIN = 8.4, 20, 16
NO_BREAK_SPACE = "\u00a0"  # of several plain ones only the first is drawn


def write_files(folder):
    """The homes in which the commands run: most in `one`, that of 5,000 tools in `many`."""
    one, many = folder / "one", folder / "many"
    profile = one / ".config/toolgate"
    files = {one / "tools.json": TOOLS, one / "read_file.json": SCHEMA, one / "input.json": INPUT,
             one / "greeting.txt": "Tokenizers split “Straßenbahnhaltestelle” into pieces, déjà vu!",
             profile / "extensions/acme.weather/package.json": json.dumps(WEATHER),
             profile / "mine.toolsets.jsonc": TOOL_SETS, profile / "settings.json": SETTINGS}
    for manifest in many_tools():
        name = f"{manifest['publisher']}.{manifest['name']}"
        files[many / f".config/toolgate/extensions/{name}/package.json"] = json.dumps(manifest)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run_on_terminal(command, home, binary):
    """What the command prints when both outputs are a terminal."""
    shell = command.replace("toolgate", str(binary), 1)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    foreign = ("XDG_", "OPENAI_", "NO_COLOR", "ACME_KEY")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    process = subprocess.Popen(["sh", "-c", shell], cwd=home, stdin=slave, stdout=slave, stderr=slave,
                               env={**environment, "HOME": str(home)})
    os.close(slave)
    output = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    process.wait()
    return output.decode().replace("\r\n", "\n")


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


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    binary = pathlib.Path(words[0] if words else ROOT / "build/release/toolgate").resolve()
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        write_files(folder)
        for name, command in SCREENS.items():
            home = folder / ("many" if name == "tools-many" else "one")
            picture = as_svg(command, run_on_terminal(command, home, binary))
            path = ROOT / f"docs/images/{name}.svg"
            if "--check" not in sys.argv:
                path.write_text(picture)
            elif not path.exists() or path.read_text() != picture:
                stale.append(str(path.relative_to(ROOT)))
    if stale:
        sys.exit(f"not what the commands print now, run scripts/screens.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
