// Hooks, workspace settings, restarts: what decides besides people, and what outlives a process.
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {Api, ToolServer} from './approvals.mjs';
import {Gateway, startGateway} from './gateway.mjs';

let server;
before(async () => {
  server = await ToolServer.start();
});
after(() => server.stop());

const registered = async (gateway, more = {}) => {
  const api = new Api(gateway);
  const {status, body} = await api.register(server, 'act', more);
  assert.equal(status, 201, JSON.stringify(body));
  server.calls.length = 0;
  server.answer = () => ({text: 'done'});
  return api;
};

describe('hooks', () => {
  // A hook that does what the input's `hook` says.
  const script = `
input=$(cat)
case $input in
*'"hook":"after"'*) case $input in
  *hide*) echo '{"decision":"block","reason":"not for models"}' ;;
  *more*) echo '{"additionalContext":"mind the gap"}' ;;
  esac ;;
*no-way*) echo "because I say so" >&2; exit 2 ;;
*please-ask*) echo '{"decision":"ask","reason":"a look, please"}' ;;
*go-on*) echo '{"decision":"allow"}' ;;
*other-input*) echo '{"decision":"allow","updatedInput":{"n":"changed"}}' ;;
*broken-input*) echo '{"decision":"allow","updatedInput":[1]}' ;;
*nonsense*) echo 'well, hm' ;;
*sleepy*) sleep 600 ;;
esac
`;
  let gateway;
  let api;
  before(async () => {
    const command = ['/bin/sh', '-c', script];
    gateway = await startGateway({
      settings: {
        'toolgate.hooks.before': [{name: 'policy', command, timeoutSeconds: 5}],
        'toolgate.hooks.after': [{name: 'scan', command}]
      }
    });
    api = await registered(gateway);
  });
  after(() => gateway.stop());
  const call = (text) => api.invoke('act', {n: text}, {confirmation: 'deny'});

  test('deny', async () => {
    const {body} = await call('no-way');
    assert.equal(body.decision.kind, 'Denied');
    assert.match(body.content[0].text, /because I say so/);
    assert.equal(server.calls.length, 0);
  });
  test('allow', async () => {
    const {body} = await call('go-on');
    assert.equal(body.state, 'Completed');
    assert.equal(body.decision.reason, 'hook_allowed');
  });
  test('another input, which is what runs', async () => {
    server.calls.length = 0;
    assert.equal((await call('other-input')).body.state, 'Completed');
    assert.deepEqual(server.calls[0].input, {n: 'changed'});
  });
  test('ask, also when it fails or is late', async () => {
    for (const how of ['please-ask', 'nonsense', 'sleepy', 'broken-input']) {
      const answer = api.invoke('act', {n: how});
      const waiting = await api.waiting();
      assert.match(JSON.stringify(waiting.confirmation), /policy|look, please|input/, how);
      await api.confirm(waiting.id, 'deny');
      assert.equal((await answer).body.state, 'Cancelled');
    }
  });
  test('afterwards: keep back, add', async () => {
    const hidden = await api.invoke('act', {n: 'go-on hide'}, {confirmation: 'deny'});
    assert.equal(hidden.body.ending, 'withheld');
    assert.match(hidden.body.content[0].text, /not for models/);
    const more = await api.invoke('act', {n: 'go-on more'}, {confirmation: 'deny'});
    assert.deepEqual(more.body.content.map((part) => part.text), ['done', 'mind the gap']);
  });
});

describe('a workspace', () => {
  test('can forbid, and cannot allow', async () => {
    const gateway = new Gateway({settings: {'toolgate.approvals.rules': []}});
    gateway.writeFile('workspace/.toolgate/settings.json', {
      'chat.tools.global.autoApprove': true,
      'chat.tools.global.autoApprove.optIn': true,
      'chat.permissions.default': 'autopilot',
      'toolgate.hooks.before': [{command: ['/bin/true']}],
      'toolgate.approvals.rules': [
        {tools: 'act', arguments: {'/n': 'bad'}, decision: 'deny', message: 'not in this repository'},
        {tools: '*', decision: 'allow'}
      ]
    });
    await gateway.ready();
    try {
      await gateway.logged(/a workspace may forbid, not allow/).catch(() => null);
      const api = await registered(gateway);
      const asked = await api.invoke('act', {n: 'good'}, {confirmation: 'deny'});
      assert.equal(asked.body.decision.by, 'caller', JSON.stringify(asked.body));
      const denied = await api.invoke('act', {n: 'bad'});
      assert.match(denied.body.content[0].text, /not in this repository/);
      assert.equal(server.calls.length, 0);
    } finally {
      await gateway.stop();
    }
  });
});

