// The built-in tools that run commands: terminals, tasks and what is known about failed tests.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {machineRefuses, textOf, Workspace} from './builtin.mjs';
import {Home} from './home.mjs';

let world;
before(async () => {
  world = await Workspace.start({settings: {'chat.tools.terminal.autoApprove': {'npm test': true, '/^make (all|check)$/': true, echo: null}}});
});
after(() => world.stop());

const run = (command, more = {}) => world.text('run_in_terminal', {command, explanation: 'a test', isBackground: false, ...more});
// Whether a command would be asked about; it is denied if so.
async function question(tool, input) {
  let decision;
  const answer = world.api.invoke(tool, input).then(({body}) => { decision ??= {asked: false, body}; });
  while (!decision) {
    const [asked] = await world.api.pending();
    if (!asked) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    decision = {asked: true, body: (await world.api.show(asked.id)).body};
    await world.api.confirm(asked.id, 'deny');
  }
  await answer;
  return decision;
}

test('a command shows its output, exit code and duration', async () => {
  assert.match(await run('printf "a\\nb\\n"; exit 3'), /^a\nb\n\[The command exited with 3 after \d+\.\d s\.\]\n$/);
  const {body} = await world.call('run_in_terminal', {command: 'pwd; exit 0'});
  assert.match(textOf(body), new RegExp(`^${world.folder}\n`));
});

test('a command has a terminal with a size, and no escape sequences are left', async () => {
  assert.match(await run('test -t 0 && test -t 1 && stty size'), /^40 160\n/);
  assert.match(await run("printf '\\033[31mred\\033[0m \\033]0;title\\007ok\\n'"), /^red ok\n/);
  assert.match(await run("for i in 1 2 3; do printf \"\\r$i%%\"; done; echo"), /^3%\n/);
  assert.match(await run("printf '\\377\\376 bad'"), /^\ufffd\ufffd bad\n/);
});

