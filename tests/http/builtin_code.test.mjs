// The built-in tools that understand code: with a server that misbehaves on demand, and with real ones.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {machineRefuses, Workspace} from './builtin.mjs';
import {binary} from './gateway.mjs';

const here = import.meta.dirname;
const installed = path.resolve(here, '../../build/tools/language-servers/node_modules/.bin');
const searchPath = [installed, path.dirname(process.execPath), process.env.PATH].join(':');

const fakeServer = (...more) =>
    ({fake: {command: [process.execPath, path.join(here, 'language_server.mjs'), ...more], extensions: ['.fake'], sandbox: false}});
const sandboxedServer = () => {
  const {fake} = fakeServer();
  return {fake: {...fake, sandbox: true}};
};
const worlds = [];
async function startWorld(settings = {}, servers = fakeServer()) {
  const world = await Workspace.start(
      {settings: {'toolgate.languageServers': servers, ...settings}, env: {PATH: searchPath, SECRET_OF_OURS: 'x'}});
  worlds.push(world);
  return world;
}
// Those of tests that failed half way.
after(() => worlds.forEach(({gateway}) => gateway.process.kill('SIGKILL')));

const logOf = (world) => world.read('fake.log') ?? '';
const startsOf = (world) => [...logOf(world).matchAll(/^start (\d+)/gm)].map(([, pid]) => Number(pid));
// A process that has ended but is not reaped would be one too.
const isAlive = (pid) => existsSync(`/proc/${pid}`);

async function eventually(what, holds) {
  for (const end = performance.now() + 15_000; performance.now() < end;) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`did not happen: ${what}`);
}

