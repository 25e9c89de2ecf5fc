// HTTP/1.1 as clients and attackers speak it: framing, limits, slow senders, pipelining, old
// versions.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';

import {startUpstream} from '../mock/upstream.mjs';

import {startGatewayFor} from './gateway.mjs';
import {chat, Connection, exchange, requestBytes} from './raw.mjs';
import {checkAnswer, checkError} from './rules.mjs';

let upstream;
let gateway;
let hasty;  // a gateway of small limits
before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream);
  hasty = await startGatewayFor(upstream, {
    'toolgate.limits.headerSeconds': 0.4,
    'toolgate.limits.bodySeconds': 0.4,
    'toolgate.limits.keepAliveSeconds': 0.4,
    'toolgate.limits.requestBodyBytes': 2000,
    'toolgate.limits.requestHeaderBytes': 2000
  });
});
after(async () => {
  await gateway?.stop();
  await hasty?.stop();
  await upstream?.close();
});

const body = (content = 'hello', more = {}) =>
    JSON.stringify({model: 'mock-1', messages: [{role: 'user', content}], ...more});
const post = (content, more, headers = {}) => requestBytes({
  method: 'POST',
  path: '/v1/chat/completions',
  port: gateway.port,
  headers: {'Content-Type': 'application/json', ...headers},
  body: body(content, more)
});

async function withConnection(port, use) {
  const connection = await Connection.open(port);
  try {
    return await use(connection);
  } finally {
    connection.destroy();
  }
}