test('of long output the beginning and the end are kept', async () => {
  const text = await run('seq 1 200000');
  assert.match(text, /^1\n2\n3\n/);
  assert.match(text, /bytes are left out here/);
  assert.match(text, /199999\n200000\n\[The command exited with 0/);
  assert.ok(text.length < 120_000);
});

test('a command over its time is ended', async () => {
  assert.match(await run('echo begun; sleep 1000', {timeout: 300}), /^begun\n\[The command was ended after .*its time of 300 ms was over\.\]/);
});

test('a cancelled call ends its command', async () => {
  const abort = new AbortController();
  const answer = world.call('run_in_terminal', {command: 'exec -a cancelled-by-test sleep 1000'}, {options: {signal: abort.signal}}).catch((error) => error.name);
  await world.api.waiting(() => true, 'Executing');
  abort.abort();
  assert.equal(await answer, 'AbortError');
  const list = async () => (await world.api.request('GET', '/v1/invocations?state=Executing', {operator: true})).body.data;
  while ((await list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(await world.text('terminal_last_command', {}), /cancelled-by-test[\s\S]*it was cancelled/);
});

test('what runs in the background can be read, typed into and ended', async () => {
  const started = await run('echo ready; while read -r line; do echo "got $line"; done', {isBackground: true});
  const [, id] = /^Terminal (term_\w+) is still running\.\nready\n/.exec(started);
  assert.match(await world.text('send_to_terminal', {id, command: 'hello'}), /got hello/);
  assert.match(await world.text('get_terminal_output', {id}), /is still running[\s\S]*got hello/);
  const asks = async (input) => JSON.stringify((await question('send_to_terminal', {id, ...input})).body);
  assert.match(await asks({command: 'rm x'}), /The Enter key follows:\\n\\nrm x/);
  assert.match(await asks({command: 'rm x', enter: false}), /No Enter key follows:\\n\\nrm x/);
  assert.match(await world.text('kill_terminal', {id}), /was ended after .*kill_terminal/);
  assert.match(await world.text('get_terminal_output', {id}), /got hello[\s\S]*was ended/);
  assert.match(await world.failure('send_to_terminal', {id, command: 'x'}), /has ended/);
});

test('a terminal that is not there is an error that says what to do', async () => {
  for (const tool of ['get_terminal_output', 'kill_terminal'])
    assert.match(await world.failure(tool, {id: 'term_none'}), /there is no terminal term_none; run_in_terminal gives/);
  assert.match(await world.failure('send_to_terminal', {id: 'term_none', command: 'x'}), /there is no terminal/);
});

test('progress shows what a command writes', async () => {
  const stream = await fetch(`${world.gateway.url}/v1/events`, {headers: {authorization: `Bearer ${world.gateway.operatorToken}`}});
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const answer = run('echo live-output; sleep 1');
  let seen = '';
  while (!/event: progress[\s\S]*live-output/.test(seen)) seen += (await reader.read()).value;
  await reader.cancel();
  assert.match(await answer, /live-output/);
});

test('the question shows the command, the folder and the sandbox', async () => {
  const {asked, body} = await question('run_in_terminal', {command: 'rm -rf \u202ebuild\u0007', explanation: 'cleans\u200b up'});
  assert.ok(asked);
  const text = JSON.stringify(body);
  assert.match(text, /Run this command\?/);
  assert.match(text, /rm -rf ⟨U\+202E⟩build⟨U\+0007⟩/);
  assert.doesNotMatch(text, /⟨U\+27E8⟩/, 'what was made visible once stays as it is');
  assert.match(text, /sandbox/);
  assert.match(text, /cleans⟨U\+200B⟩ up/);
});

const sandboxed = () => question('run_in_terminal', {command: 'make'}).then(({body}) => /in the sandbox/.test(JSON.stringify(body)));

const skip = machineRefuses();

test('rules decide which commands are asked about', {skip}, async () => {
  assert.ok(await sandboxed());
  for (const command of ['ls', 'git status', 'cat x | grep y', 'npm test', 'make check'])
    assert.equal((await question('run_in_terminal', {command})).asked, false, command);
  for (const command of ['rm x', 'ls; rm x', 'ls $(rm x)', 'echo a', 'make install', 'LD_PRELOAD=x ls', "echo 'a", 'sh -c ls'])
    assert.equal((await question('run_in_terminal', {command})).asked, true, command);
});

test('a workspace cannot allow commands, only refuse them', {skip}, async () => {
  const other = await Workspace.start({files: {'workspace/.vscode/settings.json': {'chat.tools.terminal.autoApprove': {rm: true, ls: false}, 'toolgate.sandbox.enabled': false}}});
  const mine = world;
  try {
    world = other;
    assert.equal((await question('run_in_terminal', {command: 'rm x'})).asked, true);
    assert.equal((await question('run_in_terminal', {command: 'ls'})).asked, true);
    assert.equal((await question('run_in_terminal', {command: 'pwd'})).asked, false);
    assert.ok(await sandboxed());
  } finally {
    world = mine;
    await other.stop();
  }
});

test('without a sandbox every command is asked about, and the answer cannot be remembered', async () => {
  const other = await Workspace.start({settings: {'toolgate.sandbox.enabled': false}});
  const mine = world;
  try {
    world = other;
    const {asked, body} = await question('run_in_terminal', {command: 'ls'});
    assert.ok(asked);
    assert.match(JSON.stringify(body), /WITHOUT a sandbox/);
    assert.match(JSON.stringify(body), /"mayBeRemembered":false/);
    assert.match(await run('echo works'), /works/);
    const text = await run('trap "" HUP; kill -9 $PPID; sleep 1; touch survived');
    assert.match(text, /was ended [^]*how far it got is not known/);
    assert.doesNotMatch(text, /exited with 0/);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.ok(!existsSync(other.path('survived')));
  } finally {
    world = mine;
    await other.stop();
  }
});

test('tasks run after what they depend on', async () => {
  world.write({
    '.vscode/tasks.json': `{ // with comments
      "tasks": [
        {"label": "first", "type": "shell", "command": "echo first; echo", "args": ["a b"]},
        {"label": "second", "type": "process", "command": "printf", "args": ["%s|", "x y", "$HOME"], "dependsOn": "first"},
        {"label": "in folder", "type": "shell", "command": "pwd; echo $COLOUR", "options": {"cwd": "\${workspaceFolder}/sub", "env": {"COLOUR": "blue"}}},
        {"label": "fails", "type": "shell", "command": "exit 4"},
        {"label": "after", "type": "shell", "command": "echo never", "dependsOn": ["fails"]},
        {"label": "outside", "type": "shell", "command": "pwd", "options": {"cwd": "/etc"}},
        {"label": "here", "type": "shell", "command": "cc", "args": ["\${file}", "\${input:kind}"]},
        {"type": "npm", "script": "lint"},
      ]}`,
    'sub/': null
  });
  assert.match(await world.text('run_task', {id: 'second'}), /Task first:\nfirst\na b\n[\s\S]*Task second:\nx y\|\$HOME\|/);
  assert.match(await world.text('run_task', {id: 'shell: in folder', workspaceFolder: world.folder}), new RegExp(`${world.folder}/sub\nblue\n`));
  const failed = await world.text('run_task', {id: 'after'});
  assert.match(failed, /exited with 4/);
  assert.doesNotMatch(failed, /never/);
  assert.match(await world.text('get_task_output', {id: 'first'}), /first\na b/);
  assert.match(await world.failure('get_task_output', {id: 'none'}), /has not been run/);
  assert.match(await world.failure('run_task', {id: 'none'}), /there is no task 'none' .*'first', 'second'/);
  assert.match(await world.failure('run_task', {id: 'outside'}), /outside the workspace/);
  assert.match(await world.failure('run_task', {id: 'here'}), /'here' uses \$\{file\}, which only an editor knows/);
  assert.match(await world.failure('run_task', {id: 'npm: lint'}), /of the type 'npm', which is not supported/);
});

// The body of a call that is allowed after `change`.
async function allowedAfter(own, tool, input, change) {
  const answer = own.api.invoke(tool, input);
  const {id} = await own.api.waiting();
  await change(id);
  await own.api.confirm(id, 'allow');
  return (await answer).body;
}

test('each task is judged by itself', async (t) => {
  if (!await sandboxed()) return t.skip('this machine has no user namespaces');
  const task = (label, command, more = {}) => ({label, type: 'shell', command, ...more});
  world.write({'.vscode/tasks.json': JSON.stringify({tasks: [
    task('list', 'ls'), task('lists', 'pwd', {dependsOn: 'list'}), task('open', 'ls \\'), task('hidden', 'touch pwned', {dependsOn: 'open'}), task('quote', "ls '"), task('closes', "'; touch pwned", {dependsOn: 'quote'}),
    task('coloured', 'ls', {options: {env: {NO_COLOR: '1'}}}), task('loaded', 'ls', {options: {env: {LD_PRELOAD: 'x.so'}}}), task('named', 'ls', {options: {env: {'A=B': 'x'}}})
  ]})});
  for (const id of ['list', 'lists', 'coloured']) assert.equal((await question('run_task', {id})).asked, false, id);
  for (const id of ['hidden', 'closes', 'loaded']) assert.equal((await question('run_task', {id})).asked, true, id);
  assert.match(JSON.stringify((await question('run_task', {id: 'hidden'})).body), /\[task 'hidden' in \.\]\\ntouch pwned/);
  assert.match(await world.failure('run_task', {id: 'named'}), /a variable whose name is empty or has '='/);
  assert.equal(world.read('pwned'), null);
});

test('a task that has changed since it was shown is not run', async () => {
  const write = (command) => world.write({'.vscode/tasks.json': JSON.stringify({tasks: [{label: 'make', type: 'shell', command}]})});
  write('touch shown');
  assert.match(JSON.stringify(await allowedAfter(world, 'run_task', {id: 'make'}, () => write('touch other'))), /something else than what was shown/);
  assert.equal(world.read('other'), null);
  const body = await allowedAfter(world, 'run_task', {id: 'make'}, () => write('touch other'));
  assert.match(textOf(body), /exited with 0/);
  assert.equal(world.read('other'), '');
});

test('a command that was shown in the sandbox is not run with less of one', async (t) => {
  if (!await sandboxed()) return t.skip('this machine has no user namespaces');
  for (const [name, value, reason] of [['enabled', false, /in the sandbox, which is off by now/], ['network', true, /without the network/], ['writable', ['/opt'], /may write to \/opt/]]) {
    const own = await Workspace.start();
    try {
      const body = await allowedAfter(own, 'run_in_terminal', {command: 'touch made'}, async () => {
        own.gateway.writeSettings({'toolgate.tools.builtin': true, [`toolgate.sandbox.${name}`]: value, 'toolgate.tools.deny': ['view_image']});
        // The settings are in use once the list of tools is.
        while (/view_image/.test(JSON.stringify((await own.api.request('GET', '/v1/tools')).body))) await new Promise((resolve) => setTimeout(resolve, 10));
      });
      assert.match(JSON.stringify(body), reason, name);
      assert.equal(own.read('made'), null);
    } finally {
      await own.stop();
    }
  }
});

test('test_failure tells what failed last', async () => {
  const other = await Workspace.start();
  const mine = world;
  try {
    world = other;
    assert.match(await world.failure('test_failure', {}), /no tests have been run yet/);
    assert.match(await world.failure('terminal_last_command', {}), /no command has been run/);
    world.write({'run_tests.sh': "printf 'ok 1 - a\\nnot ok 2 - adds\\n  error: no\\n'; exit 1\n", 'tests/all.sh': 'echo strange output; exit 1\n'});
    await run('sh run_tests.sh');
    for (const other of ['echo something else', 'echo latest news', 'true checkout -- a.txt', 'cat tests/all.sh', 'test -f run_tests.sh']) await run(other);
    assert.match(await world.text('test_failure', {}), /1 failed \(TAP\):\n\nadds\nerror: no/);
    await run('cd tests && sh ../tests/all.sh');
    assert.match(await world.text('test_failure', {}), /exited with 1[\s\S]*Its output ends with:\nstrange output/);
  } finally {
    world = mine;
    await other.stop();
  }
});

test('too many commands at once are refused', async () => {
  const ids = [];
  for (let i = 0; i < 16; ++i) ids.push(/term_\w+/.exec(await run('sleep 1000', {isBackground: true}))[0]);
  assert.match(await world.failure('run_in_terminal', {command: 'true', explanation: ''}), /16 commands run already, which is the most; end one with kill_terminal/);
  await Promise.all(ids.map((id) => world.text('kill_terminal', {id})));
  assert.match(await run('echo again'), /again/);
  assert.equal(readFileSync(`/proc/${world.gateway.pid}/task/${world.gateway.pid}/children`, 'utf8').trim(), '');
});

test('an approval of a command counts for exactly that command', {skip: machineRefuses()}, async (t) => {
  const own = await Workspace.start({settings: {'toolgate.logLevel': 'info'}});
  const input = (command, more = {}) => ({command, explanation: `why: ${command.length}`, ...more});
  const asked = async (tool, wish, decision, more) => {
    const answer = own.api.invoke(tool, wish);
    const row = await own.api.waiting();
    const confirmed = await own.api.confirm(row.id, decision, more);
    return {row, confirmed, answer: decision === 'allow' && confirmed.status !== 200 ? null : await answer, rest: answer};
  };
  // Runs without a question, or is denied.
  const runsAlone = async (tool, wish) => {
    let done = false;
    const answer = own.api.invoke(tool, wish).finally(() => { done = true; });
    while (!done) {
      for (const {id} of await own.api.pending()) await own.api.confirm(id, 'deny');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return (await answer).body.ending === 'result';
  };
  await t.test('the whole tool is refused, and nothing is decided by that', async () => {
    const {row, confirmed, rest} = await asked('run_in_terminal', input('touch a'), 'allow', {scope: 'workspace', target: 'tool'});
    assert.equal(confirmed.status, 400);
    assert.equal(confirmed.body.error.param, 'target');
    assert.equal((await own.api.confirm(row.id, 'allow', {scope: 'workspace'})).status, 200);
    assert.equal((await rest).body.ending, 'result');
  });
  await t.test('the command runs again, whatever is said of it; no other does', async () => {
    assert.equal(await runsAlone('run_in_terminal', input('touch a')), true);
    assert.equal(await runsAlone('run_in_terminal', {...input('touch a'), explanation: 'other words', timeout: 9000}), true);
    assert.equal(await runsAlone('run_in_terminal', input('touch b')), false);
    assert.equal(await runsAlone('run_in_terminal', input('touch a ')), false);
    assert.equal(await runsAlone('run_in_terminal', input('touch a', {isBackground: true})), false);
    assert.equal(await runsAlone('run_in_terminal', input('touch a; touch b')), false);
    assert.equal(own.read('b'), null);
  });
  await t.test('what a person made of it is not what was shown', async () => {
    const {row, confirmed, rest} =
        await asked('run_in_terminal', input('touch c'), 'allow', {scope: 'always', parameters: input('touch d')});
    assert.equal(confirmed.status, 400);
    assert.match(confirmed.body.error.message, /was not shown: approve it once/);
    await own.api.confirm(row.id, 'deny');
    await rest;
  });
  await t.test('a task counts as what it runs', async () => {
    const tasks = (command) => own.write({'.vscode/tasks.json': JSON.stringify({tasks: [{label: 'it', type: 'shell', command}]})});
    tasks('touch t1');
    await asked('run_task', {workspaceFolder: own.folder, id: 'it'}, 'allow', {scope: 'always'});
    assert.equal(await runsAlone('run_task', {workspaceFolder: own.folder, id: 'it'}), true);
    tasks('touch t2');
    assert.equal(await runsAlone('run_task', {workspaceFolder: own.folder, id: 'it'}), false);
    assert.equal(own.read('t2'), null);
  });
  await t.test('what is typed counts for its terminal', async () => {
    const {body} = await own.call('run_in_terminal', input('cat', {isBackground: true}));
    const [id] = /term_\w+/.exec(textOf(body));
    await asked('send_to_terminal', {id, command: 'hello'}, 'allow', {scope: 'always'});
    assert.equal(await runsAlone('send_to_terminal', {id, command: 'hello'}), true);
    assert.equal(await runsAlone('send_to_terminal', {id, command: 'hello', enter: false}), false);
    assert.equal(await runsAlone('send_to_terminal', {id, command: 'other'}), false);
    await own.call('kill_terminal', {id});
  });
  await t.test('it does not count where it could do or see more', async () => {
    for (const more of [{'toolgate.sandbox.network': true}, {'toolgate.sandbox.writable': ['/opt']}, {'toolgate.workspace.extraFolders': ['/opt']},
                        {'toolgate.sandbox.hidden': ['/opt']}, {'toolgate.sandbox.enabled': false}]) {
      const from = own.gateway.log.length;
      own.gateway.writeSettings({'toolgate.tools.builtin': true, 'toolgate.logLevel': 'info', ...more});
      await own.gateway.logged(/settings read again/, {from});
      assert.equal(await runsAlone('run_in_terminal', input('touch a')), false, JSON.stringify(more));
    }
  });
  await own.stop();
});

test('a task is of the folder that is named', async () => {
  const other = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
  const own = await Workspace.start({settings: {'toolgate.workspace.extraFolders': [other]}});
  const tasks = (command) => JSON.stringify({tasks: [{label: 'where', type: 'shell', command}]});
  own.write({'.vscode/tasks.json': tasks('echo first'), 'sub/': null});
  mkdirSync(path.join(other, '.vscode'));
  writeFileSync(path.join(other, '.vscode/tasks.json'), tasks('echo in ${workspaceFolder}; pwd'));
  const shown = (workspaceFolder) => own.text('run_task', {id: 'where', workspaceFolder});
  assert.match(await shown(undefined), /^first\n/);
  assert.match(await shown(own.folder), /^first\n/);
  assert.match(await shown(other), new RegExp(`^in ${other}\n${other}\n`));
  for (const [workspaceFolder, expected] of [[undefined, /^in /], [own.folder, /^first\n/], [other, /^in /]])
    assert.match(await own.text('get_task_output', {id: 'where', workspaceFolder}), expected);
  assert.match(await own.failure('run_task', {id: 'where', workspaceFolder: 'sub'}), /^sub is no folder of the workspace; there is /);
  assert.match(await own.failure('run_task', {id: 'where', workspaceFolder: '/etc'}), /\/etc/);
  await own.stop();
  rmSync(other, {recursive: true});
});

test('without a gateway it is said that nothing outlives the call', {skip: machineRefuses()}, async () => {
  const callOf = (tool, input) => ['call', tool, '--input', JSON.stringify(input)];
  const alone = new Home(path.join(world.gateway.folder, 'alone'));
  for (const name of ['workspace', 'data']) mkdirSync(path.join(alone.folder, name), {recursive: true});
  for (const args of [callOf('run_in_terminal', {command: 'sleep 1000', isBackground: true}), callOf('terminal_last_command', {})])
    assert.match((await alone.run(args)).stderr, /toolgate: without a running gateway each call is on its own.*'toolgate serve'/);
  assert.equal((await alone.run(callOf('run_in_terminal', {command: 'ls'}))).stderr, '');
});

test('a command that waits over a restart can be approved for longer, and for exactly that only', {skip: machineRefuses()}, async () => {
  const before = await Workspace.start();
  const lost = before.api.invoke('run_in_terminal', {command: 'touch a', explanation: 'a test'}).catch(() => {});
  const {id} = await before.api.waiting();
  await before.gateway.crash();
  await lost;
  const own = await Workspace.start({folder: before.gateway.folder});
  assert.equal((await own.api.confirm(id, 'allow', {scope: 'always', target: 'tool'})).status, 400);
  assert.equal((await own.api.confirm(id, 'allow', {scope: 'always'})).status, 200);
  assert.equal((await own.api.invoke('run_in_terminal', {command: 'touch a'})).body.ending, 'result');
  const other = own.api.invoke('run_in_terminal', {command: 'touch b'});
  await own.api.confirm((await own.api.waiting(({id: each}) => each !== id)).id, 'deny');
  assert.equal((await other).body.ending, 'denied');
  await own.stop();
});

test('a tasks.json that cannot be read is said to be so, before anyone is asked', async () => {
  const own = await Workspace.start();
  const refused = async (expected) => assert.match(await own.failure('run_task', {id: 'it'}), expected);
  const put = (content) => {
    rmSync(own.path('.vscode'), {recursive: true, force: true});
    own.write({'.vscode/tasks.json': content});
  };
  await refused(/^there is no \.vscode\/tasks\.json$/);
  put({sparse: 2 ** 30});
  await refused(/\.vscode\/tasks\.json .*1048576 bytes/);
  put(Buffer.from([0, 1, 2, 3]));
  await refused(/tasks\.json/);
  put(Buffer.from('{"tasks": [{"label": "\xe9", "type": "shell", "command": "true"}]}', 'latin1'));
  await refused(/cannot be read: not valid JSON: .* at line 1, column 23/);
  put({link: 'tasks.json'});
  await refused(/circle/);
  put({link: '/etc/hostname'});
  await refused(/outside the workspace/);
  put('{"tasks": [');
  await refused(/line 1/);
  put({link: '../pipe'});
  execFileSync('mkfifo', [own.path('pipe')]);
  await refused(/is a pipe, not a file/);
  await own.stop();
});
