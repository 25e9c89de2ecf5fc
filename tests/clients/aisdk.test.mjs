// ai with @ai-sdk/openai-compatible against the gateway.
import {createOpenAICompatible} from '@ai-sdk/openai-compatible';
import {APICallError, generateText, isStepCount, stepCountIs, streamText, tool} from 'ai';
import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {z} from 'zod';

import {CITY, useGateway, watchNext} from './support.mjs';

let model;
const world = useGateway(({baseURL}) => {
  model = createOpenAICompatible(
      {name: 'toolgate', baseURL: baseURL, apiKey: 'sk-client', includeUsage: true})('mock-1');
});

const steps = (isStepCount ?? stepCountIs)(4);
function toolsFor(calls) {
  return {
    get_weather: tool({
      description: 'weather',
      inputSchema: z.object({city: z.string()}),
      execute: (input) => {
        calls.push(input);
        return 'sunny';
      }
    }),
    get_time: tool({
      description: 'time',
      inputSchema: z.object({zone: z.string()}),
      execute: (input) => {
        calls.push(input);
        return 'noon';
      }
    }),
  };
}
const common = {
  maxRetries: 0
};

test('plain', async () => {
  const answer = await generateText({...common, model, prompt: 'Grüße 🌍'});
  assert.equal(answer.text, 'You said: Grüße 🌍');
  assert.equal(answer.finishReason, 'stop');
  assert.ok(answer.usage.totalTokens > 0);
});

test('plain, streamed, with usage', async () => {
  const answer = streamText({...common, model, prompt: 'Grüße 🌍'});
  assert.equal(await answer.text, 'You said: Grüße 🌍');
  assert.ok((await answer.usage).totalTokens > 0);
});

for (const [prompt, inputs, said] of [
         ['weather?', [{city: CITY}], 'sunny'],
         ['both', [{city: CITY}, {zone: 'CET'}], 'sunny and noon']]) {
  test(`tools round trip, whole: ${prompt}`, async () => {
    const calls = [];
    const answer =
        await generateText({...common, model, prompt, tools: toolsFor(calls), stopWhen: steps});
    assert.equal(answer.text, `The tools said: ${said}`);
    assert.deepEqual(calls, inputs);
  });
  test(`tools round trip, streamed: ${prompt}`, async () => {
    const calls = [];
    const answer = streamText({...common, model, prompt, tools: toolsFor(calls), stopWhen: steps});
    let deltas = 0;
    for await (const part of answer.fullStream) {
      if (part.type === 'tool-input-delta') deltas += 1;
      assert.notEqual(part.type, 'error', String(part.error));
    }
    assert.equal(await answer.text, `The tools said: ${said}`);
    assert.deepEqual(calls, inputs);
    assert.ok(deltas >= 3, 'the deltas were joined');
  });
}

describe('errors', () => {
  for (const status of [400, 401, 429, 500]) {
    test(`${status}`, async () => {
      await assert.rejects(generateText({...common, model, prompt: `fail ${status}`}), (error) => {
        assert.ok(APICallError.isInstance(error), `${error}`);
        assert.equal(error.statusCode, status);
        assert.match(error.message, new RegExp(`asked to fail with ${status}`));
        return true;
      });
      let caught = null;
      const answer = streamText({
        ...common,
        model,
        prompt: `fail ${status}`,
        onError: ({error}) => {
          caught = error;
        }
      });
      await answer.consumeStream();
      assert.equal(caught?.statusCode, status);
    });
  }
});

test('abort inside a stream reaches the upstream', async () => {
  const watched = watchNext(world.upstream);
  const stop = new AbortController();
  const answer = streamText({...common, model, prompt: 'count', abortSignal: stop.signal});
  let seen = 0;
  for await (const part of answer.fullStream)
    if (part.type === 'text-delta' && ++seen === 3) stop.abort();
  await watched.closed();
  assert.ok(seen >= 3);
});
