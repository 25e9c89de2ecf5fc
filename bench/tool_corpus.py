"""A catalogue of thousands of tools as a profile folder: one VS Code extension per MCP server of the
corpus in ../shared/thirdparty/tool-corpus where it is there, else generated ones, the same every
time. Used by catalogue.py; alone, `tool_corpus.py FOLDER` fills FOLDER/extensions to look at."""
import collections
import dataclasses
import hashlib
import json
import random
import re
import sys
from pathlib import Path

from schema_cases import CORPUS, compact, object_schema

GENERATED_SERVERS, GENERATED_TOOLS = 261, 5680
LONGEST_NAME = 64
CONDITIONS = ("!config.bench.quiet", "workbenchState == folder && !config.bench.hidden || isWeb",
              "workspaceFolderCount > 0 && !(remoteName =~ /^ssh/)")


@dataclasses.dataclass
class Profile:
    source: str      # where the tools come from, in words
    names: list      # of all tools, in the order of the catalogue
    own_names: list  # of those whose name nothing else has and whose schema every model takes
    sets: dict       # names of tools by the set they are in: that of their extension
    json_bytes: int


def servers_of_corpus():
    for server in json.loads((CORPUS / "tool_schemas.json").read_text())["servers"]:
        yield server["package"], server["tools"]


def generated_servers():
    source = random.Random(11)
    verbs, nouns = ("get", "list", "create", "update", "delete", "search"), ("issue", "file", "user", "page")
    for number in range(GENERATED_SERVERS):
        count = GENERATED_TOOLS // GENERATED_SERVERS + (number < GENERATED_TOOLS % GENERATED_SERVERS)
        yield f"@made/server-{number}", [
            {"name": f"{source.choice(verbs)}_{source.choice(nouns)}_{number}_{tool}",
             "description": "Does one useful thing and says what came of it. " * source.randint(1, 8),
             "inputSchema": object_schema(source)} for tool in range(count)]


def shortened(name):
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def unique_name(name, extension, taken):
    """The tool's own name where it is free, else with the extension's before it."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    if plain in taken or plain.startswith(("copilot_", "vscode_")):
        plain = f"{extension}_{plain}"
    result, number = shortened(plain), 1
    while result in taken:
        number += 1
        result = shortened(f"{plain}_{number}")
    taken.add(result)
    return result


def extension_id(package, taken):
    publisher, slash, name = package.lstrip("@").partition("/")
    if not slash:
        publisher, name = "mcp", publisher
    publisher, name = (re.sub(r"[^a-z0-9-]+", "-", text.lower()) for text in (publisher, name))
    while (publisher, name) in taken:
        name += "-2"
    taken.add((publisher, name))
    return publisher, name


def tool_entry(tool, name, number):
    title = tool.get("title") or (tool.get("annotations") or {}).get("title")
    entry = {"name": name, "displayName": title or tool["name"].replace("_", " "),
             "modelDescription": tool.get("description") or f"Runs {tool['name']}.",
             "toolReferenceName": tool["name"], "canBeReferencedInPrompt": True,
             "inputSchema": tool["inputSchema"], "tags": [tool["name"].partition("_")[0].lower()]}
    if number % 10 == 0:
        entry["when"] = CONDITIONS[number // 10 % len(CONDITIONS)]
    return entry


def is_usable(schema):
    """Not if an array does not say what its items are: such a tool is left out of requests."""
    if isinstance(schema, list):
        return all(map(is_usable, schema))
    if not isinstance(schema, dict):
        return True
    return (schema.get("type") != "array" or "items" in schema) and all(map(is_usable, schema.values()))


def write_profile(folder):
    """Writes FOLDER/extensions/*/package.json."""
    real = CORPUS.exists()
    extensions, names, profile = set(), set(), Profile("", [], [], {}, 0)
    references, usable = collections.Counter(), set()
    for package, tools in servers_of_corpus() if real else generated_servers():
        publisher, name = extension_id(package, extensions)
        entries = [tool_entry(tool, unique_name(tool["name"], name, names), len(profile.names) + place)
                   for place, tool in enumerate(tools)]
        manifest = {"publisher": publisher, "name": name, "displayName": package, "version": "1.0.0",
                    "engines": {"vscode": "^1.100.0"}, "contributes": {"languageModelTools": entries}}
        text = compact(manifest)
        place = Path(folder, "extensions", f"{publisher}.{name}")
        place.mkdir(parents=True)
        (place / "package.json").write_text(text)
        profile.sets[f"{publisher}.{name}"] = [entry["name"] for entry in entries]
        references.update(entry["toolReferenceName"] for entry in entries)
        usable.update(entry["name"] for entry in entries if is_usable(entry["inputSchema"])
                      and entry["toolReferenceName"] == entry["name"])
        profile.names += profile.sets[f"{publisher}.{name}"]
        profile.json_bytes += len(text.encode())
    # Folders are read in the order of their names.
    profile.sets = dict(sorted(profile.sets.items()))
    profile.names = [name for members in profile.sets.values() for name in members]
    profile.own_names = [name for name in profile.names
                         if references[name] == 1 and name in usable]
    profile.source = (f"{len(profile.names):,} tools of {len(profile.sets)} "
                      + ("real MCP servers" if real else "generated servers"))
    return profile


def some_of(names, count):
    """As many names, spread evenly over the catalogue, so that they are of its mean size."""
    return [names[(2 * place + 1) * len(names) // (2 * count)] for place in range(count)]


if __name__ == "__main__":
    made = write_profile(sys.argv[1])
    print(f"{made.source}, {made.json_bytes:,} bytes of manifests")
