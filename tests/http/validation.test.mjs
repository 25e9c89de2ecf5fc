// What is wrong in a chat request is refused with 400, naming the field, before the upstream hears
// of it.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {startGatewayFor} from './gateway.mjs';
import {chat} from './raw.mjs';
import {checkError} from './rules.mjs';

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream);
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});

const user = {
  role: 'user',
  content: 'hi'
};
const tool = (name, more = {}) =>
    ({type: 'function', function: {name, description: 'does it', ...more}});
const withTools = (...tools) => ({model: 'mock-1', messages: [user], tools});
const withMessages = (...messages) => ({model: 'mock-1', messages});
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{id: 'call_1', type: 'function', function: {name: 'f', arguments: '{}'}}]
};

const REFUSED = [
  ['no messages', {model: 'mock-1'}, 'messages'],
  ['messages that are no list', {model: 'mock-1', messages: 'hi'}, 'messages'],
  ['an empty list of messages', {model: 'mock-1', messages: []}, 'messages'],
  ['a message that is no object', withMessages('hi'), 'messages[0]'],
  ['a message without role', withMessages({content: 'hi'}), 'messages[0].role'],
  [
    'a role that does not exist', withMessages(user, {role: 'robot', content: 'hi'}),
    'messages[1].role'
  ],
  ['content that is a number', withMessages({role: 'user', content: 3}), 'messages[0].content'],
  [
    'a content part without type', withMessages({role: 'user', content: [{text: 'x'}]}),
    'messages[0].content[0].type'
  ],
  ['tools that are no list', {...withTools(), tools: {}}, 'tools'],
  ['a tool without type', withTools({function: {name: 'f'}}), 'tools[0].type'],
  [
    'a tool of another type', withTools(tool('ok'), {type: 'retrieval', function: {name: 'f'}}),
    'tools[1].type'
  ],
  ['a tool without function', withTools({type: 'function'}), 'tools[0].function'],
  ['a tool without a name', withTools({type: 'function', function: {}}), 'tools[0].function.name'],
  ['an empty tool name', withTools(tool('')), 'tools[0].function.name'],
  ['a tool name with a space', withTools(tool('get weather')), 'tools[0].function.name'],
  ['a tool name with a dot', withTools(tool('get.weather')), 'tools[0].function.name'],
  ['a tool name with an umlaut', withTools(tool('größe')), 'tools[0].function.name'],
  ['a tool name of 65 characters', withTools(tool('a'.repeat(65))), 'tools[0].function.name'],
  ['two tools of one name', withTools(tool('f'), tool('g'), tool('f')), 'tools[2].function.name'],
  [
    'parameters that are a list', withTools(tool('f', {parameters: []})),
    'tools[0].function.parameters'
  ],
  [
    'parameters that are text', withTools(tool('f', {parameters: '{}'})),
    'tools[0].function.parameters'
  ],
  ['129 tools', withTools(...Array.from({length: 129}, (_, at) => tool(`f${at}`))), 'tools'],
  [
    'a tool message without id', withMessages(user, called, {role: 'tool', content: 'x'}),
    'messages[2].tool_call_id'
  ],
  [
    'a tool message with an empty id',
    withMessages(user, called, {role: 'tool', tool_call_id: '', content: 'x'}),
    'messages[2].tool_call_id'
  ],
  [
    'a tool message for no call',
    withMessages(user, called, {role: 'tool', tool_call_id: 'call_2', content: 'x'}),
    'messages[2].tool_call_id'
  ],
  [
    'a tool message before its call',
    withMessages(user, {role: 'tool', tool_call_id: 'call_1', content: 'x'}, called),
    'messages[1].tool_call_id'
  ],
  ['tool_choice of another word', {...withTools(tool('f')), tool_choice: 'maybe'}, 'tool_choice'],
  [
    'tool_choice of no such tool',
    {...withTools(tool('f')), tool_choice: {type: 'function', function: {name: 'g'}}},
    'tool_choice.function.name'
  ],
  [
    'required tools where there are none', {...withMessages(user), tool_choice: 'required'},
    'tool_choice'
  ],
  ['stream that is text', {...withMessages(user), stream: 'yes'}, 'stream'],
  ['a model that is a number', {...withMessages(user), model: 7}, 'model'],
];

describe('refused with 400, naming the field', () => {
  for (const [what, body, param] of REFUSED) {
    test(what, async () => {
      const before = upstream.requests.length;
      const response = await chat(gateway.port, body);
      assert.equal(response.status, 400, response.text);
      const error = checkError(response.json);
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(error.param, param);
      assert.ok(error.message.includes(param), `${error.message} does not name ${param}`);
      assert.equal(upstream.requests.length, before, 'the upstream was asked all the same');
    });
  }
});

