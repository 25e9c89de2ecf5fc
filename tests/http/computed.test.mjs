// POST /v1/normalize and POST /v1/tokens.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {startGateway} from './gateway.mjs';
import {exchange} from './raw.mjs';
import {checkError} from './rules.mjs';

let gateway;
before(async () => {
  gateway = await startGateway({
    settings: {
      'toolgate.models': [{
        id: 'old', provider: 'openai', baseUrl: 'http://127.0.0.1:9/v1', family: 'gpt-4-turbo',
        encoding: 'cl100k_base'
      }]
    }
  });
});
after(() => gateway?.stop());

const post = (path, value) => exchange(gateway.port, {
  method: 'POST',
  path,
  headers: {'Content-Type': 'application/json'},
  body: typeof value === 'string' ? value : JSON.stringify(value)
});
const ok = async (path, value) => {
  const response = await post(path, value);
  assert.equal(response.status, 200, response.text);
  return response.json;
};
const tool = (name, parameters) =>
    ({type: 'function', function: {name, description: 'd', parameters}});
const good = tool('good', {type: 'object', properties: {a: {type: 'string', pattern: '^x'}}});
const bad = tool('bad', {type: 'object', properties: {a: {type: 'array'}}});

describe('normalize', () => {
  test('gives tools, fixes and no errors', async () => {
    const reply = await ok('/v1/normalize', {family: 'gpt-4.1', tools: [good]});
    assert.deepEqual(Object.keys(reply).sort(), ['coercions', 'errors', 'fixes', 'tools']);
    assert.deepEqual(reply.tools[0].function.parameters.properties, {a: {type: 'string'}});
    assert.deepEqual(reply.fixes, [{
      tool: 'good',
      path: '/function/parameters/properties/a/pattern',
      message: 'object has unsupported schema keyword \'pattern\''
    }]);
    assert.deepEqual(reply.errors, []);
  });

  test('a bad tool is left out and named, the others go on', async () => {
    const reply = await ok('/v1/normalize', {family: 'gpt-5', tools: [bad, good]});
    assert.deepEqual(reply.tools, [good]);
    assert.equal(reply.errors.length, 1);
    assert.equal(reply.errors[0].tool, 'bad');
    assert.equal(reply.errors[0].index, 0);
    assert.equal(reply.errors[0].path, '/function/parameters/properties/a');
    assert.match(reply.errors[0].message, /items/);
    assert.notEqual(reply.errors[0].advice, '');
    assert.equal(
        reply.errors[0].classic,
        'Failed to validate tool bad: Error: tool parameters array type must have items. ' +
            'Please open an issue for the MCP server or extension which provides this tool');
  });

  test('a value of a wrong type is corrected and listed apart', async () => {
    const odd = tool('odd', {type: 'object', properties: {a: {type: 'string', minLength: '1'}}});
    const reply = await ok('/v1/normalize', {family: 'gpt-5', tools: [odd]});
    assert.equal(reply.tools[0].function.parameters.properties.a.minLength, 1);
    assert.deepEqual(reply.fixes, []);
    assert.equal(reply.coercions.length, 1);
    assert.equal(reply.coercions[0].tool, 'odd');
    assert.equal(reply.coercions[0].to, '1');
  });

  test('in strict mode one bad tool fails the list', async () => {
    const reply = await ok('/v1/normalize', {family: 'gpt-5', tools: [good, bad], mode: 'strict'});
    assert.equal(reply.tools, null);
    assert.equal(reply.errors.length, 1);
  });

  test('no list and an empty list give none', async () => {
    assert.equal((await ok('/v1/normalize', {family: 'gpt-4'})).tools, null);
    assert.equal((await ok('/v1/normalize', {family: 'gpt-4', tools: []})).tools, null);
  });

  test('a model stands for its family', async () => {
    assert.equal((await ok('/v1/normalize', {model: 'old', tools: [good]})).fixes.length, 1);
  });

  for (const [name, body, status, param] of [
         ['no JSON', '{', 400, null], ['no object', '[]', 400, null],
         ['no family', {tools: []}, 400, 'family'],
         ['a family that is no text', {family: 1, tools: []}, 400, 'family'],
         ['an unknown model', {model: 'nope', tools: []}, 404, 'model'],
         ['an unknown mode', {family: 'x', mode: 'lax'}, 400, 'mode'],
         ['tools that are no list', {family: 'x', tools: {}}, 400, 'tools']
  ]) {
    test(`${name} is refused`, async () => {
      const response = await post('/v1/normalize', body);
      assert.equal(response.status, status, response.text);
      assert.equal(checkError(response.json).param, param);
    });
  }
});

describe('tokens', () => {
  test('text', async () => {
    assert.deepEqual(await ok('/v1/tokens', {text: 'hello world'}),
                     {tokens: 2, encoding: 'o200k_base'});
    const encodings = [];
    for (const encoding of ['o200k_base', 'cl100k_base'])
      encodings.push((await ok('/v1/tokens', {encoding, text: 'Übergrößenträger 日本語'})).tokens);
    assert.notEqual(encodings[0], encodings[1]);
    assert.equal((await ok('/v1/tokens', {text: ''})).tokens, 0);
  });

  test('a model stands for its encoding', async () => {
    assert.equal((await ok('/v1/tokens', {model: 'old', text: 'x'})).encoding, 'cl100k_base');
  });

  test('special tokens count as text', async () => {
    assert.ok((await ok('/v1/tokens', {text: '<|endoftext|>'})).tokens > 1);
  });

  test('messages and tools', async () => {
    const messages = [{role: 'user', content: 'hello world'}];
    const counted = (await ok('/v1/tokens', {messages})).tokens;
    assert.equal(counted, 3 + 3 + 1 + 2);
    const tools = (await ok('/v1/tokens', {tools: [good]})).tokens;
    assert.ok(tools > 16, String(tools));
    assert.equal((await ok('/v1/tokens', {messages, tools: [good]})).tokens, counted + tools);
    const classic = (await ok('/v1/tokens', {tools: [good], rules: 'classic'})).tokens;
    assert.ok(classic > 16 && classic < tools, String(classic));
  });

  test('a megabyte without a space is counted beside other requests', async () => {
    const big = post('/v1/tokens', {text: 'a'.repeat(1 << 20)});
    assert.equal((await ok('/v1/tokens', {text: 'quick'})).tokens, 1);
    const response = await big;
    assert.equal(response.status, 200, response.text);
    assert.equal(response.json.tokens, (1 << 20) / 8);
  });

  for (const [name, body, status, param] of [
         ['no JSON', 'x', 400, null], ['nothing to count', {}, 400, null],
         ['a text that is none', {text: 1}, 400, 'text'],
         ['messages that are no list', {messages: 'x'}, 400, 'messages'],
         ['a message that is no object', {messages: [5]}, 400, 'messages'],
         ['a tool that is no object', {tools: [5]}, 400, 'tools'],
         ['an unknown encoding', {encoding: 'p50k', text: ''}, 400, 'encoding'],
         ['unknown rules', {tools: [], rules: 'odd'}, 400, 'rules'],
         ['an unknown model', {model: 'nope', text: ''}, 404, 'model']
  ]) {
    test(`${name} is refused`, async () => {
      const response = await post('/v1/tokens', body);
      assert.equal(response.status, status, response.text);
      assert.equal(checkError(response.json).param, param);
    });
  }
});
