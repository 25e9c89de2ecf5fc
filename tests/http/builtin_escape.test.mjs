// What a command in the sandbox tries in order to get out, each of which must fail. A command prints ESCAPED
// where it got through; what it did outside is looked for as well. At the end the gateway lives, and no process
// and no zombie is left.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {machineRefuses, textOf, Workspace} from './builtin.mjs';
import {binary, UPSTREAM_KEY} from './gateway.mjs';

// Not below /tmp, which is another one in the sandbox anyway.
const build = path.resolve(import.meta.dirname, '../../build');
const marker = `escape-marker-${process.pid}`;

const skip = machineRefuses();

let world, open, outside, listener, abstract;

async function startWorld(settings = {}, env = {}) {
  mkdirSync(build, {recursive: true});
  const folder = mkdtempSync(path.join(build, 'escape-'));
  for (const [name, text] of Object.entries({
         '.ssh/id_ed25519': 'PRIVATE-KEY', '.aws/credentials': 'PRIVATE-KEY', '.config/gh/hosts.yml': 'PRIVATE-KEY',
         '.docker/config.json': 'PRIVATE-KEY', '.netrc': 'PRIVATE-KEY', '.bashrc': '# mine\n', 'outside/file.txt': 'outside\n',
         '.config/toolgate/settings.json': '{}', 'workspace/.git/config': '[core]\n', 'workspace/.git/hooks/sample': ''
       })) {
    mkdirSync(path.dirname(path.join(folder, name)), {recursive: true});
    writeFileSync(path.join(folder, name), text);
  }
  return Workspace.start({folder, settings: {'toolgate.confirmation.timeoutSeconds': 20, ...settings}, env});
}

before(async () => {
  if (skip) return;
  world = await startWorld();
  open = await startWorld({'toolgate.sandbox.enabled': false});
  outside = path.join(world.gateway.folder, 'outside');
  listener = net.createServer((socket) => socket.on('error', () => {}).end('hello'));
  await new Promise((resolve) => listener.listen(path.join(world.gateway.folder, 'outside.sock'), resolve));
  abstract = spawn('python3', ['-c', `
import socket
s = socket.socket(socket.AF_UNIX); s.bind("\\0${marker}"); s.listen(); print("ready", flush=True)
while True: s.accept()[0].close()`], {stdio: ['ignore', 'pipe', 'inherit']});
  await new Promise((resolve) => abstract.stdout.once('data', resolve));
});
after(async () => {
  listener?.close();
  abstract?.kill();
  await world?.stop();
  await open?.stop();
});

const run = async (at, command, more = {}) => textOf((await at.call('run_in_terminal', {command, explanation: 'tries to get out', timeout: 20_000, ...more})).body);

test('the sandbox is there where the machine can have one', {skip}, async () => {
  const answer = world.api.invoke('run_in_terminal', {command: 'make'});
  const asked = await world.api.waiting();
  const shown = JSON.stringify((await world.api.show(asked.id)).body);
  await world.api.confirm(asked.id, 'deny');
  await answer;
  assert.match(shown, /in the sandbox/, shown);
});

