// Hard use: slow and half-open clients, resets at every byte from either side, many streams at
// once. Memory stays flat, other requests are served, and a client that leaves is noticed upstream.
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import net from 'node:net';
import {after, before, describe, test} from 'node:test';

import {answerLikeOpenAI, chunk, OUTCOMES, SCENARIOS, streamOf, wholeOf} from '../mock/answers.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {startGatewayFor} from './gateway.mjs';
import {chat, chatBytes, Connection} from './raw.mjs';
import {checkAnswer, difference} from './rules.mjs';

const MB = 1 << 20;
const sanitized = Boolean(process.env.TOOLGATE_SANITIZE);  // its memory is not the gateway's own

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream, {'toolgate.limits.headerSeconds': 60});
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ask = (more = {}) =>
    ({model: 'mock-1', messages: [{role: 'user', content: 'hello'}], ...more});
const bytes = (more) => chatBytes(gateway.port, ask(more));
const descriptors = () => readdirSync(`/proc/${gateway.pid}/fd`).length;

async function servesOthers(behave = answerLikeOpenAI) {
  const held = upstream.behave;
  upstream.behave = behave;
  for (const stream of [false, true]) {
    assert.equal(
        checkAnswer(await chat(gateway.port, ask({stream})), {stream}).text, 'You said: hello');
  }
  upstream.behave = held;
}

function checkMemory(before, most, what) {
  const grown = gateway.rss() - before;
  if (!sanitized) assert.ok(grown < most, `${what}: ${(grown / MB).toFixed(1)} MB more memory`);
}

async function descriptorsFallTo(most) {
  const end = performance.now() + 10_000;
  while (descriptors() > most) {
    assert.ok(performance.now() < end, `${descriptors()} descriptors are open, ${most} expected`);
    await pause(20);
  }
}

// Runs work(item) for all items, eight at a time.
async function inParallel(items, work) {
  const queue = items.entries();
  await Promise.all(Array.from({length: 8}, async () => {
    for (const [, item] of queue) await work(item);
  }));
}

test('a gateway that has nothing to do', () => {
  if (!sanitized) assert.ok(gateway.rss() < 20 * MB, `takes ${gateway.rss() / MB} MB`);
});

test('a client that reads one byte per second of 100 MB', {timeout: 60_000}, async () => {
  await servesOthers();
  const before = gateway.rss();
  const piece = 'x'.repeat(64 << 10);
  let reply;
  upstream.behave = async (request, stream) => {
    reply = stream;
    await stream.streamHead();
    await stream.event(chunk({role: 'assistant', content: ''}));
    while (stream.sent < 100 * MB)
      if (!await stream.event(chunk({content: piece}))) return;
    await stream.event(chunk({}, 'stop'));
    await stream.end();
  };
  const socket = net.connect({port: gateway.port, host: '127.0.0.1', highWaterMark: 1});
  await once(socket, 'connect');
  socket.write(bytes({stream: true}));
  let taken = 0;
  for (let second = 0; second < 3; ++second) {
    await pause(1000);
    taken += socket.read(1)?.length ?? 0;
  }
  const sent = reply.sent;
  checkMemory(before, 16 * MB, 'a slow reader');
  await servesOthers();
  await pause(1000);
  taken += socket.read(1)?.length ?? 0;
  assert.ok(taken >= 2, 'the client got nothing');
  assert.ok(
      sent < 60 * MB, `the upstream could send ${sent / MB} MB to a client that reads nothing`);
  assert.ok(reply.sent - sent < MB, 'the upstream can still send');
  const {closed} = upstream.requests.findLast((request) => request.reply === reply);
  socket.destroy();
  await closed;
});

