#!/usr/bin/env python3
"""Fails on an #include that goes upwards or sideways among the folders of src/, and where Asio or Beast is
named outside its place. Prints one line per fault and a closing count; tests/run.py calls it."""
import pathlib
import re
import sys

LAYERS = [["base"], ["async"], ["schema", "tokens", "wire"], ["tools"], ["invoke"], ["store", "net"],
          ["models", "builtin", "hosts"], ["agent"], ["gateway"], ["cli"]]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

ASIO_IN_HEADERS = {"async", "net", "models", "agent", "gateway", "cli"}
ASIO_IN_SOURCES = ASIO_IN_HEADERS | {"store", "builtin", "hosts"}
BEAST_FILES = 3  # .cpp files in src/net that may name Beast: its headers take seconds each to compile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def faults_of(path: pathlib.Path, folder: str, text: str):
    header = path.suffix == ".h"
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        quote, target = match.groups()
        top = target.split("/")[0]
        if quote == '"' and "/" not in target:
            yield line, f'"{target}" is named without its folder'
        if quote == '"' and top in RANK and top != folder and RANK[top] >= RANK[folder]:
            yield line, f"{folder}/ may not include {target}: it is not below"
        if target.startswith("boost/asio") and folder not in (ASIO_IN_HEADERS if header else ASIO_IN_SOURCES):
            yield line, f"{folder}/ may not name Asio"
        if target.startswith("boost/beast") and (header or folder != "net"):
            yield line, "Beast belongs into few .cpp files of src/net"


TYPE = re.compile(r"^(?:struct|class|enum|enum class) (\w+)(?: final)?(?: *:(?!:)[^;{]*)? *\{", re.MULTILINE)


def names_taken_twice(root: pathlib.Path):
    """Everything is in one namespace: a second type of a name would break whoever sees both, and the linker where nobody does."""
    seen = {}
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*.h")):
            for match in TYPE.finditer(path.read_text(encoding="utf-8")):
                first = seen.setdefault(match[1], path)
                if first != path:
                    yield f"{path.relative_to(root)}: {match[1]} is a type of {first.relative_to(root)} already"


def check(root: pathlib.Path):
    faults, files, beast = list(names_taken_twice(root)), 0, []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        parts = path.relative_to(root / "src").parts
        if len(parts) == 1:
            continue  # main.cpp stands above all layers
        files += 1
        name = path.relative_to(root)
        if parts[0] not in RANK:
            faults.append(f"{name}: {parts[0]}/ is no layer; see LAYERS in {pathlib.Path(__file__).name}")
            continue
        text = path.read_text(encoding="utf-8")
        faults += [f"{name}:{line}: {why}" for line, why in faults_of(path, parts[0], text)]
        if "<boost/beast" in text:
            beast.append(str(name))
    for path in sorted((root / "include").rglob("*.h")):
        files += 1
        for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
            asio = match[2].startswith("boost/") and path.name != "task.h"  # a coroutine is Asio's
            if match[2].split("/")[0] in RANK or asio:
                faults.append(f"{path.relative_to(root)}: the public headers may not include {match[2]}")
    if len(beast) > BEAST_FILES:
        faults.append(f"Beast is named in {len(beast)} files, {BEAST_FILES} are allowed: {', '.join(beast)}")
    return files, faults


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    files, faults = check(root)
    for fault in faults:
        print(fault)
    faulty = len({fault.split(":")[0] for fault in faults})
    print(f"{max(files - faulty, 0)} passed, {faulty} failed, 0 skipped")
    return 1 if faults or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
