// Who may ask: Host and Origin, API keys, loopback; and that no secret shows in the log.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {mockModel, routes, startGateway, startGatewayFor, UPSTREAM_KEY} from './gateway.mjs';
import {chat, Connection, exchange} from './raw.mjs';
import {checkError} from './rules.mjs';

const KEYS = ['sk-client-sentinel-a71', 'sk-client-sentinel-b82'];
const table = routes();
const concrete = (route) => route.path.replace(/\{[^}]*\}/g, 'mock-1');

let upstream;
let open;
let locked;
before(async () => {
  upstream = await startUpstream();
  open = await startGatewayFor(upstream);
  locked = await startGatewayFor(
      upstream, {'toolgate.apiKeys': [KEYS[0], {name: 'second', key: KEYS[1]}]});
});
after(async () => {
  await open?.stop();
  await locked?.stop();
  await upstream?.close();
});

test('the route table holds what the contract names', () => {
  const names = table.map((route) => `${route.method} ${route.path}`);
  for (const name
           of ['POST /v1/chat/completions', 'GET /v1/models', 'GET /healthz', 'GET /readyz',
               'GET /metrics']) {
    assert.ok(names.includes(name), `${name} is not in ${names}`);
  }
  for (const route of table) assert.ok(route.access, `${route.path} has no access rule`);
});

describe('a foreign Host or Origin gets 403 on every route', () => {
  const foreign = {
    'Host evil.example': {Host: 'evil.example'},
    'Host with our port': (port) => ({Host: `evil.example:${port}`}),
    'Host that begins like ours': {Host: 'localhost.evil.example'},
    'Host that ends like ours': {Host: 'evil-localhost'},
    'Host with userinfo': {Host: 'localhost@evil.example'},
    'Host of another machine': {Host: '192.168.1.7:8080'},
    'Host 127.0.0.1.evil.example': {Host: '127.0.0.1.evil.example'},
    'Origin of a web page': {Origin: 'https://evil.example'},
    'Origin null': {Origin: 'null'},
    'Origin that begins like ours': {Origin: 'http://localhost.evil.example'},
    'Origin of an extension': {Origin: 'chrome-extension://abc'}
  };
  for (const route of table) {
    test(`${route.method} ${route.path}`, async () => {
      const before = upstream.requests.length;
      for (const [what, make] of Object.entries(foreign)) {
        const headers = typeof make === 'function' ? make(open.port) : make;
        const response = await exchange(open.port, {
          method: route.method,
          path: concrete(route),
          headers,
          body: route.method === 'POST' ? '{"messages":[{"role":"user","content":"x"}]}' : undefined
        });
        assert.equal(response.status, 403, `${what}: ${response.status}`);
        if (route.method !== 'HEAD') checkError(response.json);
        assert.equal(response.headers['access-control-allow-origin'], undefined, what);
      }
      assert.equal(upstream.requests.length, before);
    });
  }
  test('an unknown route too', async () => {
    assert.equal(
        (await exchange(open.port, {path: '/nonesuch', headers: {Host: 'evil.example'}})).status,
        403);
  });
});

describe('Host and Origin that are ours', () => {
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]', '127.0.0.53']) {
    test(`Host ${host}`, async () => {
      assert.equal(
          (await exchange(open.port, {path: '/v1/models', headers: {Host: host}})).status, 200);
    });
  }
  for (const origin
           of ['http://localhost:3000', 'http://127.0.0.1:5173', 'http://[::1]:80',
               'https://localhost']) {
    test(`Origin ${origin}: allowed, with the answer readable for that page`, async () => {
      const response = await exchange(open.port, {path: '/v1/models', headers: {Origin: origin}});
      assert.equal(response.status, 200);
      assert.equal(response.headers['access-control-allow-origin'], origin);
      assert.match(response.headers.vary ?? '', /origin/i);
    });
    test(`Origin ${origin}: preflight`, async () => {
      const response = await exchange(open.port, {
        method: 'OPTIONS',
        path: '/v1/chat/completions',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization, content-type'
        }
      });
      assert.ok([200, 204].includes(response.status), `${response.status}`);
      assert.equal(response.headers['access-control-allow-origin'], origin);
      assert.match(response.headers['access-control-allow-methods'] ?? '', /POST/);
      assert.match(response.headers['access-control-allow-headers'] ?? '', /authorization|\*/i);
    });
  }
  test('a listed host is allowed', async () => {
    const gateway = await startGatewayFor(upstream, {'toolgate.allowedHosts': ['gate.example']});
    try {
      assert.equal(
          (await exchange(gateway.port, {path: '/v1/models', headers: {Host: 'gate.example'}}))
              .status,
          200);
      assert.equal(
          (await exchange(gateway.port, {path: '/v1/models', headers: {Host: 'other.example'}}))
              .status,
          403);
    } finally {
      await gateway.stop();
    }
  });
  test('no Host or two of them get 400', async () => {
    for (const head
             of ['GET /v1/models HTTP/1.1\r\n\r\n',
                 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n']) {
      const connection = await Connection.open(open.port);
      const response = await connection.send(head).response();
      assert.ok([400, 403].includes(response.status), `${response.status}`);
      connection.destroy();
    }
  });
});

describe('routes for the operator alone', () => {
  const operators = table.filter((route) => route.access === 'operator');
  assert.ok(operators.length >= 8);
  for (const route of operators) {
    test(`${route.method} ${route.path} refuses a good key`, async () => {
      for (const [gateway, headers] of [[locked, {Authorization: `Bearer ${KEYS[0]}`}], [open, {}]]) {
        const {status, json} = await exchange(
            gateway.port, {method: route.method, path: concrete(route), headers, body: '{}'});
        assert.equal(status, 401);
        checkError(json);
      }
    });
  }
});