test('1,000 half-open connections', {timeout: 60_000}, async () => {
  await servesOthers();
  const before = gateway.rss();
  const files = descriptors();
  const half = [
    '', 'POST /v1/chat', 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX-A: b',
    'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{"model":'
  ];
  const connections = await Promise.all(Array.from(
      {length: 1000},
      async (_, at) => (await Connection.open(gateway.port)).send(half[at % half.length])));
  await pause(200);
  const accepted = descriptors() - files;
  assert.ok(accepted >= 950, `only ${accepted} of 1,000 connections are accepted`);
  await servesOthers();
  checkMemory(before, 30 * MB, '1,000 half-open connections');
  for (const connection of connections) connection.destroy();
  await descriptorsFallTo(files + 8);
});

test('1,000 streams at once', {timeout: 120_000}, async () => {
  const pieces = Array.from({length: 20}, (_, at) => `${at} `);
  const all = Promise.withResolvers();
  let begun = 0;
  let most = 0;
  upstream.behave = async (request, reply) => {
    await reply.streamHead();
    const [first, ...others] = streamOf({pieces});
    await reply.event(first);
    if (++begun === 1000) {
      await pause(200);
      most = gateway.rss();
      all.resolve();
    }
    await all.promise;
    for (const value of others) {
      await reply.event(value);
      await pause(5);
    }
    await reply.event('[DONE]');
    await reply.end();
  };
  const answers =
      await Promise.all(Array.from({length: 1000}, () => chat(gateway.port, ask({stream: true}))));
  for (const answer of answers)
    assert.equal(checkAnswer(answer, {stream: true}).text, pieces.join(''));
  if (!sanitized) assert.ok(most < 100 * MB, `${most / MB} MB`);
});

