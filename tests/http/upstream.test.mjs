// How the gateway treats its upstreams: which failures it tries again, how long it waits, whom it
// trusts.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {answerLikeOpenAI, chunk, errorBody, streamOf, wholeOf} from '../mock/answers.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {startGateway, startGatewayFor} from './gateway.mjs';
import {chat, chatBytes, Connection} from './raw.mjs';
import {checkAnswer, checkError} from './rules.mjs';

let upstream;
let gateway;
let hasty;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream);
  hasty = await startGatewayFor(upstream, {
    'toolgate.limits.upstreamFirstByteSeconds': 0.4,
    'toolgate.limits.upstreamIdleSeconds': 0.4,
    'toolgate.limits.upstreamConnectSeconds': 0.4,
    'toolgate.limits.answerBytes': 100_000
  });
});
after(async () => {
  await gateway?.stop();
  await hasty?.stop();
  await upstream?.close();
});

const ask = (more = {}) =>
    ({model: 'mock-1', messages: [{role: 'user', content: 'hello'}], ...more});
const bytes = (more) => chatBytes(gateway.port, ask(more));
const seen = async (run) => {
  const before = upstream.requests.length;
  const result = await run();
  return {result, requests: upstream.requests.slice(before)};
};

// One client connection stays on one loop of the gateway and so meets that loop's upstream
// connections.
async function onOneConnection(use) {
  upstream.behave = answerLikeOpenAI;
  const connection = await Connection.open(gateway.port);
  try {
    connection.send(bytes());
    assert.equal((await connection.response()).status, 200);
    const used = upstream.last.connection;
    return await use(async (more) => {
      connection.send(bytes(more));
      return connection.response();
    }, used);
  } finally {
    connection.destroy();
  }
}

describe('connections to the upstream', () => {
  test('are used again, also after a stream', () => onOneConnection(async (again, used) => {
                                                assert.equal(
                                                    (await again({stream: true})).status, 200);
                                                assert.equal((await again()).status, 200);
                                                assert.equal(upstream.last.connection, used);
                                              }));
  test(
      'are used again when [DONE] comes before the end of the body',
      () => onOneConnection(async (again, used) => {
        upstream.behave = async (request, reply) => {
          await reply.streamHead();
          for (const value of streamOf({pieces: ['x']})) await reply.event(value);
          await reply.event('[DONE]');
          await new Promise((resolve) => setTimeout(resolve, 30));
          await reply.end();
        };
        assert.equal((await again({stream: true})).status, 200);
        await new Promise((resolve) => setTimeout(resolve, 100));
        upstream.behave = answerLikeOpenAI;
        assert.equal((await again()).status, 200);
        assert.equal(upstream.last.connection, used);
      }));
  test('that the upstream has closed are not missed', () => onOneConnection(async (again) => {
                                                        upstream.behave =
                                                            async (request, reply) => {
                                                          await reply.json(
                                                              200, wholeOf({pieces: ['bye']}));
                                                          reply.close();
                                                        };
                                                        for (let at = 0; at < 5; ++at)
                                                          assert.equal((await again()).status, 200);
                                                      }));
  test(
      'with Connection: close are not used again',
      () => onOneConnection(async (again, used) => {
        upstream.behave = (request, reply) =>
            reply.json(200, wholeOf({pieces: ['bye']}), {Connection: 'close'});
        assert.equal((await again()).status, 200);
        assert.equal(upstream.last.connection, used);
        assert.equal((await again()).status, 200);
        assert.notEqual(upstream.last.connection, used);
      }));
  test(
      'a stream that is cut off is not used again',
      () => onOneConnection(async (again, used) => {
        upstream.behave = async (request, reply) => {
          await reply.streamHead();
          await reply.event(chunk({role: 'assistant', content: 'x'}));
          await reply.event(errorBody(500, 'broken'));
          await reply.end();
        };
        await again({stream: true});
        upstream.behave = answerLikeOpenAI;
        assert.equal((await again()).status, 200);
      }));
});

