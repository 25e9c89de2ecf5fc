// An HTTP/1.1 client that writes any bytes and reads strictly: whatever is malformed in an answer
// throws.
import assert from 'node:assert/strict';
import {once} from 'node:events';
import net from 'node:net';

const TIMEOUT = 30_000;

export class Connection {
  static async open(port, {host = '127.0.0.1'} = {}) {
    const connection =
        new Connection(net.connect({port, host, noDelay: true, allowHalfOpen: true}));
    await once(connection.socket, 'connect');
    return connection;
  }

  constructor(socket) {
    this.socket = socket;
    this.data = Buffer.alloc(0);
    this.ended = false;  // the peer has sent everything
    this.error = null;
    this.bytesRead = 0;
    this.wake = [];
    socket.on('data', (bytes) => {
      this.bytesRead += bytes.length;
      this.data = this.data.length ? Buffer.concat([this.data, bytes]) : bytes;
      this.#notify();
    });
    socket.on('end', () => {
      this.ended = true;
      this.#notify();
    });
    socket.on('error', (error) => {
      this.error = error;
      this.ended = true;
      this.#notify();
    });
    socket.on('close', () => {
      this.ended = true;
      this.#notify();
    });
  }

  #notify() {
    for (const resolve of this.wake.splice(0)) resolve();
  }

  send(bytes) {
    this.socket.write(bytes);
    return this;
  }
  finish() {
    this.socket.end();
  }
  reset() {
    this.socket.resetAndDestroy();
  }
  destroy() {
    this.socket.destroy();
  }

  // False at the end of the peer's bytes.
  async more(timeout = TIMEOUT) {
    if (this.ended) return false;
    const before = this.bytesRead;
    const timer = Promise.withResolvers();
    const handle = setTimeout(
        () => timer.reject(new Error(
            `no byte within ${timeout} ms; so far: ` +
            JSON.stringify(this.data.toString('latin1').slice(-300)))),
        timeout);
    try {
      await Promise.race([
        new Promise((resolve) => {
          this.wake.push(resolve);
        }),
        timer.promise
      ]);
    } finally {
      clearTimeout(handle);
    }
    return this.bytesRead > before;
  }

  // Waits until the peer closes; answers what it still sent.
  async drain(timeout = TIMEOUT) {
    while (!this.ended) await this.more(timeout);
    return this.data;
  }

  async #line(what) {
    let at;
    while ((at = this.data.indexOf('\n')) < 0) {
      if (!await this.more()) {
        throw Object.assign(
            new Error(`closed inside ${what}: ${
                JSON.stringify(this.data.toString('latin1').slice(-200))}`),
            {bytes: this.data.length, cause: this.error});
      }
    }
    assert.equal(this.data[at - 1], 13, `${what}: a line that does not end with CRLF`);
    const line = this.data.subarray(0, at - 1).toString('latin1');
    this.data = this.data.subarray(at + 1);
    return line;
  }

  async #take(count, what) {
    while (this.data.length < count) {
      if (!await this.more())
        throw new Error(`closed inside ${what}: ${this.data.length} of ${count} bytes`);
    }
    const bytes = this.data.subarray(0, count);
    this.data = this.data.subarray(count);
    return bytes;
  }

  async head() {
    const line = await this.#line('the status line');
    const match = /^HTTP\/1\.([01]) (\d{3}) ([\x20-\x7e]*)$/.exec(line);
    assert.ok(match, `no status line: ${JSON.stringify(line)}`);
    const headers = {};
    const rawHeaders = [];
    for (let text; (text = await this.#line('the header')) !== '';) {
      const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*$/.exec(text);
      assert.ok(field, `no header line: ${JSON.stringify(text)}`);
      rawHeaders.push([field[1], field[2]]);
      headers[field[1].toLowerCase()] = field[2];
    }
    for (const name of ['content-length', 'transfer-encoding', 'content-type']) {
      const count = rawHeaders.filter(([key]) => key.toLowerCase() === name).length;
      assert.ok(count <= 1, `${name} stands ${count} times in the answer`);
    }
    assert.ok(
        !(headers['content-length'] && headers['transfer-encoding']), 'both lengths in one answer');
    return {minor: Number(match[1]), status: Number(match[2]), headers, rawHeaders};
  }

  // The next chunk of a chunked body; null after the last one.
  async chunk() {
    const line = await this.#line('a chunk size');
    assert.match(line, /^[0-9a-fA-F]+(;.*)?$/, `no chunk size: ${JSON.stringify(line)}`);
    const size = parseInt(line, 16);
    if (size > 0) {
      const bytes = await this.#take(size, 'a chunk');
      assert.equal(await this.#line('a chunk end'), '');
      return bytes;
    }
    while (await this.#line('the trailer') !== '');
    return null;
  }

  async body(head, method = 'POST') {
    if (method === 'HEAD' || head.status === 204 || head.status === 304 || head.status < 200)
      return Buffer.alloc(0);
    if (head.headers['transfer-encoding'] !== undefined) {
      assert.equal(head.headers['transfer-encoding'].toLowerCase(), 'chunked');
      const parts = [];
      for (let bytes; (bytes = await this.chunk());) parts.push(bytes);
      return Buffer.concat(parts);
    }
    if (head.headers['content-length'] !== undefined) {
      assert.match(head.headers['content-length'], /^\d+$/);
      return this.#take(Number(head.headers['content-length']), 'the body');
    }
    assert.ok(
        head.headers.connection?.toLowerCase() === 'close' || head.minor === 0,
        'an answer without a length on a connection that stays open');
    await this.drain();
    assert.equal(this.error, null, 'a body that ends with a reset');
    return this.data;
  }

  async response(method = 'POST') {
    const head = await this.head();
    const body = await this.body(head, method);
    return {
      ...head,
      body,
      text: body.toString(),
      get json() {
        return JSON.parse(this.text);
      }
    };
  }
}

export function requestBytes({method = 'GET', path = '/', headers = {}, body, port, host}) {
  const all = {Host: host ?? `127.0.0.1:${port}`, ...headers};
  if (body !== undefined && !('Transfer-Encoding' in all) && !('Content-Length' in all)) {
    all['Content-Length'] = Buffer.byteLength(body);
  }
  const lines = Object.entries(all)
                    .filter(([, value]) => value !== undefined)
                    .map(([name, value]) => `${name}: ${value}\r\n`)
                    .join('');
  return Buffer.concat(
      [Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`), Buffer.from(body ?? '')]);
}

// One request on a connection of its own.
export async function exchange(port, options) {
  const connection = await Connection.open(port);
  try {
    connection.send(requestBytes({port, ...options}));
    return await connection.response(options.method ?? 'GET');
  } finally {
    connection.destroy();
  }
}

// The bytes of a chat request to the gateway on `port`.
export function chatBytes(port, value) {
  return requestBytes(
      {method: 'POST', path: '/v1/chat/completions', port, body: JSON.stringify(value)});
}

export function chat(port, value, {headers = {}, path = '/v1/chat/completions'} = {}) {
  return exchange(port, {
    method: 'POST',
    path,
    headers: {'Content-Type': 'application/json', ...headers},
    body: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)
  });
}
