// Settings that change while the gateway runs, and its two-stage stop.
import assert from 'node:assert/strict';
import {renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {chunk} from '../mock/answers.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {Gateway, mockModel, startGateway, startGatewayFor} from './gateway.mjs';
import {chatBytes, Connection, exchange, requestBytes} from './raw.mjs';
import {checkStream, readEvents} from './rules.mjs';

let upstream;
before(async () => {
  upstream = await startUpstream();
});
after(() => upstream?.close());

const modelIds = async (gateway) =>
    (await exchange(gateway.port, {path: '/v1/models'})).json.data.map((model) => model.id);

async function until(condition, what) {
  const end = performance.now() + 15_000;
  while (!await condition()) {
    assert.ok(performance.now() < end, `never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

// A stream that the test holds open: the upstream sends what send() gives and ends with finish().
async function openStream(gateway) {
  const arrived = upstream.nextRequest();
  const started = Promise.withResolvers();
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    await reply.event(chunk({role: 'assistant', content: 'begun'}));
    started.resolve(reply);
    await new Promise((resolve) => {
      request.finish = resolve;
    });
    await reply.event(chunk({}, 'stop'));
    await reply.event('[DONE]');
    await reply.end();
  };
  const connection = await Connection.open(gateway.port);
  connection.send(chatBytes(
      gateway.port, {model: 'mock-1', stream: true, messages: [{role: 'user', content: 'x'}]}));
  const request = await arrived;
  const reply = await started.promise;
  const head = await connection.head();
  const first = await connection.chunk();
  return {
    request,
    connection,
    send: (content) => reply.event(chunk({content})),
    next: () => connection.chunk(),
    finish: () => request.finish(),
    // The rest, as an outcome of the whole stream.
    rest: async () => checkStream(readEvents(Buffer.concat([first, await connection.body(head)]))),
  };
}

test('a second gateway on the same port does not start', async () => {
  const first = await startGateway();
  const second = new Gateway({port: first.port});
  assert.deepEqual(await second.exited, {code: 1, signal: null});
  assert.match(second.log, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${first.port}.*--port`));
  await first.stop();
});

describe('settings', () => {
  let gateway;
  before(async () => {
    gateway = await startGatewayFor(upstream);
  });
  after(() => gateway?.stop());

  test('a model that is added appears, and an open stream goes on', async () => {
    const stream = await openStream(gateway);
    gateway.writeSettings(
        {'toolgate.models': [mockModel(upstream), mockModel(upstream, {id: 'second'})]});
    await until(
        async () => (await modelIds(gateway)).includes('second'), 'the second model is listed');
    await stream.send(' still here');
    assert.match((await stream.next()).toString(), /still here/);
    stream.finish();
    assert.equal((await stream.rest()).finish, 'stop');
    stream.connection.destroy();
  });

  test('a file that is replaced by renaming counts too, and comments are allowed', async () => {
    const other = path.join(gateway.folder, 'new.json');
    writeFileSync(
        other,
        `// three of them\n${
            JSON.stringify(
                    {'toolgate.models': ['a', 'b', 'c'].map((id) => mockModel(upstream, {id}))})
                .replace(/\]\}$/, ',],}')}`);
    renameSync(other, gateway.settingsFile);
    await until(
        async () => (await modelIds(gateway)).join() === 'a,b,c,toolgate/demo',
        'a, b and c are listed');
  });

  const bad = {
    'no JSON': ['{\n  "toolgate.models": [}\n}', /settings\.json:2:\d+/],
    'a wrong provider':
        ['{\n\n  "toolgate.models": [{"id": "x", "provider": "nope"}]\n}', /settings\.json:3:\d+/],
    'a wrong type': ['{"toolgate.apiKeys": "sk-secret-sentinel"}', /settings\.json:1:\d+/],
    'cut short': ['{"toolgate.models": [{"id"', /settings\.json:1:\d+/]
  };
  for (const [what, [text, position]] of Object.entries(bad)) {
    test(`refused with file, line and column, the old ones stay: ${what}`, async () => {
      const from = gateway.log.length;
      gateway.writeSettings(text);
      await gateway.logged(position, {from});
      assert.deepEqual(await modelIds(gateway), ['a', 'b', 'c', 'toolgate/demo']);
      assert.doesNotMatch(gateway.log, /sk-secret-sentinel/);
    });
  }

  test('a good file after a bad one is taken', async () => {
    gateway.writeSettings({'toolgate.models': [mockModel(upstream, {id: 'good'})]});
    await until(
        async () => (await modelIds(gateway)).join() === 'good,toolgate/demo',
        'the good file is in force');
  });

  test('keys that are added are wanted from then on', async () => {
    gateway.writeSettings(
        {'toolgate.models': [mockModel(upstream)], 'toolgate.apiKeys': ['sk-new']});
    await until(
        async () => (await exchange(gateway.port, {path: '/v1/models'})).status === 401,
        'a key is wanted');
    assert.equal(
        (await exchange(
             gateway.port, {path: '/v1/models', headers: {Authorization: 'Bearer sk-new'}}))
            .status,
        200);
  });
});