test('an honest command works', {skip}, async () => {
  const output = await run(world, 'echo one > made.txt && cat made.txt && mkdir -p a/b && ls -d a/b && touch /tmp/x && python3 -c "print(6*7)" && ulimit -u && ulimit -c');
  assert.match(output, /^one\na\/b\n42\n4096\n0\n\[The command exited with 0/);
  assert.equal(world.read('made.txt'), 'one\n');
});

const python = (text) => `python3 - <<'PY'\n${text}\nPY\n`;
const says = (condition) => `if ${condition}; then echo ESCAPED; fi`;
const systemCall = (number, args) => python(`
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
r = libc.syscall(${number}, ${args})
print("ESCAPED" if r >= 0 or ctypes.get_errno() not in (1, 38) else "refused")`);

// [what it tries, command, {control: also gets through without a sandbox, is(): what must hold outside}]
// One that is `maybe` so depends on who we are and how the kernel is set up; where it does not get through, the test says so. Without
// one are those that would do harm outside (mounts, devices, names, /etc, signals to everyone), and those that look for something.
const attempts = () => {
  const {folder, pid, port, settingsFile, operatorToken} = world.gateway;
  const token = `${folder}/data/operator-token`;
  const connect = (host, to) => python(`
import socket
s = socket.create_connection(("${host}", ${to}), 3); print("ESCAPED")`);
  return [
    ['reads the operator token by its path', says(`cat ${token}`), {control: (at) => says(`cat ${at.gateway.folder}/data/operator-token`)}],
    ['reads it by a relative path', says('cat ../data/operator-token'), {control: true}],
    ['reads it through a link', `ln -sfn ${folder}/data leak; ${says('cat leak/operator-token')}`, {control: true}],
    ['reads it through the root of the gateway', says(`cat /proc/${pid}/root${token}`), {control: true}],
    ['reads it through the root of the first process', says(`cat /proc/1/root${token}`)],
    ['reads it through the folder of a parent', says(`cat /proc/$PPID/cwd/../data/operator-token`)],
    ['finds it below another name', says(`find ${folder} -type f -size +0 -not -path '*/workspace/*' | xargs -r grep -l . | grep -q operator`), {control: true}],
    ['looks into the database', says(`ls ${folder}/data | grep -q .`), {control: (at) => says(`ls ${at.gateway.folder}/data | grep -q .`)}],
    ['reads the settings file with keys', says(`grep -q . ${settingsFile}`), {control: true}],
    ['reads the profile', says(`grep -q . ${folder}/.config/toolgate/settings.json`), {control: true}],
    ["reads the gateway's environment", says(`grep -q . /proc/${pid}/environ`)],
    ["reads a parent's environment", says(`cat /proc/[0-9]*/environ | grep -q ${UPSTREAM_KEY}`)],
    ['finds a key in its own environment', says(`env | grep -q ${UPSTREAM_KEY}`)],
    ["lists the gateway's descriptors", says(`ls /proc/${pid}/fd`), {control: true}],
    ["has descriptors of the gateway's", says('test $(ls /proc/self/fd | wc -l) -gt 6')],
    ["reads the gateway's memory", says(`head -c 1 /proc/${pid}/mem`)],
    ['reaches operator routes without the token', connect('127.0.0.1', port), {control: (at) => connect('127.0.0.1', at.gateway.port)}],
    ['reaches operator routes with the token', python(`
import urllib.request
r = urllib.request.Request("http://127.0.0.1:${port}/v1/approvals", headers={"Authorization": "Bearer ${operatorToken}"})
print("ESCAPED", urllib.request.urlopen(r, timeout=3).status)`)],
    ['connects with bash alone', says(`(exec 3<>/dev/tcp/127.0.0.1/${port})`), {control: (at) => says(`(exec 3<>/dev/tcp/127.0.0.1/${at.gateway.port})`)}],
    ['has a way out of the machine', says("grep -v -e lo: -e '|' /proc/net/dev | grep -q .")],
    ['reaches the hypervisor', python('import socket\nsocket.socket(40, 1)\nprint("ESCAPED")'), {control: true, maybe: true}],
    ['sends raw packets', python('import socket\nsocket.socket(17, 3)\nprint("ESCAPED")'), {control: true, maybe: true}],
    ['connects to an abstract socket', python(`import socket\ns = socket.socket(socket.AF_UNIX); s.connect("\\0${marker}"); print("ESCAPED")`), {control: true}],
    ['connects to a socket outside', python(`import socket\ns = socket.socket(socket.AF_UNIX); s.connect("${folder}/outside.sock"); print("ESCAPED")`), {control: true}],
    ['finds sockets of services', says('find /run /var/run/ -type s | grep -q .')],
    ['changes the settings', says(`echo '{}' > ${settingsFile}`)],
    ['changes the profile', `mkdir -p ~/.config/toolgate; echo '{"chat.permissions.default": "autopilot"}' > ~/.config/toolgate/settings.json`,
     {is: () => readFileSync(`${folder}/.config/toolgate/settings.json`, 'utf8') === '{}'}],
    ['adds an MCP server to the workspace', says(`mkdir -p .vscode && echo '{}' > .vscode/mcp.json`), {control: true, is: () => world.read('.vscode/mcp.json') === null}],
    ['adds settings to the workspace', says('mkdir -p .toolgate && echo {} > .toolgate/settings.json'), {control: true, is: () => world.read('.toolgate/settings.json') === null}],
    ['plants a hook of git', says('echo evil > .git/hooks/pre-commit'), {control: true, is: () => world.read('.git/hooks/pre-commit') === null}],
    ["changes git's configuration", says('echo evil >> .git/config'), {control: true, is: () => world.read('.git/config') === '[core]\n'}],
    ["replaces git's folder", says('mv .git .other'), {control: true}],
    ['writes to .bashrc', says('echo evil >> ~/.bashrc'), {is: () => readFileSync(`${folder}/.bashrc`, 'utf8') === '# mine\n'}],
    ['writes to cron', says('touch /etc/cron.d/toolgate-escape'), {is: () => !existsSync('/etc/cron.d/toolgate-escape')}],
    ['writes to /etc', says('touch /etc/toolgate-escape'), {is: () => !existsSync('/etc/toolgate-escape')}],
    ['writes to /usr', says('touch /usr/bin/toolgate-escape'), {is: () => !existsSync('/usr/bin/toolgate-escape')}],
    ['writes beside the workspace', says('echo x > ../beside.txt'), {control: true, is: () => !existsSync(`${folder}/beside.txt`)}],
    ['writes through a link', `ln -sfn ${outside} out; ${says('echo x > out/new.txt')}`, {is: () => !existsSync(`${outside}/new.txt`)}],
    ['makes a hard link to a file outside', says(`ln ${outside}/file.txt hard && echo x >> hard`), {is: () => readFileSync(`${outside}/file.txt`, 'utf8') === 'outside\n'}],
    ['moves a file in from outside', says(`mv ${outside}/file.txt .`), {is: () => existsSync(`${outside}/file.txt`)}],
    ['leaves files in /tmp', `echo x > /tmp/${marker}`, {is: () => !existsSync(`/tmp/${marker}`)}],
    ['reads private keys', says('grep -rq PRIVATE-KEY ~/.ssh ~/.aws ~/.config/gh ~/.docker ~/.netrc'), {control: true}],
    ['reads passwords', says('grep -q . /etc/shadow')],
    ['kills the gateway', says(`kill -0 ${pid} || kill -9 ${pid}`), {control: true}],
    ['kills everything', 'kill -9 -1'],
    ['traces a process', systemCall(101, '0, 0, 0, 0'), {control: true}],
    ['traces the gateway', systemCall(101, `0x4206, ${pid}, 0, 0`), {control: (at) => systemCall(101, `0x4206, ${at.gateway.pid}, 0, 0`), maybe: true}],
    ["reads another process's memory", systemCall(310, '__import__("os").getpid(), 0, 0, 0, 0, 0'), {control: true}],
    ['adds a key to the kernel', systemCall(248, 'b"user", b"a", b"b", 1, -2'), {control: true}],
    ['loads a BPF program', systemCall(321, '0, 0, 0'), {control: true, maybe: true}],
    ['opens perf events', systemCall(298, '0, 0, -1, -1, 0'), {control: true}],
    ['opens an io_uring', systemCall(425, '1, 0'), {control: true, maybe: true}],
    ['opens a userfaultfd', systemCall(323, '1'), {control: true}],
    ['opens files by handle', systemCall(304, '-100, 0, 0'), {control: true, maybe: true}],
    ['types into its terminal', python('import fcntl\nfcntl.ioctl(0 if __import__("os").isatty(0) else 1, 0x5412, b"x")\nprint("ESCAPED")'), {control: true, maybe: true}],
    ['mounts a file system', says('mount -t tmpfs x /mnt')],
    ['mounts the workspace elsewhere', says('mount --bind . /usr')],
    ['makes a user namespace', says('unshare -Ur true'), {control: true}],
    ['makes one by clone()', systemCall(56, '0x10000011, 0, 0, 0, 0'), {control: true}],
    ['joins namespaces of others', says('nsenter -t 1 -m true')],
    ['changes its root', says('chroot / true')],
    ['has privileges', says("grep -E 'Cap(Eff|Prm|Bnd|Inh|Amb)' /proc/self/status | grep -qv 0000000000000000")],
    ['gains some from setuid programs', says("grep -q 'NoNewPrivs:.0' /proc/self/status")],
    ['leaves a setuid program behind', `cp /bin/true suid; chmod u+s suid; ${says('test -u suid')}`, {control: true}],
    ['creates one in a single step', python('import os\nos.umask(0)\nos.close(os.open("suid2", os.O_CREAT | os.O_WRONLY, 0o4755))\nprint("ESCAPED" if os.stat("suid2").st_mode & 0o4000 else "no")'), {control: true}],
    ['makes a device', says('mknod disk b 254 0')],
    ['finds devices', says("find /dev -type b | grep -q . || test -e /dev/mem || test -e /dev/kmsg || test -e /dev/vda || test -e /dev/sda")],
    ['changes the kernel', says('cat /proc/sys/kernel/core_pattern > /tmp/v && cat /tmp/v > /proc/sys/kernel/core_pattern')],
    ['changes how the kernel picks victims', says('echo -1000 > /proc/self/oom_score_adj')],
    ['writes to control groups', says('mkdir /sys/fs/cgroup/toolgate-escape || find /sys/fs/cgroup -name cgroup.procs -writable | xargs -r -n1 sh -c \'echo $$ > $0\' 2>/dev/null | grep -q .')],
    ['renames the machine', says('hostname evil')],
    ['dumps core', `(ulimit -c unlimited; sh -c 'kill -SEGV $$'); ${says('ls core* /tmp/core* 2>/dev/null | grep -q .')}`],
    ['fills /tmp', says('fallocate -l 600M /tmp/big')],
    ['fills /dev/shm', says('head -c 100M /dev/zero > /dev/shm/big')],
    ['sees other processes', says(`ls /proc | grep -c '^[0-9]' | awk '{exit !($1 > 12)}'`), {control: true}],
  ];
};

test('more than forty ways out are closed', {skip}, async (t) => {
  const all = attempts();
  assert.ok(all.length >= 40);
  assert.equal(new Set(all.map(([name]) => name)).size, all.length);
  for (const [name, command, {is = () => true} = {}] of all)
    await t.test(name, async () => {
      const output = await run(world, command);
      assert.match(output, /\[The command /, output);
      assert.doesNotMatch(output, /ESCAPED/);
      assert.ok(!output.includes(world.gateway.operatorToken) && !output.includes(UPSTREAM_KEY));
      assert.ok(is(), 'something has changed outside');
      assert.equal((await world.api.request('GET', '/healthz')).status, 200);
    });
});

test('the same attempts get through where there is no sandbox, so they can fail', {skip}, async (t) => {
  for (const [name, command, {control, maybe} = {}] of attempts()) {
    if (!control) continue;
    const output = await run(open, typeof control === 'function' ? control(open) : command);
    if (maybe && !output.includes('ESCAPED')) t.diagnostic(`${name}: this machine refuses it without a sandbox too`);
    else assert.match(output, /ESCAPED/, name);
  }
});

const running = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {pid: Number(name), state, parent: Number(parent), command: readFileSync(`/proc/${name}/cmdline`, 'utf8')};
  } catch {
    return null;
  }
}).filter(Boolean);
const left = () => running().filter(({command, parent}) => command.includes(`left-${marker}`) || parent === world.gateway.pid || parent === open.gateway.pid);

