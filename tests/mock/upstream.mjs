// A mock OpenAI upstream on raw sockets, so that every byte of an answer can be chosen and damaged.
// tests/http and tests/clients start one per file; damages.mjs holds the named ways to misbehave.
import {once} from 'node:events';
import net from 'node:net';

import {answerLikeOpenAI} from './answers.mjs';

const REASONS = {
  200: 'OK',
  204: 'No Content',
  302: 'Found',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable'
};

// Answers one request. Everything is written as given; end() and json() leave the connection
// usable.
export class Reply {
  constructor(socket) {
    this.socket = socket;
    this.reusable = false;
    this.sent = 0;
  }

  // Waits until the peer has taken what is more than the socket's buffer.
  async write(bytes) {
    if (this.socket.destroyed) return false;
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.sent += data.length;
    if (!this.socket.write(data)) {
      const stop = new AbortController();
      const signal = stop.signal;
      await Promise
          .race([once(this.socket, 'drain', {signal}), once(this.socket, 'close', {signal})])
          .catch(() => {});
      stop.abort();
    }
    return !this.socket.destroyed;
  }

  head(status, headers = {}) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return this.write(`HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n${lines}\r\n`);
  }

  async chunk(bytes) {
    const data = Buffer.from(bytes);
    if (data.length === 0) return true;
    return this.write(
        Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]));
  }

  async end() {
    await this.write('0\r\n\r\n');
    this.reusable = true;
  }

  async body(status, type, bytes, headers = {}) {
    const data = Buffer.from(bytes);
    await this.write(Buffer.concat([
      Buffer.from(
          `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\nContent-Type: ${type}\r\n` +
          Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('') +
          `Content-Length: ${data.length}\r\n\r\n`),
      data
    ]));
    this.reusable = true;
  }

  json(status, value, headers = {}) {
    return this.body(status, 'application/json', JSON.stringify(value), headers);
  }

  streamHead(headers = {}) {
    return this.head(
        200, {'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', ...headers});
  }

  async event(value) {
    return this.chunk(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  }

  close() {
    this.socket.end();
  }
  reset() {
    if (!this.socket.destroyed) this.socket.resetAndDestroy();
  }
}

// The head and body of the first whole request in `data`, or null when more bytes are needed.
function parseRequest(data) {
  const end = data.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line, ...headerLines] = data.subarray(0, end).toString('latin1').split('\r\n');
  const [method, target] = line.split(' ');
  const rawHeaders = headerLines.map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1).trim()];
  });
  const headers =
      Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value]));
  const rest = data.subarray(end + 4);
  if (headers['transfer-encoding']) {
    const parts = [];
    let at = 0;
    for (;;) {
      const eol = rest.indexOf('\r\n', at);
      if (eol < 0) return null;
      const size = parseInt(rest.subarray(at, eol).toString('latin1'), 16);
      if (rest.length < eol + 2 + size + 2) return null;
      if (size === 0) {
        return {
          method,
          target,
          headers,
          rawHeaders,
          body: Buffer.concat(parts),
          rest: rest.subarray(eol + 4)
        };
      }
      parts.push(rest.subarray(eol + 2, eol + 2 + size));
      at = eol + 2 + size + 2;
    }
  }
  const length = Number(headers['content-length'] ?? 0);
  if (rest.length < length) return null;
  return {
    method,
    target,
    headers,
    rawHeaders,
    body: rest.subarray(0, length),
    rest: rest.subarray(length)
  };
}

export class Upstream {
  constructor() {
    this.requests = [];  // each: method, target, headers, body, json, connection, closed, closedAt
    this.connections = 0;
    this.behave = answerLikeOpenAI;  // async (request, reply); may be replaced at any time
    this.sockets = new Set();
    this.server = net.createServer({noDelay: true}, (socket) => this.#serve(socket));
  }

  async listen(port = 0) {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    this.origin = `http://127.0.0.1:${this.port}`;
    this.baseUrl = `${this.origin}/v1`;
    return this;
  }

  get last() {
    return this.requests.at(-1);
  }

  // The next request that arrives from now on.
  nextRequest() {
    return new Promise((resolve) => {
      (this.waiting ??= []).push(resolve);
    });
  }

  async close() {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #serve(socket) {
    const connection = ++this.connections;
    const {promise: closed, resolve: markClosed} = Promise.withResolvers();
    let closedAt = null;
    let data = Buffer.alloc(0);
    let busy = false;
    const gone = () => {
      closedAt ??= performance.now();
      markClosed(closedAt);
    };
    this.sockets.add(socket);
    socket.on('error', gone);
    socket.on('end', gone);
    socket.on('close', () => {
      this.sockets.delete(socket);
      gone();
    });

    const pump = async () => {
      if (busy) return;
      busy = true;
      for (let parsed; (parsed = parseRequest(data));) {
        data = parsed.rest;
        const request = {
          ...parsed,
          connection,
          closed,
          receivedAt: performance.now(),
          get closedAt() {
            return closedAt;
          }
        };
        try {
          request.json = JSON.parse(request.body.toString());
        } catch {
          request.json = undefined;
        }
        this.requests.push(request);
        for (const resolve of this.waiting?.splice(0) ?? []) resolve(request);
        const reply = new Reply(socket);
        request.reply = reply;
        await this.behave(request, reply);
        if (!reply.reusable) return;
      }
      busy = false;
    };
    socket.on('data', (bytes) => {
      data = Buffer.concat([data, bytes]);
      pump().catch((error) => {
        console.error('mock upstream:', error);
        socket.destroy();
      });
    });
  }
}

export function startUpstream() {
  return new Upstream().listen();
}
