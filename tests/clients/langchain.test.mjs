// @langchain/openai and a langchain agent against the gateway.
import {HumanMessage, SystemMessage, ToolMessage} from '@langchain/core/messages';
import {tool} from '@langchain/core/tools';
import {ChatOpenAI} from '@langchain/openai';
import {createAgent} from 'langchain';
import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {z} from 'zod';

import {CITY, useGateway, watchNext} from './support.mjs';

let model;
const world = useGateway(({baseURL}) => {
  model = new ChatOpenAI(
      {model: 'mock-1', apiKey: 'sk-client', maxRetries: 0, configuration: {baseURL: baseURL}});
});

const weather = tool(
    () => 'sunny',
    {name: 'get_weather', description: 'weather', schema: z.object({city: z.string()})});
const time = tool(
    () => 'noon', {name: 'get_time', description: 'time', schema: z.object({zone: z.string()})});

test('plain', async () => {
  const answer = await model.invoke('Grüße 🌍');
  assert.equal(answer.content, 'You said: Grüße 🌍');
  assert.ok(answer.usage_metadata.total_tokens > 0);
});

test('plain, streamed, with usage', async () => {
  let all;
  for await (const piece of await model.stream('Grüße 🌍')) all = all ? all.concat(piece) : piece;
  assert.equal(all.content, 'You said: Grüße 🌍');
  assert.ok(all.usage_metadata.total_tokens > 0);
});

test('tools round trip', async () => {
  const bound = model.bindTools([weather, time]);
  const question = new HumanMessage('weather?');
  const asked = await bound.invoke([question]);
  assert.deepEqual(
      asked.tool_calls.map((call) => [call.name, call.args]), [['get_weather', {city: CITY}]]);
  const answer = await bound.invoke([
    question, asked,
    new ToolMessage({content: 'sunny', tool_call_id: asked.tool_calls[0].id, name: 'get_weather'})
  ]);
  assert.equal(answer.content, 'The tools said: sunny');
});

test('streamed tool deltas of parallel calls', async () => {
  let all;
  let pieces = 0;
  for await (const piece of await model.bindTools([weather, time]).stream('both')) {
    pieces += piece.tool_call_chunks?.length ?? 0;
    all = all ? all.concat(piece) : piece;
  }
  assert.deepEqual(
      all.tool_calls.map((call) => [call.name, call.args]),
      [['get_weather', {city: CITY}], ['get_time', {zone: 'CET'}]]);
  assert.ok(pieces >= 5, 'the deltas were joined');
});

test('an agent runs parallel calls to the end', async () => {
  const agent = createAgent({model, tools: [weather, time]});
  const {messages} = await agent.invoke({messages: [new HumanMessage('both')]});
  assert.equal(messages.at(-1).content, 'The tools said: sunny and noon');
});

test('a reasoning model gets developer messages and max_completion_tokens', async () => {
  const asked = world.upstream.nextRequest();
  const other = new ChatOpenAI({
    model: 'o3-mock',
    apiKey: 'x',
    maxRetries: 0,
    maxTokens: 50,
    configuration: {baseURL: world.baseURL}
  });
  await other.invoke([new SystemMessage('be brief'), new HumanMessage('hi')]);
  const {json} = await asked;
  assert.deepEqual(json.messages.map((message) => message.role), ['developer', 'user']);
  assert.equal(json.max_completion_tokens, 50);
});

describe('errors', () => {
  for (const status of [400, 401, 429, 500]) {
    test(`${status}`, async () => {
      await assert.rejects(model.invoke(`fail ${status}`), (error) => {
        assert.match(error.message, new RegExp(`asked to fail with ${status}`));
        assert.equal(error.status, status);
        return true;
      });
      await assert.rejects(async () => {
        for await (const piece of await model.stream(`fail ${status}`)) assert.fail(String(piece));
      }, new RegExp(`asked to fail with ${status}`));
    });
  }
});

test('abort inside a stream reaches the upstream', async () => {
  const watched = watchNext(world.upstream);
  const stop = new AbortController();
  let seen = 0;
  await assert.rejects(async () => {
    for await (const piece of await model.stream('count', {signal: stop.signal})) {
      if (piece.content && ++seen === 3) stop.abort();
      assert.ok(seen < 1000, 'the stream went on');
    }
  }, /abort/i);
  await watched.closed();
});
