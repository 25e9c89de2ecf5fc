// What goes to the upstream and comes back: bytes, headers, ids, models and their addresses.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {mockModel, startGateway, UPSTREAM_KEY} from './gateway.mjs';
import {chat, exchange} from './raw.mjs';
import {checkAnswer, checkError, checkSchema} from './rules.mjs';

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    settings: {
      'toolgate.models': [
        mockModel(upstream), {
          id: 'renamed',
          provider: 'openai',
          baseUrl: `${upstream.origin}/other/base/`,
          upstreamModel: 'real-name'
        }
      ]
    }
  });
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});
const get = (path, headers) => exchange(gateway.port, {path, headers});
const say = (more = {}) =>
    chat(gateway.port, {model: 'mock-1', messages: [{role: 'user', content: 'hello'}], ...more});

test('unknown fields and numbers reach the upstream byte for byte', async () => {
  const slices = [
    '"temperature" : 0.70',
    '"x_unknown":{ "a" : 1.0, "b":1e2,"c":12345678901234567890 , "d":"\\u00e9\\ud83c\\udf0d\\/" }',
    '"messages":[ {"role":"user", "content":"z\\u0041 \\"q\\" é🌍"} ]', '"seed":-0',
    '"x list":[ 1,2 , [ ] ]', '"x\\"key":0.30000000000000004'
  ];
  const response = await chat(gateway.port, `{"model":"mock-1", ${slices.join(' ,\n ')} }`);
  assert.equal(response.status, 200, response.text);
  const sent = upstream.last.body.toString();
  for (const slice of slices) assert.ok(sent.includes(slice), `${slice} is not in ${sent}`);
  assert.equal(upstream.last.json.model, 'mock-1');
});

test('the whole answer comes back with every field of the upstream', async () => {
  const response = await say();
  const answer = checkAnswer(response, {stream: false});
  assert.equal(answer.text, 'You said: hello');
  assert.equal(response.json.system_fingerprint, 'fp_mock');
  assert.deepEqual(response.json.choices[0].message.annotations, []);
  assert.deepEqual(answer.usage, {prompt_tokens: 11, completion_tokens: 7, total_tokens: 18});
});

test('a body of 8 MB arrives whole', async () => {
  const content = 'x'.repeat(8 << 20);
  const response = await say({messages: [{role: 'user', content}]});
  assert.equal(response.status, 200);
  assert.equal(upstream.last.json.messages[0].content.length, content.length);
});

test('conversations arrive turn by turn as sent, and what is wrong in one is found', async () => {
  const system = {role: 'system', content: 'You help. '.repeat(2000)};
  const conversations = [[system], [system]];
  for (let turn = 0; turn < 24; ++turn) {
    const messages = conversations[turn % 2];
    const id = `call_${turn}`;
    const call = {id, type: 'function', function: {name: 'f', arguments: '{}'}};
    messages.push({role: 'assistant', tool_calls: [call]});
    messages.push({role: 'tool', tool_call_id: id, content: `é ${turn} `.repeat(200)});
    const response = await say({messages});
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(upstream.last.json.messages, messages);

    const stranger = {role: 'tool', tool_call_id: `call_${turn - 1}`, content: ''};
    const refused = await say({messages: [...messages, stranger]});
    assert.equal(refused.status, 400, refused.text);
    const error = checkError(refused.json);
    assert.match(error.message, /'call_-?\d+' refers to no earlier tool call/);
    assert.equal(error.param, `messages[${messages.length}].tool_call_id`);
  }
});

test('a chunked request body arrives whole', async () => {
  const body = JSON.stringify({model: 'mock-1', messages: [{role: 'user', content: 'in pieces'}]});
  const pieces = [...body.matchAll(/.{1,7}/gs)].map(
      ([piece]) => `${Buffer.byteLength(piece).toString(16)};x=y\r\n${piece}\r\n`);
  const response = await exchange(gateway.port, {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked'},
    body: `${pieces.join('')}0\r\n\r\n`
  });
  assert.equal(checkAnswer(response, {stream: false}).text, 'You said: in pieces');
});

test('a model has its own address, name and key', async () => {
  const response = await say({model: 'renamed'});
  assert.equal(response.status, 200, response.text);
  assert.equal(upstream.last.target, '/other/base/chat/completions');
  assert.equal(upstream.last.json.model, 'real-name');
  assert.equal(upstream.last.headers.authorization, undefined);
  await say();
  assert.equal(upstream.last.target, '/v1/chat/completions');
  assert.equal(upstream.last.headers.authorization, `Bearer ${UPSTREAM_KEY}`);
});

