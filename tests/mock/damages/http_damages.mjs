// Damages to the bytes of a whole answer and to the HTTP around any answer.
import {gzipSync} from 'node:zlib';

import {errorBody, OUTCOMES, SCENARIOS, streamOf, wholeOf} from '../answers.mjs';

import {data, deep, either, fails, partial, plain} from './tools.mjs';

async function sendStream(reply, payload, headers = {}) {
  await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked', ...headers});
  await reply.chunk(payload.bytes);
  await reply.end();
}

export const sendWell = (reply, payload) =>
    payload.stream ? sendStream(reply, payload) : reply.body(200, payload.type, payload.bytes);

async function oneByteWrites(reply, payload) {
  await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
  for (const byte of payload.bytes) {
    await reply.chunk([byte]);
    await new Promise(setImmediate);
  }
  await reply.end();
}

const answerWith = (status, type, bytes, headers) => (reply) =>
    reply.body(status, type, bytes, headers);
const failure = (name, status, message = `the upstream says ${status}`) => ({
  name,
  http: answerWith(status, 'application/json', JSON.stringify(errorBody(status, message))),
  expect: fails(new RegExp(message), status)
});

// Cuts the body at `share` of its bytes and resets the connection.
const cutAt = (share) => async (reply, payload) => {
  const half = payload.bytes.subarray(0, Math.floor(payload.bytes.length * share));
  if (payload.stream) {
    await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
    await reply.chunk(half);
  } else {
    await reply.head(200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length});
    await reply.write(half);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  reply.reset();
};

const closeDelimited = (version, share = 1) => async (reply, payload) => {
  await reply.write(
      `HTTP/${version} 200 OK\r\nContent-Type: ${payload.type}\r\nConnection: close\r\n\r\n`);
  await reply.write(payload.bytes.subarray(0, Math.floor(payload.bytes.length * share)));
  reply.close();
};

export const bodyDamages = [
  {name: 'truncated_json', body: (text) => text.slice(0, -20), expect: fails()},
  {name: 'empty_body', body: () => '', expect: fails()},
  {
    name: 'html_in_200',
    http: answerWith(200, 'text/html', '<html><body>Welcome to nginx</body></html>'),
    expect: fails()
  },
  {
    name: 'text_in_200',
    http: answerWith(200, 'text/plain', 'upstream is warming up'),
    expect: fails()
  },
  {name: 'bom_body', body: (text) => `\ufeff${text}`, expect: either(OUTCOMES.text, fails(/JSON/))},
  {name: 'pretty_body', body: (text) => `\r\n ${JSON.stringify(JSON.parse(text), null, 4)}\n\n`},
  {
    name: 'nan_body',
    body: (text) => text.replace('"created":1760000000', '"created":NaN'),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'invalid_utf8_body',
    body: (text) => {
      const bytes = Buffer.from(text);
      bytes[bytes.indexOf('Gr') + 2] = 0xff;
      return bytes;
    },
    expect: either({calls: [], finish: 'stop', text: /^Gr.*done\.$/s}, fails())
  },
  {
    name: 'lone_surrogate_body',
    body: (text) => text.replace('Grüße', 'a\\ud800b'),
    expect: either({calls: [], finish: 'stop', text: /^a[\ud800\ufffd]*b/}, fails())
  },
  {
    name: 'deep_nesting_body',
    body: (text) =>
        text.replace('"system_fingerprint":', `"x":${deep(10_000)},"system_fingerprint":`),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'trailing_garbage',
    body: (text) => `${text}garbage`,
    expect: either(OUTCOMES.text, fails())
  },
];

