// @openai/agents in chat mode against the gateway.
import {Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool} from '@openai/agents';
import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import OpenAI from 'openai';
import {z} from 'zod';

import {CITY, useGateway, watchNext} from './support.mjs';

let model;
const world = useGateway(({baseURL}) => {
  setTracingDisabled(true);
  model = new OpenAIChatCompletionsModel(
      new OpenAI({baseURL: baseURL, apiKey: 'sk-client', maxRetries: 0}), 'mock-1');
});

function agentFor(calls, more = {}) {
  return new Agent({
    name: 'tester',
    instructions: 'Answer.',
    model,
    ...more,
    tools: [
      tool({
        name: 'get_weather',
        description: 'weather',
        parameters: z.object({city: z.string()}),
        execute: (input) => {
          calls.push(input);
          return 'sunny';
        }
      }),
      tool({
        name: 'get_time',
        description: 'time',
        parameters: z.object({zone: z.string()}),
        execute: (input) => {
          calls.push(input);
          return 'noon';
        }
      })
    ]
  });
}
const runner = () => new Runner({tracingDisabled: true});

test('plain', async () => {
  const result = await runner().run(agentFor([]), 'Grüße 🌍');
  assert.equal(result.finalOutput, 'You said: Grüße 🌍');
});

for (const [prompt, inputs, said] of [
         ['weather?', [{city: CITY}], 'sunny'],
         ['both', [{city: CITY}, {zone: 'CET'}], 'sunny and noon']]) {
  test(`tools round trip, whole: ${prompt}`, async () => {
    const calls = [];
    const result = await runner().run(agentFor(calls), prompt);
    assert.equal(result.finalOutput, `The tools said: ${said}`);
    assert.deepEqual(calls, inputs);
  });
  test(`tools round trip, streamed: ${prompt}`, async () => {
    const calls = [];
    const result = await runner().run(agentFor(calls), prompt, {stream: true});
    let text = '';
    for await (const piece of result.toTextStream()) text += piece;
    await result.completed;
    assert.match(text, new RegExp(`The tools said: ${said}$`));
    assert.deepEqual(calls, inputs);
  });
}

test('strict tools and a required choice pass', async () => {
  const asked = world.upstream.nextRequest();
  await runner().run(
      agentFor([], {modelSettings: {toolChoice: 'required', parallelToolCalls: true}}), 'weather?');
  const {json} = await asked;
  assert.equal(json.tools[0].function.strict, true);
  assert.equal(json.tool_choice, 'required');
  assert.equal(json.parallel_tool_calls, true);
});

describe('errors', () => {
  for (const status of [400, 401, 429, 500]) {
    test(`${status}`, async () => {
      await assert.rejects(runner().run(agentFor([]), `fail ${status}`), (error) => {
        assert.match(error.message, new RegExp(`asked to fail with ${status}`));
        assert.equal(error.status, status);
        return true;
      });
    });
  }
});

test('abort inside a stream reaches the upstream', async () => {
  const watched = watchNext(world.upstream);
  const stop = new AbortController();
  const result = await runner().run(agentFor([]), 'count', {stream: true, signal: stop.signal});
  let seen = 0;
  for await (const piece of result.toTextStream())
    if (piece && ++seen === 3) stop.abort();
  await watched.closed();
  assert.ok(seen >= 3);
});