describe('the profile', () => {
  test('global approval counts with its opt-in only', async () => {
    for (const optIn of [false, true]) {
      const gateway = await startGateway({
        settings:
            {'chat.tools.global.autoApprove': true, 'chat.tools.global.autoApprove.optIn': optIn}
      });
      try {
        const api = await registered(gateway);
        const {body} = await api.invoke('act', {}, {confirmation: 'deny'});
        assert.equal(body.state, optIn ? 'Completed' : 'Cancelled');
        if (optIn) assert.equal(body.decision.setting, 'chat.tools.global.autoApprove');
      } finally {
        await gateway.stop();
      }
    }
  });

  test('a tool that is not eligible is always asked about, and never remembered', async () => {
    const gateway = await startGateway({
      settings: {
        'chat.tools.eligibleForAutoApproval': {act: false},
        'chat.tools.global.autoApprove': true,
        'chat.tools.global.autoApprove.optIn': true
      }
    });
    try {
      const api = await registered(gateway, {toolReferenceName: 'act', confirm: false});
      const answer = api.invoke('act');
      const {id, confirmation} = await api.waiting();
      assert.equal(confirmation.mayBeRemembered, false);
      const kept = await api.confirm(id, 'allow', {scope: 'always'});
      assert.equal(kept.status, 400);
      assert.match(kept.body.error.message, /always asked about/);
      await api.confirm(id, 'allow');
      assert.equal((await answer).body.state, 'Completed');
    } finally {
      await gateway.stop();
    }
  });

  test('files and URLs that the call names', async () => {
    const gateway = await startGateway(
        {settings: {'chat.tools.urls.autoApprove': {'https://*.example.com': true}, 'chat.tools.edits.autoApprove': {'**/*': true}}});
    try {
      const api = new Api(gateway);
      await api.register(server, 'edit', {fileArguments: ['file'], confirm: false});
      await api.register(server, 'fetch', {urlArguments: ['url']});
      server.answer = () => ({text: 'done'});
      const runs = async (name, input) =>
          (await api.invoke(name, input, {confirmation: 'deny'})).body.state === 'Completed';
      const workspace = path.join(gateway.folder, 'workspace');
      mkdirSync(path.join(workspace, '.vscode'), {recursive: true});
      assert.equal(await runs('edit', {file: path.join(workspace, 'a.ts')}), true);
      assert.equal(await runs('edit', {file: path.join(workspace, '.vscode/settings.json')}), false);
      assert.equal(await runs('edit', {file: path.join(workspace, '../settings.json')}), false);
      assert.equal(await runs('edit', {file: '/etc/passwd'}), false);
      assert.equal(await runs('fetch', {url: 'https://docs.example.com/x'}), true);
      assert.equal(await runs('fetch', {url: 'https://example.org/'}), false);
    } finally {
      await gateway.stop();
    }
  });
});

describe('a restart', () => {
  test('what waited waits, can be approved, and is resumed once', async () => {
    const first = await startGateway({settings: {}});
    let api = await registered(first);
    const cut = api.invoke('act', {n: 1}).then(() => 'answered', () => 'cut');
    const {id, arguments_hash: hash} = await api.waiting();
    await first.crash();
    assert.equal(await cut, 'cut');

    const second = await new Gateway({folder: first.folder}).ready();
    try {
      api = new Api(second);
      const [still] = await api.pending();
      assert.equal(still.id, id);
      assert.equal(still.arguments_hash, hash);
      const early = await api.request('POST', `/v1/invocations/${id}/resume`);
      assert.equal(early.status, 409);
      assert.equal((await api.confirm(id, 'allow', {arguments_hash: hash})).status, 200);
      assert.equal((await api.confirm(id, 'allow')).status, 409);
      assert.equal(server.calls.length, 0);
      const resumed = await Promise.all(Array.from(
          {length: 8}, () => api.request('POST', `/v1/invocations/${id}/resume`)));
      assert.equal(resumed.filter(({status}) => status === 200).length, 1);
      assert.equal(resumed.filter(({status}) => status === 409).length, 7);
      assert.deepEqual(server.calls.map((call) => call.input), [{n: 1}]);
      assert.equal((await api.show(id)).body.state, 'Completed');
      assert.equal((await api.verify()).intact, true);
    } finally {
      await second.stop();
    }
  });

  test('what ran is marked, and its tool is still there', async () => {
    const first = await startGateway({settings: {}});
    let api = await registered(first, {confirm: false});
    let entered;
    const inside = new Promise((resolve) => {
      entered = resolve;
    });
    server.answer = () => new Promise(() => entered());
    api.invoke('act').catch(() => null);
    await inside;
    const {id} = await api.waiting(() => true, 'Executing');
    await first.crash();
    const second = await new Gateway({folder: first.folder}).ready();
    try {
      api = new Api(second);
      const {body} = await api.show(id);
      assert.equal(body.outcome, 'unknown');
      assert.equal(body.state, 'Completed');
      assert.equal(server.calls.length, 1);
      server.answer = () => ({text: 'again'});
      assert.equal((await api.invoke('act')).body.content[0].text, 'again');
    } finally {
      await second.stop();
    }
  });

  test('a gateway that is told to stop does not wait for people', async () => {
    const gateway = await startGateway({settings: {}});
    const api = await registered(gateway);
    const answer = api.invoke('act');
    await api.waiting();
    gateway.signal('SIGTERM');
    const {status, body} = await answer;
    assert.equal(status, 503);
    assert.match(body.error.message, /can be resumed/);
    await gateway.stop();
  });

  test('a second gateway on the same data folder is refused', async () => {
    const gateway = await startGateway({settings: {}});
    try {
      const second = new Gateway({folder: gateway.folder});
      const {code} = await second.exited;
      assert.equal(code, 1);
      assert.match(second.log, new RegExp(`pid ${gateway.pid}`));
    } finally {
      await gateway.stop();
    }
  });
});