export const httpDamages = [
  {
    name: 'ct_json',
    http: (reply, payload) => sendWell(reply, {...payload, type: 'application/json'})
  },
  {
    name: 'ct_missing',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Length': payload.bytes.length});
      await reply.write(payload.bytes);
      reply.reusable = true;
    }
  },
  {
    name: 'ct_upper_with_charset',
    http: (reply, payload) =>
        sendWell(reply, {...payload, type: `${payload.type.toUpperCase()}; Charset="UTF-8"`})
  },
  {
    name: 'json_to_stream_request',
    streamOnly: true,
    http: (reply) => reply.json(200, wholeOf(SCENARIOS.text))
  },
  {
    name: 'json_to_stream_request_call',
    streamOnly: true,
    scenario: 'parallel',
    http: (reply) => reply.json(200, wholeOf(SCENARIOS.parallel))
  },
  {
    name: 'sse_to_whole_request',
    wholeOnly: true,
    http: (reply) => sendStream(reply, {
      type: 'text/event-stream',
      bytes: Buffer.from(
          plain([...streamOf(SCENARIOS.text).map((value) => JSON.stringify(value)), '[DONE]']))
    })
  },
  {
    name: 'sse_to_whole_request_call',
    wholeOnly: true,
    scenario: 'parallel',
    http: (reply) => sendStream(reply, {
      type: 'text/event-stream',
      bytes: Buffer.from(
          plain([...streamOf(SCENARIOS.parallel).map((value) => JSON.stringify(value)), '[DONE]']))
    })
  },
  {
    name: 'error_body_in_200',
    http: answerWith(200, 'application/json', JSON.stringify(errorBody(500, 'not today'))),
    expect: fails(/not today/)
  },
  {name: 'one_byte_writes', http: oneByteWrites},
  {name: 'one_byte_writes_call', scenario: 'parallel', http: oneByteWrites},
  {
    name: 'content_length_stream',
    http: (reply, payload) => reply.body(200, payload.type, payload.bytes)
  },
  {
    name: 'chunk_extensions_and_trailers',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked', Trailer: 'X-Sum'});
      await reply.write(`${payload.bytes.length.toString(16).toUpperCase()};name="value";flag\r\n`);
      await reply.write(payload.bytes);
      await reply.write('\r\n0;last\r\nX-Sum: 1\r\n\r\n');
      reply.reusable = true;
    }
  },
  {name: 'http10_close', http: closeDelimited('1.0')},
  {name: 'http11_close_delimited', http: closeDelimited('1.1')},
  {
    name: 'interim_100',
    http: async (reply, payload) => {
      await reply.write('HTTP/1.1 100 Continue\r\n\r\n');
      await sendWell(reply, payload);
    }
  },
  {
    name: 'interim_103',
    http: async (reply, payload) => {
      await reply.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      await sendWell(reply, payload);
    },
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'gzip_unasked',
    http: (reply, payload) =>
        reply.body(200, payload.type, gzipSync(payload.bytes), {'Content-Encoding': 'gzip'}),
    expect: either(OUTCOMES.text, fails(/encod|compress|gzip/i))
  },
  {name: 'truncated_chunked', http: cutAt(0.5), expect: fails()},
  {name: 'truncate', http: cutAt(0.7), expect: fails()},
  {
    name: 'cut_after_the_finish',
    chunks: (list) => list.filter((value) => !value.usage),
    streamOnly: true,
    http: cutAt(0.999),
    expect: either(OUTCOMES.text, fails())
  },
  {name: 'truncate_call', scenario: 'call', http: cutAt(0.6), expect: fails()},
  {
    name: 'half_closed_chunked',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes.subarray(0, payload.bytes.length >> 1));
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'last_chunk_missing',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes);
      reply.close();
    },
    expectStream: OUTCOMES.text,
    expectWhole: either(OUTCOMES.text, fails())
  },
  {
    name: 'content_length_too_long',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length + 50});
      await reply.write(payload.bytes);
      reply.close();
    },
    expectStream: OUTCOMES.text,
    expectWhole: either(OUTCOMES.text, fails())
  },
  {
    name: 'content_length_too_short',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length - 300});
      await reply.write(payload.bytes);
      reply.close();
    },
    expectStream: either({calls: [], finish: 'stop', text: partial('Grüße')}, fails()),
    expectWhole: fails()
  },
  {
    name: 'bad_chunk_size',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes.subarray(0, payload.bytes.length >> 1));
      await reply.write('zz\r\n');
      await reply.write(payload.bytes.subarray(payload.bytes.length >> 1));
      reply.close();
    },
    expect: fails()
  },
  {name: 'closed_before_any_byte', http: (reply) => reply.close(), expect: fails()},
  {name: 'reset_before_any_byte', http: (reply) => reply.reset(), expect: fails()},
  {
    name: 'reset_in_header',
    http: async (reply) => {
      await reply.write('HTTP/1.1 200 OK\r\nContent-Ty');
      await new Promise((resolve) => setTimeout(resolve, 20));
      reply.reset();
    },
    expect: fails()
  },
  {
    name: 'no_http_at_all',
    http: async (reply) => {
      await reply.write('SSH-2.0-OpenSSH_9.2\r\n');
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'huge_header',
    http: async (reply) => {
      await reply.write(`HTTP/1.1 200 OK\r\nX-Big: ${'h'.repeat(1 << 20)}\r\n\r\n`);
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'status_204',
    http: async (reply) => {
      await reply.head(204);
      reply.reusable = true;
    },
    expect: fails()
  },
  {
    name: 'redirect_302',
    http: (reply) => reply.body(302, 'text/html', 'moved', {Location: '/v1/elsewhere'}),
    expect: fails()
  },
  failure('err400', 400),
  failure('err401', 401),
  failure('err404', 404),
  failure('err429', 429),
  failure('err500', 500),
  failure('err503', 503),
  {
    name: 'err400_nullcode',
    http: answerWith(
        400, 'application/json',
        '{"error":{"message":"bad thing","type":null,"param":null,"code":null}}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_numcode',
    http: answerWith(
        400, 'application/json',
        '{"error":{"message":"bad thing","type":"x","param":3,"code":400}}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_string',
    http: answerWith(400, 'application/json', '{"error":"bad thing"}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_text',
    http: answerWith(400, 'text/plain', 'bad thing'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_detail',
    http: answerWith(400, 'application/json', '{"detail":"bad thing"}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_array',
    http: answerWith(400, 'application/json', '[{"error":{"message":"bad thing"}}]'),
    expect: fails(/./, 400)
  },
  {
    name: 'err502_html',
    http: answerWith(502, 'text/html', '<html><title>502 Bad Gateway</title></html>'),
    expect: fails(/./, 502)
  },
  {name: 'err500_empty', http: answerWith(500, 'text/plain', ''), expect: fails(/./, 500)},
  {
    name: 'err429_retry_after',
    http: answerWith(
        429, 'application/json', JSON.stringify(errorBody(429, 'slow down')),
        {'Retry-After': '17'}),
    expect: {...fails(/slow down/, 429), headers: {'retry-after': '17'}}
  },
  {
    name: 'err503_as_sse',
    http: answerWith(503, 'text/event-stream', data(JSON.stringify(errorBody(503, 'overloaded')))),
    expect: fails(/overloaded/, 503)
  },
  {
    name: 'err500_invalid_utf8',
    http: answerWith(500, 'text/plain', Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe])),
    expect: fails(/bad/, 500)
  },
];