describe('requests whose length is in doubt get 400 and the connection is closed', () => {
  const smuggled = requestBytes({
                     method: 'POST',
                     path: '/v1/chat/completions',
                     port: 1,
                     host: 'localhost',
                     body: body('smuggled')
                   }).toString();
  const chunked = (payload) =>
      `${Buffer.byteLength(payload).toString(16)}\r\n${payload}\r\n0\r\n\r\n`;
  const head = (...lines) =>
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${
          lines.join('\r\n')}\r\n\r\n`;
  const length = Buffer.byteLength(body());
  const variants = {
    'length and chunked':
        head(`Content-Length: ${length}`, 'Transfer-Encoding: chunked') + chunked(body()),
    'chunked and length':
        head('Transfer-Encoding: chunked', `Content-Length: ${length}`) + chunked(body()),
    'length 0 and chunked':
        head('Content-Length: 0', 'Transfer-Encoding: chunked') + chunked(body()),
    'two lengths': head(`Content-Length: ${length}`, `Content-Length: ${length + 5}`) + body(),
    'two lengths in one field': head(`Content-Length: ${length}, ${length + 5}`) + body(),
    'length with a plus': head(`Content-Length: +${length}`) + body(),
    'negative length': head('Content-Length: -1') + body(),
    'hexadecimal length': head('Content-Length: 0x40') + body(),
    'length with a space inside': head('Content-Length: 4 0') + body(),
    'length that overflows': head('Content-Length: 99999999999999999999') + body(),
    'length 2^64 + n': head(`Content-Length: ${(2n ** 64n + BigInt(length)).toString()}`) + body(),
    'empty length': head('Content-Length: ') + body(),
    'space before the colon': head('Content-Length : 5') + body(),
    'chunked, identity': head('Transfer-Encoding: chunked, identity') + chunked(body()),
    'identity': head('Transfer-Encoding: identity') + chunked(body()),
    'gzip, chunked': head('Transfer-Encoding: gzip, chunked') + chunked(body()),
    'xchunked': head('Transfer-Encoding: xchunked') + chunked(body()),
    'chunked twice':
        head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + chunked(body()),
    'chunked and identity in two fields':
        head('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunked(body()),
    'a vertical tab before chunked': head('Transfer-Encoding: \x0bchunked') + chunked(body()),
    'space before the colon of chunked': head('Transfer-Encoding : chunked') + chunked(body()),
    'a NUL in a field': head(`Content-Length: ${length}`, 'X-A: a\0b') + body(),
    'a bare CR in a field': head('X-A: a\rContent-Length: 0', `Content-Length: ${length}`) + body(),
    'a field without a name': head(': x', `Content-Length: ${length}`) + body(),
    'a line without a colon': head('nonsense', `Content-Length: ${length}`) + body(),
    'chunk size zz': head('Transfer-Encoding: chunked') + `zz\r\n${body()}\r\n0\r\n\r\n`,
    'negative chunk size': head('Transfer-Encoding: chunked') + `-5\r\n${body()}\r\n0\r\n\r\n`,
    'chunk size 0x5': head('Transfer-Encoding: chunked') + `0x5\r\n{}   \r\n0\r\n\r\n`,
    'chunk size that overflows':
        head('Transfer-Encoding: chunked') + `1${'0'.repeat(16)}5\r\n${body()}\r\n0\r\n\r\n`,
    'no CRLF behind a chunk':
        head('Transfer-Encoding: chunked') + `${length.toString(16)}\r\n${body()}XX0\r\n\r\n`,
    'empty chunk size': head('Transfer-Encoding: chunked') + `\r\n${body()}\r\n0\r\n\r\n`,
  };
  for (const [what, bytes] of Object.entries(variants)) {
    test(what, async () => {
      const before = upstream.requests.length;
      await withConnection(gateway.port, async (connection) => {
        connection.send(bytes + smuggled);
        const response = await connection.response();
        // 501 is the answer to a coding that we do not know; 413 to a length beyond every limit.
        assert.ok(
            [400, 501, 413].includes(response.status), `${response.status}: ${response.text}`);
        checkError(response.json);
        assert.equal(
            (await connection.drain()).length, 0, 'something was answered behind the refusal');
      });
      assert.equal(upstream.requests.length, before, 'it was forwarded');
    });
  }
});

describe('requests that are no HTTP', () => {
  const variants = {
    'garbage': 'hello\r\n\r\n',
    'no version': 'GET /healthz\r\n\r\n',
    'HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'version 3.0': 'GET /healthz HTTP/3.0\r\nHost: localhost\r\n\r\n',
    'TLS': Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 13, 10, 13, 10]),
    'binary': Buffer.from(Array.from({length: 256}, (_, at) => at).concat([13, 10, 13, 10])),
    'a space in the path': 'GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'empty method': ' /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
  };
  for (const [what, bytes] of Object.entries(variants)) {
    test(what, () => withConnection(gateway.port, async (connection) => {
                 connection.send(bytes);
                 const all = await connection.drain();
                 if (all.length) assert.match(all.toString('latin1'), /^HTTP\/1\.1 (400|505) /);
               }));
  }
});

test(
    'a target that names another host is refused',
    () => withConnection(gateway.port, async (connection) => {
      connection.send('GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const {status} = await connection.response();
      assert.ok(status >= 400 && status < 500, `${status}`);
    }));

describe('limits', () => {
  test('a body over its limit: 413, whether announced or not', async () => {
    const before = upstream.requests.length;
    const big = body('x'.repeat(3000));
    const announced = await chat(hasty.port, big);
    assert.equal(announced.status, 413);
    assert.match(checkError(announced.json).message, /requestBodyBytes/);
    await withConnection(hasty.port, async (connection) => {
      connection.send(
          `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${
              big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`);
      assert.equal((await connection.response()).status, 413);
    });
    await withConnection(hasty.port, async (connection) => {
      connection.send(
          'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n');
      assert.equal((await connection.response()).status, 413);
    });
    assert.equal(upstream.requests.length, before);
  });
  test('a header over its limit: 431', async () => {
    for (const headers
             of [{'X-Big': 'h'.repeat(100_000)},
                 Object.fromEntries(Array.from(
                     {length: 5000}, (_, at) => [`X-${at}`, 'some value that is long']))]) {
      const response = await exchange(gateway.port, {path: '/v1/models', headers});
      assert.equal(response.status, 431);
      checkError(response.json);
    }
    const response =
        await exchange(hasty.port, {path: '/v1/models', headers: {'X-Big': 'h'.repeat(2500)}});
    assert.equal(response.status, 431);
    assert.match(checkError(response.json).message, /requestHeaderBytes/);
  });
  test('a path over every limit: 414 or 431', async () => {
    const response = await exchange(gateway.port, {path: `/${'p'.repeat(200_000)}`});
    assert.ok([414, 431].includes(response.status), `${response.status}`);
  });
  test(
      'a header that never ends does not fill the memory',
      () => withConnection(gateway.port, async (connection) => {
        connection.send('GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ');
        const before = gateway.rss();
        for (let at = 0; at < 200 && !connection.ended; ++at) {
          connection.send('a'.repeat(100_000));
          await new Promise(setImmediate);
        }
        await connection.drain();
        if (!process.env.TOOLGATE_SANITIZE) assert.ok(gateway.rss() - before < 8 << 20);
      }));
  test(
      'a header that comes too slowly is not awaited, although bytes keep coming',
      () => withConnection(hasty.port, async (connection) => {
        const started = performance.now();
        const head =
            'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
        const timer = setInterval(() => connection.send('a'), 50);
        connection.send(head);
        const all = await connection.drain(10_000).finally(() => clearInterval(timer));
        assert.ok(performance.now() - started >= 350, 'too hasty');
        if (all.length) assert.match(all.toString(), /^HTTP\/1\.1 408 /);
      }));
  test(
      'a body that stops coming gets 408',
      () => withConnection(hasty.port, async (connection) => {
        connection.send(
            'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"mod');
        const response = await connection.response();
        assert.equal(response.status, 408);
        checkError(response.json);
        assert.equal((await connection.drain()).length, 0);
      }));
  test(
      'an idle connection is closed without a word',
      () => withConnection(hasty.port, async (connection) => {
        connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
        assert.equal((await connection.response()).status, 200);
        assert.equal((await connection.drain(10_000)).length, 0);
      }));
});

describe('connections', () => {
  test(
      'two requests at once are answered in order',
      () => withConnection(gateway.port, async (connection) => {
        connection.send(
            Buffer.concat([post('first'), post('second', {stream: true}), post('third')]));
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: first');
        assert.equal(
            checkAnswer(await connection.response(), {stream: true}).text, 'You said: second');
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: third');
      }));
  test(
      'a refused request leaves the next one unharmed',
      () => withConnection(gateway.port, async (connection) => {
        connection.send(Buffer.concat([
          post('x', {tools: 7}), post('next'),
          requestBytes({method: 'POST', path: '/nonesuch', port: gateway.port, body: body()}),
          post('last')
        ]));
        assert.equal((await connection.response()).status, 400);
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: next');
        const missing = await connection.response();
        assert.equal(missing.status, 404);
        // A body that nobody reads may end the connection, if the answer says so.
        if (missing.headers.connection?.toLowerCase() === 'close') return;
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: last');
      }));
  test(
      'a request in pieces of one byte',
      () => withConnection(gateway.port, async (connection) => {
        for (const byte of post('slowly')) {
          connection.send(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: slowly');
      }));
  test('Connection: close is kept', () => withConnection(gateway.port, async (connection) => {
                                      connection.send(post('bye', {}, {Connection: 'close'}));
                                      const response = await connection.response();
                                      assert.equal(
                                          response.headers.connection?.toLowerCase(), 'close');
                                      assert.equal((await connection.drain()).length, 0);
                                    }));
  test(
      'a client that half-closes still gets its answer',
      () => withConnection(gateway.port, async (connection) => {
        connection.send(requestBytes({path: '/v1/models', port: gateway.port}));
        connection.finish();
        assert.equal((await connection.response('GET')).status, 200);
      }));
  test(
      'Expect: 100-continue is answered before the body',
      () => withConnection(gateway.port, async (connection) => {
        const bytes = post('expected', {}, {Expect: '100-continue'});
        const split = bytes.indexOf('\r\n\r\n') + 4;
        connection.send(bytes.subarray(0, split));
        assert.equal((await connection.head()).status, 100);
        connection.send(bytes.subarray(split));
        assert.equal(
            checkAnswer(await connection.response(), {stream: false}).text, 'You said: expected');
      }));
  test(
      'Expect: 100-continue of a body that is too large is refused at once',
      () => withConnection(hasty.port, async (connection) => {
        connection.send(
            'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n');
        assert.equal((await connection.response()).status, 413);
      }));
  test(
      'HEAD has the header of GET and no body',
      () => withConnection(gateway.port, async (connection) => {
        connection.send(Buffer.concat(['HEAD', 'GET'].map(
            (method) => requestBytes({method, path: '/v1/models', port: gateway.port}))));
        const head = await connection.response('HEAD');
        const get = await connection.response('GET');
        assert.equal(head.status, 200);
        assert.equal(head.headers['content-type'], get.headers['content-type']);
        assert.equal(head.headers['content-length'], get.headers['content-length']);
      }));
  test('OPTIONS says what a route takes', async () => {
    const response =
        await exchange(gateway.port, {method: 'OPTIONS', path: '/v1/chat/completions'});
    assert.ok([200, 204].includes(response.status), `${response.status}`);
    assert.match(
        `${response.headers.allow} ${response.headers['access-control-allow-methods']}`, /POST/);
  });
  test(
      'HTTP/1.0: no chunks, and the connection is closed',
      () => withConnection(gateway.port, async (connection) => {
        const bytes = post('old', {stream: true}).toString().replace('HTTP/1.1', 'HTTP/1.0');
        connection.send(bytes);
        const response = await connection.response();
        assert.equal(response.headers['transfer-encoding'], undefined);
        assert.equal(checkAnswer(response, {stream: true}).text, 'You said: old');
        assert.ok(connection.ended);
      }));
  test('a compressed request gets 415', async () => {
    const response =
        await chat(gateway.port, gzipSync(body()), {headers: {'Content-Encoding': 'gzip'}});
    assert.equal(response.status, 415, response.text);
    checkError(response.json);
  });
  test(
      'empty lines before a request are passed over',
      () => withConnection(gateway.port, async (connection) => {
        connection.send(Buffer.concat(
            [Buffer.from('\r\n\r\n'), requestBytes({path: '/healthz', port: gateway.port})]));
        assert.equal((await connection.response('GET')).status, 200);
      }));
});