test('the client\'s credentials and address do not reach the upstream', async () => {
  await chat(gateway.port, {model: 'mock-1', messages: [{role: 'user', content: 'x'}]}, {
    headers: {
      Authorization: 'Bearer sk-client-1',
      Cookie: 'a=sk-client-1',
      'X-Api-Key': 'sk-client-1',
      Origin: `http://127.0.0.1:${gateway.port}`
    }
  });
  assert.doesNotMatch(JSON.stringify(upstream.last.rawHeaders), /sk-client-1/);
  assert.equal(upstream.last.headers.host, `127.0.0.1:${upstream.port}`);
});

test('Toolgate\'s own fields stay here', async () => {
  const own = {
    use_vscode_tools: false,
    tool_execution: 'none',
    max_tool_rounds: 3,
    confirmation: 'wait',
    session_id: 's1'
  };
  const response = await say(own);
  assert.equal(response.status, 200, response.text);
  for (const key of Object.keys(own))
    assert.ok(!(key in upstream.last.json), `${key} went to the upstream`);
});

test('each request has an id that client and upstream both see', async () => {
  const seen = new Set();
  for (const more of [{}, {stream: true}, {messages: [{role: 'user', content: 'fail 500'}]}]) {
    const response = await say(more);
    const id = response.headers['x-request-id'];
    assert.match(id ?? '', /^\S{8,}$/);
    assert.equal(upstream.last.headers['x-request-id'], id);
    await gateway.logged(new RegExp(id));
    seen.add(id);
  }
  assert.equal(seen.size, 3);
  assert.match((await get('/healthz')).headers['x-request-id'] ?? '', /^\S{8,}$/);
});

describe('models', () => {
  test('the list names every model and the demo', async () => {
    const response = await get('/v1/models');
    assert.equal(response.status, 200);
    checkSchema('ListModelsResponse', response.json);
    const ids = response.json.data.map((model) => model.id);
    assert.deepEqual(ids, ['mock-1', 'renamed', 'toolgate/demo']);
    for (const model of response.json.data) {
      assert.equal(model.object, 'model');
      assert.ok(Number.isInteger(model.created));
      assert.equal(typeof model.owned_by, 'string');
    }
  });
  for (const path
           of ['/v1/models/mock-1', '/v1/models/toolgate/demo', '/v1/models/toolgate%2Fdemo']) {
    test(path, async () => {
      const response = await get(path);
      assert.equal(response.status, 200, response.text);
      checkSchema('Model', response.json);
      assert.equal(response.json.id, decodeURIComponent(path.slice('/v1/models/'.length)));
    });
  }
  test('an unknown one gets 404 naming those that exist', async () => {
    const response = await get('/v1/models/nonesuch');
    assert.equal(response.status, 404);
    assert.match(checkError(response.json).message, /mock-1/);
  });
});

describe('without /v1', () => {
  test(
      '/models',
      async () => assert.deepEqual((await get('/models')).json, (await get('/v1/models')).json));
  test('/chat/completions', async () => {
    const response = await chat(
        gateway.port, {model: 'mock-1', messages: [{role: 'user', content: 'short'}]},
        {path: '/chat/completions'});
    assert.equal(checkAnswer(response, {stream: false}).text, 'You said: short');
  });
});

test('/healthz and /readyz answer 200', async () => {
  for (const path of ['/healthz', '/readyz']) assert.equal((await get(path)).status, 200, path);
});

test('/metrics counts requests, latencies, streams, bytes and errors by code', async () => {
  await say();
  await say({stream: true});
  await say({model: 'nonesuch'});
  const response = await get('/metrics');
  assert.equal(response.status, 200);
  assert.match(response.headers['content-type'], /^text\/plain/);
  const samples = response.text.split('\n').filter((line) => line && !line.startsWith('#'));
  for (const line of samples) assert.match(line, /^[a-zA-Z_:][\w:]*(\{(\w+="[^"]*",?)*\})? \S+$/);
  for (const word of ['requests', 'upstream', 'stream', 'bytes', 'error']) {
    assert.ok(
        samples.some((line) => line.includes(word) && !/ 0$/.test(line)),
        `nothing counted for ${word}:\n${response.text}`);
  }
  assert.ok(samples.some((line) => line.includes('model_not_found')), 'errors by code');
  assert.doesNotMatch(response.text, /nonesuch/);
});

test('an unknown path gets 404, a wrong method 405 with Allow', async () => {
  const missing = await get('/v1/nonesuch');
  assert.equal(missing.status, 404);
  checkError(missing.json);
  const wrong = await exchange(gateway.port, {method: 'DELETE', path: '/v1/chat/completions'});
  assert.equal(wrong.status, 405);
  checkError(wrong.json);
  assert.match(wrong.headers.allow ?? '', /POST/);
});
