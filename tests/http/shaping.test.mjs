// Tools of a chat request on their way to the model: shaped for its family, told in the answer, and
// refused where their schema cannot be used.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {DAMAGES} from '../mock/damages.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {mockModel, startGateway} from './gateway.mjs';
import {chat, exchange} from './raw.mjs';
import {checkAnswer, checkError} from './rules.mjs';

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    settings: {
      'toolgate.models': [
        mockModel(upstream, {id: 'four', family: 'gpt-4.1'}),
        mockModel(upstream, {id: 'gpt-4o-named'}),
        mockModel(upstream, {id: 'house', family: 'house-model'}),
        mockModel(upstream, {id: 'five', family: 'gpt-5'})
      ],
      'toolgate.families': [{prefix: 'house-', add: ['nullableFlag'], remove: ['dropRootCombinators']}]
    }
  });
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});

const tool = (name, parameters, more = {}) =>
    ({type: 'function', function: {name, description: `does ${name}`, parameters, ...more}});
const limited = {
  type: 'object',
  properties: {city: {type: 'string', minLength: 2, description: 'where'}},
  required: ['city', 'ghost']
};
const say = (model, tools, more = {}) =>
    chat(gateway.port, {model, messages: [{role: 'user', content: 'hello'}], tools, ...more});

test('a tool is shaped for the family, and the answer says how', async () => {
  const response = await say('four', [tool('weather', limited)]);
  checkAnswer(response, {stream: false});
  assert.deepEqual(upstream.last.json.tools[0].function.parameters, {
    type: 'object',
    properties: {city: {type: 'string', description: 'where'}},
    required: ['city']
  });
  assert.deepEqual(response.json.toolgate.fixes, [
    {tool: 'weather', message: 'object has unsupported schema keyword \'minLength\''},
    {tool: 'weather', message: 'object has required property \'ghost\' that is not defined'}
  ]);
});

test('a streamed answer carries the fixes on its last chunk', async () => {
  const response = await say('four', [tool('weather', limited)], {stream: true});
  const chunks = response.text.split('\n').filter((line) => line.startsWith('data: {'))
                     .map((line) => JSON.parse(line.slice(6)));
  assert.equal(chunks.at(-1).toolgate.fixes.length, 2);
  for (const chunk of chunks.slice(0, -1)) assert.equal(chunk.toolgate, undefined);
});

test('the family is the model\'s name where settings give none', async () => {
  const response = await say('gpt-4o-named', [tool('weather', limited)]);
  assert.equal(response.json.toolgate.fixes.length, 2);
});

test('settings add families', async () => {
  const parameters = {
    type: 'object',
    properties: {a: {type: ['string', 'null']}},
    anyOf: [{required: ['a']}]
  };
  await say('house', [tool('f', parameters)]);
  assert.deepEqual(upstream.last.json.tools[0].function.parameters,
                   {...parameters, properties: {a: {type: 'string', nullable: true}}});
});

test('what needs no change stays byte for byte', async () => {
  const text = '{"type" : "function", "function":{"name":"f" ,"description":"d\\u0041",' +
      '"parameters":{"type":"object","properties":{"a":{"type":"number","default":1.50}}}}}';
  const response = await chat(gateway.port, '{"model":"five","messages":[{"role":"user","content":' +
      `"x"}],"tools":[ ${text} ]}`);
  assert.equal(response.status, 200, response.text);
  assert.ok(upstream.last.body.toString().includes(`[ ${text} ]`));
  assert.deepEqual(response.json.toolgate.fixes, []);
});

test('only the tools that change are replaced', async () => {
  const first = JSON.stringify(tool('kept', {type: 'object', properties: {}}));
  const second = JSON.stringify(tool('bare', {type: 'object'}));
  const response = await chat(gateway.port, '{"model":"five","messages":[{"role":"user","content":' +
      `"x"}],"tools":[${first}  ,${second}],"temperature":0.50}`);
  assert.equal(response.status, 200, response.text);
  const sent = upstream.last.body.toString();
  assert.ok(sent.includes(`[${first}  ,`) && sent.includes('"temperature":0.50'), sent);
  assert.deepEqual(upstream.last.json.tools[1].function.parameters, {type: 'object', properties: {}});
});

test('a chosen tool goes alone and shaped', async () => {
  await say('four', [tool('weather', limited), tool('other', limited)],
            {tool_choice: {type: 'function', function: {name: 'other'}}});
  assert.equal(upstream.last.json.tools.length, 1);
  assert.deepEqual(upstream.last.json.tools[0].function.parameters.required, ['city']);
});

describe('a schema that cannot be used is refused', () => {
  const REFUSED = [
    ['an unknown type', {type: 'object', properties: {a: {type: 'text'}}},
     'tools[1].function.parameters.properties.a.type'],
    ['a list without items', {type: 'object', properties: {a: {type: 'array'}}},
     'tools[1].function.parameters.properties.a'],
    ['required that is no list', {type: 'object', properties: {}, required: true},
     'tools[1].function.parameters.required'],
    ['a negative length', {type: 'object', properties: {a: {type: 'string', maxLength: -1}}},
     'tools[1].function.parameters.properties.a.maxLength']
  ];
  for (const [name, parameters, field] of REFUSED) {
    test(name, async () => {
      const heard = upstream.requests.length;
      const response = await say('five', [tool('fine', limited), tool('culprit', parameters)]);
      assert.equal(response.status, 400, response.text);
      const error = checkError(response.json);
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(error.param, field);
      assert.match(error.message, /culprit/);
      assert.equal(upstream.requests.length, heard, 'the upstream heard of it');
    });
  }
});

describe('usage is counted where the upstream gives none', () => {
  const messages = [{role: 'user', content: 'How many tokens are these?'}];
  const prompt = 3 + 3 + 1 + 6;  // list, message, role, content
  const warning = 'usage was counted by the gateway: the upstream sent none';
  const withoutUsage = DAMAGES.find((damage) => damage.name === 'no_usage').behave;
  let usual;
  before(() => {
    usual = upstream.behave;
    upstream.behave = withoutUsage;
  });
  after(() => {
    upstream.behave = usual;
  });

  test('whole', async () => {
    const response = await chat(gateway.port, {model: 'five', messages});
    assert.equal(response.status, 200, response.text);
    const {usage, toolgate, choices} = response.json;
    const text = choices[0].message.content ?? '';
    assert.equal(usage.prompt_tokens, prompt);
    assert.equal(usage.completion_tokens, await countOf(text), text);
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    assert.deepEqual(toolgate.warnings, [warning]);
  });

  test('streamed', async () => {
    const response = await chat(
        gateway.port, {model: 'five', messages, stream: true, stream_options: {include_usage: true}});
    const outcome = checkAnswer(response, {stream: true, includeUsage: true});
    assert.equal(outcome.usage.prompt_tokens, prompt);
    assert.equal(outcome.usage.completion_tokens, await countOf(outcome.text), outcome.text);
    assert.deepEqual(outcome.warnings, [warning]);
  });

  async function countOf(text) {
    const response = await exchange(gateway.port, {
      method: 'POST',
      path: '/v1/tokens',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({model: 'five', text})
    });
    return response.json.tokens;
  }
});