const sleeper = `bash -c 'exec -a left-${marker} sleep 1000'`;
const daemons = {
  'in the background': `${sleeper} & sleep 0.1; echo done`,
  'in a session of its own that holds the terminal': `setsid ${sleeper} & sleep 0.1; echo done`,
  'deaf to signals': `(trap '' HUP TERM INT; ${sleeper}) & sleep 0.1; echo done`,
  'that forked twice': `(setsid bash -c "(${sleeper.replaceAll("'", '"').replaceAll('"', '\\"')} &) &" &); sleep 0.1; echo done`,
  'with nohup': `nohup ${sleeper} >/dev/null 2>&1 & sleep 0.1; echo done`,
};
for (const [name, command] of Object.entries(daemons))
  test(`a process ${name} ends with its command`, {skip}, async () => {
    for (const at of [world, open]) {
      assert.match(await run(at, command), /done/);
      assert.deepEqual(left(), []);
    }
  });

// A configuration that reads a pipe is another one each time: nothing that was looked at holds for the next look.
// What git runs for it is found out by how many looks come first.
async function letGitRun(at, attempts) {
  const folder = at.path('nested');
  const git = (...words) => assert.equal(spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...words], {cwd: folder}).status, 0);
  at.write({'nested/a.txt': 'a\n', 'nested/.gitattributes': '*.txt filter=evil\n'});
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  git('config', 'include.path', 'changing');
  assert.equal(spawnSync('mkfifo', [path.join(folder, '.git/changing')]).status, 0);
  const traces = [path.join(at.gateway.folder, 'outside/git-ran'), path.join(folder, 'git-ran')];
  at.write({evil: `[filter "evil"]\n\tclean = "touch ${traces.join(' ')}; cat"\n`});
  let attempt = 0;
  for (; attempt < attempts && !traces.some(existsSync); ++attempt) {
    const looks = attempt % 16;
    at.write({'nested/a.txt': `changed ${attempt}\n`});
    const feeder = spawn('bash', ['-c', `for ((i = 0; i < ${looks}; ++i)); do : > .git/changing; done; while cat ../evil > .git/changing; do :; done`], {cwd: folder, detached: true, stdio: 'ignore'});
    await at.call('get_changed_files', {repositoryPath: 'nested'});
    const ended = new Promise((resolve) => feeder.once('exit', resolve));
    process.kill(-feeder.pid, 'SIGKILL');
    await ended;
  }
  return {traces: traces.filter(existsSync), attempt};
}

