// npm openai against the gateway.
import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import OpenAI from 'openai';

import {CITY, timeParameters, useGateway, watchNext, weatherParameters} from './support.mjs';

let client;
const world = useGateway(({baseURL}) => {
  client = new OpenAI({baseURL: baseURL, apiKey: 'sk-client', maxRetries: 0});
});

const user = (content) => [{role: 'user', content}];
const tools = [
  {type: 'function', function: {name: 'get_weather', parameters: weatherParameters}},
  {type: 'function', function: {name: 'get_time', parameters: timeParameters}}
];

test('plain, whole', async () => {
  const completion =
      await client.chat.completions.create({model: 'mock-1', messages: user('Grüße 🌍')});
  assert.equal(completion.choices[0].message.content, 'You said: Grüße 🌍');
  assert.ok(completion.usage.total_tokens > 0);
});

test('plain, streamed, with usage', async () => {
  const stream = await client.chat.completions.create({
    model: 'mock-1',
    messages: user('Grüße 🌍'),
    stream: true,
    stream_options: {include_usage: true}
  });
  let text = '';
  let usage = null;
  for await (const value of stream) {
    text += value.choices[0]?.delta.content ?? '';
    usage = value.usage ?? usage;
  }
  assert.equal(text, 'You said: Grüße 🌍');
  assert.ok(usage.total_tokens > 0);
});

function runnable(calls) {
  return [['get_weather', weatherParameters, 'sunny'], ['get_time', timeParameters, 'noon']].map(
      ([name, parameters, result]) => ({
        type: 'function',
        function: {
          name,
          parameters,
          parse: JSON.parse,
          function: (input) => {
            calls.push([name, input]);
            return result;
          }
        }
      }));
}

for (const stream of [false, true]) {
  test(`tools round trip with runTools, ${stream ? 'streamed' : 'whole'}`, async () => {
    const calls = [];
    const runner = client.chat.completions.runTools(
        {model: 'mock-1', messages: user('weather?'), tools: runnable(calls), stream});
    assert.equal(await runner.finalContent(), 'The tools said: sunny');
    assert.deepEqual(calls, [['get_weather', {city: CITY}]]);
  });
  test(`parallel calls with runTools, ${stream ? 'streamed' : 'whole'}`, async () => {
    const calls = [];
    const runner = client.chat.completions.runTools(
        {model: 'mock-1', messages: user('both'), tools: runnable(calls), stream});
    assert.equal(await runner.finalContent(), 'The tools said: sunny and noon');
    assert.deepEqual(calls, [['get_weather', {city: CITY}], ['get_time', {zone: 'CET'}]]);
  });
}

test('streamed tool deltas come in pieces and in order', async () => {
  const stream = await client.chat.completions.create(
      {model: 'mock-1', messages: user('both'), tools, stream: true});
  const calls = [];
  let pieces = 0;
  for await (const value of stream) {
    for (const delta of value.choices[0]?.delta.tool_calls ?? []) {
      calls[delta.index] ??= {name: delta.function.name, arguments: ''};
      calls[delta.index].arguments += delta.function.arguments ?? '';
      pieces += 1;
    }
  }
  assert.deepEqual(calls, [
    {name: 'get_weather', arguments: `{"city":"${CITY}"}`},
    {name: 'get_time', arguments: '{"zone":"CET"}'}
  ]);
  assert.ok(pieces >= 5, 'the deltas were joined');
});

test('the stream helper assembles the same', async () => {
  const helper = client.chat.completions.stream({model: 'mock-1', messages: user('both'), tools});
  const completion = await helper.finalChatCompletion();
  assert.deepEqual(
      completion.choices[0].message.tool_calls.map((call) => call.function.name),
      ['get_weather', 'get_time']);
  assert.equal(completion.choices[0].finish_reason, 'tool_calls');
});

describe('errors', () => {
  const kinds = {
    400: OpenAI.BadRequestError,
    401: OpenAI.AuthenticationError,
    403: OpenAI.PermissionDeniedError,
    404: OpenAI.NotFoundError,
    429: OpenAI.RateLimitError,
    500: OpenAI.InternalServerError
  };
  for (const [status, kind] of Object.entries(kinds)) {
    for (const stream of [false, true]) {
      test(`${status}, ${stream ? 'streamed' : 'whole'}`, async () => {
        await assert.rejects(
            client.chat.completions.create(
                {model: 'mock-1', messages: user(`fail ${status}`), stream}),
            (error) => {
              assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
              assert.match(error.message, new RegExp(`asked to fail with ${status}`));
              if (status === '429') assert.equal(error.headers.get('retry-after'), '7');
              return true;
            });
      });
    }
  }
  test(
      'an unknown model', {skip: process.env.TOOLGATE_DIRECT && 'the mock has every model'},
      async () => {
        await assert.rejects(
            client.chat.completions.create({model: 'nonesuch', messages: user('x')}),
            (error) => error instanceof OpenAI.NotFoundError && error.code === 'model_not_found');
      });
});

test('abort inside a stream reaches the upstream', async () => {
  const watched = watchNext(world.upstream);
  const stream = await client.chat.completions.create(
      {model: 'mock-1', messages: user('count'), stream: true});
  let seen = 0;
  for await (const value of stream)
    if (value.choices[0]?.delta.content && ++seen === 3) break;
  await watched.closed();
  assert.equal(seen, 3);
});

test('abort before the answer reaches the upstream', async () => {
  const behave = world.upstream.behave;
  world.upstream.behave = () => new Promise(() => {});
  const watched = watchNext(world.upstream);
  const stop = new AbortController();
  const pending =
      client.chat.completions.create({model: 'mock-1', messages: user('x')}, {signal: stop.signal});
  setTimeout(() => stop.abort(), 100);
  await assert.rejects(pending, OpenAI.APIUserAbortError);
  await watched.closed();
  world.upstream.behave = behave;
});

test('models', async () => {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.ok(ids.includes('mock-1'));
});
