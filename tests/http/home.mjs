// Commands in a home of their own, run to their end or on a terminal.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import path from 'node:path';

import {binary} from './gateway.mjs';
import {Pty} from './terminal.mjs';

const sanitizers = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(ASAN|UBSAN|TSAN|LSAN)_/.test(name)));
export const environment = (folder, more = {}) =>
    ({PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...sanitizers, ...more});

// The commands of one home, whether a gateway runs there or not.
export class Home {
  constructor(folder) {
    this.folder = folder;
  }
  options(command) {
    const data = ['--data', path.join(this.folder, 'data')];
    const needsGateway = ['pending', 'approve', 'deny', 'skip'].includes(command);
    return needsGateway ? data : [...data, '--workspace', path.join(this.folder, 'workspace')];
  }
  command([name, ...rest]) {
    return [binary, name, ...this.options(name), ...rest];
  }
  // {status, stdout, stderr} once it has ended; the tools are in this process, so it must not block.
  run(args, {input = '', env, encoding = 'utf8'} = {}) {
    const [program, ...rest] = this.command(args);
    const child = spawn(program, rest, {env: environment(this.folder, env)});
    const blocks = {stdout: [], stderr: []};
    const text = (name) => {
      const bytes = Buffer.concat(blocks[name]);
      return encoding === 'utf8' ? bytes.toString() : bytes;
    };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (block) => blocks[name].push(block));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = new Promise((resolve) => child.on(
        'close', (status) => resolve({status, stdout: text('stdout'), stderr: text('stderr')})));
    return Object.assign(ended, {child, text});
  }
  terminal(args, {columns, env} = {}) {
    return new Pty(this.command(args), {columns, env: environment(this.folder, env), cwd: path.join(this.folder, 'workspace')});
  }
  async ok(args, options) {
    const done = await this.run(args, options);
    assert.equal(done.status, 0, done.stderr + done.stdout);
    return done.stdout;
  }
}