test('git runs nothing outside for a configuration that changes while it is read', {skip}, async () => {
  // Where nothing holds it back it must get through, or the attempts prove nothing; a busy machine needs more of them.
  const unheld = await letGitRun(open, 160);
  assert.notDeepEqual(unheld.traces, []);
  assert.deepEqual((await letGitRun(world, 16 + 2 * unheld.attempt)).traces, []);
});

test('a command that ignores signals ends when its time is over', {skip}, async () => {
  for (const at of [world, open]) {
    const output = await run(at, `trap '' HUP TERM INT; setsid ${sleeper} & while true; do ${sleeper}; done`, {timeout: 300});
    assert.match(output, /was ended after .*its time of 300 ms was over/);
    assert.deepEqual(left(), []);
  }
});

test('a fork bomb ends', {skip}, async () => {
  const output = await run(world, ':(){ :|:& };: ; sleep 30');
  assert.match(output, /was ended after .*: it (had more than 512 processes|took more than \d+ MiB of memory)\.\]/);
  assert.equal((await world.api.request('GET', '/healthz')).status, 200);
  assert.match(await run(world, 'echo alive'), /alive/);
  assert.deepEqual(left(), []);
});

// The supervisor alone, with limits that are soon reached.
const supervise = (processes, memory, command) => spawnSync(
    binary, ['supervise-command', String(processes), String(memory), '/bin/bash', '-c', command], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'], timeout: 20_000});
test('the supervisor ends what takes too many processes or too much memory', () => {
  const many = supervise(20, 2 ** 34, `for i in $(seq 100); do sleep 1000 & done; wait`);
  assert.match(many.output[3], /limit it had more than 20 processes/);
  const large = supervise(20, 2 ** 27, `python3 -c 'x = bytearray(400 << 20); import time; time.sleep(60)'`);
  assert.match(large.output[3], /limit it took more than 128 MiB of memory/);
  assert.equal(running().filter(({command}) => command === 'sleep\x001000\x00').length, 0);
});

test('when the gateway is killed, its commands end', {skip}, async () => {
  const doomed = await startWorld();
  await doomed.call('run_in_terminal', {command: `setsid ${sleeper} & ${sleeper}`, isBackground: true});
  assert.ok(running().some(({command}) => command.includes(`left-${marker}`)));
  await doomed.gateway.crash();
  for (let i = 0; i < 1000 && running().some(({command}) => command.includes(`left-${marker}`)); ++i)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(running().filter(({command}) => command.includes(`left-${marker}`)), []);
  rmSync(doomed.gateway.folder, {recursive: true, force: true});
});

test('the folders that a sandbox needs go when the last command that needs them has ended', {skip}, async (t) => {
  const at = await startWorld();
  const there = () => ['.vscode', '.toolgate'].filter((name) => existsSync(at.path(name)));
  const evil = 'mkdir -p .vscode .toolgate; echo x > .vscode/tasks.json || echo x > .toolgate/settings.json';
  const until = async (holds) => {
    for (let i = 0; i < 1000 && !holds(); ++i) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(holds());
  };
  const begin = async (command) => {
    const {body} = await at.call('run_in_terminal', {command, isBackground: true});
    return /^Terminal (term_\w+)/.exec(textOf(body))[1];
  };

  // At the same time.
  const together = async (commands) => {
    let open = commands.length;
    const answers = commands.map((command) => at.api.invoke('run_in_terminal', {command}).finally(() => --open));
    while (open > 0) {
      for (const {id} of await at.api.pending()) await at.api.confirm(id, 'allow');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return (await Promise.all(answers)).map(({body}) => textOf(body));
  };

  await t.test('by itself', async () => {
    assert.match(await run(at, 'ls -1d .vscode .toolgate'), /^\.toolgate\n\.vscode\n/);
    assert.deepEqual(there(), []);
  });
  await t.test('because its time is over', async () => {
    await run(at, 'sleep 1000', {timeout: 300});
    assert.deepEqual(there(), []);
  });
  await t.test('in the background, and others do not take its protection away', async () => {
    const id = await begin(`read; ${evil}; ls -A .vscode .toolgate; echo tried`);
    assert.deepEqual(there(), ['.vscode', '.toolgate']);
    await together(['sleep 0.1', 'true', evil]);
    assert.deepEqual(there(), ['.vscode', '.toolgate']);
    // A gateway of its own in the same workspace.
    const folder = mkdtempSync(path.join(build, 'escape-'));
    symlinkSync(at.folder, path.join(folder, 'workspace'));
    const other = await Workspace.start({folder});
    assert.match(await run(other, `${evil}; pwd -P; ls -d .vscode`), new RegExp(`${at.folder}\\n\\.vscode`));
    await other.stop();
    assert.deepEqual(there(), ['.vscode', '.toolgate']);
    await at.text('send_to_terminal', {id, command: ''});
    await until(() => there().length === 0);
    const output = await at.text('get_terminal_output', {id});
    assert.match(output, /Read-only file system[\s\S]*\ntried\n/);
    assert.doesNotMatch(output, /^(tasks|settings)\.json/m);
  });
  await t.test('because it is killed', async () => {
    const id = await begin('sleep 1000');
    await at.text('kill_terminal', {id});
    assert.deepEqual(there(), []);
  });
  await t.test('many at once', async () => {
    for (let i = 0; i < 3; ++i) {
      const texts = await together(Array.from({length: 8}, () => `${evil}; ls -1d .vscode .toolgate`));
      for (const text of texts) assert.match(text, /\n\.toolgate\n\.vscode\n\[The command exited with 0/);
      assert.deepEqual(there(), []);
    }
  });
  await t.test('but not what people made or used', async () => {
    at.write({'.vscode/': null});
    await run(at, 'true');
    assert.deepEqual(there(), ['.vscode']);
    rmSync(at.path('.vscode'), {recursive: true});
    const id = await begin('sleep 1000');
    at.write({'.vscode/tasks.json': '{}'});
    await at.text('kill_terminal', {id});
    assert.deepEqual(there(), ['.vscode']);
    assert.equal(at.read('.vscode/tasks.json'), '{}');
    assert.match(await run(at, 'cat .vscode/tasks.json'), /^\{\}/);
    rmSync(at.path('.vscode'), {recursive: true});
  });
  await t.test('because the gateway is killed', async () => {
    await begin('sleep 1000');
    assert.deepEqual(there(), ['.vscode', '.toolgate']);
    await at.gateway.crash();
    await until(() => there().length === 0);
    rmSync(at.gateway.folder, {recursive: true, force: true});
  });
});

test('settings limit what a command takes', {skip}, async () => {
  for (const enabled of [true, false]) {
    const limits = {'toolgate.sandbox.memoryBytes': 64 << 20, 'toolgate.sandbox.processes': 20, 'toolgate.sandbox.enabled': enabled};
    const few = await startWorld(limits);
    const large = "python3 -c 'import time; x = bytearray(200 << 20); time.sleep(1); print(len(x))'";
    const many = 'for i in $(seq 60); do sleep 1 & done; wait; echo all';
    assert.match(await run(few, large), /was ended after .*it took more than 64 MiB of memory/);
    assert.match(await run(few, many), /was ended after .*it had more than 20 processes/);
    assert.match(await run(few, 'echo small'), /^small\n\[The command exited with 0/);
    await few.stop();
    const more = await startWorld({...limits, 'toolgate.sandbox.memoryBytes': 512 << 20, 'toolgate.sandbox.processes': 700});
    assert.match(await run(more, large), /^209715200\n/);
    assert.match(await run(more, many.replace('60', '560')), /(^|\n)all\n/);  // more than without the setting
    await more.stop();
  }
  assert.match(await run(world, 'for i in $(seq 560); do sleep 5 & done; wait'), /it had more than 512 processes/);
});

// Language servers run code that a workspace brings along, and nobody is asked before. The same code, with and
// without the sandbox, which is how it is known that it ran at all: it prints the name of what it could do.
const misdeeds = (at) => {
  const {folder, port, settingsFile} = at.gateway;
  return {
    'writes-to-the-workspace': `echo x > ${folder}/workspace/written`,
    'writes-to-obeyed-files': `mkdir -p ${folder}/workspace/.vscode`,
    'writes-outside': `echo x > ${folder}/outside/written`,
    'writes-home': `echo x >> ${folder}/.bashrc`,
    'reads-the-token': `grep -q . ${folder}/data/operator-token`,
    'reads-settings': `grep -q . ${settingsFile}`,
    'reads-keys': `grep -rq PRIVATE-KEY ${folder}/.ssh ${folder}/.netrc`,
    'reaches-the-gateway': `(exec 3<>/dev/tcp/127.0.0.1/${port})`,
    'sees-the-gateway': `test -e /proc/${at.gateway.pid}/status`,
    'dumps-core': 'test "$(ulimit -c)" != 0 || ulimit -c unlimited',
  };
};
const harmless = {'writes-tmp': 'echo x > /tmp/toolgate-server && rm /tmp/toolgate-server', 'reads-the-workspace': 'test -e tsconfig.json'};
const scriptOf = (at) => Object.entries({...harmless, ...misdeeds(at)}).map(([name, command]) => `if ${command}; then printf '%s ' did-${name}; fi`).join('; ');
const didOf = (text) => [...new Set(text.match(/did-[\w-]+/g) ?? [])].map((word) => word.slice(4)).sort();

const serverPrograms = path.resolve(import.meta.dirname, '../../build/tools/language-servers/node_modules');
const serverPath = [path.join(serverPrograms, '.bin'), path.dirname(process.execPath), process.env.PATH].join(':');
// As editors start it when they trust a workspace: with the plugins that its tsconfig.json names.
const trusting = `
import child from 'node:child_process';
import {syncBuiltinESMExports} from 'node:module';
const fork = child.fork;
child.fork = (file, args, options) => fork(file, [...args, '--allowLocalPluginLoads'], options);
syncBuiltinESMExports();
await import(${JSON.stringify(path.join(serverPrograms, 'typescript-language-server/lib/cli.mjs'))});
`;
const plugin = `
const {spawnSync} = require('node:child_process');
module.exports = ({typescript}) => ({
  create({languageService}) {
    const {stdout} = spawnSync('bash', [__dirname + '/evil.sh'], {cwd: __dirname + '/../..', encoding: 'utf8'});
    const proxy = Object.assign(Object.create(null), languageService);
    proxy.getSemanticDiagnostics = (name) => [
      ...languageService.getSemanticDiagnostics(name),
      {file: languageService.getProgram().getSourceFile(name), start: 0, length: 1, category: 1, code: 9, messageText: stdout}
    ];
    return proxy;
  }
});
`;
const servers = {
  'a plugin of tsserver': {
    settings: (tools) => ({typescript: [process.execPath, path.join(tools, 'trusting.mjs'), '--stdio']}),
    files: (at) => ({
      'tsconfig.json': '{"compilerOptions": {"plugins": [{"name": "evil"}], "types": []}}',
      'node_modules/evil/package.json': '{"name": "evil", "version": "1.0.0", "main": "index.js"}',
      'node_modules/evil/index.js': plugin,
      'node_modules/evil/evil.sh': scriptOf(at),
      'a.ts': 'let a: string = 1\n'
    }),
    ask: 'a.ts',
    honest: /error: Type 'number' is not assignable to type 'string'/
  },
  // It prints a folder of headers, one of which says what it did.
  'a compiler that clangd asks for its headers': {
    settings: () => ({cpp: ['clangd-19', '--background-index=false', '--log=error', '--query-driver=**']}),
    files: (at) => ({
      'tsconfig.json': '{}',
      'compile_commands.json': JSON.stringify([{directory: at.folder, file: at.path('a.cpp'), arguments: [at.path('evil-g++'), '-c', 'a.cpp']}]),
      'evil-g++': {
        text: `#!/bin/bash\nd=$(mktemp -d)\necho "#error $(${scriptOf(at)})" > $d/outcome.h\n` +
            'printf \'%s\\n\' "Target: x86_64-linux-gnu" "#include <...> search starts here:" " $d" "End of search list." >&2\n',
        mode: 0o755
      },
      'a.cpp': '#include <outcome.h>\nint a = undeclared;\n'
    }),
    ask: 'a.cpp',
    honest: /undeclared/
  },
  'a server itself': {
    settings: () => ({fake: {command: [process.execPath, path.join(import.meta.dirname, 'language_server.mjs')], extensions: ['.fake']}}),
    files: (at) => ({'tsconfig.json': '{}', 'a.fake': `BAD\n#run ${scriptOf(at)}\n`}),
    ask: 'a.fake',
    honest: /error: BAD is not good/
  }
};
for (const [name, {settings, files, ask, honest}] of Object.entries(servers))
  test(`${name} gets nowhere, and the server answers`, {skip}, async () => {
    for (const enabled of [true, false]) {
      const tools = mkdtempSync(path.join(build, 'escape-tools-'));
      writeFileSync(path.join(tools, 'trusting.mjs'), trusting);
      const at = await startWorld({'toolgate.sandbox.enabled': enabled, 'toolgate.languageServers': settings(tools)}, {PATH: serverPath});
      at.write(files(at));
      const before = readdirSync(at.folder, {recursive: true}).sort();
      const answer = await at.text('get_errors', {filePaths: [ask]});
      assert.match(answer, honest);
      const expected = enabled ? Object.keys(harmless) : [...Object.keys(harmless), ...Object.keys(misdeeds(at))];
      assert.deepEqual(didOf(answer), expected.sort(), answer);
      if (enabled) {
        assert.deepEqual(readdirSync(at.folder, {recursive: true}).sort(), before);
        assert.ok(!existsSync(`${at.gateway.folder}/outside/written`));
        assert.equal(readFileSync(`${at.gateway.folder}/.bashrc`, 'utf8'), '# mine\n');
      }
      await at.stop();
      rmSync(tools, {recursive: true});
    }
  });

test('nothing is left at the end', {skip}, () => {
  assert.deepEqual(left(), []);
});