describe('the upstream ends its answer at every byte', () => {
  const answer = JSON.stringify(wholeOf(SCENARIOS.call));
  const whole = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${
      Buffer.byteLength(answer)}\r\n\r\n${answer}`);
  const events = [...streamOf(SCENARIOS.call).map((value) => JSON.stringify(value)), '[DONE]'].map(
      (event) => Buffer.from(`data: ${event}\n\n`));
  const stream = Buffer.concat([
    Buffer.from(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ...events.flatMap(
        (event) => [Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n')
  ]);
  const finished = stream.indexOf('"finish_reason":"tool_calls"');

  for (const how of ['close', 'reset']) {
    for (const [name, response, streamed] of [
             ['whole', whole, false], ['streamed', stream, true]]) {
      test(`${name}, ${how}`, {timeout: 120_000}, async () => {
        // The offset travels in the request, so that many can run at once.
        upstream.behave = async (request, reply) => {
          await reply.write(response.subarray(0, request.json.x_offset));
          reply[how]();
        };
        const offsets = Array.from({length: response.length + 1}, (_, at) => at);
        const faults = [];
        await inParallel(offsets, async (offset) => {
          try {
            const outcome = checkAnswer(
                await chat(gateway.port, ask({stream: streamed, x_offset: offset})),
                {stream: streamed});
            if (!outcome.error) {
              assert.equal(difference(OUTCOMES.call, outcome), null);
              assert.ok(offset >= (streamed ? finished : response.length), 'an answer was made up');
            } else if (how === 'close') {
              assert.ok(offset < response.length, 'a whole answer became an error');
            }
          } catch (error) {
            faults.push(`offset ${offset}: ${error.message}`);
          }
        });
        assert.deepEqual(faults.slice(0, 5), [], `${faults.length} of ${offsets.length} offsets`);
        await servesOthers();
      });
    }
  }
});

describe('the client leaves at every byte', () => {
  for (const how of ['reset', 'destroy']) {
    test(`of its request (${how})`, {timeout: 120_000}, async () => {
      upstream.behave = answerLikeOpenAI;
      const files = descriptors();
      const request = bytes();
      await inParallel(Array.from({length: request.length + 1}, (_, at) => at), async (offset) => {
        const connection = await Connection.open(gateway.port);
        connection.send(request.subarray(0, offset));
        await pause(1);
        connection[how]();
      });
      await servesOthers();
      await descriptorsFallTo(files + 40);
    });
    for (const stream of [false, true]) {
      test(
          `of ${stream ? 'a stream' : 'a whole answer'} (${how})`, {timeout: 120_000}, async () => {
            upstream.behave = answerLikeOpenAI;
            const files = descriptors();
            const full = await Connection.open(gateway.port);
            full.send(bytes({stream}));
            await full.response();
            const length = full.bytesRead;
            full.destroy();
            // What is not read stays in the kernel, and closing then resets. Answers differ in
            // length by a few bytes.
            await inParallel(Array.from({length: length - 16}, (_, at) => at), async (offset) => {
              const socket = net.connect({port: gateway.port, host: '127.0.0.1', highWaterMark: 1});
              const {promise: enough, resolve} = Promise.withResolvers();
              let got = 0;
              socket.on('error', resolve);
              socket.on('close', resolve);
              socket.on('readable', () => {
                for (let data; got < offset && (data = socket.read(1));) got += data.length;
                if (got >= offset) resolve();
              });
              socket.write(bytes({stream}));
              if (offset > 0) await enough;
              if (how === 'reset')
                socket.resetAndDestroy();
              else
                socket.destroy();
            });
            await servesOthers();
            await descriptorsFallTo(files + 40);
          });
    }
  }
});

describe('a client that leaves is noticed by the upstream within 100 ms', () => {
  const situations = {
    'before the first byte': {more: {}, behave: () => new Promise(() => {}), started: false},
    'before the first byte of a stream':
        {more: {stream: true}, behave: () => new Promise(() => {}), started: false},
    'inside a stream': {
      more: {stream: true},
      behave: async (request, reply) => {
        await reply.streamHead();
        await reply.event(chunk({role: 'assistant', content: 'x'}));
        await new Promise(() => {});
      },
      started: true
    },
    'inside a whole answer': {
      more: {},
      behave: async (request, reply) => {
        await reply.head(200, {'Content-Type': 'application/json', 'Content-Length': 1000});
        await reply.write('{"id"');
        await new Promise(() => {});
      },
      started: false
    },
  };
  for (const [what, {more, behave, started}] of Object.entries(situations)) {
    for (const how of ['destroy', 'reset']) {
      test(`${what} (${how})`, async () => {
        upstream.behave = behave;
        const times = [];
        for (let at = 0; at < 7; ++at) {
          const arrived = upstream.nextRequest();
          const connection = await Connection.open(gateway.port);
          connection.send(bytes(more));
          const request = await arrived;
          if (started)
            await connection.head();
          else
            await pause(20);
          const left = performance.now();
          connection[how]();
          times.push(await request.closed - left);
        }
        times.sort((one, other) => one - other);
        assert.ok(
            times[3] < 100,
            `median ${times[3].toFixed(1)} ms of ${times.map((time) => time.toFixed(0))}`);
      });
    }
  }
});

test('memory is flat over thousands of requests', {timeout: 120_000}, async () => {
  upstream.behave = answerLikeOpenAI;
  const many = (count) => inParallel(
      Array.from({length: count}, (_, at) => at),
      (at) => chat(gateway.port, ask({stream: at % 2 === 0})));
  await many(500);
  const before = gateway.rss();
  await many(3000);
  checkMemory(before, 6 * MB, '3,000 requests');
});

test('memory is flat over hundreds of long conversations', {timeout: 120_000}, async () => {
  upstream.behave = answerLikeOpenAI;
  const converse = async (conversation) => {
    const messages = Array.from(
        {length: 100},
        (_, at) =>
            ({role: at % 2 ? 'assistant' : 'user', content: `${conversation} ${at} `.repeat(200)}));
    for (const count of [60, 80, 100, 90]) {
      const {status, text} = await chat(gateway.port, ask({messages: messages.slice(0, count)}));
      assert.equal(status, 200, text);
    }
  };
  const numbers = (first) => Array.from({length: 100}, (_, at) => first + at);
  await inParallel(numbers(1000), converse);
  const before = gateway.rss();
  for (const first of [2000, 3000, 4000]) await inParallel(numbers(first), converse);
  checkMemory(before, 12 * MB, '300 long conversations');
});
