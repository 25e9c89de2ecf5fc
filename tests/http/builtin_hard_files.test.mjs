// The built-in tools where the disk is at its limits: 100,000 files, no room, read-only, a workspace that is gone, and files
// that are huge or no text. What a tool cannot do it says, and nothing is left half done.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {machineRefuses, textOf, Workspace} from './builtin.mjs';
import {Mount, noMounts, stopMounted} from './mounts.mjs';

const skip = noMounts();
const settings = {'chat.tools.edits.autoApprove': {'**/*': true}};
const newFolder = () => mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
const patch = (text) => ({input: `*** Begin Patch\n${text}*** End Patch\n`, explanation: 'a test'});
const found = (text) => text.trimEnd().split('\n');
const undo = (world, id) => world.api.request('POST', `/v1/edits/${id}/undo`, {operator: true});

// Everything below a folder: {'a/': null, 'a/b.txt': 'text'}.
function snapshot(folder) {
  const all = {};
  for (const entry of readdirSync(folder, {recursive: true, withFileTypes: true})) {
    const at = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) all[`${path.relative(folder, at)}/`] = null;
    else if (!entry.name.startsWith('filler')) all[path.relative(folder, at)] = readFileSync(at, 'utf8');
  }
  return all;
}

describe('among 100,000 files', () => {
  // Both folders have the same files, as hard links: `flat` all of them, `tree` a thousand in each of its folders.
  const program = `
import os
os.mkdir("flat")
for i in range(100):
    os.makedirs(f"tree/d{i:02}")
    for j in range(1000):
        name = f"flat/e{1000 * i + j:05}.c"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o644))
        os.link(name, f"tree/d{i:02}/f{j:03}.c")
`;
  let world, mount;
  before(async () => {
    const folder = newFolder();
    if (!skip) mount = new Mount(path.join(folder, 'workspace'));
    world = await Workspace.start({folder, settings});
    execFileSync('git', ['init', '-q'], {cwd: world.folder});
    execFileSync('python3', ['-c', program], {cwd: world.folder});
    world.write({'tree/d99/last/needle.c': 'int needle;\n'});
  });
  after(() => stopMounted(world, ...(mount ? [mount] : [])));
  const first = (count, folder = '') => Array.from({length: count}, (_, i) => `${folder}e${String(i).padStart(5, '0')}.c`);

  test('list_dir shows the first names and how many there are', async () => {
    const names = found(await world.text('list_dir', {path: 'flat'}));
    const said = names.pop();
    assert.deepEqual([names.length, names[0], names.at(-1)], [2000, 'e00000.c', 'e01999.c']);
    assert.match(said, /^\[98000 more are not shown; file_search /);
    assert.equal(found(await world.text('list_dir', {path: 'tree'})).length, 100);
  });

  test('read_project_structure counts what it has no room for', async () => {
    const lines = found(await world.text('read_project_structure', {}));
    assert.ok(lines.length < 700, `${lines.length} lines`);
    assert.equal(lines[0], '[200001 files]');
    assert.deepEqual(lines.slice(1, 62), ['flat/', ...first(60, '  ')]);
    assert.equal(lines[62], '… 99940 more files'.padStart(20));
    assert.ok(lines.includes('  d59/ … 1000 files'), lines.at(-2));
    assert.equal(lines.at(-1), '  … 40 more folders');
  });

  test('file_search shows the first paths and how many there are', async () => {
    const few = found(await world.text('file_search', {query: '*.c'}));
    assert.deepEqual(few, [...first(20, 'flat/'), '[20 of 200001 files; more with a larger maxResults, at most 1000]']);
    const many = found(await world.text('file_search', {query: '*.c', maxResults: 1e9}));
    assert.deepEqual([many.length, many[0], many.at(-2)], [1001, 'flat/e00000.c', 'flat/e00999.c']);
    assert.match(many.at(-1), /^\[1000 of 200001 files; (?!.*maxResults).*narrow/);
    assert.equal(await world.text('file_search', {query: 'e9999[89].c'}), 'flat/e99998.c\nflat/e99999.c\n');
  });

  test('grep_search finds the one line', async () => {
    assert.equal(await world.text('grep_search', {query: 'needle', isRegexp: false}), 'tree/d99/last/needle.c:1: int needle;\n');
    assert.match(await world.text('grep_search', {query: 'nowhere', isRegexp: false}), /^No matches found\./);
  });

  test('get_changed_files shows the first names and how many there are', async () => {
    const lines = found(await world.text('get_changed_files', {}));
    assert.deepEqual(lines.slice(0, 201), ['Untracked:', ...first(200, '  flat/')]);
    assert.deepEqual(lines.slice(201), ['  [199801 more are not shown]']);
  });

  test('what looks for symbols says that there was more than it looked at', async () => {
    assert.match(await world.text('list_code_usages', {symbolName: 'needle'}), /\[more files .* than were looked at/);
    assert.match(await world.text('search_workspace_symbols', {symbolName: 'needle'}), /\[more files .* than were looked at/);
  });

  test('edits and undo work as anywhere', async () => {
    const {body} = await world.call('apply_patch', patch('*** Add File: flat/new.c\n+x\n*** Update File: tree/d99/last/needle.c\n-int needle;\n+int pin;\n'));
    assert.equal(textOf(body), 'Created flat/new.c (+1 -0 lines)\nEdited tree/d99/last/needle.c (+1 -1 lines)\n');
    assert.equal(world.read('flat/new.c'), 'x\n');
    assert.equal((await undo(world, body.metadata.edit.id)).status, 200);
    assert.deepEqual([world.read('flat/new.c'), world.read('tree/d99/last/needle.c')], [null, 'int needle;\n']);
    assert.match(await world.failure('replace_string_in_file', {filePath: 'flat/e00000.c', oldString: '', newString: 'x'}), /has 2 names \(hard links\)/);
    assert.ok(!readdirSync(world.path('flat')).some((name) => name.startsWith('.')));
  });
});

// What fails for lack of room, and then is done. [tool, input, what is there afterwards]
const large = 'x'.repeat(20_000);
const both = [{filePath: 'a.txt', oldString: 'one', newString: '1'}, {filePath: 'b.txt', oldString: 'two', newString: '2'}];
const writing = [
  ['create_file', {filePath: 'deep/new.txt', content: large}, {'deep/': null, 'deep/new.txt': large}],
  ['replace_string_in_file', {filePath: 'a.txt', oldString: 'one', newString: large}, {'a.txt': `${large}\n`}],
  ['multi_replace_string_in_file', {explanation: 'e', replacements: both}, {'a.txt': '1\n', 'b.txt': '2\n'}],
  ['apply_patch', patch('*** Update File: a.txt\n-one\n+1\n*** Delete File: c.txt\n*** Add File: deep/new.txt\n+new\n*** Update File: b.txt\n*** Move to: moved.txt\n-two\n+2\n'),
   {'a.txt': '1\n', 'b.txt': undefined, 'c.txt': undefined, 'deep/': null, 'deep/new.txt': 'new\n', 'moved.txt': '2\n'}],
  ['insert_edit_into_file', {explanation: 'e', filePath: 'a.txt', code: `// ...existing code...\none\n${large}\n`}, {'a.txt': `one\n${large}\n`}]
];
const files = {'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n'};
const afterwards = (changes) => JSON.parse(JSON.stringify({...files, ...changes}));

async function checkFull(world, mount, fill, says, [tool, input, changes]) {
  world.write(files);
  fill();
  assert.match(await world.failure(tool, input), says, tool);
  assert.deepEqual(snapshot(world.folder), files, tool);
  mount.free();
  const {body} = await world.call(tool, input);
  assert.equal(body.ending, 'result', JSON.stringify(body));
  assert.deepEqual(snapshot(world.folder), afterwards(changes), tool);

  const {id} = body.metadata.edit;
  const done = snapshot(world.folder);
  fill();
  const refused = await undo(world, id);
  if (refused.status !== 200) {
    assert.match(refused.body.error.message, says, tool);
    assert.deepEqual(snapshot(world.folder), done, tool);
    mount.free();
    assert.equal((await undo(world, id)).status, 200);
  }
  mount.free();
  assert.deepEqual(snapshot(world.folder), files, tool);
  return refused.status;
}

describe('on a full disk', {skip}, () => {
  let world, mount;
  const start = (where, options) => async () => {
    const folder = newFolder();
    mount = new Mount(path.join(folder, where), options);
    world = await Workspace.start({folder, settings});
  };
  const stop = () => stopMounted(world, mount);

  describe('of the workspace', () => {
    before(start('workspace', 'size=128k,nr_inodes=40'));
    after(stop);
    const says = /^cannot (write|create|make the folder) \S+: the disk is full; nothing was changed$/;

    for (const pages of [0, 1, 2])
      test(`with ${pages} blocks left, edits are not made or made whole`, async () => {
        const undone = [];
        for (const each of writing.slice(0, pages < 2 ? undefined : 2)) undone.push(await checkFull(world, mount, () => mount.fillBytes(pages), says, each));
        if (pages === 0) assert.deepEqual(undone.slice(1), [500, 500, 500, 500]);
      });
    for (const names of [0, 1])
      test(`with ${names} names left, edits are not made or made whole`, async () => {
        const calls = [...writing, ['create_directory', {dirPath: 'made/here'}, {'made/': null, 'made/here/': null}]];
        for (const each of calls.filter(([tool]) => names === 0 || /create/.test(tool))) await checkFull(world, mount, () => mount.fillNames(names), says, each);
      });
    test('commands are told, and reading goes on', async () => {
      mount.fillBytes();
      const run = (command) => world.text('run_in_terminal', {command, explanation: 'a test', isBackground: false});
      assert.match(await run('echo some text > written.txt'), /No space left on device\n\[The command exited with 1/);
      assert.equal(await world.text('read_file', {filePath: 'a.txt'}), '[a.txt, lines 1 to 1 of 1]\none\n');
      assert.equal(await world.text('grep_search', {query: 'two', isRegexp: false}), 'b.txt:1: two\n');
      mount.free();
      assert.match(await run('echo some text > written.txt'), /^\[The command exited with 0/);
      assert.equal(world.read('written.txt'), 'some text\n');
    });
  });

  for (const [where, options] of [['data', 'size=3m'], ['data/edits', 'size=512k']])
    describe(`of ${where}`, () => {
      before(start(where, options));
      after(stop);
      const says = /(disk is full|No space left on device)/;
      for (const each of [...writing, ['create_directory', {dirPath: 'made/here'}, {'made/': null, 'made/here/': null}]])
        test(`${each[0]} changes nothing, and does when there is room`, async () => {
          assert.equal(await checkFull(world, mount, () => mount.fillBytes(), says, each), 500);
          assert.equal((await world.api.verify()).intact, true);
        });
    });
});

test('a command that cannot be noted is not run', {skip}, async () => {
  const folder = newFolder();
  const mount = new Mount(path.join(folder, 'data/commands'), 'size=64k');
  const world = await Workspace.start({folder, settings});
  world.write({'.vscode/tasks.json': '{"tasks": [{"label": "it", "type": "shell", "command": "touch made"}]}'});
  const calls = [['run_in_terminal', {command: 'touch made', explanation: 'a test'}], ['run_task', {id: 'it'}]];
  mount.fillBytes();
  for (const [tool, input] of calls)
    assert.match(await world.failure(tool, input), /^what this call would do cannot be noted: No space left on device; it is not made$/);
  assert.equal(world.read('made'), null);
  mount.free();
  for (const [tool, input] of calls) {
    assert.match(await world.text(tool, input), /exited with 0/);
    assert.equal(world.read('made'), '');
    rmSync(world.path('made'));
  }
  await stopMounted(world, mount);
});

describe('in a read-only workspace', {skip}, () => {
  let world, mount, edit;
  before(async () => {
    const folder = newFolder();
    mount = new Mount(path.join(folder, 'workspace'));
    world = await Workspace.start({folder, settings});
    world.write({...files, 'sub/main.cpp': 'int needle;\n', 'sub/use.cpp': 'extern int needle;\nint use() { return needle; }\n'});
    edit = (await world.call('create_file', {filePath: 'undo.txt', content: 'x'})).body.metadata.edit.id;
    execFileSync('git', ['init', '-q'], {cwd: world.folder});
    mount.makeReadOnly();
  });
  after(() => stopMounted(world, mount));

  for (const [tool, input] of [...writing, ['create_directory', {dirPath: 'made/here'}],
                               ['rename', {symbol: 'needle', newName: 'pin', filePath: 'sub/main.cpp'}]])
    test(`${tool} is refused before anyone is asked`, async () => {
      const {status, body} = await world.call(tool, input);
      assert.equal(status, 403, JSON.stringify(body));
      assert.match(body.error.message, /(is|its folder is) read-only/);
    });
  test('undo is refused', async () => {
    const {status, body} = await undo(world, edit);
    assert.equal(status, 403, JSON.stringify(body));
    assert.match(body.error.message, /undo\.txt cannot be changed: its folder is read-only/);
    assert.equal(world.read('undo.txt'), 'x');
  });
  test('what reads works', async () => {
    const reading = [
      ['read_file', {filePath: 'a.txt'}, /one/], ['list_dir', {path: '.'}, /^\.git\/\na\.txt\n/], ['file_search', {query: 'b.*'}, /^b\.txt\n$/],
      ['grep_search', {query: 'three', isRegexp: false}, /^c\.txt:1: three\n$/], ['read_project_structure', {}, /\nsub\/\n  main\.cpp\n/],
      ['get_changed_files', {}, /^Untracked:\n  a\.txt\n/], ['get_errors', {filePaths: ['sub/main.cpp']}, /: no problems\n$/],
      ['list_code_usages', {symbolName: 'needle'}, /3 references:/], ['search_workspace_symbols', {symbolName: 'needle'}, /^variable needle: sub\/main\.cpp:1:5/]
    ];
    for (const [tool, input, expected] of reading) assert.match(await world.text(tool, input), expected, tool);
  });
  test('commands are told', async () => {
    const text = await world.text('run_in_terminal', {command: 'echo x > new.txt', explanation: 'a test', isBackground: false});
    assert.match(text, /Read-only file system\n\[The command exited with 1/);
  });
});

// The sandbox has an empty /dev/shm of its own.
test('in a workspace below /dev/shm, git, language servers and commands see it', async (t) => {
  const folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'toolgate-test-'));
  const world = await Workspace.start({folder, settings});
  try {
    world.write({'a.cpp': 'int a = ;\n'});
    execFileSync('git', ['init', '-q'], {cwd: world.folder});
    assert.equal(await world.text('get_changed_files', {}), 'Untracked:\n  a.cpp\n');
    assert.match(await world.text('get_errors', {filePaths: ['a.cpp']}), /^a\.cpp:1:9: error: /);
    assert.match(await world.text('run_in_terminal', {command: 'cat a.cpp', explanation: 'a test', isBackground: false}), /^int a = ;\n/);
    await t.test('and what is hidden looks empty', {skip: machineRefuses()}, async () => {
      const text = await world.text('run_in_terminal', {command: 'echo x > made; ls ../data', explanation: 'a test', isBackground: false});
      assert.match(text, /^\[The command exited with 0/);
      assert.equal(world.read('made'), 'x\n');
    });
  } finally {
    await world.stop();
  }
});

test('when the workspace was removed, each tool says so', async () => {
  const world = await Workspace.start({settings});
  try {
    const edit = (await world.call('create_file', {filePath: 'undo.txt', content: 'x'})).body.metadata.edit.id;
    rmSync(world.folder, {recursive: true});
    const cases = [
      ['read_file', {filePath: 'a.txt'}], ['view_image', {filePath: 'a.png'}], ['list_dir', {path: 'a'}], ['read_project_structure', {}], ['file_search', {query: '*'}],
      ['grep_search', {query: 'x', isRegexp: false}], ['get_changed_files', {}], ['create_directory', {dirPath: 'a/b'}], ...writing,
      ['rename', {symbol: 'x', newName: 'y', filePath: 'a.cpp'}], ['get_errors', {filePaths: ['a.cpp']}], ['list_code_usages', {symbolName: 'x'}],
      ['list_code_usages', {symbolName: 'x', filePaths: ['a.cpp']}], ['search_workspace_symbols', {symbolName: 'x'}]
    ];
    for (const [tool, input] of cases) {
      const {body} = await world.call(tool, input);
      const said = body.error?.message ?? textOf(body);
      assert.ok(said.includes(`the workspace's folder ${world.folder} is gone`), `${tool} ${JSON.stringify(input).slice(0, 100)}: ${said}`);
    }
    assert.match(await world.failure('run_in_terminal', {command: 'pwd', explanation: 'a test', isBackground: false}), /cannot start a command in .*: No such file or directory/);
    assert.equal((await undo(world, edit)).status, 200, 'the new file is not there, as before the edit');
  } finally {
    await world.stop();
  }
});

describe('with files that are huge or no text', () => {
  let world;
  const sources = ['huge', 'long', 'big', 'binary', 'latin'];
  before(async () => {
    world = await Workspace.start({settings});
    world.write({
      'huge.cpp': {text: 'int huge_one;\n', sparse: 2 ** 30}, 'huge.png': {text: '\x89PNG\r\n\x1a\n', sparse: 2 ** 30}, 'long.cpp': `${'// filler\n'.repeat(300_000)}int long_one;\n`,
      'big.cpp': `${'// filler\n'.repeat(600_000)}int big_one;\n`,
      'binary.cpp': Buffer.from('int binary_one;\n\0\x01'), 'binary.png': Buffer.from('\0\x01\x02'), 'latin.cpp': Buffer.from('int latin_one;  // caf\xe9 caf\xe9\n', 'latin1'),
      'latin.png': Buffer.from('caf\xe9', 'latin1'), 'use.cpp': sources.map((name) => `extern int ${name}_one;\nint use_${name}() { return ${name}_one; }\n`).join('')
    });
    assert.ok(statSync(world.path('huge.cpp')).blocks < 1000, 'the file is not sparse here');
  });
  after(() => world.stop());

  test('view_image', async () => {
    for (const [filePath, expected] of [['huge.png', /^huge\.png has 1073741824 bytes; pictures are shown up to 5242880 bytes$/],
                                        ['binary.png', /^binary\.png is no PNG, JPEG, GIF or WebP picture/], ['latin.png', /^latin\.png is no PNG/]])
      assert.match(await world.failure('view_image', {filePath}), expected);
  });

  test('get_changed_files', async (t) => {
    t.after(() => rmSync(world.path('repository'), {recursive: true}));
    const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {cwd: world.path('repository'), stdio: 'pipe'});
    world.write({'repository/huge.txt': 'small\n', 'repository/binary.txt': 'text\n', 'repository/latin.txt': 'cafe\n'});
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    world.write({'repository/huge.txt': {sparse: 2 ** 30}, 'repository/binary.txt': Buffer.from('\0\x01'), 'repository/latin.txt': Buffer.from('caf\xe9\n', 'latin1')});
    const text = await world.text('get_changed_files', {repositoryPath: 'repository'});
    assert.ok(text.startsWith('Not staged:\n  binary.txt\n  huge.txt\n  latin.txt\n'), text);
    // git reads all of it to say that it is another one, for which a slow machine has no time.
    if (text.includes('[the diff took too long')) return;
    for (const part of ['Binary files a/binary.txt and b/binary.txt differ\n', 'Binary files a/huge.txt and b/huge.txt differ\n', '-cafe\n+caf�\n']) assert.ok(text.includes(part), text);
  });

  test('edits refuse each of them, and what else is no text file to edit', async () => {
    world.write({'edit/huge.txt': {text: 'word\n', sparse: 2 ** 30}, 'edit/binary.txt': Buffer.from('word\n\0'), 'edit/latin.txt': Buffer.from('word caf\xe9\n', 'latin1'),
                 'edit/locked.txt': {text: 'word\n', mode: 0o444}, 'edit/setuid.txt': {text: 'word\n', mode: 0o4755}, 'edit/folder.txt/': null});
    execFileSync('mkfifo', [world.path('edit/pipe.txt')]);
    const reasons = {
      huge: /has 1073741824 bytes: edits touch files of up to 10485760 bytes/, binary: /is binary, not text/, latin: /is not UTF-8/, locked: /is read-only/, setuid: /\(setuid\)/,
      folder: /is a folder/, pipe: /is a pipe, socket or device, not a file/, none: /there is no edit\/none\.txt/
    };
    for (const [name, reason] of Object.entries(reasons)) {
      const filePath = `edit/${name}.txt`;
      const replacement = {filePath, oldString: 'word', newString: 'other'};
      const calls = [
        ['replace_string_in_file', replacement], ['multi_replace_string_in_file', {explanation: 'e', replacements: [replacement]}],
        ['apply_patch', patch(`*** Update File: ${filePath}\n-word\n+other\n`)], ['insert_edit_into_file', {explanation: 'e', filePath, code: '// ...existing code...\nword\nother\n'}]
      ];
      // Whatever is in them, these can be deleted.
      if (!['binary', 'latin'].includes(name)) calls.push(['apply_patch', patch(`*** Delete File: ${filePath}\n`)]);
      if (name !== 'none') calls.push(['create_file', {filePath, content: 'new\n'}]);
      if (!['none', 'folder'].includes(name)) calls.push(['create_directory', {dirPath: `${filePath}/deep`}]);
      for (const [tool, input] of calls) {
        const {status, body} = await world.call(tool, input);
        assert.ok(status >= 400 && status < 500, `${tool} ${filePath}: ${JSON.stringify(body)}`);
        if (!tool.startsWith('create')) assert.match(body.error.message, reason, `${tool} ${filePath}`);
      }
    }
    assert.deepEqual(readdirSync(world.path('edit')).sort(), ['binary.txt', 'folder.txt', 'huge.txt', 'latin.txt', 'locked.txt', 'pipe.txt', 'setuid.txt']);
    rmSync(world.path('edit'), {recursive: true});
  });

  // Before any other question: the server knows what it was shown earlier.
  test('list_code_usages', async () => {
    const usages = async (name, more = {}) => found(await world.text('list_code_usages', {symbolName: `${name}_one`, ...more}));
    assert.deepEqual((await usages('long')).slice(0, 4), ['1 definition:', 'long.cpp:300001:5: int long_one;', '3 references:', 'long.cpp:300001:5: int long_one;']);
    assert.equal((await usages('binary'))[1], 'binary.cpp:1:5: int binary_one;');
    assert.equal((await usages('latin'))[1], 'latin.cpp:1:5: int latin_one;  // caf� caf�');
    const huge = (await usages('huge', {filePaths: ['huge.cpp']})).join('\n');
    assert.match(huge, /use\.cpp:2:/);
    assert.match(huge, /\[huge\.cpp is too long for a language server/);
    const big = (await usages('big')).join('\n');
    assert.match(big, /use\.cpp:5:/);
    assert.match(big, /\[big\.cpp has this name and is too long for a language server, so usages may be missing/);
  });

  test('get_errors', async () => {
    assert.match(await world.failure('get_errors', {filePaths: ['huge.cpp']}), /huge\.cpp is too long for a language server: 1073741824 bytes, where 4194304 are the most/);
    assert.match(await world.text('get_errors', {filePaths: ['binary.cpp']}), /^binary\.cpp:2:\d+: warning: Null character ignored.*\n    ⟨U\+0000⟩⟨U\+0001⟩\n/);
    assert.equal(await world.text('get_errors', {filePaths: ['latin.cpp', 'long.cpp']}), 'latin.cpp: no problems\nlong.cpp: no problems\n');
  });

  test('rename', async () => {
    const before = world.read('use.cpp');
    for (const [name, filePath, expected] of [
           ['huge', 'huge.cpp', /^huge\.cpp is too long for a language server: 1073741824 bytes/], ['binary', 'use.cpp', /^binary\.cpp is binary, not text/],
           ['big', 'use.cpp', /^big\.cpp has this name and is too long for a language server, so the old name would stay there/],
           ['latin', 'latin.cpp', /^latin\.cpp is not UTF-8, so nothing in it is renamed$/], ['latin', 'use.cpp', /^latin\.cpp is not UTF-8/]
         ])
      assert.match(await world.failure('rename', {symbol: `${name}_one`, newName: 'other', filePath}), expected, filePath);
    assert.equal(world.read('use.cpp'), before);
    assert.match(await world.text('rename', {symbol: 'long_one', newName: 'long_other', filePath: 'use.cpp'}), /^Edited long\.cpp \(\+1 -1 lines\)\nEdited use\.cpp \(\+2 -2 lines\)\n$/);
  });
});
