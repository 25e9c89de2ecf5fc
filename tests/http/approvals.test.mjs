// Calls through the API: who decides, exactly one effect, what is remembered, what is told.
import assert from 'node:assert/strict';
import {after, before, beforeEach, describe, test} from 'node:test';

import {Api, ToolServer} from './approvals.mjs';
import {startGateway} from './gateway.mjs';
import {checkError} from './rules.mjs';

let server;
let gateway;
let api;

// Keys are never removed by a reload, so those who need some start their own gateway.
async function start(settings = {}, options = {}) {
  gateway = await startGateway({settings, ...options});
  api = new Api(gateway);
  return api;
}

before(async () => {
  server = await ToolServer.start();
});
after(() => server.stop());

const refused = (answer, status, pattern) => {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  checkError(answer.body);
  assert.match(answer.body.error.message, pattern);
};

describe('a call that is confirmed', () => {
  before(async () => {
    await start();
    assert.equal((await api.register(server, 'act')).status, 201);
    assert.equal((await api.register(server, 'free', {confirm: false})).status, 201);
    await api.register(server, 'seen', {confirm: false, confirmResults: true});
  });
  after(() => gateway.stop());
  beforeEach(() => {
    server.calls.length = 0;
    server.answer = () => ({text: 'done'});
  });

  test('a tool that does not ask runs at once', async () => {
    const {status, body} = await api.invoke('free', {a: 1});
    assert.equal(status, 200);
    assert.equal(body.state, 'Completed');
    assert.equal(body.decision.kind, 'ConfirmationNotNeeded');
    assert.deepEqual(body.content, [{type: 'text', text: 'done'}]);
    assert.equal(typeof body.duration_ms, 'number');
    assert.deepEqual(server.calls.map((call) => call.input), [{a: 1}]);
  });

  test('a tool that asks waits, and runs when it is allowed', async () => {
    const answer = api.invoke('act', {a: 1});
    const waiting = await api.waiting();
    assert.equal(server.calls.length, 0);
    assert.equal(waiting.name, 'act');
    assert.deepEqual(waiting.arguments, {a: 1});
    assert.match(waiting.arguments_hash, /^[0-9a-f]{64}$/);
    assert.ok(waiting.confirmation.title);
    const decided = await api.confirm(waiting.id, 'allow', {arguments_hash: waiting.arguments_hash});
    assert.equal(decided.status, 200);
    const {body} = await answer;
    assert.equal(body.id, waiting.id);
    assert.equal(body.state, 'Completed');
    assert.equal(body.decision.kind, 'UserAction');
    assert.equal(body.decision.by, 'operator');
    assert.equal(server.calls.length, 1);
  });

  for (const [decision, kind] of [['deny', 'Denied'], ['skip', 'Skipped']]) {
    test(`${decision} ends the call, and the model is told`, async () => {
      const answer = api.invoke('act');
      const {id} = await api.waiting();
      await api.confirm(id, decision, {message: 'not today'});
      const {status, body} = await answer;
      assert.equal(status, 200);
      assert.equal(body.state, 'Cancelled');
      assert.equal(body.decision.kind, kind);
      assert.match(body.content[0].text, /not today/);
      assert.equal(server.calls.length, 0);
    });
  }

  test('of many who decide at once exactly one counts', async () => {
    const answer = api.invoke('act');
    const {id} = await api.waiting();
    const decisions = await Promise.all(Array.from(
        {length: 16}, (_, i) => api.confirm(id, i % 2 === 0 ? 'allow' : 'deny')));
    const won = decisions.filter(({status}) => status === 200);
    assert.equal(won.length, 1);
    for (const other of decisions.filter(({status}) => status !== 200))
      refused(other, 409, new RegExp(id));
    const {body} = await answer;
    const allowed = won[0].body.decision.kind === 'UserAction';
    assert.equal(body.state, allowed ? 'Completed' : 'Cancelled');
    assert.equal(server.calls.length, allowed ? 1 : 0);
    refused(await api.confirm(id, 'allow'), 409, /nothing can be decided/);
  });

  test('an answer about something else than was shown is refused', async () => {
    const answer = api.invoke('act', {a: 1});
    const {id} = await api.waiting();
    refused(
        await api.confirm(id, 'allow', {arguments_hash: '0'.repeat(64)}), 409, /not what would run/);
    assert.equal(server.calls.length, 0);
    await api.confirm(id, 'deny');
    await answer;
  });

  test('unknown ids and bad answers are refused by name', async () => {
    refused(await api.confirm('inv_unknown', 'allow'), 404, /inv_unknown/);
    const answer = api.invoke('act');
    const {id} = await api.waiting();
    refused(await api.confirm(id, 'maybe'), 400, /decision must be/);
    refused(await api.confirm(id, 'allow', {scope: 'forever'}), 400, /scope must be/);
    refused(await api.confirm(id, 'allow', {target: 'all'}), 400, /target must be/);
    refused(await api.confirm(id, 'allow', {scoope: 'once'}), 400, /scoope.*did you mean scope/);
    refused(await api.confirm(id, 'allow', {scope: 'session'}), 400, /no session/);
    refused(await api.confirm(id, 'allow', {scope: 'always', target: 'server'}), 400, /no server/);
    assert.equal((await api.show(id)).body.state, 'WaitingForConfirmation');
    await api.confirm(id, 'deny');
    await answer;
  });

  test('a person may edit the arguments, within what the tool takes', async () => {
    await api.register(server, 'strict', {
      inputSchema: {
        type: 'object',
        properties: {n: {type: 'integer'}},
        required: ['n'],
        additionalProperties: false
      }
    });
    const answer = api.invoke('strict', {n: 1});
    const {id, arguments_hash: shown} = await api.waiting();
    refused(await api.confirm(id, 'allow', {parameters: {n: 'many'}}), 400, /n/);
    const decided =
        await api.confirm(id, 'allow', {parameters: {n: 2}, arguments_hash: shown});
    assert.equal(decided.status, 200);
    assert.notEqual(decided.body.arguments_hash, shown);
    await answer;
    assert.deepEqual(server.calls.map((call) => call.input), [{n: 2}]);
    const trail = (await api.audit()).filter((entry) => entry.invocation_id === id);
    assert.deepEqual(
        trail.filter((entry) => entry.kind === 'proposed').map((entry) => entry.data.arguments),
        [{n: 1}, {n: 2}]);
  });

  test('input that the tool does not take never becomes a call', async () => {
    refused(await api.invoke('strict', {n: 'x'}), 400, /n/);
    refused(await api.invoke('nothing_like_it'), 404, /nothing_like_it/);
    refused(await api.invoke('act', {}, {confirmation: 'perhaps'}), 400, /confirmation must be/);
    refused(await api.invoke('act', {}, {token_budget: -1}), 400, /token_budget/);
    refused(await api.invoke('act', {}, {confirmaton: 'deny'}), 400, /did you mean confirmation/);
    refused(await api.invoke('act', {}, {session_id: 'x'.repeat(300)}), 400, /session_id/);
    refused(await api.invoke('act', {x: 'x'.repeat(2_000_000)}), 413, /argumentBytes/);
    assert.equal(server.calls.length, 0);
  });

  test('whoever does not want to wait is told so', async () => {
    const denied = await api.invoke('act', {}, {confirmation: 'deny'});
    assert.equal(denied.body.state, 'Cancelled');
    assert.equal(denied.body.ending, 'denied');
    const returned = await api.invoke('act', {}, {confirmation: 'return'});
    assert.equal(returned.body.ending, 'returned');
    assert.equal(server.calls.length, 0);
  });

  test('a client that goes takes its call along', async () => {
    const abort = new AbortController();
    const answer = api.invoke('act', {}, {}, {signal: abort.signal}).catch((error) => error);
    const {id} = await api.waiting();
    abort.abort();
    await answer;
    await api.waiting((row) => row.id === id, 'Cancelled');
    refused(await api.confirm(id, 'allow'), 409, /Cancelled/);
    assert.equal(server.calls.length, 0);
  });

  test('a running call can be stopped', async () => {
    let release;
    server.answer = () => new Promise((resolve) => {
      release = () => resolve({text: 'late'});
    });
    const answer = api.invoke('free');
    const {id} = await api.waiting(() => true, 'Executing');
    while (!release) await new Promise((resolve) => setTimeout(resolve, 5));
    const stopped = await api.request('POST', `/v1/invocations/${id}/cancel`, {operator: true});
    assert.equal(stopped.status, 200);
    const {body} = await answer;
    assert.equal(body.ending, 'cancelled');
    assert.equal((await api.show(id)).body.state, 'Completed');
    refused(
        await api.request('POST', `/v1/invocations/${id}/cancel`, {operator: true}), 409, /Completed/);
    release();
  });

  test('a result can be kept back', async () => {
    server.answer = () => ({text: 'private'});
    for (const [decision, state] of [['allow', 'Completed'], ['deny', 'Cancelled']]) {
      const answer = api.invoke('seen');
      const {id} = await api.waiting(() => true, 'WaitingForPostApproval');
      await api.confirm(id, decision);
      const {body} = await answer;
      assert.equal(body.state, state);
      assert.equal(body.content[0].text === 'private', decision === 'allow');
      const kept = (await api.show(id)).body;
      assert.equal(JSON.stringify(kept).includes('private'), decision === 'allow');
    }
  });

  test('what a tool says of its failure reaches the model', async () => {
    server.answer = () => ({status: 500, text: 'the database is down'});
    const {body} = await api.invoke('free');
    assert.equal(body.state, 'Completed');
    assert.match(body.error, /500/);
    assert.match(body.content[0].text, /the database is down/);
  });

  test('a long result is kept whole and can be read on', async () => {
    const long = 'äöü'.repeat(200_000);
    server.answer = () => ({text: long});
    const {body} = await api.invoke('free');
    const handle = /toolgate:\/\/results\/(\S+) /.exec(body.content[0].text)[1];
    assert.ok(body.content[0].text.length < 300_000);
    let read = Buffer.alloc(0);
    for (;;) {
      const part = await fetch(`${gateway.url}/v1/results/${handle}?offset=${read.length}&limit=500000`);
      assert.equal(Number(part.headers.get('x-toolgate-size')), Buffer.byteLength(long));
      const bytes = Buffer.from(await part.arrayBuffer());
      if (bytes.length === 0) break;
      read = Buffer.concat([read, bytes]);
    }
    assert.equal(read.toString(), long);
    for (const bad of ['..%2F..%2Ftoolgate.db', 'inv_x.0', '%2Fetc%2Fpasswd'])
      assert.equal((await fetch(`${gateway.url}/v1/results/${bad}`)).status, 404);
  });
});

