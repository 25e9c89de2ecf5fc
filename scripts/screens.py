#!/usr/bin/env python3
"""screens.py [--check] [BINARY]: makes the pictures of the commands in docs/images from what they print on a
terminal. Run it after a change of their output; --check fails when a picture is not what it would make."""
import html
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

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
SCREENS = {
    "normalize": "toolgate normalize --family gpt-4.1 tools.json > shaped.json",
    "validate": "toolgate validate --schema read_file.json input.json",
    "tokens": "toolgate tokens --show greeting.txt",
}
COLOURS = {"31": "#f2777a", "32": "#99cc99", "33": "#ffcc66", "36": "#66cccc"}
CELL, LINE, MARGIN = 8.4, 20, 16
NO_BREAK_SPACE = "\u00a0"  # plain ones at the ends of a text are not drawn


def run_on_terminal(command, folder, binary):
    """What the command prints when both outputs are a terminal."""
    shell = command.replace("toolgate", str(binary), 1)
    master, slave = pty.openpty()
    process = subprocess.Popen(["sh", "-c", shell], cwd=folder, stdin=slave, stdout=slave, stderr=slave,
                               env={**os.environ, "HOME": str(folder), "NO_COLOR": ""})
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
            place = f'x="{MARGIN + column * CELL:.1f}" y="{MARGIN + 12 + number * LINE}"'
            out.append(f'<text {place}' + (f' style="{style}"' if style else "") + f' textLength="{len(text) * CELL:.1f}">{html.escape(text).replace(" ", NO_BREAK_SPACE)}</text>')
            column += len(text)
    return "\n".join([*out, "</g>", "</svg>"]) + "\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    binary = pathlib.Path(words[0] if words else ROOT / "build/release/toolgate").resolve()
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("tools.json", TOOLS), ("read_file.json", SCHEMA), ("input.json", INPUT),
                           ("greeting.txt", "Tokenizers split “Straßenbahnhaltestelle” into pieces, déjà vu!")):
            pathlib.Path(folder, name).write_text(text)
        for name, command in SCREENS.items():
            picture = as_svg(command, run_on_terminal(command, folder, binary))
            path = ROOT / f"docs/images/{name}.svg"
            if "--check" not in sys.argv:
                path.write_text(picture)
            elif path.read_text() != picture:
                stale.append(str(path.relative_to(ROOT)))
    if stale:
        sys.exit(f"not what the commands print now, run scripts/screens.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
