"""PyPI openai and langchain-openai in conversations in which the gateway runs tools of its own beside theirs."""
import json
import os
import queue
import re
import subprocess
import threading
import types
import urllib.request

import openai
import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from conftest import BINARY, NODE, ROOT, Upstream

AUTO = {"use_vscode_tools": True, "tool_execution": "auto"}
MINE = {"type": "function", "function": {"name": "mine", "description": "mine", "parameters": {
    "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}}}

ONLY_OURS = [{"text": "Let me look. ", "calls": [["look", {"city": "Oslo"}], ["look", {"city": "Rome"}]]},
             {"text": "Once more. ", "calls": [["look", {"city": "Bonn"}]]}, {"text": "It rains."}]
MIXED = [{"text": "One. ", "calls": [["look", {"city": "1"}]]},
         {"text": "Two. ", "calls": [["look", {"city": "2"}], ["mine", {"n": 1}], ["look", {"city": "3"}]]},
         {"text": "Three. ", "calls": [["look", {"city": "4"}]]}, {"text": "It rains."}]
MIXED_HISTORY = [["One. ", ["look"]], 'look {"city":"1"}', ["Two. ", ["look", "mine", "look"]], 'look {"city":"2"}',
                 "mine 1", 'look {"city":"3"}', ["Three. ", ["look"]], 'look {"city":"4"}']


class Model(Upstream):
    """The scripted model and the tool server in one process."""

    def __init__(self):
        self.process = subprocess.Popen([NODE, str(ROOT / "tests/clients/agent_serve.mjs")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        start = json.loads(self.process.stdout.readline())
        self.port, self.tools = start["port"], start["tools"]
        self.told = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def everything(self, count):
        """What was told since forget(): so many requests of the gateway, and the calls of the tools before the last."""
        told, requests = [], []
        while len(requests) < count or not self.told.empty():
            told.append(self.told.get(timeout=20))
            requests = [one for one in told if "body" in one]
        assert [fault for one in requests for fault in one["faults"]] == []
        return [one["body"] for one in requests], [one["call"] for one in told if "call" in one]


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    model = Model()
    folder = tmp_path_factory.mktemp("agent")
    for name in ("workspace", "data"):
        (folder / name).mkdir()
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"toolgate.tools.builtin": False, "toolgate.models": [
        {"id": "mock-1", "provider": "openai", "baseUrl": f"http://127.0.0.1:{model.port}/v1"}]}))
    gateway = subprocess.Popen([BINARY, "serve", "--port", "0", "--workspace", folder / "workspace", "--data",
                                folder / "data", "--settings", settings], stdout=subprocess.PIPE, text=True,
                               stderr=(folder / "log").open("w"), env={**os.environ, "HOME": str(folder)})
    url = re.search(r"listening on (http://\S+)", gateway.stdout.readline())[1]
    register(url, (folder / "data/operator-token").read_text().strip(), model.tools)
    yield types.SimpleNamespace(model=model, base_url=f"{url}/v1")
    gateway.terminate()
    assert gateway.wait(20) == 0
    model.stop()


def register(url, token, tools):
    body = {"name": "look", "description": "looks", "url": f"{tools}/look", "confirm": False, "readOnly": True,
            "allowPrivateAddresses": True, "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}
    request = urllib.request.Request(f"{url}/v1/tools", json.dumps(body).encode(), {"Authorization": f"Bearer {token}"})
    assert urllib.request.urlopen(request).status == 201


def outline(messages):
    return [[message["content"] or "", [call["function"]["name"] for call in message.get("tool_calls") or []]]
            if message["role"] == "assistant" else message["content"] for message in messages]


def hold_openai(base_url, script, stream):
    """The text of the last answer, and the inputs that the client's own tool got."""
    client = openai.OpenAI(base_url=base_url, api_key="sk-client", max_retries=0)
    messages, inputs = [{"role": "user", "content": json.dumps(script)}], []
    more = {"model": "mock-1", "tools": [MINE], "extra_body": AUTO}
    while True:
        if stream:
            with client.chat.completions.stream(messages=messages, **more) as events:
                message = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(messages=messages, **more).choices[0].message
        if not message.tool_calls:
            return message.content, inputs
        messages.append(message)
        for call in message.tool_calls:
            inputs.append(json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"mine {inputs[-1]['n']}"})


@tool
def mine(n: int) -> str:
    """mine"""
    return f"mine {n}"


def hold_langchain(base_url, script, stream):
    model = ChatOpenAI(model="mock-1", base_url=base_url, api_key="sk-client", max_retries=0,
                       extra_body=AUTO).bind_tools([mine])
    messages, inputs = [HumanMessage(json.dumps(script))], []
    while True:
        if stream:
            answer = None
            for piece in model.stream(messages):
                answer = piece if answer is None else answer + piece
        else:
            answer = model.invoke(messages)
        if not answer.tool_calls:
            return answer.content, inputs
        messages.append(answer)
        for call in answer.tool_calls:
            inputs.append(call["args"])
            messages.append(ToolMessage(content=mine.invoke(call["args"]), tool_call_id=call["id"]))


every_client = pytest.mark.parametrize("hold", [hold_openai, hold_langchain])
streamed_or_not = pytest.mark.parametrize("stream", [False, True])


@every_client
@streamed_or_not
def test_the_answer_comes_without_the_calls(agent, hold, stream):
    agent.model.forget()
    assert hold(agent.base_url, ONLY_OURS, stream) == ("Let me look. Once more. It rains.", [])
    requests, calls = agent.model.everything(3)
    assert len(requests) == 3
    assert calls == ["look"] * 3
    assert outline(requests[-1]["messages"][1:]) == [
        ["Let me look. ", ["look", "look"]], 'look {"city":"Oslo"}', 'look {"city":"Rome"}',
        ["Once more. ", ["look"]], 'look {"city":"Bonn"}']


@every_client
@streamed_or_not
def test_the_client_runs_its_own_tool_in_a_mixed_turn(agent, hold, stream):
    agent.model.forget()
    assert hold(agent.base_url, MIXED, stream) == ("Three. It rains.", [{"n": 1}])
    requests, calls = agent.model.everything(4)
    assert len(requests) == 4
    assert calls == ["look"] * 4
    assert outline(requests[-1]["messages"][1:]) == MIXED_HISTORY


def test_events_of_tools_do_no_harm(agent):
    client = openai.OpenAI(base_url=agent.base_url, api_key="sk-client", max_retries=0)
    text, report = "", None
    for chunk in client.chat.completions.create(
            model="mock-1", messages=[{"role": "user", "content": json.dumps(ONLY_OURS)}], stream=True,
            stream_options={"include_usage": True, "include_tool_events": True}, extra_body=AUTO):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        report = chunk.toolgate if hasattr(chunk, "toolgate") else report
    assert text == "Let me look. Once more. It rains."
    assert report["rounds"] == 3
    assert [one["name"] for one in report["invocations"]] == ["look"] * 3
