"""PyPI openai against the gateway."""
import asyncio
import json

import openai
import pytest

from conftest import TOOLS


@pytest.fixture
def client(world):
    return openai.OpenAI(base_url=world.base_url, api_key="sk-client", max_retries=0)


def user(content):
    return [{"role": "user", "content": content}]


def test_plain(client):
    completion = client.chat.completions.create(model="mock-1", messages=user("Grüße 🌍"))
    assert completion.choices[0].message.content == "You said: Grüße 🌍"
    assert completion.usage.total_tokens > 0


def test_plain_streamed_with_usage(client):
    text, usage = "", None
    for chunk in client.chat.completions.create(model="mock-1", messages=user("Grüße 🌍"), stream=True,
                                                stream_options={"include_usage": True}):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        usage = chunk.usage or usage
    assert text == "You said: Grüße 🌍"
    assert usage.total_tokens > 0


@pytest.mark.parametrize("prompt, expected", [
    ("weather?", [("get_weather", {"city": "München"})]),
    ("both", [("get_weather", {"city": "München"}), ("get_time", {"zone": "CET"})]),
])
def test_tools_round_trip(client, prompt, expected):
    asked = client.chat.completions.create(model="mock-1", messages=user(prompt), tools=TOOLS).choices[0]
    assert asked.finish_reason == "tool_calls"
    calls = asked.message.tool_calls
    assert [(call.function.name, json.loads(call.function.arguments)) for call in calls] == expected
    results = [{"role": "tool", "tool_call_id": call.id, "content": f"result {at}"} for at, call in enumerate(calls)]
    answer = client.chat.completions.create(model="mock-1", tools=TOOLS,
                                            messages=[*user(prompt), asked.message, *results])
    assert answer.choices[0].message.content == "The tools said: " + " and ".join(
        f"result {at}" for at in range(len(calls)))


def test_streamed_tool_deltas(client):
    with client.chat.completions.stream(model="mock-1", messages=user("both"), tools=TOOLS) as stream:
        deltas = sum(event.type == "tool_calls.function.arguments.delta" for event in stream)
        message = stream.get_final_completion().choices[0].message
    assert [call.function.name for call in message.tool_calls] == ["get_weather", "get_time"]
    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "München"}
    assert deltas >= 4


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status, kind", [(400, openai.BadRequestError), (401, openai.AuthenticationError),
                                          (404, openai.NotFoundError), (429, openai.RateLimitError),
                                          (500, openai.InternalServerError)])
def test_errors(client, status, kind, stream):
    with pytest.raises(kind, match=f"asked to fail with {status}"):
        client.chat.completions.create(model="mock-1", messages=user(f"fail {status}"), stream=stream)


def test_abort_reaches_the_upstream(world, client):
    world.upstream.forget()
    stream = client.chat.completions.create(model="mock-1", messages=user("count"), stream=True)
    for _, chunk in zip(range(4), stream):
        assert chunk.choices
    stream.close()
    number = world.upstream.wait_for("request")
    world.upstream.wait_for("closed", number)


def test_async_streams_at_once(world):
    async def one(client, number):
        text = ""
        async for chunk in await client.chat.completions.create(model="mock-1", messages=user(f"n {number}"), stream=True):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        return text

    async def every():
        async with openai.AsyncOpenAI(base_url=world.base_url, api_key="x", max_retries=0) as client:
            return await asyncio.gather(*(one(client, number) for number in range(20)))

    assert asyncio.run(every()) == [f"You said: n {number}" for number in range(20)]


def test_models(client):
    assert "toolgate/demo" in [model.id for model in client.models.list()]
