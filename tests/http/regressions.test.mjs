// One test for each fault that was found by use and not by a suite.
import assert from 'node:assert/strict';
import {rmSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import {after, before, describe, test} from 'node:test';

import {chunk, wholeOf} from '../mock/answers.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {mockModel, startGateway, startGatewayFor, UPSTREAM_KEY} from './gateway.mjs';
import {chat, chatBytes, Connection, exchange} from './raw.mjs';
import {checkError, readEvents} from './rules.mjs';

const messages = [{role: 'user', content: 'x'}];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let upstream;
before(async () => {
  upstream = await startUpstream();
});
after(() => upstream?.close());

async function withGateway(settings, use, options = {}) {
  const gateway = await startGatewayFor(upstream, settings, options);
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

test('a stream that waits carries comments, and goes on after them', async () => {
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    await reply.event(chunk({role: 'assistant', content: 'a'}));
    await pause(1200);
    await reply.event(chunk({content: 'b'}));
    await reply.event(chunk({}, 'stop'));
    await reply.event('[DONE]');
    await reply.end();
  };
  await withGateway({'toolgate.limits.streamKeepAliveSeconds': 0.2}, async (gateway) => {
    const response = await chat(gateway.port, {model: 'mock-1', stream: true, messages});
    const text = response.body.toString();
    assert.ok(text.split(': keepalive\n\n').length > 2, text);
    readEvents(response.body);  // well-formed all the same
    assert.match(text, /"content":"a"[^]*: keepalive[^]*"content":"b"[^]*\[DONE\]/);
  });
});

test('a choice that begins late is not lost', async () => {
  const late = (index, delta, finish = null) =>
      ({...chunk(delta, finish), choices: [{index, delta, finish_reason: finish}]});
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    await reply.event(late(0, {role: 'assistant', content: 'first'}));
    await reply.event(late(0, {}, 'stop'));
    await pause(6500);
    await reply.event(late(1, {role: 'assistant', content: 'second'}));
    await reply.event(late(1, {}, 'stop'));
    await reply.event('[DONE]');
    await reply.end();
  };
  await withGateway({}, async (gateway) => {
    const response = await chat(gateway.port, {model: 'mock-1', stream: true, n: 2, messages});
    assert.match(response.body.toString(), /first[^]*second/);
  });
});

test('an upstream that never ends its answer does not keep the gateway from stopping', async () => {
  let drip;
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    await reply.event(chunk({role: 'assistant', content: 'a'}, 'stop'));
    await reply.event('[DONE]');
    drip = setInterval(() => reply.chunk('\n').catch(() => {}), 100);
  };
  const gateway = await startGatewayFor(upstream, {'toolgate.limits.shutdownSeconds': 1});
  await chat(gateway.port, {model: 'mock-1', stream: true, messages});
  await gateway.stop();
  clearInterval(drip);
});

describe('keys', () => {
  test('are not given up when the file is emptied or removed', async () => {
    const settings = {'toolgate.models': [mockModel(upstream)], 'toolgate.apiKeys': ['k-1234567']};
    const gateway = await startGateway({settings});
    for (const change
             of [() => writeFileSync(gateway.settingsFile, ''),
                 () => writeFileSync(gateway.settingsFile, '{}')]) {
      const from = gateway.log.length;
      change();
      await gateway.logged(/last good ones stay.*apiKeys is gone/, {from});
      assert.equal((await exchange(gateway.port, {path: '/v1/models'})).status, 401);
    }
    const from = gateway.log.length;
    rmSync(gateway.settingsFile);
    await gateway.logged(/last good ones stay/, {from});
    assert.equal((await exchange(gateway.port, {path: '/v1/models'})).status, 401);
    await gateway.stop();
  });

  test('of an upstream are taken out of its errors', async () => {
    upstream.behave = (request, reply) => reply.json(
        401, {error: {message: `wrong key: ${UPSTREAM_KEY}!`, type: 'x', param: null, code: null}});
    await withGateway({}, async (gateway) => {
      const response = await chat(gateway.port, {model: 'mock-1', messages});
      assert.equal(response.status, 401);
      assert.match(checkError(response.json).message, /^wrong key: [^]*!$/);
      assert.ok(!response.body.toString().includes(UPSTREAM_KEY));
    });
  });

  test('that could break a header are refused at the start', async () => {
    await assert.rejects(
        startGatewayFor(upstream, {}, {env: {MOCK_UPSTREAM_KEY: 'a\r\nX-Evil: 1'}}),
        /MOCK_UPSTREAM_KEY/);
  });
});

test('a demo model may have a name of its own', async () => {
  await withGateway({'toolgate.models': [{id: 'mine', provider: 'demo'}]}, async (gateway) => {
    const ids = (await exchange(gateway.port, {path: '/v1/models'})).json.data.map((m) => m.id);
    assert.deepEqual(ids, ['mine', 'toolgate/demo']);
    const response = await chat(gateway.port, {model: 'mine', messages});
    assert.equal(response.json.model, 'mine');
  });
});

test('a gateway that is its own upstream says so instead of looping', async () => {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const {port} = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const model = {id: 'self', provider: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`};
  const gateway = await startGateway({settings: {'toolgate.models': [model]}, port});
  const response = await chat(gateway.port, {model: 'self', messages});
  assert.equal(response.status, 400);
  assert.match(checkError(response.json).message, /points back at it/);
  await gateway.stop();
});

test('a client that has shut down its side gets no internal error', async () => {
  upstream.behave = async (request, reply) => {
    await pause(300);
    await reply.json(200, wholeOf({pieces: ['late']}));
  };
  await withGateway({}, async (gateway) => {
    const connection = await Connection.open(gateway.port);
    connection.send(chatBytes(gateway.port, {model: 'mock-1', messages}));
    connection.finish();
    while (await connection.more()) {
    }
    assert.equal(connection.data.toString(), '');
    await gateway.logged(/ 499 /);
  });
});

test('fields that decide may stand once only', async () => {
  await withGateway({}, async (gateway) => {
    const head = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n';
    const connection = await Connection.open(gateway.port);
    connection.send(`${head}Origin: http://evil.example\r\n\r\n`);
    assert.equal((await connection.response('GET')).status, 400);
    connection.destroy();
  });
});

test('a body that trickles in ends, whatever its size', async () => {
  await withGateway({'toolgate.limits.bodySeconds': 0.3}, async (gateway) => {
    const connection = await Connection.open(gateway.port);
    connection.send(
        'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => connection.send(' '), 100);
    const response = await connection.response('POST');
    clearInterval(drip);
    assert.equal(response.status, 408);
    connection.destroy();
  });
});

test('an upstream of white space only is given up', async () => {
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    for (let i = 0; i < 3000 && !reply.socket.destroyed; ++i) {
      await reply.chunk(' \n');
      await pause(1);
    }
  };
  await withGateway({}, async (gateway) => {
    const response = await chat(gateway.port, {model: 'mock-1', stream: true, messages});
    assert.equal(response.status, 502);
  });
});