test('a gateway does not start with bad settings, and says where they are bad', async () => {
  const gateway = new Gateway({settings: '{\n  "toolgate.models": 7\n}'});
  const {code} = await gateway.exited;
  assert.equal(code, 1);
  assert.match(gateway.log, /settings\.json:2:\d+/);
});

describe('stopping', () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    test(
        `${signal}: the open stream finishes, idle connections close, new ones are refused`,
        async () => {
          const gateway = await startGatewayFor(upstream);
          const idle = await Connection.open(gateway.port);
          idle.send(requestBytes({path: '/healthz', port: gateway.port}));
          await idle.response('GET');
          const stream = await openStream(gateway);
          gateway.signal(signal);
          await idle.drain();
          await until(() => Connection.open(gateway.port).then((connection) => {
            connection.destroy();
            return false;
          }, () => true), 'new connections are refused');
          await stream.send(' and on');
          assert.match((await stream.next()).toString(), /and on/);
          assert.equal(gateway.process.exitCode, null);
          stream.finish();
          const outcome = await stream.rest();
          assert.equal(outcome.error, null);
          assert.equal(outcome.finish, 'stop');
          assert.deepEqual(await gateway.exited, {code: 0, signal: null});
          await gateway.stop();
        });
  }

  test('a second signal ends the stream at once with an error event', async () => {
    const gateway = await startGatewayFor(upstream);
    const stream = await openStream(gateway);
    gateway.signal('SIGTERM');
    await until(() => Connection.open(gateway.port).then((connection) => {
      connection.destroy();
      return false;
    }, () => true), 'new connections are refused');
    gateway.signal('SIGTERM');
    const outcome = await stream.rest();
    assert.match(outcome.error.message, /shut|stop/i);
    await stream.request.closed;
    assert.equal((await gateway.exited).signal, null);
  });

  test('shutdownSeconds bounds the first stage', async () => {
    const gateway = await startGatewayFor(upstream, {'toolgate.limits.shutdownSeconds': 0.3});
    const stream = await openStream(gateway);
    gateway.signal('SIGTERM');
    assert.match((await stream.rest()).error.message, /shut|stop/i);
    assert.equal((await gateway.exited).signal, null);
  });

  test('signals at every moment of the end do not keep it from ending', async () => {
    for (let round = 0; round < 10; ++round) {
      const gateway = await startGateway();
      const end = performance.now() + 20;
      while (performance.now() < end) gateway.signal('SIGTERM');
      await gateway.stop();
    }
  });

  test('nothing to do: it stops at once', async () => {
    const gateway = await startGateway();
    await gateway.stop();
  });
});

test('a port that is taken is named, and the gateway does not start', async () => {
  const gateway = new Gateway({port: upstream.port});
  const {code} = await gateway.exited;
  assert.notEqual(code, 0);
  assert.match(gateway.log, new RegExp(`${upstream.port}`));
});
