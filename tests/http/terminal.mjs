// A command on a terminal: what it prints can be waited for, and keys can be pressed.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import path from 'node:path';

const helper = path.join(import.meta.dirname, 'terminal.py');

export const plain = (text) =>
    text.replaceAll('\r\n', '\n').replace(/\x1b\[[\d;]*m/g, '').replace(/\r\x1b\[K/g, '\n');

export class Pty {
  constructor(command, {columns = 100, env, cwd} = {}) {
    this.output = '';
    this.read = 0;  // what expect() has seen
    this.process = spawn('python3', [helper, String(columns), ...command], {env, cwd, stdio: ['pipe', 'pipe', 'inherit']});
    this.process.stdin.on('error', () => {});  // it may have ended
    this.wake = () => {};
    this.process.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
      this.wake();
    });
    this.exited = new Promise((resolve) => this.process.on('close', (code) => {
      this.status = code;
      this.wake();
      resolve(code);
    }));
  }

  // Whether what was printed since the last match matches, within so many milliseconds.
  async sees(pattern, patience) {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.wake();
    }, patience);
    for (;;) {
      const match = pattern.exec(this.output.slice(this.read));
      if (match) this.read += match.index + match[0].length;
      if (match || late || this.status !== undefined) {
        clearTimeout(timer);
        return match !== null;
      }
      await new Promise((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async expect(pattern) {
    const from = this.read;
    assert.ok(await this.sees(pattern, 30_000), `no ${pattern} in: ${plain(this.output.slice(from))}`);
  }

  press(keys) {
    this.process.stdin.write(keys);
  }
}