describe('a language server', () => {
  let world;
  before(async () => { world = await startWorld(); });
  after(() => world.stop());

  test('is told about files as they are on disk, before and after an edit', async () => {
    world.write({'a.fake': 'one\n  é😀 BAD here\nDUBIOUS HINT\n'});
    const expected = 'a.fake:2:7: error: BAD is not good [fake 7]\n    é😀 BAD here\n' +
        'a.fake:3:1: warning: DUBIOUS is not good [fake 7]\n    DUBIOUS HINT\n';
    assert.equal(await world.text('get_errors', {filePaths: ['a.fake']}), expected);
    assert.equal(await world.text('get_errors', {filePaths: [world.path('a.fake')]}), expected);
    world.write({'a.fake': 'fine\n'});
    assert.equal(await world.text('get_errors', {filePaths: ['a.fake']}), 'a.fake: no problems\n');
    world.write({'a.fake': 'BAD\n', 'b.fake': 'BAD\n'});
    assert.equal(
        await world.text('get_errors', {filePaths: ['b.fake', 'a.fake', './b.fake']}),
        'b.fake:1:1: error: BAD is not good [fake 7]\n    BAD\na.fake:1:1: error: BAD is not good [fake 7]\n    BAD\n');
    assert.match(await world.text('get_errors', {}), /^a\.fake:1:1: error.*b\.fake:1:1: error/s);
    assert.equal(startsOf(world).length, 1);
  });

  test('is waited for until it has seen the right version', async () => {
    world.write({'stale.fake': '#stale\nBAD\n'});
    assert.equal(await world.text('get_errors', {filePaths: ['stale.fake']}),
                 'stale.fake:2:1: error: BAD is not good [fake 7]\n    BAD\n');
    world.write({'unversioned.fake': '#unversioned\nBAD\n'});
    for (let i = 0; i < 2; ++i)
      assert.match(await world.text('get_errors', {filePaths: ['unversioned.fake']}), /^unversioned\.fake:2:1: error/);
  });

  test('that lies shows nothing from outside, and no harm is done', async () => {
    world.write({'lie.fake': '#lie\nBAD\ndef liar\n'});
    assert.equal(await world.text('get_errors', {filePaths: ['lie.fake']}),
                 'lie.fake:4000000001:4000000001: error: far away\nlie.fake:2:1: error: BAD is not good [fake 7]\n    BAD\n');
    assert.equal(
        await world.text('list_code_usages', {symbolName: 'liar'}),
        '1 definition:\nlie.fake:3:5: def liar\n3 references:\n/etc/passwd:1:1\nlie.fake:3:5: def liar\nlie.fake:4000000001:4000000001\n');
    rmSync(world.path('lie.fake'));
  });

  test('gets a small environment and answers to what it asks', () => {
    const log = logOf(world);
    assert.doesNotMatch(log, /SECRET_OF_OURS|MOCK_UPSTREAM_KEY/);
    assert.match(log, /^start \d+ .*HOME.*PATH/m);
    for (const line of ['workspace/configuration [null,null]', 'window/workDoneProgress/create null', 'client/registerCapability null',
                        'workspace/applyEdit {"applied":false}', 'fake/unknown -32601'])
      assert.ok(log.includes(`answer ${line}\n`), line);
  });

  test('finds definitions, references and implementations', async () => {
    world.write({
      'use/one.fake': '// area in a comment\ndef area\nuse area\n',
      'use/two.fake': 'impl area\narea areas\n',
      'use/three.txt': 'area'
    });
    assert.equal(
        await world.text('list_code_usages', {symbolName: 'area'}),
        '1 definition:\nuse/one.fake:2:5: def area\n' +
            '5 references:\nuse/one.fake:1:4: // area in a comment\nuse/one.fake:2:5: def area\nuse/one.fake:3:5: use area\n' +
            'use/two.fake:1:6: impl area\nuse/two.fake:2:1: area areas\n' +
            '1 implementation:\nuse/two.fake:1:6: impl area\n');
    assert.match(await world.text('list_code_usages', {symbolName: 'Shape::area()', filePaths: ['use/two.fake']}), /^1 definition:/);
    assert.equal(await world.text('list_code_usages', {symbolName: 'nowhere'}),
                 'No source file of a known language has \'nowhere\' in it.\n');
    world.write({'use/four.fake': '// onlyincomment\n'});
    assert.equal(await world.text('list_code_usages', {symbolName: 'onlyincomment'}),
                 '\'onlyincomment\' stands in files, but is no symbol there.\n');
  });

  test('finds symbols by a part of their name', async () => {
    world.write({'sym/one.fake': 'def makeThing\ndef thing\n', 'sym/two.fake': 'def thingy\n'});
    assert.equal(
        await world.text('search_workspace_symbols', {symbolName: 'thing'}),
        'function thing in box: sym/one.fake:2:5: def thing\nfunction thingy in box: sym/two.fake:1:5: def thingy\n' +
            'function makeThing in box: sym/one.fake:1:5: def makeThing\n');
    assert.equal(await world.text('search_workspace_symbols', {symbolName: 'zzz'}), 'No symbol has \'zzz\' in its name.\n');
  });

  test('odd names of files are shown as such', async () => {
    world.write({'odd\n\u202e.fake': 'BAD\n'});
    assert.match(await world.text('get_errors', {filePaths: ['odd\n\u202e.fake']}), /^odd⟨U\+000A⟩⟨U\+202E⟩\.fake:1:1: error/);
  });

  test('wrong inputs are errors that say what is wrong', async () => {
    world.write({'big.fake': {sparse: 5 << 20}, 'folder.fake/': null, 'plain.rb': '', 'link.fake': {link: '/etc/passwd'}});
    for (const [tool, input, words] of [
           ['get_errors', {filePaths: ['none.fake']}, /there is no none\.fake/],
           ['get_errors', {filePaths: ['../data/x.fake']}, /there is no|belongs to the gateway/],
           ['get_errors', {filePaths: ['/etc/passwd']}, /outside the workspace/],
           ['get_errors', {filePaths: ['link.fake']}, /outside the workspace/],
           ['get_errors', {filePaths: ['folder.fake']}, /is a folder, not a file/],
           ['get_errors', {filePaths: ['big.fake']}, /too long for a language server: 5242880 bytes, where 4194304 are the most/],
           ['get_errors', {filePaths: ['plain.rb']}, /plain\.rb was not checked: no language server is known/],
           ['get_errors', {filePaths: Array(101).fill('a.fake')}, /names 101 files, where 100 are the most/],
           ['list_code_usages', {symbolName: 'two words'}, /name of a symbol has no spaces/],
           ['list_code_usages', {symbolName: ''}, /name of a symbol has no spaces/],
           ['list_code_usages', {symbolName: 'area', filePaths: ['none.fake']}, /there is no none\.fake/],
           ['search_workspace_symbols', {symbolName: 'x'.repeat(501)}, /between 1 and 500 bytes/],
           ['search_workspace_symbols', {}, /symbolName/]
    ])
      assert.match(await world.failure(tool, input), words, `${tool} ${JSON.stringify(input).slice(0, 100)}`);
    assert.match(await world.text('get_errors', {filePaths: ['plain.rb', 'a.fake']}), /^plain\.rb: not checked: no language server.*\na\.fake:/);
  });

  test('is given up on when a file has gone, and looks again when it is back', async () => {
    world.write({'gone.fake': 'BAD\n'});
    await world.text('get_errors', {filePaths: ['gone.fake']});
    rmSync(world.path('gone.fake'));
    assert.match(await world.failure('get_errors', {filePaths: ['gone.fake']}), /there is no gone\.fake/);
    assert.doesNotMatch(await world.text('get_errors', {}), /gone\.fake/);
    world.write({'gone.fake': 'fine\n'});
    assert.equal(await world.text('get_errors', {filePaths: ['gone.fake']}), 'gone.fake: no problems\n');
    assert.match(logOf(world), /didClose gone\.fake/);
  });

  test('answers many at once', async () => {
    world.write(Object.fromEntries(Array.from({length: 80}, (_, i) => [`many/${i}.fake`, `BAD${i}\n`])));
    const texts = await Promise.all(Array.from({length: 80}, (_, i) => world.api.invoke('get_errors', {filePaths: [`many/${i}.fake`]})));
    texts.forEach(({body}, i) => assert.match(JSON.stringify(body), new RegExp(`many/${i}\\.fake:1:1: error`)));
    assert.equal(startsOf(world).length, 1);
    const open = logOf(world).match(/didOpen /g).length - logOf(world).match(/didClose /g).length;
    assert.ok(open <= 64, `${open} are open`);
    rmSync(world.path('many'), {recursive: true});
  });
});

