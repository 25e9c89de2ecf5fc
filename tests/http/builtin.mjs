// For tests of the built-in tools: a gateway with a workspace, and calls of its tools.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import path from 'node:path';

import {Api} from './approvals.mjs';
import {startGateway} from './gateway.mjs';

// Why this machine can have no sandbox, for `skip`: it forbids user namespaces to everyone. Anything else is a fault.
export function machineRefuses() {
  const probe = spawnSync('unshare', ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', 'true'], {encoding: 'utf8'});
  return probe.status === 0 ? false : `this machine has no user namespaces: ${(probe.stderr ?? '').trim()}`;
}

export class Workspace {
  static async start({settings = {}, ...options} = {}) {
    const world = new Workspace();
    world.gateway = await startGateway(
        {settings: {'toolgate.tools.builtin': true, 'toolgate.logLevel': 'warn', ...settings}, ...options});
    world.folder = path.join(world.gateway.folder, 'workspace');
    world.api = new Api(world.gateway);
    return world;
  }

  stop() {
    return this.gateway.stop();
  }

  path(name) {
    return path.join(this.folder, name);
  }

  // {'a/b.txt': 'text' | Buffer, 'folder/': null, link: {link: 'a/b.txt'}, run: {text, mode: 0o755},
  //  big: {sparse: 2 ** 30}}
  write(files) {
    for (const [name, content] of Object.entries(files)) {
      const at = this.path(name);
      mkdirSync(path.dirname(at), {recursive: true});
      if (name.endsWith('/')) mkdirSync(at, {recursive: true});
      else if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(at, content);
      else if ('link' in content) symlinkSync(content.link, at);
      else {
        writeFileSync(at, content.text ?? '');
        if (content.sparse) truncateSync(at, content.sparse);
        if (content.mode) chmodSync(at, content.mode);
      }
    }
  }

  read(name, encoding = 'utf8') {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), encoding) : null;
  }

  // {status, body} as POST /v1/tools/NAME/invoke answers; a question is answered with `decision`.
  async call(tool, input = {}, {decision = 'allow', more = {}, options = {}} = {}) {
    const before = new Set((await this.api.pending()).map(({id}) => id));
    const answer = this.api.invoke(tool, input, more, options);
    let done = false;
    answer.then(() => { done = true; }, () => { done = true; });
    while (!done) {
      const asked = (await this.api.pending()).find(({id, name}) => !before.has(id) && name === tool);
      if (asked) {
        await this.api.confirm(asked.id, decision);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return answer;
  }

  // The text of a call that must succeed.
  async text(tool, input, options) {
    const {status, body} = await this.call(tool, input, options);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(!body.is_error && !body.error, JSON.stringify(body));
    return textOf(body);
  }

  // What a call that must fail says.
  async failure(tool, input, options) {
    const {status, body} = await this.call(tool, input, options);
    const failed = status !== 200 || body.is_error || body.error;
    assert.ok(failed, JSON.stringify(body));
    return body.error?.message ?? textOf(body);
  }
}

export const textOf = (body) => (body.content ?? body.result?.content ?? []).map(({text, value}) => text ?? value ?? '').join('');
