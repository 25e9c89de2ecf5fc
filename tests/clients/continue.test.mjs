// @continuedev/cli (`cn -p`) against the gateway, with a home folder of its own.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {after, describe, test} from 'node:test';

import {answerLikeOpenAI, send} from '../mock/answers.mjs';

import {useGateway, watchNext} from './support.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-cn-'));
const workspace = path.join(folder, 'workspace');
const config = path.join(folder, 'config.yaml');
const world = useGateway(({baseURL}) => {
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, 'notes.txt'), 'the secret word is xylophone\n');
  writeFileSync(path.join(workspace, 'more.txt'), 'the other word is marimba\n');
  writeFileSync(config, [
    'name: test', 'version: 1.0.0', 'schema: v1', 'models:', '  - name: mock',
    '    provider: openai', '    model: mock-1', `    apiBase: ${baseURL}/`,
    '    apiKey: sk-client', '    roles: [chat]', '    capabilities: [tool_use]', ''
  ].join('\n'));
});
after(() => rmSync(folder, {recursive: true, force: true}));

const installed =
    process.env.TOOLGATE_CLIENTS ?? path.resolve(import.meta.dirname, '../../build/tools/clients');
const cli =
    createRequire(path.join(installed, 'package.json')).resolve('@continuedev/cli/dist/cn.js');

function start(prompt) {
  const child = spawn(process.execPath, [cli, '-p', '--config', config, prompt], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CONTINUE_GLOBAL_DIR: path.join(folder, '.continue'),
      CONTINUE_TELEMETRY_ENABLED: '0',
      CONTINUE_CLI_ENABLE_TELEMETRY: '0',
      CI: '1',
      NO_COLOR: '1'
    }
  });
  let out = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const done = new Promise((resolve) => child.on('close', (code) => resolve({code, out, errors})));
  return {child, done};
}

// Answers a question with calls of Read, then quotes what cn read.
async function readFiles(names, request, reply) {
  const last = request.json.messages.at(-1);
  if (last.role === 'tool') return answerLikeOpenAI(request, reply);
  return send(reply, request, {
    calls: names.map(
        (name, at) =>
            ({id: `call_read_${at}`, name: 'Read', pieces: ['{"filepath"', ':"', name, '"}']}))
  });
}

test('plain', {timeout: 60_000}, async () => {
  const {code, out, errors} = await start('Grüße 🌍').done;
  assert.equal(code, 0, out + errors);
  assert.match(out, /You said: [^]*Grüße 🌍/);
  assert.equal(world.upstream.last.json.stream, true);
  assert.ok(world.upstream.last.json.tools.length > 3);
});

for (const names of [['notes.txt'], ['notes.txt', 'more.txt']]) {
  test(
      `${names.length === 1 ? 'a tool round trip' : 'parallel calls'}, streamed`, {timeout: 60_000},
      async () => {
        world.upstream.behave = (request, reply) => readFiles(names, request, reply);
        const {code, out, errors} = await start('What do the notes say?').done;
        world.upstream.behave = answerLikeOpenAI;
        assert.equal(code, 0, out + errors);
        assert.match(out, /xylophone/);
        if (names.length > 1) assert.match(out, /marimba/);
        const results =
            world.upstream.last.json.messages.filter((message) => message.role === 'tool');
        assert.deepEqual(
            results.map((message) => message.tool_call_id),
            names.map((_, at) => `call_read_${at}`));
      });
}

describe('errors', () => {
  // cn tries 429 and 500 again, longer than a test should wait.
  for (const status of [400, 401]) {
    test(`${status}`, {timeout: 60_000}, async () => {
      const {code, out, errors} = await start(`fail ${status}`).done;
      assert.notEqual(code, 0);
      assert.match(out + errors, new RegExp(`asked to fail with ${status}`));
    });
  }
});

test('killed inside a stream, the upstream notices', {timeout: 60_000}, async () => {
  const watched = watchNext(world.upstream);
  const {child, done} = start('count');
  const arrived = await new Promise((resolve) => {
    const timer = setInterval(() => {
      if (world.upstream.last?.json?.messages.at(-1).content.includes('count')) {
        clearInterval(timer);
        resolve(true);
      }
    }, 20);
  });
  assert.ok(arrived);
  child.kill('SIGKILL');
  await done;
  await watched.closed();
});