describe('what is remembered', () => {
  before(async () => {
    await start();
    await api.register(server, 'act');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    server.calls.length = 0;
    server.answer = () => ({text: 'done'});
    await api.request('DELETE', '/v1/approvals', {operator: true});
  });

  const approvals = async () =>
      (await api.request('GET', '/v1/approvals', {operator: true})).body.data;

  async function approve(input, invoking, confirming) {
    const answer = api.invoke('act', input, invoking);
    const {id} = await api.waiting();
    const decided = await api.confirm(id, 'allow', confirming);
    assert.equal(decided.status, 200, JSON.stringify(decided.body));
    await answer;
  }
  const runs = async (input, invoking = {}) =>
      (await api.invoke('act', input, {...invoking, confirmation: 'deny'})).body.state === 'Completed';

  test('once is once', async () => {
    await approve({a: 1}, {}, {});
    assert.equal(await runs({a: 1}), false);
    assert.deepEqual(await approvals(), []);
  });

  test('a session is one session of one chat', async () => {
    await approve({}, {session_id: 'one'}, {scope: 'session'});
    assert.equal(await runs({}, {session_id: 'one'}), true);
    assert.equal(await runs({}, {session_id: 'two'}), false);
    assert.equal(await runs({}), false);
  });

  test('exact arguments, in whatever order', async () => {
    await approve({a: 1, b: {c: 2, d: 3}}, {}, {scope: 'workspace', target: 'arguments'});
    assert.equal(await runs({b: {d: 3, c: 2}, a: 1}), true);
    assert.equal(await runs({a: 1, b: {c: 2, d: 4}}), false);
    assert.equal(await runs({a: 1}), false);
  });

  test('always, until it is revoked', async () => {
    await approve({}, {}, {scope: 'always'});
    assert.equal(await runs({x: 1}), true);
    const [approval] = await approvals();
    assert.equal(approval.scope, 'always');
    assert.equal(approval.by, 'operator');
    const gone = await api.request('DELETE', `/v1/approvals/${approval.id}`, {operator: true});
    assert.equal(gone.status, 200);
    assert.equal(await runs({x: 1}), false);
    refused(
        await api.request('DELETE', `/v1/approvals/${approval.id}`, {operator: true}), 404,
        /no approval/);
  });

  test('for a while', async () => {
    await approve({}, {}, {scope: 'always', expires_in_seconds: 1});
    assert.equal(await runs({}), true);
    const [{expires_at: end}] = await approvals();
    while (Date.now() <= end) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await runs({}), false);
    assert.deepEqual(await approvals(), []);
  });

  test('not when the definition has changed, and the question says how', async () => {
    await approve({}, {}, {scope: 'always'});
    await api.request('DELETE', '/v1/tools/act', {operator: true});
    await api.register(server, 'act', {description: 'now it also deletes things'});
    const answer = api.invoke('act');
    const waiting = await api.waiting();
    const changes = waiting.confirmation.definitionChanges;
    const change = changes.find(({after}) => JSON.stringify(after).includes('deletes things'));
    assert.ok(change, JSON.stringify(changes));
    assert.match(JSON.stringify(change.before), /the tool act/);
    assert.deepEqual(await approvals(), []);
    await api.confirm(waiting.id, 'deny');
    await answer;
  });

  for (const change of [{method: 'PUT'}, {headers: {'X-More': '1'}}, {timeoutSeconds: 7},
                        {headersEnv: {'X-Home': 'HOME'}}]) {
    test(`nor when ${Object.keys(change)} of what stands behind it has`, async () => {
      await approve({}, {}, {scope: 'always'});
      assert.equal(await runs({}), true);
      await api.request('DELETE', '/v1/tools/act', {operator: true});
      await api.register(server, 'act', change);
      assert.equal(await runs({}), false);
      await api.request('DELETE', '/v1/tools/act', {operator: true});
      await api.register(server, 'act');
    });
  }

  test('a tool that changes while its call waits does not run', async () => {
    const answer = api.invoke('act');
    const {id} = await api.waiting();
    await api.request('DELETE', '/v1/tools/act', {operator: true});
    await api.register(server, 'act', {description: 'another one'});
    refused(await api.confirm(id, 'allow'), 409, /another one/);
    await api.request('DELETE', '/v1/tools/act', {operator: true});
    refused(await api.confirm(id, 'allow'), 409, /gone/);
    assert.equal((await api.confirm(id, 'deny')).status, 200);
    assert.equal((await answer).body.state, 'Cancelled');
    assert.equal(server.calls.length, 0);
    await api.register(server, 'act');
  });
});

