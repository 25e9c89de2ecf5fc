"""PyPI langchain-openai against the gateway."""
import openai
import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def get_weather(city: str) -> str:
    """weather"""
    return "sunny"


@tool
def get_time(zone: str) -> str:
    """time"""
    return "noon"


@pytest.fixture
def model(world):
    return ChatOpenAI(model="mock-1", base_url=world.base_url, api_key="sk-client", max_retries=0, stream_usage=True)


def test_plain(model):
    answer = model.invoke("Grüße 🌍")
    assert answer.content == "You said: Grüße 🌍"
    assert answer.usage_metadata["total_tokens"] > 0


def test_plain_streamed_with_usage(model):
    pieces = list(model.stream("Grüße 🌍"))
    assert "".join(piece.content for piece in pieces) == "You said: Grüße 🌍"
    assert any(piece.usage_metadata for piece in pieces)


def test_tools_round_trip(model):
    bound = model.bind_tools([get_weather, get_time])
    question = HumanMessage("both")
    asked = bound.invoke([question])
    assert [(call["name"], call["args"]) for call in asked.tool_calls] == [
        ("get_weather", {"city": "München"}), ("get_time", {"zone": "CET"})]
    results = [ToolMessage(content=word, tool_call_id=call["id"]) for word, call in zip(("sunny", "noon"), asked.tool_calls)]
    assert bound.invoke([question, asked, *results]).content == "The tools said: sunny and noon"


def test_streamed_tool_deltas(model):
    whole, deltas = None, 0
    for piece in model.bind_tools([get_weather, get_time]).stream("both"):
        deltas += len(piece.tool_call_chunks)
        whole = piece if whole is None else whole + piece
    assert [call["name"] for call in whole.tool_calls] == ["get_weather", "get_time"]
    assert deltas >= 5


@pytest.mark.parametrize("status, kind", [(400, openai.BadRequestError), (401, openai.AuthenticationError),
                                          (429, openai.RateLimitError), (500, openai.InternalServerError)])
def test_errors(model, status, kind):
    with pytest.raises(kind, match=f"asked to fail with {status}"):
        model.invoke(f"fail {status}")


def test_abort_reaches_the_upstream(world, model):
    world.upstream.forget()
    stream = model.stream("count")
    for _ in range(4):
        next(stream)
    stream.close()
    number = world.upstream.wait_for("request")
    world.upstream.wait_for("closed", number)