describe('a body that is no JSON object', () => {
  const bodies = {
    'nothing': '',
    'cut': '{"model":"mock-1","messages":[',
    'text': 'hello',
    'a list': '[]',
    'a number': '7',
    'two documents': '{"model":"mock-1","messages":[{"role":"user","content":"a"}]}{}',
    'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'deep nesting': `{"messages":${'['.repeat(100_000)}`,
    'NaN': '{"model":"mock-1","messages":[{"role":"user","content":"a"}],"temperature":NaN}'
  };
  for (const [what, body] of Object.entries(bodies)) {
    test(what, async () => {
      const response = await chat(gateway.port, body);
      assert.equal(response.status, 400, response.text);
      assert.equal(checkError(response.json).type, 'invalid_request_error');
    });
  }
});

describe('accepted as real clients send it', () => {
  const accepted = {
    'array content on every role': withMessages(
        {role: 'system', content: [{type: 'text', text: 's'}]},
        {role: 'user', content: [{type: 'text', text: 'u'}]},
        {...called, content: [{type: 'text', text: 'a'}]},
        {role: 'tool', tool_call_id: 'call_1', content: [{type: 'text', text: 't'}]}),
    'developer, and name on every message': withMessages(
        {role: 'developer', name: 'd', content: 'x'}, {...called, name: 'agent'},
        {role: 'tool', tool_call_id: 'call_1', name: 'f', content: 'x'}),
    'assistant without content': withMessages(
        user, {role: 'assistant', tool_calls: called.tool_calls},
        {role: 'tool', tool_call_id: 'call_1', content: ''}),
    'both token limits': {...withMessages(user), max_tokens: 5, max_completion_tokens: 5},
    'strict, store and unknown fields': {
      ...withTools(tool('f', {strict: true, parameters: {type: 'object', properties: {}}})),
      store: true,
      x_unknown: {deep: [1, {a: null}]}
    },
    'a name of 64 characters': withTools(tool('a'.repeat(64))),
    '128 tools': withTools(...Array.from({length: 128}, (_, at) => tool(`f${at}`))),
    'an image part': withMessages({
      role: 'user',
      content: [{type: 'image_url', image_url: {url: 'data:image/png;base64,AA=='}}]
    }),
    'two results of two calls': withMessages(
        user, {
          role: 'assistant',
          content: null,
          tool_calls: ['a', 'b'].map(
              (id) => ({id, type: 'function', function: {name: 'f', arguments: '{}'}}))
        },
        {role: 'tool', tool_call_id: 'b', content: '2'},
        {role: 'tool', tool_call_id: 'a', content: '1'}),
    'no model at all': {messages: [user]},
  };
  for (const [what, body] of Object.entries(accepted)) {
    test(what, async () => {
      const response = await chat(gateway.port, body);
      assert.equal(response.status, 200, response.text);
      const sent = upstream.last.json;
      assert.deepEqual(sent.messages, body.messages);
      assert.deepEqual(sent.tools, body.tools);
      for (const key of Object.keys(body)) assert.ok(key in sent, `${key} is lost`);
    });
  }
});

describe('tool_choice', () => {
  const base = withTools(tool('f'), tool('g'));
  test('none: no tools are passed on', async () => {
    await chat(gateway.port, {...base, tool_choice: 'none'});
    assert.equal(upstream.last.json.tools, undefined);
    assert.equal(upstream.last.json.tool_choice, undefined);
  });
  for (const choice of ['auto', 'required']) {
    test(`${choice}: passed on with all tools`, async () => {
      await chat(gateway.port, {...base, tool_choice: choice});
      assert.deepEqual(upstream.last.json.tools, base.tools);
      assert.equal(upstream.last.json.tool_choice, choice);
    });
  }
  test('a function: the tools are narrowed to it', async () => {
    await chat(gateway.port, {...base, tool_choice: {type: 'function', function: {name: 'g'}}});
    assert.deepEqual(upstream.last.json.tools, [base.tools[1]]);
  });
});

test('an unknown model gets 404 naming those that exist', async () => {
  const response = await chat(gateway.port, {model: 'nonesuch', messages: [user]});
  assert.equal(response.status, 404);
  const error = checkError(response.json);
  assert.equal(error.code, 'model_not_found');
  for (const name of ['nonesuch', 'mock-1', 'toolgate/demo'])
    assert.ok(error.message.includes(name), error.message);
});