describe('trying again', () => {
  for (const how of ['reset', 'close']) {
    test(
        `once, when a used connection ends before the answer (${how})`,
        () => onOneConnection(async (again, used) => {
          upstream.behave = (request, reply) =>
              request.connection === used ? reply[how]() : answerLikeOpenAI(request, reply);
          const {result, requests} = await seen(() => again());
          assert.equal(checkAnswer(result, {stream: false}).text, 'You said: hello');
          assert.equal(requests.length, 2);
          assert.deepEqual(requests[0].json, requests[1].json);
        }));
  }
  test('but not without end', async () => {
    upstream.behave = (request, reply) => reply.reset();
    const {result, requests} = await seen(() => chat(gateway.port, ask()));
    assert.equal(result.status, 502);
    assert.equal(checkError(result.json).type, 'upstream_error');
    assert.ok(requests.length <= 2, `${requests.length} tries`);
  });
  test('never after the first byte of an answer', async () => {
    upstream.behave = async (request, reply) => {
      await reply.write('H');
      await new Promise((resolve) => setTimeout(resolve, 50));
      reply.reset();
    };
    const {result, requests} = await seen(() => chat(gateway.port, ask()));
    assert.equal(result.status, 502);
    assert.equal(requests.length, 1);
  });
  for (const status of [400, 408, 409, 429, 500, 502, 503]) {
    test(`never after an answer: ${status}`, async () => {
      upstream.behave = (request, reply) => reply.json(
          status, errorBody(status, 'no'),
          {'Retry-After': '3', 'X-RateLimit-Remaining-Requests': '0'});
      const {result, requests} = await seen(() => chat(gateway.port, ask({stream: true})));
      assert.equal(result.status, status);
      assert.equal(result.headers['retry-after'], '3');
      assert.equal(result.headers['x-ratelimit-remaining-requests'], '0');
      assert.equal(requests.length, 1);
    });
  }
  test('an upstream that is not there: 502 that names its address', async () => {
    const empty = net.createServer().listen(0, '127.0.0.1');
    await once(empty, 'listening');
    const {port} = empty.address();
    empty.close();
    await once(empty, 'close');
    const alone = await startGateway({
      settings: {
        'toolgate.models': [
          {id: 'm', provider: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`},
          {id: 'nowhere', provider: 'openai', baseUrl: 'http://no-such-host.invalid/v1'}
        ]
      }
    });
    for (const model of ['m', 'nowhere']) {
      const response = await chat(alone.port, ask({model}));
      assert.equal(response.status, 502);
      const error = checkError(response.json);
      assert.equal(error.code, 'upstream_unreachable');
      assert.ok(
          error.message.includes(model === 'm' ? String(port) : 'no-such-host.invalid'),
          error.message);
    }
    await alone.stop();
  });
});

describe('waiting', () => {
  test('for the first byte: 504', async () => {
    upstream.behave = () => new Promise(() => {});
    for (const stream of [false, true]) {
      const {result, requests} = await seen(() => chat(hasty.port, ask({stream})));
      assert.equal(result.status, 504);
      assert.equal(checkError(result.json).code, 'upstream_timeout');
      assert.equal(requests.length, 1);
      await requests[0].closed;
    }
  });
  test('between bytes of a stream: an error event', async () => {
    upstream.behave = async (request, reply) => {
      await reply.streamHead();
      await reply.event(chunk({role: 'assistant', content: 'begun'}));
      await new Promise(() => {});
    };
    const outcome = checkAnswer(await chat(hasty.port, ask({stream: true})), {stream: true});
    assert.equal(outcome.text, 'begun');
    assert.equal(outcome.error.code, 'upstream_timeout');
    await upstream.last.closed;
  });
  test('a slow stream that keeps coming is no timeout', async () => {
    upstream.behave = async (request, reply) => {
      await reply.streamHead();
      await reply.event(chunk({role: 'assistant', content: ''}));
      for (let at = 0; at < 8; ++at) {
        await new Promise((resolve) => setTimeout(resolve, 120));
        await reply.event(chunk({content: `${at}`}));
      }
      await reply.event(chunk({}, 'stop'));
      await reply.event('[DONE]');
      await reply.end();
    };
    assert.equal(
        checkAnswer(await chat(hasty.port, ask({stream: true})), {stream: true}).text, '01234567');
  });
  test('inside a whole answer: 504', async () => {
    upstream.behave = async (request, reply) => {
      await reply.head(200, {'Content-Type': 'application/json', 'Content-Length': 500});
      await reply.write('{"id":');
      await new Promise(() => {});
    };
    assert.equal((await chat(hasty.port, ask())).status, 504);
  });
  test('for a connection: 504 or 502', async () => {
    // A listener whose queue is full drops what comes next.
    const full = spawn(
        'python3',
        [
          '-c', `
import socket, sys, time
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(0)
held = []
for _ in range(4):
    one = socket.socket(); one.setblocking(False); one.connect_ex(listener.getsockname()); held.append(one)
time.sleep(0.2)
print(listener.getsockname()[1], flush=True)
time.sleep(60)`
        ],
        {stdio: ['ignore', 'pipe', 'inherit']});
    const [line] = await once(full.stdout, 'data');
    const alone = await startGateway({
      settings: {
        'toolgate.limits.upstreamConnectSeconds': 0.4,
        'toolgate.models':
            [{id: 'm', provider: 'openai', baseUrl: `http://127.0.0.1:${Number(line)}/v1`}]
      }
    });
    const started = performance.now();
    const response = await chat(alone.port, ask({model: 'm'}));
    full.kill();
    assert.ok([502, 504].includes(response.status), `${response.status}`);
    assert.match(checkError(response.json).message, /connect|time/i);
    assert.ok(performance.now() - started >= 350, 'did not wait');
    await alone.stop();
  });
  test('an answer over answerBytes: 502 that names the limit', async () => {
    upstream.behave = (request, reply) => reply.json(200, wholeOf({pieces: ['x'.repeat(200_000)]}));
    const response = await chat(hasty.port, ask());
    assert.equal(response.status, 502);
    assert.match(checkError(response.json).message, /answerBytes/);
  });
});

describe('TLS', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-tls-'));
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  function certificate(name, subject) {
    const [key, cert] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.pem`)];
    execFileSync(
        'openssl',
        [
          'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
          '-days', '2', '-keyout', key, '-out', cert, '-subj', '/CN=test', '-addext',
          `subjectAltName=${subject}`
        ],
        {stdio: 'ignore'});
    return {key: readFileSync(key), cert: readFileSync(cert), file: cert};
  }

  async function through(served, trusted, host) {
    const server = https
                       .createServer(
                           served,
                           (request, response) => {
                             request.resume().on(
                                 'end',
                                 () => response.setHeader('Content-Type', 'application/json')
                                           .end(JSON.stringify(wholeOf({pieces: ['safe']}))));
                           })
                       .listen(0, '127.0.0.1');
    await once(server, 'listening');
    const alone = await startGateway({
      env: trusted ? {SSL_CERT_FILE: trusted.file} : {},
      settings: {
        'toolgate.models':
            [{id: 'm', provider: 'openai', baseUrl: `https://${host}:${server.address().port}/v1`}]
      }
    });
    const response = await chat(alone.port, ask({model: 'm'}));
    await alone.stop();
    server.closeAllConnections();
    server.close();
    return response;
  }

  test('a certificate of a trusted authority, by address and by name', async () => {
    const good = certificate('good', 'IP:127.0.0.1,DNS:localhost');
    for (const host of ['127.0.0.1', 'localhost']) {
      const response = await through(good, good, host);
      assert.equal(response.status, 200, response.text);
      assert.equal(checkAnswer(response, {stream: false}).text, 'safe');
    }
  });
  test('a certificate of nobody we know is refused', async () => {
    const response = await through(certificate('unknown', 'IP:127.0.0.1'), null, '127.0.0.1');
    assert.equal(response.status, 502);
    assert.match(checkError(response.json).message, /certificate/i);
  });
  test('a certificate for another name is refused', async () => {
    const other = certificate('other', 'DNS:other.example');
    for (const host of ['127.0.0.1', 'localhost'])
      assert.equal((await through(other, other, host)).status, 502, host);
  });
});