test('a server that can be asked for problems is asked', async () => {
  const world = await startWorld({}, fakeServer('--pull'));
  world.write({'a.fake': 'BAD\n'});
  assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:1: error: BAD/);
  world.write({'a.fake': 'fine\n'});
  assert.equal(await world.text('get_errors', {filePaths: ['a.fake']}), 'a.fake: no problems\n');
  await world.stop();
});

test('a server that crashes once is started again, and the call succeeds', async () => {
  const world = await startWorld();
  world.write({'a.fake': '#crash-once BAD\n'});
  assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:13: error: BAD/);
  const pids = startsOf(world);
  assert.equal(pids.length, 2);
  assert.ok(!isAlive(pids[0]));
  await world.stop();
  assert.ok(!isAlive(pids[1]));
});

for (const [word, reason] of [
       ['#crash', /ended with status 3/], ['#half', /ended with status 4/],
       ['#huge', /broke the protocol: a message of 1000000000000 bytes is over the limit/],
       ['#garbage', /broke the protocol: a message's header has a line without a colon/],
       ['#flood', /flooded us with messages that nobody asked for/]
])
  test(`a server that does ${word} again and again is left alone`, async () => {
    const world = await startWorld({'toolgate.logLevel': 'error'});
    world.write({'a.fake': `${word}\n`, 'b.fake': 'BAD\n'});
    assert.match(await world.failure('get_errors', {filePaths: ['a.fake']}), reason);
    assert.match(await world.failure('get_errors', {filePaths: ['a.fake']}), reason);
    assert.match(await world.failure('get_errors', {filePaths: ['b.fake']}), /has ended by itself 3 times within 5 minutes and is left alone/);
    const pids = startsOf(world);
    assert.equal(pids.length, 3);
    await eventually('all have ended', () => !pids.some(isAlive));
    await world.stop();
  });

test('a server that cannot get ready says why', async () => {
  const world = await startWorld({'toolgate.logLevel': 'error'}, fakeServer('--broken'));
  world.write({'a.fake': ''});
  assert.match(await world.failure('get_errors', {filePaths: ['a.fake']}), /ended with status 9: this server is broken/);
  await world.stop();
  const mute = await startWorld({'toolgate.logLevel': 'error', 'toolgate.languageServer.answerSeconds': 0.3}, fakeServer('--mute'));
  mute.write({'a.fake': ''});
  assert.match(await mute.failure('get_errors', {filePaths: ['a.fake']}), /did not get ready: no answer to initialize within 0\.3 s/);
  const pids = startsOf(mute);
  assert.equal(pids.length, 1);
  await mute.stop();
  assert.ok(!pids.some(isAlive));
});

test('a server that hangs is not waited for for ever', async () => {
  const world = await startWorld({'toolgate.languageServer.answerSeconds': 0.5, 'toolgate.logLevel': 'error'});
  world.write({'a.fake': '#silent\n', 'b.fake': '#hang\ndef b\n'});
  assert.match(await world.failure('get_errors', {filePaths: ['a.fake']}),
               /has not looked at a\.fake within 0\.5 s \(toolgate\.languageServer\.answerSeconds\)/);
  rmSync(world.path('a.fake'));
  assert.match(await world.failure('list_code_usages', {symbolName: 'b'}), /no answer to textDocument\/definition within 0\.5 s/);
  await eventually('it is told', () => logOf(world).includes('$/cancelRequest'));
  await world.stop();
});

test('what a server has said of a text stands when it does not say it again', async () => {
  const world = await startWorld({'toolgate.languageServer.answerSeconds': 0.5, 'toolgate.logLevel': 'error'});
  world.write({'a.fake': '#quiet BAD\n'});
  for (let i = 0; i < 3; ++i) assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:8: error/);
  world.write({'a.fake': '#quiet #silent\n'});
  assert.match(await world.failure('get_errors', {filePaths: ['a.fake']}), /has not looked at a\.fake within 0\.5 s/);
  await world.stop();
});

