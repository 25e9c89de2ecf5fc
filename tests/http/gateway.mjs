// Starts the gateway under test (TOOLGATE_BINARY) with settings of its own and stops it again.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
export const binary =
    path.resolve(process.env.TOOLGATE_BINARY ?? path.join(root, 'build/release/toolgate'));
export const UPSTREAM_KEY = 'sk-upstream-sentinel-93f1';

export const mockModel = (upstream, more = {}) => ({
  id: 'mock-1',
  provider: 'openai',
  baseUrl: upstream.baseUrl,
  apiKeyEnv: 'MOCK_UPSTREAM_KEY',
  ...more
});

function environment(folder, more) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: 'C.UTF-8',
    MOCK_UPSTREAM_KEY: UPSTREAM_KEY,
    ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => /^(ASAN|UBSAN|TSAN|LSAN)_/.test(name))),
    ...more
  };
}

export function runToolgate(...args) {
  return spawnSync(binary, args, {encoding: 'utf8', env: environment(os.tmpdir())});
}

// The route table: [{method, path, access}].
export function routes() {
  const {status, stdout, stderr} = runToolgate('routes', '--json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

export class Gateway {
  // `files` are written below the gateway's home first: {'.config/toolgate/…': text or object}.
  // `folder` is the one of a gateway that was killed: the same data.
  constructor({settings = {}, env = {}, port = 0, files = {}, args = [], folder} = {}) {
    this.folder = folder ?? mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
    this.settingsFile = path.join(this.folder, 'settings.json');
    for (const name of ['workspace', 'data'])
      mkdirSync(path.join(this.folder, name), {recursive: true});
    this.writeSettings(settings);
    for (const [name, content] of Object.entries(files)) this.writeFile(name, content);
    this.log = '';
    this.process = spawn(
        binary,
        [
          'serve', '--port', String(port), '--workspace', path.join(this.folder, 'workspace'),
          '--data', path.join(this.folder, 'data'), '--settings', this.settingsFile, ...args
        ],
        {env: environment(this.folder, env), stdio: ['ignore', 'pipe', 'pipe']});
    this.exited = new Promise((resolve) => {
      this.process.on('close', (code, signal) => resolve({code, signal}));
      this.process.on('error', (error) => {
        this.log += String(error);
        resolve({code: -1, signal: null});
      });
    });
    this.process.stderr.setEncoding('utf8').on('data', (text) => {
      this.log += text;
    });
  }

  // Without the built-in tools unless a test asks for them: the others count theirs.
  writeSettings(settings) {
    writeFileSync(
        this.settingsFile, typeof settings === 'string' ?
            settings :
            JSON.stringify({'toolgate.tools.builtin': false, ...settings}, null, 2));
  }

  writeFile(name, content) {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), {recursive: true});
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }

  get operatorToken() {
    return readFileSync(path.join(this.folder, 'data/operator-token'), 'utf8').trim();
  }

  async ready() {
    let out = '';
    this.process.stdout.setEncoding('utf8');
    const listening = new Promise((resolve) => {
      this.process.stdout.on('data', (text) => {
        out += text;
        const match = /listening on (http:\/\/\S+:(\d+))/.exec(out);
        if (match) resolve(match);
      });
    });
    const match = await Promise.race([listening, this.exited.then(() => null)]);
    assert.ok(match, `the gateway did not start: ${out}${this.log}`);
    this.url = match[1];
    this.port = Number(match[2]);
    this.pid = this.process.pid;
    return this;
  }

  signal(name) {
    this.process.kill(name);
  }

  // Waits for a line in the log; everything logged since `from`.
  async logged(pattern, {from = 0, timeout = 10_000} = {}) {
    const end = performance.now() + timeout;
    while (!pattern.test(this.log.slice(from))) {
      assert.ok(performance.now() < end, `no ${pattern} in the log: ${this.log.slice(from)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return pattern.exec(this.log.slice(from));
  }

  rss() {
    const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'));
    return Number(pages[1]) * 1024;
  }

  // As if the power went: nothing is cleaned up.
  async crash() {
    this.signal('SIGKILL');
    await this.exited;
    assert.doesNotMatch(this.log, /ERROR: \w+Sanitizer|runtime error:/);
  }

  // Every gateway must end with 0 and without a sanitizer's report, also after a hard test.
  async stop() {
    if (this.process.exitCode === null && this.process.signalCode === null) this.signal('SIGTERM');
    const late = setTimeout(() => {
      this.log += '\n[killed by the test]';
      this.signal('SIGKILL');
    }, 20_000);
    const end = await this.exited;
    clearTimeout(late);
    rmSync(this.folder, {recursive: true, force: true});
    assert.deepEqual(
        end, {code: 0, signal: null}, `the gateway ended badly: ${this.log.slice(-4000)}`);
    assert.doesNotMatch(this.log, /ERROR: \w+Sanitizer|runtime error:/);
  }
}

export function startGateway(options) {
  return new Gateway(options).ready();
}

// A gateway in front of `upstream`, with one model.
export function startGatewayFor(upstream, settings = {}, options = {}) {
  return startGateway(
      {...options, settings: {'toolgate.models': [mockModel(upstream)], ...settings}});
}
