// Groups of tools that a model names (toolgate.virtualTools.namingModel): never waited for, asked
// for once, and conversations that began with other names go on.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {extensionFiles, manifest, tool} from './extensions.mjs';
import {mockModel, runToolgate, startGateway, UPSTREAM_KEY} from './gateway.mjs';
import {chat} from './raw.mjs';
import {checkAnswer} from './rules.mjs';

const user = (content) => [{role: 'user', content}];
const tools = (id, prefix, count) =>
    manifest(id, Array.from({length: count}, (_, i) => tool(`${prefix}_${i}`)));
const files = extensionFiles(tools('acme.files', 'file', 120), tools('acme.mail', 'mail', 100));

const answer = (content) => ({
  id: 'n',
  object: 'chat.completion',
  created: 1,
  model: 'namer',
  choices: [{index: 0, message: {role: 'assistant', content}, finish_reason: 'stop'}]
});

describe('a model that names groups', () => {
  let upstream;
  let namer;
  let plainNames;
  const gateways = [];
  before(async () => {
    upstream = await startUpstream();
    namer = await startUpstream();
    const plain = await start({});
    plainNames = await groups(plain);
    assert.ok(plainNames.length > 2);
  });
  after(async () => {
    for (const gateway of gateways) await gateway.stop();
    await namer?.close();
    await upstream?.close();
  });

  const start = async (more = {'toolgate.virtualTools.namingModel': 'namer'}) => {
    const gateway = await startGateway({
      settings: {
        'toolgate.models':
            [mockModel(upstream), mockModel(namer, {id: 'namer', upstreamModel: 'small'})],
        ...more
      },
      files
    });
    gateways.push(gateway);
    return gateway;
  };
  const ask = async (gateway, messages = user('hello')) => {
    const response = await chat(gateway.port, {model: 'mock-1', messages, use_vscode_tools: true});
    checkAnswer(response, {stream: false});
    return upstream.last.json;
  };
  const groupsOf = (request) =>
      request.tools.map((one) => one.function).filter(({name}) => name.startsWith('activate_'));
  const groups = async (gateway) => groupsOf(await ask(gateway)).map(({name}) => name);

  // Names in the order of the questions, once `held` lets them go.
  const nameInOrder = (held = null) => {
    namer.requests.length = 0;
    let count = 0;
    namer.behave = async (request, reply) => {
      await held;
      const name = `Topic ${String.fromCharCode(97 + count % 26)}${++count}`;
      await reply.json(
          200, answer(`Here:\n\`\`\`json\n${JSON.stringify({name, description: `All of ${name}`})}\n\`\`\``));
    };
  };

  test('no request waits for it, and later ones have its names', async () => {
    const {promise: held, resolve: letGo} = Promise.withResolvers();
    nameInOrder(held);
    const gateway = await start();
    assert.deepEqual(await groups(gateway), plainNames);
    assert.deepEqual(await groups(gateway), plainNames);
    letGo();
    await gateway.logged(/the model 'namer' has named \d+ groups/);
    const named = groupsOf(await ask(gateway));
    assert.equal(named.length, plainNames.length);
    for (const {name, description} of named) {
      assert.match(name, /^activate_topic_[a-z]\d+$/);
      assert.match(description, /^All of Topic [a-z]\d+\. Call it/);
    }

    const [first] = namer.requests;
    assert.equal(first.json.model, 'small');
    assert.notEqual(first.json.stream, true);
    assert.equal(first.json.tools, undefined);
    assert.match(first.json.messages[1].content, /^\d+ tools:\n- (?:file|mail)_\d+: Does /);
    assert.equal(first.headers.authorization, `Bearer ${UPSTREAM_KEY}`);
  });

  test('every core has the same names, and each group is asked for once', async () => {
    nameInOrder();
    const gateway = await start();
    await ask(gateway);
    const [, count] = await gateway.logged(/has named (\d+) groups/);
    const seen = [];
    for (let i = 0; i < 20; ++i) seen.push((await groups(gateway)).join());
    assert.equal(new Set(seen).size, 1);
    assert.notEqual(seen[0], plainNames.join());
    assert.equal(namer.requests.length, Number(count));
    const questions = namer.requests.map(({json}) => json.messages[1].content);
    assert.equal(new Set(questions).size, questions.length);
  });

  test('a conversation that knows a group by its first name goes on', async () => {
    nameInOrder();
    const gateway = await start();
    const call = (name) => [
      ...user('hello'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{id: 'c1', type: 'function', function: {name, arguments: '{}'}}]
      },
      {role: 'tool', tool_call_id: 'c1', content: 'no such tool'}
    ];
    assert.deepEqual(await groups(gateway), plainNames);
    await gateway.logged(/has named \d+ groups/);
    const named = await groups(gateway);
    for (const [index, old] of plainNames.entries()) {
      const results = [];
      for (const name of [old, named[index]]) {
        const request = await ask(gateway, call(name));
        const {content} = request.messages[2];
        assert.match(content, /^Tools activated: /);
        const offered = request.tools.map((one) => one.function.name);
        for (const opened of content.replace('Tools activated: ', '').split(', '))
          assert.ok(offered.includes(opened), `${name}: ${opened}`);
        assert.ok(!offered.includes(named[index]));
        results.push(content + offered.join());
      }
      assert.equal(results[0], results[1]);
    }
  });

  test('a model that fails changes nothing, is left alone, and is told once', async () => {
    namer.requests.length = 0;
    namer.behave = (request, reply) =>
        reply.json(500, {error: {message: `the key ${UPSTREAM_KEY} is not liked`}});
    const gateway = await start();
    assert.deepEqual(await groups(gateway), plainNames);
    await gateway.logged(/namingModel\) has not named \d+ groups.*status 500/);
    for (let i = 0; i < 10; ++i) assert.deepEqual(await groups(gateway), plainNames);
    assert.ok(namer.requests.length <= 5, `${namer.requests.length} questions`);
    assert.equal(gateway.log.split('has not named').length, 2);
    assert.ok(!gateway.log.includes(UPSTREAM_KEY));
  });

  test('answers without a name leave the names as they are', async () => {
    namer.behave = (request, reply) => reply.json(200, answer('I would call it "mail".'));
    const gateway = await start();
    assert.deepEqual(await groups(gateway), plainNames);
    await gateway.logged(/has not named/);
    assert.deepEqual(await groups(gateway), plainNames);
  });

  test('the demo model names nothing', async () => {
    const gateway = await start({'toolgate.virtualTools.namingModel': 'toolgate/demo'});
    assert.deepEqual(await groups(gateway), plainNames);
    await gateway.logged(/'toolgate\/demo'.*has not named/);
    assert.deepEqual(await groups(gateway), plainNames);
  });

  test('the gateway does not wait for it to stop', async () => {
    nameInOrder(new Promise(() => {}));
    const gateway = await start();
    const asked = namer.nextRequest();
    await ask(gateway);
    await asked;
    const began = performance.now();
    await gateway.stop();
    gateways.splice(gateways.indexOf(gateway), 1);
    assert.ok(performance.now() - began < 10_000);
  });

  test('it takes effect when the settings change', async () => {
    nameInOrder();
    const gateway = await start({});
    assert.deepEqual(await groups(gateway), plainNames);
    assert.equal(namer.requests.length, 0);
    gateway.writeSettings({
      'toolgate.models': [mockModel(upstream), mockModel(namer, {id: 'namer'})],
      'toolgate.virtualTools.namingModel': 'namer'
    });
    await gateway.logged(/settings read again/);
    assert.deepEqual(await groups(gateway), plainNames);
    await gateway.logged(/has named \d+ groups/);
    assert.notDeepEqual(await groups(gateway), plainNames);
  });
});

test('a naming model that is not there is told at start and by doctor', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
  const settings = path.join(folder, 'settings.json');
  writeFileSync(settings, '{"toolgate.virtualTools.namingModel": "nobody"}');
  const reason = /settings\.json:1:39: toolgate\.virtualTools\.namingModel names "nobody", which is not configured/;
  const started =
      runToolgate('serve', '--port', '0', '--data', path.join(folder, 'data'), '--settings', settings);
  assert.notEqual(started.status, 0);
  assert.match(started.stderr, reason);
  const doctor = runToolgate('doctor', '--json', '--settings', settings);
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout.replaceAll('\\"', '"'), reason);
  rmSync(folder, {recursive: true});
});