test('a call that is cancelled takes its question back', async () => {
  const world = await startWorld();
  world.write({'a.fake': '#hang\ndef b\n'});
  const gone = new AbortController();
  const answer = world.api.invoke('list_code_usages', {symbolName: 'b'}, {}, {signal: gone.signal}).catch((error) => error.name);
  await eventually('it is asked', () => logOf(world).includes('textDocument/definition'));
  gone.abort();
  assert.equal(await answer, 'AbortError');
  await eventually('it is told', () => logOf(world).includes('$/cancelRequest'));
  await world.stop();
});

test('an idle server is ended and started again when needed', async () => {
  const world = await startWorld({'toolgate.languageServer.idleSeconds': 0.2});
  world.write({'a.fake': 'BAD\n'});
  await world.text('get_errors', {filePaths: ['a.fake']});
  const [first] = startsOf(world);
  await eventually('it has ended', () => !isAlive(first));
  assert.match(logOf(world), /^shutdown.*\n(.*\n)*exit/m);
  assert.equal(await world.text('get_errors', {}), 'No file was looked at lately. Name the files to check in filePaths.');
  assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:1: error/);
  assert.equal(startsOf(world).length, 2);
  await world.stop();
});

test('nothing is left of a server that does not want to end, nor of what it started', async () => {
  const world = await startWorld();
  world.write({'a.fake': '#stubborn #child\n'});
  await world.text('get_errors', {filePaths: ['a.fake']});
  const pids = [...startsOf(world), Number(/^child (\d+)/m.exec(logOf(world))[1])];
  assert.ok(pids.every(isAlive));
  await world.stop();
  await eventually('all have ended', () => !pids.some(isAlive));
});

// All that was started below a process; numbers that are only known in the sandbox help nobody here.
function descendants(pid) {
  const parents = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
    } catch {
      return [];
    }
  });
  const found = [pid];
  for (let i = 0; i < found.length; ++i) found.push(...parents.filter(([, parent]) => parent === found[i]).map(([child]) => child));
  return found.slice(1);
}
const commandOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
};

describe('in the sandbox', {skip: machineRefuses()}, () => {
  const start = async (settings = {}) => {
    const world = await startWorld(settings, sandboxedServer());
    world.write({'a.fake': 'BAD\n'});
    assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:1: error/);
    const all = descendants(world.gateway.pid);
    assert.ok(all.some((pid) => commandOf(pid)[0].endsWith('/bwrap')), 'bubblewrap runs');
    return {world, all, server: all.find((pid) => commandOf(pid)[0] === process.execPath)};
  };

  test('a server that ends is started again, and nothing is left of the one before', async () => {
    const {world, all, server} = await start({'toolgate.logLevel': 'error'});
    process.kill(server, 'SIGKILL');
    await eventually('all have ended', () => !all.some(isAlive));
    assert.match(await world.text('get_errors', {filePaths: ['a.fake']}), /^a\.fake:1:1: error/);
    const next = descendants(world.gateway.pid);
    assert.ok(next.length > 0);
    await world.stop();
    await eventually('all have ended', () => !next.some(isAlive));
  });

  test('how it ended is known', async () => {
    const {world} = await start({'toolgate.logLevel': 'error'});
    world.write({'b.fake': '#crash\n'});
    assert.match(await world.failure('get_errors', {filePaths: ['b.fake']}), /ended with status 3/);
    await world.stop();
  });

  test('an idle server is ended', async () => {
    const {world, all} = await start({'toolgate.languageServer.idleSeconds': 0.2});
    await eventually('all have ended', () => !all.some(isAlive));
    await world.stop();
  });

  test('nothing is left of a server that does not want to end, nor of what it started', async () => {
    const {world} = await start();
    world.write({'a.fake': '#stubborn #child\n'});
    await world.text('get_errors', {filePaths: ['a.fake']});
    const all = descendants(world.gateway.pid);
    assert.ok(all.some((pid) => commandOf(pid)[0] === 'sleep'));
    await world.stop();
    await eventually('all have ended', () => !all.some(isAlive));
  });

  test('when the gateway is killed, its servers end', async () => {
    const {world} = await start();
    world.write({'a.fake': '#stubborn #child\n'});
    await world.text('get_errors', {filePaths: ['a.fake']});
    const all = descendants(world.gateway.pid);
    await world.gateway.crash();
    await eventually('all have ended', () => !all.some(isAlive));
    rmSync(world.gateway.folder, {recursive: true, force: true});
  });

  test('a changed sandbox means another server', async () => {
    const {world, all} = await start();
    world.gateway.writeSettings({'toolgate.tools.builtin': true, 'toolgate.languageServers': fakeServer()});
    for (let i = 0; i < 500 && startsOf(world).length === 0; ++i) await world.call('get_errors', {filePaths: ['a.fake']});
    assert.equal(startsOf(world).length, 1);
    await eventually('all have ended', () => !all.some(isAlive));
    await world.stop();
  });
});