describe('settings that decide', () => {
  after(() => gateway.stop());

  test('rules, timeouts and explanations', async () => {
    await start({
      'toolgate.confirmation.timeoutSeconds': 0.2,
      'toolgate.approvals.rules': [
        {tools: 'act', arguments: {'/command': {pattern: '^git status$'}}, decision: 'allow'},
        {
          name: 'no deleting',
          tools: 'act',
          arguments: {'/command': 'rm *'},
          decision: 'deny',
          message: 'use the trash'
        }
      ]
    });
    await api.register(server, 'act');
    server.calls.length = 0;
    server.answer = () => ({text: 'clean'});

    const allowed = await api.invoke('act', {command: 'git status'});
    assert.equal(allowed.body.decision.kind, 'Setting');
    assert.equal(allowed.body.decision.setting, 'toolgate.approvals.rules');
    const denied = await api.invoke('act', {command: 'rm -rf /'});
    assert.equal(denied.body.decision.kind, 'Denied');
    assert.match(denied.body.content[0].text, /use the trash/);
    const late = await api.invoke('act', {command: 'make'});
    assert.equal(late.body.state, 'Cancelled');
    assert.equal(late.body.decision.kind, 'Timeout');
    assert.equal(server.calls.length, 1);

    const explained = await api.request(
        'POST', '/v1/tools/act/explain', {body: {input: {command: 'rm -rf /'}}});
    assert.equal(explained.body.verdict, 'refuse');
    const [decided] = explained.body.trail.filter((step) => step.decided);
    assert.match(`${decided.rule} ${decided.outcome}`, /no deleting/);
  });
});

