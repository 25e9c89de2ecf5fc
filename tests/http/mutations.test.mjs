// Every way an upstream can misbehave (tests/mock/damages.mjs), streamed and whole: the client sees
// a well-formed answer or a well-formed error, and the openai SDK reads the same from it.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import OpenAI from 'openai';

import {DAMAGES} from '../mock/damages.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {startGatewayFor} from './gateway.mjs';
import {chat} from './raw.mjs';
import {checkAnswer, difference, haveSchemas, schemaChecks} from './rules.mjs';

let upstream;
let gateway;
let client;

const messages = [{role: 'user', content: 'What is the weather?'}];
const tools = ['get_weather', 'get_time'].map(
    (name) => ({type: 'function', function: {name, parameters: {type: 'object', properties: {}}}}));
const base = {
  model: 'mock-1',
  messages,
  tools
};

before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream, {'toolgate.limits.streamEventBytes': 2 << 20});
  client = new OpenAI({baseURL: `${gateway.url}/v1`, apiKey: 'sk-client', maxRetries: 0});
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});

function fromSdk(completion) {
  const [choice] = completion.choices;
  return {
    status: 200,
    text: choice.message.content ?? '',
    finish: choice.finish_reason,
    error: null,
    calls: (choice.message.tool_calls ?? []).map((call) => ({id: call.id, ...call.function}))
  };
}

// What the SDK throws, as an outcome. Anything but its own error type is a crash of the SDK.
async function sdkOutcome(run) {
  try {
    return fromSdk(await run());
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return {
      status: error.status ?? 200,
      text: '',
      calls: [],
      finish: null,
      error: {message: error.message}
    };
  }
}

async function sumOfChunks(stream) {
  const message = {content: '', tool_calls: []};
  let finish = null;
  for await (const value of stream) {
    for (const choice of value.choices) {
      message.content += choice.delta.content ?? '';
      finish = choice.finish_reason ?? finish;
      for (const delta of choice.delta.tool_calls ?? []) {
        message.tool_calls[delta.index] ??= {
          id: delta.id,
          function: {name: delta.function.name, arguments: ''}
        };
        message.tool_calls[delta.index].function.arguments += delta.function?.arguments ?? '';
      }
    }
  }
  return {choices: [{message, finish_reason: finish}]};
}

const agree = (expected, outcome) => assert.equal(difference(expected, outcome), null);

// Beside the expectation of the table, the SDK must agree with what was read by hand.
function asExpectation(outcome) {
  if (outcome.error) return {fails: /./};
  return {text: outcome.text, calls: outcome.calls, finish: outcome.finish};
}

async function streamed(damage) {
  const {expect} = damage.stream;
  const response =
      await chat(gateway.port, {...base, stream: true, stream_options: {include_usage: true}});
  const raw = checkAnswer(response, {stream: true, includeUsage: true});
  agree(expect, raw);
  for (const [name, value] of Object.entries(expect.headers ?? {}))
    assert.equal(response.headers[name], value);
  const without = checkAnswer(await chat(gateway.port, {...base, stream: true}), {stream: true});
  agree(expect, without);

  const body = {...base, stream: true};
  const created =
      await sdkOutcome(async () => sumOfChunks(await client.chat.completions.create(body)));
  agree(expect, created);
  agree(asExpectation(without), created);
  // The helper parses arguments of tools that it knows to be strict only, so any text may stand in
  // them.
  const helped =
      await sdkOutcome(() => client.chat.completions.stream({...body}).finalChatCompletion());
  agree(expect, helped);
  agree(asExpectation(without), helped);
}

async function whole(damage) {
  const {expect} = damage.whole;
  const response = await chat(gateway.port, base);
  const raw = checkAnswer(response, {stream: false});
  agree(expect, raw);
  for (const [name, value] of Object.entries(expect.headers ?? {}))
    assert.equal(response.headers[name], value);
  const created = await sdkOutcome(() => client.chat.completions.create(base));
  agree(expect, created);
  agree(asExpectation(raw), created);
}

for (const [kind, run] of [['stream', streamed], ['whole', whole]]) {
  describe(`a damaged ${kind === 'stream' ? 'stream' : 'whole answer'}`, () => {
    for (const damage of DAMAGES.filter((one) => one[kind])) {
      test(damage.name, {timeout: 60_000}, async () => {
        upstream.behave = damage.behave;
        await run(damage);
      });
    }
  });
}

test(
    'the answers were checked against the published schemas',
    {skip: !haveSchemas && 'third-party data: ../shared/thirdparty/openai-schemas is not there'},
    () => assert.ok(schemaChecks() > 200, `${schemaChecks()} values were checked`));
