"""Schemas, inputs and tools for the schema benchmark, one JSON value per line: from the corpus of
real MCP tools in ../shared/thirdparty/tool-corpus where it is there, else generated, the same every
time. Used by cores.py."""
import json
import random
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "shared/thirdparty/tool-corpus"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def from_corpus():
    servers = json.loads((CORPUS / "tool_schemas.json").read_text())
    groups = servers["servers"] + [{**client, "package": f"client:{client['client']}"}
                                   for client in servers["clients"]]
    schemas, tools = {}, []
    for group in groups:
        for tool in group["tools"]:
            schema = tool.get("inputSchema")
            schemas.setdefault((group["package"], tool["name"]), schema)
            if "client" not in group and isinstance(schema, dict):
                tools.append({"type": "function", "function": {
                    "name": tool["name"], "description": tool.get("description", ""),
                    "parameters": schema}})
    cases = []
    for entry in json.loads((CORPUS / "instances.shared.json").read_text())["schemas"]:
        schema = schemas.get((entry["server"], entry["tool"]))
        if schema is not None:
            cases.append({"schema": compact(schema), "inputs": [
                {"text": compact(case["instance"]), "valid": case["valid"]}
                for case in entry["cases"]]})
    return cases, tools


def property_schema(source, depth):
    kind = source.choice(["string", "string", "integer", "boolean", "enum", "array", "object", "any"])
    if kind == "enum":
        return {"type": "string", "enum": source.sample(["a", "b", "c", "open", "closed"], 3)}
    if kind == "array":
        return {"type": "array", "items": {"type": "string"}, "maxItems": 9}
    if kind == "object" and depth < 3:
        return object_schema(source, depth + 1)
    if kind == "any":
        return {"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}
    extra = {"minimum": 0} if kind == "integer" else {"description": "What it is for, in a sentence."}
    return {"type": kind if kind in ("integer", "boolean") else "string", **extra}


def object_schema(source, depth=0):
    names = [f"{source.choice(['user', 'file', 'max', 'query'])}_{n}" for n in range(source.randint(1, 7))]
    return {"type": "object", "properties": {name: property_schema(source, depth) for name in names},
            "required": names[:source.randint(0, 2)], "additionalProperties": source.random() < 0.5}


def value_for(schema, source):
    if "anyOf" in schema:
        return source.choice(["some text", None])
    if "enum" in schema:
        return source.choice(schema["enum"])
    return {"string": lambda: "a value of some length", "integer": lambda: source.randint(0, 99),
            "boolean": lambda: True, "array": lambda: ["one", "two"],
            "object": lambda: {name: value_for(inner, source)
                               for name, inner in schema["properties"].items()}}[schema["type"]]()


def generated(count=900):
    source = random.Random(7)
    cases, tools = [], []
    for number in range(count):
        schema = object_schema(source)
        good = value_for(schema, source)
        bad = dict(good)
        bad[next(iter(good))] = {"unexpected": [1, 2, 3]}
        cases.append({"schema": compact(schema), "inputs": [
            {"text": compact(good), "valid": True}, {"text": compact(bad), "valid": False}]})
        tools.append({"type": "function", "function": {
            "name": f"tool_{number}", "description": "Does something useful.", "parameters": schema}})
    return cases, tools


def write_cases(folder):
    """Writes cases.jsonl and tools.jsonl; says where they come from."""
    real = CORPUS.exists()
    cases, tools = from_corpus() if real else generated()
    Path(folder, "cases.jsonl").write_text("".join(compact(case) + "\n" for case in cases))
    Path(folder, "tools.jsonl").write_text("".join(compact(tool) + "\n" for tool in tools))
    inputs = sum(len(case["inputs"]) for case in cases)
    return (f"{len(cases)} schemas with {inputs} inputs and {len(tools)} tools "
            + ("of real MCP servers" if real else "that were generated"))