describe('API keys', () => {
  const ask = (route, headers) => exchange(locked.port, {
    method: route.method,
    path: concrete(route),
    headers,
    body: route.method === 'POST' ? '{"messages":[{"role":"user","content":"x"}]}' : undefined
  });
  const bad = {
    none: {},
    wrong: {Authorization: 'Bearer sk-wrong'},
    'a prefix': {Authorization: `Bearer ${KEYS[0].slice(0, -1)}`},
    'longer than the key': {Authorization: `Bearer ${KEYS[0]}x`},
    empty: {Authorization: 'Bearer '},
    'another scheme': {Authorization: `Basic ${KEYS[0]}`}
  };
  for (const route of table.filter((one) => one.path !== '/healthz')) {
    test(`${route.method} ${route.path} wants one`, async () => {
      for (const [what, headers] of Object.entries(bad)) {
        const response = await ask(route, headers);
        assert.equal(response.status, 401, what);
        checkError(response.json);
      }
    });
  }
  test('each key opens, /healthz needs none', async () => {
    for (const key of KEYS) {
      assert.equal(
          (await ask({method: 'GET', path: '/v1/models'}, {Authorization: `Bearer ${key}`})).status,
          200);
      const response = await chat(
          locked.port, {model: 'mock-1', messages: [{role: 'user', content: 'x'}]},
          {headers: {Authorization: `Bearer ${key}`}});
      assert.equal(response.status, 200);
      assert.equal(upstream.last.headers.authorization, `Bearer ${UPSTREAM_KEY}`);
    }
    assert.equal((await ask({method: 'GET', path: '/healthz'}, {})).status, 200);
  });
  test('the message of a wrong key does not repeat it', async () => {
    const response =
        await ask({method: 'GET', path: '/v1/models'}, {Authorization: 'Bearer sk-wrong-sentinel'});
    assert.doesNotMatch(response.text, /sk-wrong-sentinel/);
  });
});

test('no secret is ever in the log', async () => {
  const gateway = await startGateway({
    settings: {
      'toolgate.models': [mockModel(upstream)],
      'toolgate.apiKeys': [KEYS[0]],
      'toolgate.logLevel': 'debug'
    }
  });
  const secrets = [
    KEYS[0], UPSTREAM_KEY, 'sk-query-sentinel', 'sk-wrong-sentinel', 'cookie-sentinel',
    'prompt-sentinel', 'sk-path-sentinel'
  ];
  const headers = {Authorization: `Bearer ${KEYS[0]}`, Cookie: 'session=cookie-sentinel'};
  const say = (content, more = {}) => chat(
      gateway.port, {model: 'mock-1', messages: [{role: 'user', content}], ...more},
      {headers, path: '/v1/chat/completions?api_key=sk-query-sentinel&key=sk-query-sentinel'});
  await say('prompt-sentinel');
  await say('prompt-sentinel', {stream: true});
  await say('fail 401 prompt-sentinel');
  await say('x', {tools: 'prompt-sentinel'});
  await chat(gateway.port, '{"messages": prompt-sentinel', {headers});
  await exchange(
      gateway.port, {path: '/v1/models', headers: {Authorization: 'Bearer sk-wrong-sentinel'}});
  await exchange(
      gateway.port, {path: '/v1/models?token=sk-query-sentinel', headers: {Host: 'evil.example'}});
  await exchange(gateway.port, {path: '/nonesuch?token=sk-query-sentinel', headers});
  const connection = await Connection.open(gateway.port);
  await connection.send('GARBAGE sk-wrong-sentinel\r\n\r\n').drain();
  connection.destroy();
  await gateway.stop();
  assert.ok(gateway.log.length > 200, 'nothing was logged');
  for (const secret of secrets)
    assert.ok(!gateway.log.includes(secret), `${secret} is in the log:\n${gateway.log}`);
});

test('a log line cannot be forged by a request', async () => {
  const from = open.log.length;
  await exchange(open.port, {path: '/%0aforged-line%1b[31m', headers: {'User-Agent': 'x\tforged'}});
  await open.logged(/forged-line|404/, {from});
  assert.doesNotMatch(open.log.slice(from), /^forged-line/m);
  assert.ok(!open.log.slice(from).includes('\u001b[31m'));
});

test('nothing listens beyond loopback', () => {
  const inodes = new Set();
  for (const name of readdirSync(`/proc/${open.pid}/fd`)) {
    try {
      inodes.add(/socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${open.pid}/fd/${name}`))?.[1]);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  const listening =
      ['tcp', 'tcp6']
          .flatMap(
              (file) =>
                  readFileSync(`/proc/${open.pid}/net/${file}`, 'utf8').trim().split('\n').slice(1))
          .map((line) => line.trim().split(/\s+/))
          .filter((fields) => fields[3] === '0A' && inodes.has(fields[9]))
          .map((fields) => fields[1]);
  assert.ok(listening.length > 0, 'no listening socket was found');
  for (const address of listening) {
    assert.match(address, /^(0100007F|00000000000000000000000001000000):/, `listens on ${address}`);
  }
  const udp =
      ['udp', 'udp6']
          .flatMap(
              (file) =>
                  readFileSync(`/proc/${open.pid}/net/${file}`, 'utf8').trim().split('\n').slice(1))
          .filter((line) => inodes.has(line.trim().split(/\s+/)[9]));
  assert.deepEqual(udp, []);
});

test('the operator token is a file that only its owner reads', () => {
  const file = path.join(open.folder, 'data/operator-token');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(readFileSync(file, 'utf8').trim().length >= 32);
});
