"""Chat requests of an exact size, the same on every run, shaped like those of coding agents:
a system prompt, tools with schemas, prose, code, tool calls and their results. load.cpp
writes the number of the turn where TURN stands, in the last round. Used by run.py."""
import json
import random

SENTENCES = [
    "The failing test reads one element past the end of the buffer.",
    "Please keep the public interface as it is and explain what you changed.",
    "I looked at the caller first, because the error only shows up under load.",
    "There are two ways to do this; the second one avoids the extra copy.",
    "It prints \"connection reset\" and then hangs until the timeout.",
    "Could you also add a test for the empty case – “nothing in, nothing out”?",
]
CODE = [
    "for (size_t i = 0; i <= buffer.size(); ++i) {\n  total += buffer[i];\n}\n",
    "def read_config(path):\n    with open(path, \"r\") as file:\n        return json.load(file)\n",
    "if (!response.ok) {\n\tthrow new Error(`status ${response.status}: \\u00e9`);\n}\n",
    "SELECT name, count(*) FROM events WHERE kind = 'start' GROUP BY name;\n",
]
SYSTEM = ("You are a careful programming assistant. Use the tools to read files before you change "
          "them, make the smallest change that solves the problem, and say what you did.")
TURN = "Turn 00000000: "


def tool(name, description, parameters):
    schema = {"type": "object", "properties": parameters, "required": list(parameters)[:1],
              "additionalProperties": False}
    return {"type": "function",
            "function": {"name": name, "description": description, "parameters": schema}}


def text(description):
    return {"type": "string", "description": description}


TOOLS = [
    tool("read_file", "Read a range of lines of a file in the workspace.",
         {"path": text("The file, relative to the workspace."),
          "first": {"type": "integer", "minimum": 1}, "last": {"type": "integer", "minimum": 1}}),
    tool("replace_text", "Replace one occurrence of a text in a file with another.",
         {"path": text("The file to change."), "old": text("The text to replace, exactly."),
          "new": text("What to put in its place.")}),
    tool("search", "Search the workspace with a regular expression.",
         {"pattern": text("The expression."), "include": text("A glob over file names."),
          "limit": {"type": "integer", "default": 50}}),
    tool("run_command", "Run a command in a terminal and return its output.",
         {"command": text("The command line."), "explanation": text("One sentence for the user."),
          "environment": {"type": "array", "items": {"type": "object", "properties": {
              "name": {"type": "string"}, "value": {"type": "string"}}}}}),
]


def prose(source):
    return " ".join(source.choices(SENTENCES, k=source.randint(2, 6)))


def code(source):
    return "".join(source.choices(CODE, k=source.randint(4, 20)))


def one_round(source, number):
    """A question, a tool call with its result, and the answer."""
    call = f"call_{number:08d}"
    arguments = json.dumps({"path": f"src/part_{number}.cpp", "first": 1, "last": 200})
    return [
        {"role": "user", "content": prose(source) + "\n```\n" + code(source) + "```"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": call, "type": "function",
             "function": {"name": "read_file", "arguments": arguments}}]},
        {"role": "tool", "tool_call_id": call, "content": code(source)},
        {"role": "assistant", "content": prose(source)},
    ]


def encoded(request):
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()


def chat_request(size, conversation=0, model="mock", **more):
    """A request of exactly `size` bytes; tools and tool calls only where there is room for them.
    Each conversation has other messages."""
    source = random.Random(f"{size} {conversation}")
    request = {"model": model, **more, "temperature": 0.2,
               "messages": [{"role": "system", "content": SYSTEM}]}
    used, first_of_turn = 0, None
    if size >= 16384:
        request["tools"] = TOOLS
        used = len(encoded(request))
        for number in range(size):
            messages = one_round(source, number)
            length = len(encoded(messages))
            if used + length > size - 1024:
                break
            request["messages"] += messages
            used += length
            first_of_turn = messages[0]
    last = {"role": "user", "content": ""}
    request["messages"].append(last)
    first_of_turn = first_of_turn or last
    first_of_turn["content"] = TURN + first_of_turn["content"]
    missing = size - len(encoded(request))
    words = (prose(source) + " ") * (missing // 100 + 1)
    last["content"] += words.encode().decode("ascii", "ignore").replace('"', "'")[:missing]
    body = encoded(request)
    assert len(body) == size, (len(body), size)
    return body