describe('keys, secrets and events', () => {
  const secret = 'sentinel-5f2b9c';
  let told;  // every event since the beginning

  // Reads events until `pattern` is in what was read.
  class Reader {
    constructor(path, headers = {}) {
      this.abort = new AbortController();
      this.text = '';
      this.stream = fetch(gateway.url + path, {
        headers: {authorization: 'Bearer key-one', ...headers},
        signal: this.abort.signal
      }).then((response) => response.body.pipeThrough(new TextDecoderStream()).getReader());
    }

    async until(pattern) {
      const stream = await this.stream;
      while (!pattern.test(this.text)) this.text += (await stream.read()).value;
      return this.text;
    }

    stop() {
      this.abort.abort();
    }
  }

  before(async () => {
    await start(
        {
          'toolgate.apiKeys': [{name: 'one', key: 'key-one'}, {name: 'two', key: 'key-two'}],
          'toolgate.logLevel': 'debug'
        },
        {env: {TOOL_SECRET: secret}});
    api.key = 'key-one';
    told = new Reader('/v1/events');
    await told.until(/connected/);
    await api.register(server, 'act', {headersEnv: {'X-Secret': 'TOOL_SECRET'}});
    await api.register(server, 'free', {confirm: false, headersEnv: {'X-Secret': 'TOOL_SECRET'}});
  });
  after(() => {
    told.stop();
    return gateway.stop();
  });

  test('a key can do nothing about the calls of another key', async () => {
    const other = new Api(gateway, {key: 'key-two'});
    const answer = api.invoke('act');
    const {id, caller} = await api.waiting();
    assert.equal(caller, 'one');
    refused(await other.request('POST', `/v1/invocations/${id}/cancel`), 403, /another key/);
    for (const path of [`/v1/invocations/${id}/confirm`, '/v1/tools'])
      assert.equal((await api.request('POST', path, {body: {decision: 'allow'}})).status, 401);
    await api.confirm(id, 'allow', {scope: 'always'});
    await answer;
    assert.equal((await api.invoke('act', {}, {confirmation: 'deny'})).body.state, 'Completed');
    assert.equal((await other.invoke('act', {}, {confirmation: 'deny'})).body.state, 'Cancelled');
    await api.request('DELETE', '/v1/approvals', {operator: true});
    const shown = async (as) => (await as.request('GET', `/v1/invocations/${id}`)).body.result;
    assert.ok(await shown(api));
    assert.equal(await shown(other), undefined, 'what a tool answered is for whoever called it');
    server.answer = () => ({text: 'x'.repeat(300_000)});
    const {body} = await api.invoke('free');
    const handle = /results\/(\S+) /.exec(body.content[0].text)[1];
    assert.equal((await api.request('GET', `/v1/results/${handle}`)).status, 200);
    refused(await other.request('GET', `/v1/results/${handle}`), 403, /not for this key|not yet, for this key/);
  });

  test('secrets reach the tool and nothing else', async () => {
    server.calls.length = 0;
    server.answer = () => ({status: 500, text: 'no'});
    const input = {password: secret, deep: [{apiKey: secret}], city: 'Kyoto'};
    const answer = api.invoke('act', input);
    const {id} = await api.waiting((row) => row.name === 'act');
    const asOthersSeeIt = await api.request('GET', `/v1/invocations/${id}`);
    assert.match(JSON.stringify(asOthersSeeIt.body), /redacted/);
    assert.deepEqual((await api.show(id)).body.arguments, input);
    await api.confirm(id, 'allow', {scope: 'always', target: 'arguments'});
    await answer;
    assert.deepEqual(server.calls[0].input, input);
    assert.equal(server.calls[0].headers['x-secret'], secret);

    const outputs = [
      gateway.log, asOthersSeeIt.body, await api.audit(),
      (await api.request('GET', '/metrics')).body,
      (await api.request('GET', '/v1/invocations')).body,
      (await api.request('GET', '/v1/tools/act')).body,
      (await api.request('GET', '/v1/approvals', {operator: true})).body,
      await told.until(new RegExp(`${id}","name":"act".*"state":"Completed"`))
    ];
    for (const output of outputs) assert.ok(!JSON.stringify(output).includes(secret));
    assert.match(JSON.stringify(outputs.at(-1)), /Kyoto/);
  });

  test('events go on where a reader was', async () => {
    server.answer = () => ({text: 'done'});
    const first = new Reader('/v1/events?types=invocation');
    await first.until(/connected/);
    await api.invoke('free', {n: 1});
    await first.until(/"state":"Completed"/);
    first.stop();
    const ids = [...first.text.matchAll(/^id: (\S+)$/gm)].map((match) => match[1]);
    const states = [...first.text.matchAll(/"state":"(\w+)"/g)].map((match) => match[1]);
    assert.deepEqual(states, ['Executing', 'Completed']);

    await api.invoke('free', {n: 2});
    const second = new Reader('/v1/events?types=invocation', {'last-event-id': ids[0]});
    await second.until(/"n":2.*\n[^]*"n":2.*"state":"Completed"|"state":"Completed"[^]*"state":"Completed"/);
    second.stop();
    const seen = [...second.text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]));
    assert.deepEqual(
        seen.map((call) => [call.arguments.n, call.state]),
        [[1, 'Completed'], [2, 'Executing'], [2, 'Completed']]);
    const other = new Reader('/v1/events', {'last-event-id': 'another-7'});
    await other.until(/event: reset/);
    other.stop();
  });

  test('the trail holds together', async () => {
    const trail = await api.audit();
    assert.deepEqual(trail.map(({sequence}) => sequence), trail.map((_, i) => i + 1));
    const {intact, entries} = await api.verify();
    assert.equal(intact, true);
    assert.ok(entries >= trail.length);
    const lines = await (await fetch(`${gateway.url}/v1/audit?format=jsonl&limit=5`, {
                    headers: {authorization: 'Bearer key-one'}
                  })).text();
    assert.equal(lines.trim().split('\n').length, 5);
    for (const line of lines.trim().split('\n')) assert.equal(JSON.parse(line).hash.length, 64);
  });
});
