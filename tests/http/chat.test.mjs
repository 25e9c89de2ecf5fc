// toolgate chat as a person at a terminal and as a script use it, with a gateway and without one.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {AgentUpstream, call} from './agent_upstream.mjs';
import {Api, ToolServer} from './approvals.mjs';
import {binary, startGatewayFor} from './gateway.mjs';
import {environment, Home} from './home.mjs';
import {plain, Pty} from './terminal.mjs';

const ESCAPE = '\x1b';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

let upstream;
let server;
before(async () => {
  upstream = await AgentUpstream.start();
  server = await ToolServer.start();
});
after(async () => {
  await upstream.close();
  await server.stop();
});
beforeEach(() => {
  server.calls.length = 0;
  server.answer = (one) => ({text: `sent to ${one.input?.to}`});
});
afterEach(() => assert.deepEqual(upstream.violations.splice(0), []));

// The process of the conversation whose data is in this folder.
function chatIn(folder) {
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    let command = '';
    try {
      command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
    } catch {
      continue;  // it has ended meanwhile
    }
    if (command.startsWith(`${binary}\0chat\0`) && command.includes(`${folder}/data`)) return Number(name);
  }
  return assert.fail('there is no such process');
}

// Those on which the process listens.
function portsOf(process) {
  const sockets = new Set();
  for (const name of readdirSync(`/proc/${process}/fd`)) {
    const match = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${process}/fd/${name}`));
    if (match) sockets.add(match[1]);
  }
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1).map((row) => row.trim().split(/\s+/));
  const listening = rows.filter((row) => row[3] === '0A' && sockets.has(row[9]));
  return [...new Set(listening.map((row) => Number.parseInt(row[1].split(':')[1], 16)))];
}

const user = (content) => ({role: 'user', content});
const assistant = (content) => ({role: 'assistant', content});

describe('with a gateway', () => {
  let gateway;
  let api;
  let home;
  before(async () => {
    gateway = await startGatewayFor(upstream, {
      'toolgate.models': [
        {id: 'mock-1', provider: 'openai', baseUrl: upstream.baseUrl},
        {id: 'small', provider: 'openai', baseUrl: upstream.baseUrl, maxInputTokens: 150}
      ]
    });
    api = new Api(gateway);
    home = new Home(gateway.folder);
    const register = async (name, more) => {
      const inputSchema = {type: 'object', properties: {to: {type: 'string'}}};
      assert.equal((await api.register(server, name, {inputSchema, ...more})).status, 201);
    };
    await register('send_mail', {toolReferenceName: 'mail'});
    await register('look_up', {confirm: false, readOnly: true, toolReferenceName: 'lookUp'});
    await register('look_at', {confirm: false, readOnly: true, toolReferenceName: 'lookAt'});
  });
  after(() => gateway.stop());
  afterEach(async () => {
    assert.deepEqual(await api.pending(), [], 'a test left a call that waits');
    await api.request('DELETE', '/v1/approvals', {operator: true});
  });

  const run = (args, options) => home.run(['chat', ...args], options);
  // A conversation that waits at its first prompt.
  async function converse(args = [], options = {}) {
    const terminal = home.terminal(['chat', ...args], options);
    await terminal.expect(/Ctrl-D leaves/);
    await terminal.expect(/› /);
    return terminal;
  }
  async function leave(terminal) {
    terminal.press(CTRL_D);
    assert.equal(await terminal.exited, 0, plain(terminal.output));
  }
  const say = (terminal, text) => terminal.press(`${text}\r`);

  describe('in a pipe', () => {
    test('the answer is all there is on standard output', async () => {
      upstream.play({text: 'Let me see. ', calls: [call('look_up', {to: 'ann'})]}, {text: 'It is **done**.'});
      const {status, stdout, stderr} = await run(['Please look']);
      assert.equal(status, 0, stderr);
      assert.equal(stdout, 'Let me see. It is **done**.\n');
      assert.match(stderr, /^✓ look_up  to "ann"  \d+ ms\n$/);
      assert.deepEqual(upstream.histories[0], [user('Please look')]);
    });

    test('what is piped in is the prompt, or stands behind it', async () => {
      upstream.play({text: 'yes'}, {text: 'no'});
      assert.equal((await run([], {input: 'from a pipe\nof two lines\n'})).stdout, 'yes\n');
      assert.deepEqual(upstream.last.messages, [user('from a pipe\nof two lines')]);
      assert.equal((await run(['Explain this'], {input: 'int main() {}\n'})).stdout, 'no\n');
      assert.deepEqual(upstream.last.messages, [user('Explain this\n\nint main() {}')]);
    });

    test('--json is one object, as the route without a stream gives it', async () => {
      upstream.play({text: '', calls: [call('look_up', {to: 'ann'})]}, {text: 'done'});
      const {status, stdout} = await run(['--json', 'go']);
      assert.equal(status, 0);
      const answer = JSON.parse(stdout);
      assert.equal(answer.object, 'chat.completion');
      assert.equal(answer.choices[0].message.content, 'done');
      assert.equal(answer.choices[0].finish_reason, 'stop');
      assert.equal(answer.toolgate.rounds, 2);
      assert.deepEqual(answer.toolgate.invocations.map((one) => [one.name, one.state]), [['look_up', 'Completed']]);
      assert.ok(answer.usage.total_tokens > 0);
    });

    test('options reach the gateway', async () => {
      upstream.play({text: 'ok'}, {text: 'ok'}, {text: 'ok'});
      await run(['--system', 'Be brief.', '--include', 'look_up,look_at', '-m', 'mock-1', 'go']);
      assert.deepEqual(upstream.last.messages, [{role: 'system', content: 'Be brief.'}, user('go')]);
      assert.deepEqual(upstream.offered.at(-1), ['look_up', 'look_at']);
      await run(['--exclude', 'look_up', 'go']);
      assert.deepEqual(upstream.offered.at(-1), ['send_mail', 'look_at']);
      await run(['--no-tools', 'go']);
      assert.deepEqual(upstream.offered.at(-1), []);
    });

    test('a limit that was reached is told', async () => {
      upstream.play(() => ({text: 'again ', calls: [call('look_up', {to: String(Math.random())})]}));
      const {status, stdout, stderr} = await run(['--max-rounds', '1', 'go']);
      assert.equal(status, 0);
      assert.equal(stdout, 'again again \n');
      assert.match(stderr, /toolgate: .*max_tool_rounds/);
    });

    test('failures are told on standard error', async () => {
      upstream.play({status: 500}, {text: 'It begins', broken: true});
      const unknown = await run(['-m', 'nope', 'go']);
      assert.deepEqual([unknown.status, unknown.stdout], [1, '']);
      assert.match(unknown.stderr, /toolgate: the model 'nope' does not exist here; there are .*mock-1/);
      const failed = await run(['go']);
      assert.deepEqual([failed.status, failed.stdout], [1, '']);
      assert.match(failed.stderr, /toolgate: .*fails with 500/);
      const broken = await run(['go']);
      assert.deepEqual([broken.status, broken.stdout], [1, 'It begins\n']);
      assert.match(broken.stderr, /^toolgate: .+\n$/);
    });

    test('used wrongly', async () => {
      for (const args of [['--max-rounds', 'x', 'go'], ['--no-tools', '--include', 'a', 'go'], ['--nonsense'], []]) {
        const {status, stderr} = await run(args);
        assert.equal(status, 2, args.join(' '));
        assert.match(stderr, /\w+/);
      }
    });

    test('where nobody can be asked a call is denied, unless --yes', async () => {
      const rounds = [{text: '', calls: [call('send_mail', {to: 'ann'})]}, {text: 'Well.'}];
      upstream.play(...rounds);
      const denied = await run(['go']);
      assert.deepEqual([denied.status, denied.stdout], [0, 'Well.\n']);
      assert.match(denied.stderr, /⊘ send_mail .*denied/);
      assert.match(denied.stderr, /nobody could be asked about send_mail.*--yes/s);
      assert.equal(server.calls.length, 0);
      upstream.play(...rounds);
      const allowed = await run(['--yes', 'go']);
      assert.equal(allowed.status, 0);
      assert.match(allowed.stderr, /✓ send_mail/);
      assert.deepEqual(server.calls.map((one) => one.input), [{to: 'ann'}]);
    });
  });

  describe('on a terminal', () => {
    test('a conversation remembers what was said, and shows what it took', async () => {
      upstream.play({text: 'Hello Ann.'}, {text: 'You are Ann.'});
      const terminal = await converse(['-m', 'mock-1']);
      say(terminal, 'I am Ann');
      await terminal.expect(/Hello Ann\./);
      await terminal.expect(/mock-1 · [\d,]+ tokens · [\d.]+ m?s/);
      await terminal.expect(/› /);
      say(terminal, 'Who am I?');
      await terminal.expect(/You are Ann\./);
      await terminal.expect(/› /);
      assert.deepEqual(upstream.last.messages, [user('I am Ann'), assistant('Hello Ann.'), user('Who am I?')]);
      await leave(terminal);
    });

    test('a prompt on the command line is answered, and that is all', async () => {
      upstream.play({text: 'Hello.'});
      const terminal = home.terminal(['chat', 'hi']);
      await terminal.expect(/Hello\.[^]*mock-1 · /);
      assert.equal(await terminal.exited, 0);
      assert.doesNotMatch(terminal.output, /›/);
    });

    test('text is shown while the rest is still to come', async () => {
      let go;
      upstream.play({text: 'The beginning', held: new Promise((resolve) => go = resolve)});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/The beginning/);
      assert.doesNotMatch(terminal.output, /tokens/);
      go();
      await terminal.expect(/tokens/);
      await leave(terminal);
    });

    test('Markdown is painted, but not with NO_COLOR', async () => {
      const text = '# Title\nSome **bold** and `code`.\n';
      upstream.play({text}, {text});
      const coloured = await converse();
      say(coloured, 'go');
      await coloured.expect(/\x1b\[1mTitle\x1b\[0m[^]*\x1b\[1mbold\x1b\[0m and \x1b\[36mcode\x1b\[0m\./);
      await leave(coloured);
      const bare = await converse([], {env: {NO_COLOR: '1'}});
      say(bare, 'go');
      await bare.expect(/# Title\r\nSome \*\*bold\*\* and `code`\./);
      await leave(bare);
      assert.doesNotMatch(bare.output, /\x1b\[\d*m/);
    });

    test('control characters of a model do not reach the terminal', async () => {
      upstream.play({text: 'a\x1b[2Jb\x1b]0;title\x07c'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/a\\x1b\[2Jb\\x1b\]0;title\\x07c/);
      await leave(terminal);
    });

    test('calls beside each other have a line each', async () => {
      const go = {};
      server.answer = (one) => new Promise((resolve) => go[one.path] = () => resolve({text: 'ok'}));
      upstream.play({text: 'I look.', calls: [call('look_up', {to: 'ann'}), call('look_at', {to: 'bob'})]}, {text: 'Seen.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]\S* \S*look_up\S*  \S*to "ann"[^]*look_at/);
      go['/look_at']();
      await terminal.expect(/✓\S* \S*look_at\S*  \S*to "bob"\S*  \S*\d+ ms/);
      go['/look_up']();
      await terminal.expect(/✓\S* \S*look_up/);
      await terminal.expect(/Seen\./);
      await terminal.expect(/2 rounds · 2 calls/);
      await leave(terminal);
    });

    test('nothing is sent to the terminal while nothing changes', async () => {
      let go;
      upstream.play({text: 'A word', held: new Promise((resolve) => go = resolve)});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/A word/);
      const before = terminal.output.length;
      assert.equal(await terminal.sees(/[^]/, 500), false, JSON.stringify(terminal.output.slice(before)));
      go();
      await terminal.expect(/› /);
      await leave(terminal);
    });

    test('a call that must be confirmed is asked about: allowed', async () => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'})]}, {text: 'Sent.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/send_mail[^]*"ann"[^]*o\S* once[^]*Your choice/);
      assert.equal(server.calls.length, 0);
      terminal.press('o');
      await terminal.expect(/✓ allowed once/);
      await terminal.expect(/✓\S* \S*send_mail/);
      await terminal.expect(/Sent\./);
      assert.deepEqual(server.calls.map((one) => one.input), [{to: 'ann'}]);
      await leave(terminal);
    });

    test('an approval for the session holds until /new', async () => {
      const rounds = [{text: '', calls: [call('send_mail', {to: 'ann'})]}, {text: 'Sent.'}];
      upstream.play(...rounds);
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/Your choice/);
      terminal.press('s');
      await terminal.expect(/Sent\.[^]*› /);
      upstream.play(...rounds);
      say(terminal, 'again');
      await terminal.expect(/✓\S* \S*send_mail[^]*Sent\.[^]*› /);
      say(terminal, '/approvals');
      await terminal.expect(/send_mail[^]*1 approval remembered[^]*› /);
      upstream.play(...rounds);
      say(terminal, '/new');
      await terminal.expect(/fresh conversation[^]*› /);
      say(terminal, 'once more');
      await terminal.expect(/Your choice/);
      assert.deepEqual(upstream.histories[0], [user('once more')]);
      terminal.press('k');
      await terminal.expect(/skipped[^]*› /);
      assert.equal(server.calls.length, 2);
      await leave(terminal);
    });

    test('denied, with words for the model', async () => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'})]}, {text: 'I see.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/Your choice/);
      terminal.press('m');
      await terminal.expect(/Say why: /);
      say(terminal, 'not on Sundays');
      await terminal.expect(/✗ denied/);
      await terminal.expect(/⊘\S* \S*send_mail[^]*denied: not on Sundays/);
      await terminal.expect(/I see\./);
      assert.match(JSON.stringify(upstream.last.messages), /not on Sundays/);
      assert.equal(server.calls.length, 0);
      await leave(terminal);
    });

    test('two calls that wait are asked about one after the other', async () => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'}), call('send_mail', {to: 'bob'})]}, {text: 'Both.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/"ann"[^]*Your choice/);
      assert.doesNotMatch(terminal.output, /"bob"/);
      terminal.press('o');
      await terminal.expect(/"bob"[^]*Your choice/);
      terminal.press('d');
      await terminal.expect(/Both\./);
      assert.deepEqual(server.calls.map((one) => one.input), [{to: 'ann'}]);
      await leave(terminal);
    });

    test('what someone decides elsewhere takes the question away', async () => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'})]}, {text: 'Sent.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/Your choice/);
      await home.ok(['approve', 'last']);
      await terminal.expect(/It was decided elsewhere\./);
      await terminal.expect(/Sent\./);
      assert.equal(server.calls.length, 1);
      await leave(terminal);
    });

    test('Ctrl-C ends the turn and its tools, and the conversation goes on', async () => {
      const gone = new Promise((resolve) => server.http.once('request', (request) => request.on('close', resolve)));
      server.answer = () => new Promise(() => {});
      upstream.play({text: 'Let me look. ', calls: [call('look_up', {to: 'ann'})]}, {text: 'Fine.'});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/look_up/);
      await api.waiting(() => true, 'Executing');
      terminal.press(CTRL_C);
      await terminal.expect(/⊘\S* \S*look_up[^]*cancelled[^]*cancelled[^]*› /);
      await gone;
      say(terminal, 'and now?');
      await terminal.expect(/Fine\./);
      assert.deepEqual(upstream.last.messages, [
        user('go'), assistant('Let me look. \n\n[cancelled by the user]'), user('and now?')
      ]);
      await leave(terminal);
    });

    test('Ctrl-C at a question cancels the turn', async () => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'})]});
      const terminal = await converse();
      say(terminal, 'go');
      await terminal.expect(/Your choice/);
      terminal.press(CTRL_C);
      await terminal.expect(/cancelled[^]*› /);
      await leave(terminal);
      while ((await api.pending()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(server.calls.length, 0);
    });

    test('an answer that breaks off is told, and its prompt can be had again', async () => {
      upstream.play({text: 'It begins well', broken: true}, {text: 'Better.'});
      const terminal = await converse();
      say(terminal, 'try this');
      await terminal.expect(/It begins well\r\n/);
      await terminal.expect(/Up brings your prompt back/);
      await terminal.expect(/› /);
      terminal.press(`${ESCAPE}[A`);
      await terminal.expect(/try this/);
      terminal.press('\r');
      await terminal.expect(/Better\./);
      assert.deepEqual(upstream.last.messages, [user('try this')]);
      await leave(terminal);
    });

    test('a conversation that is too long is told what to do', async () => {
      upstream.play({text: 'never'});
      const terminal = await converse(['-m', 'small', '--no-tools']);
      say(terminal, 'word '.repeat(400));
      await terminal.expect(/maxInputTokens[^]*\/new begins another one/);
      await leave(terminal);
    });

    test('a model can be chosen in the midst, and the unknown is told', async () => {
      upstream.play({text: 'One.'}, {text: 'Two.'});
      const terminal = await converse(['-m', 'nope']);
      say(terminal, 'hi');
      await terminal.expect(/does not exist here[^]*\/model lists[^]*› /);
      say(terminal, '/model mock-2');
      await terminal.expect(/no model 'mock-2'\. Did you mean mock-1\?[^]*› /);
      say(terminal, '/model');
      await terminal.expect(/mock-1[^]*small[^]*toolgate\/demo[^]*› /);
      say(terminal, '/model mock-1');
      await terminal.expect(/From now on mock-1[^]*› /);
      say(terminal, 'hi');
      await terminal.expect(/One\.[^]*› /);
      assert.deepEqual(upstream.last.messages, [user('hi')]);
      await leave(terminal);
    });

    test('commands: help, tools, approvals, and the nearest of what is none', async () => {
      const terminal = await converse();
      say(terminal, '/help');
      await terminal.expect(/\/tools \[FILTER\][^]*\/exit[^]*Alt-Enter[^]*› /);
      say(terminal, '/tools look');
      await terminal.expect(/look_up[^]*#lookUp[^]*look_at[^]*2 tools from 2 sources: 2 enabled[^]*› /);
      say(terminal, '/tolls');
      await terminal.expect(/no command \/tolls\. Did you mean \/tools\?[^]*› /);
      say(terminal, '/approvals');
      await terminal.expect(/Nothing is allowed for longer[^]*› /);
      say(terminal, '/approvals reset');
      await terminal.expect(/\[y\/N\] /);
      terminal.press('n');
      await terminal.expect(/Nothing was changed[^]*› /);
      say(terminal, '/exit');
      assert.equal(await terminal.exited, 0);
    });

    test('Tab completes references and commands', async () => {
      upstream.play({text: 'ok'});
      const terminal = await converse();
      terminal.press('see #lo\t');
      await terminal.expect(/see #look/);
      terminal.press('\t');
      await terminal.expect(/lookAt +lookUp/);
      terminal.press('U\t');
      await terminal.expect(/Up /);
      terminal.press('now\r');
      await terminal.expect(/ok[^]*› /);
      assert.deepEqual(upstream.last.messages, [user('see #lookUp now')]);
      terminal.press('/he\t\r');
      await terminal.expect(/this list[^]*› /);
      await leave(terminal);
    });

    test('several lines: with a backslash, Alt-Enter, or pasted', async () => {
      upstream.play({text: 'a'}, {text: 'b'});
      const terminal = await converse();
      terminal.press(`one\\\rtwo${ESCAPE}\rthree\r`);
      await terminal.expect(/tokens[^]*› /);
      assert.deepEqual(upstream.last.messages, [user('one\ntwo\nthree')]);
      terminal.press(`${ESCAPE}[200~first\r\tsecond${ESCAPE}[201~`);
      await terminal.expect(/second/);
      assert.equal(upstream.requests.length, 1);
      terminal.press('\r');
      await terminal.expect(/tokens[^]*› /);
      assert.deepEqual(upstream.last.messages.at(-1), user('first\n\tsecond'));
      await leave(terminal);
    });

    test('a line can be edited', async () => {
      upstream.play({text: 'ok'});
      const terminal = await converse();
      terminal.press(`worl日本\x7f\x7fd${ESCAPE}[Hhello ${ESCAPE}[F!\r`);
      await terminal.expect(/tokens/);
      assert.deepEqual(upstream.last.messages, [user('hello world!')]);
      await leave(terminal);
    });

    test('prompts are kept for the next time, for their owner only', async () => {
      upstream.play({text: 'ok'});
      const first = await converse();
      say(first, 'a prompt to be kept');
      await first.expect(/tokens[^]*› /);
      say(first, '/help');
      await first.expect(/this list[^]*› /);
      await leave(first);
      const file = path.join(home.folder, 'data/chat-history');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      assert.equal(lines.at(-1), '"a prompt to be kept"');
      const second = await converse();
      second.press(`${ESCAPE}[A`);
      await second.expect(/a prompt to be kept/);
      second.press(CTRL_C);
      await second.expect(/› /);
      await leave(second);
    });

    test('Ctrl-C twice at an empty prompt leaves', async () => {
      const terminal = await converse();
      terminal.press(CTRL_C);
      await terminal.expect(/once more leaves[^]*› /);
      terminal.press(CTRL_C);
      assert.equal(await terminal.exited, 0);
    });

    test('what is typed while an answer comes waits for the next prompt', async () => {
      let go;
      upstream.play({text: 'One', held: new Promise((resolve) => go = resolve)}, {text: 'Two'});
      const terminal = await converse();
      say(terminal, 'first');
      await terminal.expect(/One/);
      say(terminal, 'second');
      go();
      await terminal.expect(/› [^]*second[^]*Two/);
      await terminal.expect(/› /);
      await leave(terminal);
    });
  });

  describe('the terminal is as it was', () => {
    // The settings before and after, with what happens in between.
    async function settings(what) {
      const command = home.command(['chat']).map((word) => `'${word}'`).join(' ');
      const script = `trap : INT TERM; stty -a; ${command}; stty -a; echo over`;
      const terminal = new Pty(['sh', '-c', script], {env: environment(home.folder)});
      await terminal.expect(/› /);
      await what(terminal);
      await terminal.expect(/over/);
      const all = [...plain(terminal.output).matchAll(/speed [^]*?echoke[^\n]*\n[^\n]*/g)].map((match) => match[0]);
      assert.equal(all.length, 2, plain(terminal.output));
      assert.equal(all[1], all[0]);
      assert.equal(terminal.output.split(`${ESCAPE}[?2004h`).length, terminal.output.split(`${ESCAPE}[?2004l`).length);
    }
    test('after Ctrl-D', () => settings((terminal) => terminal.press(CTRL_D)));
    test('after SIGTERM at the prompt', () => settings(() => process.kill(chatIn(home.folder), 'SIGTERM')));
    test('after SIGTERM at a question', () => settings(async (terminal) => {
      upstream.play({text: '', calls: [call('send_mail', {to: 'ann'})]});
      say(terminal, 'go');
      await terminal.expect(/Your choice/);
      process.kill(chatIn(home.folder), 'SIGTERM');
      while ((await api.pending()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }));
    test('after SIGTERM during an answer', () => settings(async (terminal) => {
      upstream.play({text: 'begun', held: new Promise(() => {})});
      say(terminal, 'go');
      await terminal.expect(/begun/);
      process.kill(chatIn(home.folder), 'SIGTERM');
    }));
  });
});

describe('without a gateway', () => {
  let home;
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
    for (const name of ['workspace', 'data']) mkdirSync(path.join(folder, name));
    home = new Home(folder);
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  test('the demo model answers, and nothing is left running', async () => {
    const {status, stdout, stderr} = await home.run(['chat', 'hello']);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /demo model/);
    assert.equal(stderr, '');
    assert.ok(!existsSync(path.join(folder, 'data/gateway.json')));
  });

  test('settings of the profile are read, and a model of theirs answers', async () => {
    upstream.play({text: 'From upstream.'});
    const settings = path.join(folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({'toolgate.models': [{id: 'own', provider: 'openai', baseUrl: upstream.baseUrl}]}));
    const {stdout} = await home.run(['chat', '--settings', settings, '-m', 'own', 'hello']);
    assert.equal(stdout, 'From upstream.\n');
  });

  test('after an edit it is said how to take it back', async () => {
    const terminal = home.terminal(['chat', '-m', 'toolgate/demo', '--yes', '#createFile {"filePath":"a.txt","content":"a"}']);
    await terminal.expect(/'toolgate undo edit_\w+' takes the edit back\./);
    assert.equal(await terminal.exited, 0);
    assert.match(await home.ok(['undo', '--yes']), /^removed a.txt\n/);
  });

  test('a conversation asks, runs the tool and leaves', async () => {
    const {http, url} = server;
    assert.ok(http.listening);
    const registered = await startGatewayFor(upstream, {}, {folder});
    try {
      assert.equal((await new Api(registered).register(server, 'send_mail')).status, 201);
    } finally {
      registered.signal('SIGTERM');
      await registered.exited;
    }
    const terminal = home.terminal(['chat', '-m', 'toolgate/demo']);
    await terminal.expect(/› /);
    terminal.press('#send_mail {"to":"ann"}\r');
    await terminal.expect(new RegExp(`sends its arguments to a server: POST\\s+${url}[^]*Your choice`));
    terminal.press('o');
    await terminal.expect(/send_mail answered: sent to ann[^]*› /);
    terminal.press(CTRL_D);
    assert.equal(await terminal.exited, 0);
    assert.deepEqual(server.calls.map((one) => one.input), [{to: 'ann'}]);
  });

  test('others cannot use the gateway of a conversation', async () => {
    const terminal = home.terminal(['chat']);
    await terminal.expect(/› /);
    const ports = portsOf(chatIn(folder));
    assert.ok(ports.length > 0);
    for (const port of ports) {
      const {status} = await fetch(`http://127.0.0.1:${port}/v1/models`);
      assert.equal(status, 401);
    }
    const second = await home.run(['chat', 'hi']);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /data folder/);
    terminal.press(CTRL_D);
    assert.equal(await terminal.exited, 0);
  });
});