test('a changed setting means another server', async () => {
  const world = await startWorld();
  world.write({'a.fake': 'BAD\n'});
  await world.text('get_errors', {filePaths: ['a.fake']});
  world.gateway.writeSettings({'toolgate.tools.builtin': true, 'toolgate.languageServers': {fake: false}});
  let failure = '';
  for (let i = 0; i < 500 && !/no language server is known/.test(failure); ++i) {
    const {body} = await world.call('get_errors', {filePaths: ['a.fake']});
    failure = JSON.stringify(body);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.match(failure, /no language server is known/);
  await world.stop();
});

test('what is not installed is said with what to do, and a workspace brings no programs', async () => {
  const nothing = path.join(here, 'no-such-folder');
  const world = await Workspace.start({env: {PATH: nothing}});
  const program = {text: '#!/bin/sh\ntouch "$0.was-run"\n', mode: 0o755};
  world.write({
    'a.cpp': 'int a;\n', 'b.ts': 'let b\n', 'c.py': 'c = 1\n',
    'node_modules/.bin/clangd': program, 'node_modules/.bin/typescript-language-server': program, 'node_modules/.bin/pyright-langserver': program
  });
  for (const [file, words] of [['a.cpp', /there is no clangd.*apt install clangd/], ['b.ts', /there is no typescript-language-server.*npm install -g/],
                               ['c.py', /there is no pyright-langserver.*npm install -g pyright/]])
    assert.match(await world.failure('get_errors', {filePaths: [file]}), words);
  assert.match(await world.failure('list_code_usages', {symbolName: 'a'}), /there is no clangd/);
  await world.stop();
  const inside = await Workspace.start({env: {PATH: `${nothing}:.:node_modules/.bin`}});
  inside.write({'a.cpp': 'int a;\n', 'node_modules/.bin/clangd': program, clangd: program});
  assert.match(await inside.failure('get_errors', {filePaths: ['a.cpp']}), /there is no clangd/);
  assert.ok(!existsSync(inside.path('clangd.was-run')));
  await inside.stop();
});

test('toolgate doctor lists the language servers', () => {
  const doctor = (env) => JSON.parse(spawnSync(binary, ['doctor', '--json'], {encoding: 'utf8', cwd: os.tmpdir(), env: {HOME: '/nonexistent', ...env}}).stdout)
                              .checks.filter(({area}) => area === 'language servers').map(({message}) => message);
  const all = doctor({PATH: searchPath});
  assert.equal(all.length, 3);
  assert.match(all.join('\n'), /cpp: .*\/clangd.*\ntypescript: .*\/typescript-language-server.*\npython: .*\/pyright-langserver/);
  assert.match(doctor({PATH: '/nonexistent'}).join('\n'), /the language server for cpp is not installed/);
});

const cpp = (world) => ({
  'compile_commands.json': JSON.stringify(['main.cpp', 'shape.cpp'].map((file) => (
      {directory: world.folder, file: world.path(file), arguments: ['clang++', '-std=c++20', '-c', file]}))),
  'shape.h': '#pragma once\nstruct Shape {\n  virtual ~Shape() = default;\n  virtual int area() const = 0;\n};\nint total_area(const Shape& shape);\n',
  'shape.cpp': '#include "shape.h"\nstruct Square : Shape {\n  int area() const override { return 4; }\n};\nint total_area(const Shape& shape) { return shape.area(); }\n',
  'main.cpp': '#include "shape.h"\n// total_area in a comment\nint main(int, char**) {\n  Shape* shape = nullptr;\n  return total_area(*shape);\n}\n'
});

describe('clangd', () => {
  let world;
  before(async () => {
    world = await Workspace.start({env: {PATH: searchPath}});
    world.write(cpp(world));
  });
  after(() => world.stop());

  test('finds problems before an edit and none after it', async () => {
    world.write({'main.cpp': '#include "shape.h"\nint main() {\n  return total_aera(1);\n}\n'});
    assert.match(await world.text('get_errors', {filePaths: ['main.cpp']}),
                 /^main\.cpp:3:10: error: Use of undeclared identifier 'total_aera'.*?\[clang \w+\]\n    return total_aera\(1\);\n/s);
    world.write(cpp(world));
    assert.equal(await world.text('get_errors', {filePaths: ['main.cpp']}), 'main.cpp: no problems\n');
    // A header that changed underneath: main.cpp itself is as it was.
    world.write({'shape.h': '#pragma once\nstruct Shape;\n'});
    assert.match(await world.text('get_errors', {filePaths: ['main.cpp']}), /^main\.cpp:5:10: error: .*total_area/);
    world.write(cpp(world));
    assert.equal(await world.text('get_errors', {filePaths: ['main.cpp', 'shape.cpp', 'shape.h']}),
                 'main.cpp: no problems\nshape.cpp: no problems\nshape.h: no problems\n');
  });

  test('a file that has not changed is checked again, and is no slower than before', async () => {
    for (const input of [{filePaths: ['main.cpp']}, {filePaths: ['main.cpp']}, {filePaths: ['main.cpp', 'shape.h', 'shape.cpp']}, {}]) {
      const begin = performance.now();
      assert.match(await world.text('get_errors', input), /^(\w+\.(cpp|h): no problems\n)+$/);
      assert.ok(performance.now() - begin < 20_000, `${JSON.stringify(input)} took ${performance.now() - begin} ms`);
    }
  });

  test('a name that changed in a header and where it is used is no error', async () => {
    await world.text('get_errors', {filePaths: ['main.cpp', 'shape.h']});
    // As long as before and within the same second: only the text says that something changed.
    for (const name of ['Shepe', 'Shope', 'Shape']) {
      world.write(Object.fromEntries(Object.entries(cpp(world)).map(([file, text]) => [file, text.replaceAll('Shape', name)])));
      assert.equal(await world.text('get_errors', {filePaths: ['main.cpp']}), 'main.cpp: no problems\n');
      assert.equal(await world.text('get_errors', {filePaths: ['shape.h', 'shape.cpp', 'main.cpp']}),
                   'shape.h: no problems\nshape.cpp: no problems\nmain.cpp: no problems\n');
    }
    // The header alone, while it is open.
    world.write({'shape.h': cpp(world)['shape.h'].replaceAll('total_area', 'total_aera')});
    assert.match(await world.text('get_errors', {filePaths: ['main.cpp']}), /^main\.cpp:5:10: error: .*total_area/);
    world.write(cpp(world));
    assert.match(await world.text('get_errors', {}), /^(\w+\.(cpp|h): no problems\n)+$/);
  });

  test('places are right after a header has changed', async () => {
    await world.text('list_code_usages', {symbolName: 'total_area'});
    world.write({'shape.h': cpp(world)['shape.h'].replace('once\n', 'once\n// Another line.\n')});
    const usages = await world.text('list_code_usages', {symbolName: 'total_area'});
    assert.match(usages, /3 references:\nmain\.cpp:5:10: return.*\nshape\.cpp:5:5: int.*\nshape\.h:7:5: int total_area/);
    world.write(cpp(world));
    assert.match(await world.text('list_code_usages', {symbolName: 'total_area'}), /\nshape\.h:6:5: int total_area/);
  });

  test('a qualified name is one symbol, and its definition is no declaration', async () => {
    const discs = {
      'disc.h': '#pragma once\nnamespace round {\nclass Figure {\n public:\n  virtual ~Figure() = default;\n  virtual double reach() const = 0;\n};\n' +
          'class Disc : public Figure {\n public:\n  double reach() const override;\n};\n}\n',
      'disc.cpp': '#include "disc.h"\ndouble round::Disc::reach() const { return 3; }\nstruct Arm { int reach() { return 1; } };\n',
      'use_disc.cpp': '#include "disc.h"\n// Disc::reach in a comment\ndouble use(round::Disc& disc) { return disc.reach(); }\n'
    };
    world.write(discs);
    for (const symbolName of ['Disc::reach', 'round::Disc::reach', 'Disc.reach()'])
      for (const filePaths of [[], ['disc.cpp'], ['disc.h'], ['use_disc.cpp']]) {
        const usages = await world.text('list_code_usages', {symbolName, filePaths});
        assert.match(usages, /^1 definition:\ndisc\.cpp:2:21: double round::Disc::reach.*\n\d references:\n/, `${symbolName} ${filePaths}`);
        assert.match(usages, /\ndisc\.h:10:10: (.*\n)*use_disc\.cpp:3:45: /);
        assert.doesNotMatch(usages, /comment|Arm/);
      }
    const figure = await world.text('list_code_usages', {symbolName: 'Figure::reach'});
    assert.match(figure, /^1 definition:\ndisc\.h:6:18: virtual.*\n\d references:\n/);
    assert.match(figure, /\n1 implementation:\ndisc\.cpp:2:21: double round::Disc::reach.*\n$/);
    assert.doesNotMatch(figure, /Arm/);
    assert.match(await world.text('list_code_usages', {symbolName: 'Arm::reach'}), /^1 definition:\ndisc\.cpp:3:18: .*\n1 reference:\ndisc\.cpp:3:18: .*\n$/);
    assert.match(await world.text('list_code_usages', {symbolName: 'Leg::reach'}),
                 /Arm(.*\n)*\[no Leg::reach was found in cpp, so these are usages of every reach\]\n$/);
    for (const name of Object.keys(discs)) rmSync(world.path(name));
  });

  test('knows definitions, references and implementations across files', async () => {
    const usages = await world.text('list_code_usages', {symbolName: 'total_area'});
    assert.match(usages, /definitions?:\n(.*\n)*shape\.cpp:5:5: int total_area\(const Shape& shape\) \{/);
    assert.match(usages, /3 references:\nmain\.cpp:5:10: return total_area\(\*shape\);\nshape\.cpp:5:5: .*\nshape\.h:6:5: /);
    assert.doesNotMatch(usages, /comment/);
    const area = await world.text('list_code_usages', {symbolName: 'Shape::area', filePaths: ['shape.h']});
    assert.match(area, /shape\.cpp:3:7: int area\(\) const override/);
    assert.match(area, /shape\.h:4:15: virtual int area\(\) const = 0;/);
  });

  test('finds symbols by name', async () => {
    assert.match(await world.text('search_workspace_symbols', {symbolName: 'total_area'}), /^function total_area: shape\.(cpp:5|h:6):5: int total_area/);
    assert.match(await world.text('search_workspace_symbols', {symbolName: 'Square'}), /^(struct|class) Square: shape\.cpp:2:8: struct Square : Shape \{\n/);
  });

  test('renames a symbol in every file, once someone has seen the diff, and undo takes it back', async () => {
    const before = cpp(world);
    const input = {symbol: 'total_area', newName: 'sum_of_areas', filePath: 'main.cpp', lineContent: 'return total_area'};
    assert.match(await world.failure('rename', input, {decision: 'deny'}), /denied|decline|confirm/i);
    assert.equal(world.read('shape.h'), before['shape.h']);
    const answer = world.api.invoke('rename', input);
    const asked = await world.api.waiting();
    const question = JSON.stringify(asked.confirmation);
    for (const line of ['-int total_area(const Shape& shape);', '+int sum_of_areas(const Shape& shape);', '+  return sum_of_areas(*shape);'])
      assert.ok(question.includes(line), question);
    await world.api.confirm(asked.id, 'allow');
    const {status, body} = await answer;
    assert.equal(status, 200, JSON.stringify(body));
    for (const name of ['main.cpp', 'shape.cpp', 'shape.h'])
      assert.equal(world.read(name), before[name].replace(/total_area(?! in)/g, 'sum_of_areas'));
    assert.equal(await world.text('get_errors', {filePaths: ['main.cpp']}), 'main.cpp: no problems\n');
    const [edit] = (await world.api.request('GET', '/v1/edits', {operator: true})).body.data;
    assert.equal((await world.api.request('POST', `/v1/edits/${edit.id}/undo`, {operator: true})).status, 200);
    for (const name of ['main.cpp', 'shape.cpp', 'shape.h']) assert.equal(world.read(name), before[name]);
  });

  test('what cannot be renamed is said before anyone is asked', async () => {
    for (const [input, why] of [
           [{symbol: 'no_such_thing', newName: 'x', filePath: 'main.cpp'}, /no_such_thing/],
           [{symbol: 'total_area', newName: 'not a name', filePath: 'main.cpp', lineContent: 'return total_area'}, /./],
           [{symbol: 'total_area', newName: 'x', filePath: '../main.cpp'}, /outside the workspace/],
           [{symbol: 'total_area', newName: 'x', filePath: 'none.cpp'}, /there is no none\.cpp/]
         ])
      assert.match(await world.failure('rename', input), why, JSON.stringify(input));
    assert.deepEqual(await world.api.pending(), []);
    assert.equal(world.read('shape.h'), cpp(world)['shape.h']);
  });

  test('writes nothing into the workspace', () => {
    assert.deepEqual(readdirSync(world.folder).sort(), Object.keys(cpp(world)).sort());
  });
});

describe('typescript-language-server', () => {
  let world;
  const files = {
    'tsconfig.json': '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler", "types": [], "lib": ["es2020"]}}',
    'shape.ts': 'export interface Shape {\n  area(): number;\n}\nexport class Square implements Shape {\n  area() { return 4; }\n}\n' +
        'export function totalArea(shape: Shape): number { return shape.area(); }\n',
    'main.ts': 'import {Square, totalArea} from "./shape";\n// totalArea in a comment\nconst text: number = totalArea(new Square());\n'
  };
  before(async () => {
    world = await Workspace.start({env: {PATH: searchPath}});
    world.write(files);
    // A TypeScript that a workspace brings along must not run.
    world.write({'node_modules/typescript/package.json': '{"name": "typescript", "version": "5.9.3"}',
                 'node_modules/typescript/lib/tsserver.js': 'require("fs").writeFileSync(__dirname + "/was-run", "")'});
  });
  after(() => world.stop());

  test('finds problems before an edit and none after it', async () => {
    world.write({'main.ts': files['main.ts'].replace('number', 'string')});
    assert.equal(await world.text('get_errors', {filePaths: ['main.ts']}),
                 'main.ts:3:7: error: Type \'number\' is not assignable to type \'string\'. [typescript 2322]\n    const text: string = totalArea(new Square());\n');
    world.write(files);
    assert.equal(await world.text('get_errors', {filePaths: ['main.ts', 'shape.ts']}), 'main.ts: no problems\nshape.ts: no problems\n');
    world.write({'shape.ts': files['shape.ts'].replace('totalArea', 'sumArea')});
    assert.match(await world.text('get_errors', {filePaths: ['main.ts']}), /^main\.ts:1:17: error: .*totalArea/);
    world.write({...files, 'broken.ts': 'let = ;\n'});
    assert.match(await world.text('get_errors', {filePaths: ['broken.ts']}), /^broken\.ts:1:\d+: error/);
    rmSync(world.path('broken.ts'));
  });

  test('knows definitions, references and implementations across files', async () => {
    const usages = await world.text('list_code_usages', {symbolName: 'totalArea'});
    assert.match(usages, /^1 definition:\nshape\.ts:7:17: export function totalArea/);
    assert.match(usages, /3 references:\nmain\.ts:1:17: import .*\nmain\.ts:3:22: const text.*\nshape\.ts:7:17: /);
    assert.match(await world.text('list_code_usages', {symbolName: 'Shape', filePaths: ['shape.ts']}), /implementations?:\nshape\.ts:4:\d+: export class Square/);
    assert.match(await world.text('search_workspace_symbols', {symbolName: 'totalArea'}), /^function totalArea: shape\.ts:7:\d+: export function/);
    assert.ok(!existsSync(world.path('node_modules/typescript/lib/was-run')));
  });

  test('a name in the path of an import is not the symbol', async () => {
    const greeters = {
      'greet.ts': 'export class Greeter {\n  greet(name: string) { return name; }\n}\nexport class Other {\n  greet() { return 1; }\n}\n',
      'hello.ts': 'import {Greeter} from "./greet";\nexport const hello = new Greeter().greet("x");\n'
    };
    world.write(greeters);
    for (const filePaths of [[], ['hello.ts'], ['greet.ts']]) {
      assert.equal(await world.text('list_code_usages', {symbolName: 'Greeter.greet', filePaths}),
                   '1 definition:\ngreet.ts:2:3: greet(name: string) { return name; }\n2 references:\ngreet.ts:2:3: greet(name: string) { return name; }\n' +
                       'hello.ts:2:36: export const hello = new Greeter().greet("x");\n');
      const all = await world.text('list_code_usages', {symbolName: 'greet', filePaths});
      assert.match(all, /^2 definitions:\n/);
      assert.doesNotMatch(all, /import/);
    }
    for (const name of Object.keys(greeters)) rmSync(world.path(name));
  });
});

describe('pyright', () => {
  let world;
  before(async () => { world = await Workspace.start({env: {PATH: searchPath}}); });
  after(() => world.stop());

  test('finds problems, definitions and references', async () => {
    world.write({'shape.py': 'def area(side: int) -> int:\n    return side * side\n', 'main.py': 'from shape import area\n\nprint(area("x"))\n'});
    assert.match(await world.text('get_errors', {filePaths: ['main.py']}), /^main\.py:3:12: error: /);
    world.write({'main.py': 'from shape import area\n\nprint(area(3))\n'});
    assert.equal(await world.text('get_errors', {filePaths: ['main.py']}), 'main.py: no problems\n');
    const usages = await world.text('list_code_usages', {symbolName: 'area'});
    assert.match(usages, /^1 definition:\nshape\.py:1:5: def area/);
    assert.match(usages, /3 references:\nmain\.py:1:19: .*\nmain\.py:3:7: .*\nshape\.py:1:5: /);
    world.write({'box.py': 'class Box:\n    def area(self) -> int:\n        return 1\n\n\nclass Lid(Box):\n    def area(self) -> int:\n        return 2\n\n\nBox().area()\n'});
    assert.equal(await world.text('list_code_usages', {symbolName: 'Box.area'}),
                 '1 definition:\nbox.py:2:9: def area(self) -> int:\n2 references:\nbox.py:2:9: def area(self) -> int:\nbox.py:11:7: Box().area()\n');
  });
});
