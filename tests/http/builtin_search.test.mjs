// The built-in tools that search the workspace: file_search, grep_search, read_project_structure.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {textOf, Workspace} from './builtin.mjs';

let world;
before(async () => {
  world = await Workspace.start();
  writeFileSync(path.join(world.gateway.folder, 'outside.txt'), 'SECRET needle\n');
  mkdirSync(path.join(world.gateway.folder, 'elsewhere'));
  writeFileSync(path.join(world.gateway.folder, 'elsewhere/secret.txt'), 'SECRET needle\n');
  world.write({
    '.gitignore': '*.log\nbuild/\n!kept.log\n',
    'a.js': 'const needle = 1;\n', 'src/b.js': 'one\nneedle two\nNeedle three\n', 'src/deep/c.ts': 'no.dle\nneedle.c()\n', 'src/deep/c.log': 'needle\n',
    'src/kept.log': 'kept\n', 'lib/src/d.js': 'needle\n', 'build/out.js': 'needle\n', 'node_modules/m/index.js': 'needle\n', '.git/config': 'needle\n',
    '.github/flow.yml': 'on: needle\n', 'to-outside.txt': {link: '../outside.txt'}, 'to-elsewhere': {link: '../elsewhere'}, 'loop': {link: '.'},
    'binary.dat': Buffer.from('needle\n\0needle\n'), 'wide.txt': Buffer.from('\ufeffein\nwide needle\r\n', 'utf16le'),
    'marked.txt': '\ufeffmarked needle\nlast needle', 'latin.txt': Buffer.from('caf\xe9 needle\n', 'latin1'), 'dos.txt': 'dos needle\r\n'
  });
});
after(() => world.stop());

const found = (text) => text.trim().split('\n');

test('file_search finds paths by globs', async () => {
  const cases = [
    ['*.js', ['a.js', 'lib/src/d.js', 'src/b.js']], ['**/*.js', ['a.js', 'lib/src/d.js', 'src/b.js']], ['b.js', ['src/b.js']],
    ['src/*.js', ['lib/src/d.js', 'src/b.js']], ['./src/*.js', ['src/b.js']], ['src/', ['lib/src/d.js', 'src/b.js', 'src/deep/c.ts', 'src/kept.log']],
    ['*.{ts,yml}', ['.github/flow.yml', 'src/deep/c.ts']], ['**/deep/**', ['src/deep/c.ts']], ['?.js', ['a.js', 'lib/src/d.js', 'src/b.js']],
    ['[ab].js', ['a.js', 'src/b.js']], [world.path('src/**/*.ts'), ['src/deep/c.ts']], [`${world.path('src')}/`, ['src/b.js', 'src/deep/c.ts', 'src/kept.log']],
    ['*.log', ['src/kept.log']], ['build/**', null], ['node_modules/**', null], ['.git/**', null], ['to-outside.txt', null], ['elsewhere/**', null],
    ['secret.txt', null], ['*.none', null], ['.', null]
  ];
  for (const [query, expected] of cases)
    if (expected) assert.deepEqual(found(await world.text('file_search', {query})), expected, query);
    else assert.equal(await world.text('file_search', {query: query === '.' ? './none/' : query}), 'No files found.', query);
});

test('file_search says what it cannot do', async () => {
  const cases = [
    ['', /glob is empty/], ['../*.txt', /cannot go up/], ['src/../../x', /cannot go up/], ['/etc/*', /outside the workspace/], ['a\0b', /NUL/],
    ['[a', /^the glob \[a cannot be used: unclosed character class; missing ']'$/], ['x'.repeat(5000), /4096 are the most/], [path.join(world.gateway.folder, '*'), /outside the workspace/]
  ];
  for (const [query, expected] of cases) assert.match(await world.failure('file_search', {query}), expected, query);
});

test('file_search shows the first of many and how many there are', async () => {
  for (let i = 0; i < 2500; ++i) {
    if (i % 50 === 0) mkdirSync(world.path(`many/${i / 50}`), {recursive: true});
    closeSync(openSync(world.path(`many/${Math.floor(i / 50)}/file${i}.txt`), 'w'));
  }
  const few = await world.text('file_search', {query: 'many/**/*.txt'});
  assert.equal(found(few).length, 21);
  assert.match(few, /^many\/0\/file0.txt\n[^]*\[20 of 2500 files; more with a larger maxResults, at most 1000\]\n$/);
  const more = await world.text('file_search', {query: 'many/**/*.txt', maxResults: 5000});
  assert.match(more, /\[1000 of 2500 files/);
  assert.equal(found(await world.text('file_search', {query: 'many/1/*', maxResults: 50})).length, 50);
  const tree = await world.text('read_project_structure', {});
  assert.match(tree, /^\[25\d\d files\]\n/);
  assert.match(tree, /\nmany\/\n  0\/( … 50 files)?\n/);
  assert.ok(found(tree).length < 800);
  rmSync(world.path('many'), {recursive: true});
});

test('searches show odd names so that they cannot deceive', async () => {
  const names = [Buffer.from('new\nline.odd'), Buffer.from('bidi\u202e.odd'), Buffer.from([0xff, ...Buffer.from('.odd')]), Buffer.from('#hash .odd')];
  for (const name of names) writeFileSync(Buffer.concat([Buffer.from(world.folder + '/'), name]), 'peculiar\n');
  const shown = ['#hash .odd', 'bidi⟨U+202E⟩.odd', 'new⟨U+000A⟩line.odd', '⟨0xFF⟩.odd'];
  assert.deepEqual(found(await world.text('file_search', {query: '*.odd'})), shown);
  assert.deepEqual(found(await world.text('file_search', {query: 'new\nline.odd'})), ['new⟨U+000A⟩line.odd']);
  assert.deepEqual(found(await world.text('file_search', {query: '#hash .odd'})), ['#hash .odd']);
  assert.deepEqual(found(await world.text('grep_search', {query: 'peculiar', isRegexp: false})), shown.map((name) => `${name}:1: peculiar`));
  const tree = await world.text('read_project_structure', {});
  for (const name of shown) assert.ok(tree.includes(`\n${name}\n`), tree);
  for (const name of names) rmSync(Buffer.concat([Buffer.from(world.folder + '/'), name]));
});

test('grep_search finds lines', async () => {
  const everywhere = [
    '.github/flow.yml:1: on: needle', 'a.js:1: const needle = 1;', 'dos.txt:1: dos needle', 'latin.txt:1: caf� needle', 'lib/src/d.js:1: needle',
    'marked.txt:1: marked needle', 'marked.txt:2: last needle', 'src/b.js:2: needle two', 'src/b.js:3: Needle three', 'src/deep/c.ts:2: needle.c()',
    'wide.txt:2: wide needle'
  ];
  const cases = [
    [{query: 'needle', isRegexp: false}, everywhere],
    [{query: 'NEEDLE', isRegexp: false, includePattern: 'src'}, ['lib/src/d.js:1: needle', 'src/b.js:2: needle two', 'src/b.js:3: Needle three', 'src/deep/c.ts:2: needle.c()']],
    [{query: 'needle', isRegexp: false, includePattern: './src'}, ['src/b.js:2: needle two', 'src/b.js:3: Needle three', 'src/deep/c.ts:2: needle.c()']],
    [{query: 'needle', isRegexp: false, includePattern: world.path('src/deep')}, ['src/deep/c.ts:2: needle.c()']],
    [{query: 'needle', isRegexp: false, includePattern: '**/*.ts'}, ['src/deep/c.ts:2: needle.c()']],
    [{query: 'needle', isRegexp: false, includePattern: 'a.js'}, ['a.js:1: const needle = 1;']],
    [{query: 'needle.c()', isRegexp: false}, ['src/deep/c.ts:2: needle.c()']],
    [{query: 'n[eo].?dle\\.', isRegexp: true, includePattern: '*.ts'}, ['src/deep/c.ts:2: needle.c()']],
    [{query: 'needle$', isRegexp: true, includePattern: 'dos.txt'}, ['dos.txt:1: dos needle']],
    [{query: '^one\\nneedle', isRegexp: true}, ['src/b.js:1: one', 'needle two']],
    [{query: 'one\nneedle', isRegexp: false}, ['src/b.js:1: one', 'needle two']],
    [{query: '--files', isRegexp: false}, ['No matches found. What .gitignore names was not searched: includeIgnoredFiles.']],
    [{query: 'needle', isRegexp: false, includePattern: 'build/**', includeIgnoredFiles: true}, ['build/out.js:1: needle']],
    [{query: 'needle', isRegexp: false, includePattern: 'node_modules', includeIgnoredFiles: true}, ['node_modules/m/index.js:1: needle']],
    [{query: 'needle', isRegexp: false, includePattern: '.git/**', includeIgnoredFiles: true}, ['No matches found.']],
    [{query: 'secret', isRegexp: false, includeIgnoredFiles: true}, ['No matches found.']],
    [{query: 'b|needle.c', isRegexp: false, includePattern: '*.ts'}, ['[Nothing matches the query as plain text: these match it as a regular expression]', 'src/deep/c.ts:2: needle.c()']],
    [{query: 'needle.c(', isRegexp: true}, ['[Nothing matches the query as a regular expression: these match it as plain text]', 'src/deep/c.ts:2: needle.c()']]
  ];
  for (const [input, expected] of cases) assert.deepEqual(found(await world.text('grep_search', input)), expected, JSON.stringify(input));
});

test('grep_search says what it cannot do', async () => {
  const cases = [
    [{query: '', isRegexp: false}, /query is empty/], [{query: 'a\0', isRegexp: false}, /NUL/], [{query: '(', isRegexp: true}, /^the regular expression cannot be used: unclosed group$/],
    [{query: '(?=a)b', isRegexp: true}, /^the regular expression cannot be used: look-around.* is not supported$/],
    [{query: 'x', isRegexp: false, includePattern: '[a'}, /^the includePattern cannot be used: unclosed character class/],
    [{query: 'x', isRegexp: false, maxResults: 0}, /maxResults/], [{query: 'x', isRegexp: false, maxResults: -1}, /maxResults/],
    [{query: 'x', isRegexp: false, includePattern: '/etc'}, /outside the workspace/], [{query: 'x', isRegexp: false, includePattern: '../*'}, /cannot go up/],
    [{query: 'x'.repeat(20_000), isRegexp: false}, /10000 are the most/], [{query: 'x'}, /isRegexp/]
  ];
  for (const [input, expected] of cases) {
    if (input.query === '(') world.write({'.gitignore': '*.log\nbuild/\n!kept.log\nsrc/deep/c.ts\na.js\n'});
    assert.match(await world.failure('grep_search', input), expected, JSON.stringify(input).slice(0, 100));
  }
  world.write({'.gitignore': '*.log\nbuild/\n!kept.log\n'});
});

test('grep_search shows the first of many, and parts of long lines', async () => {
  world.write({'lots.txt': 'many of these\n'.repeat(5000), 'long.min.js': `${'x'.repeat(100_000)}HERE${'y'.repeat(100_000)}\n`});
  const few = await world.text('grep_search', {query: 'many of these', isRegexp: false});
  assert.equal(found(few).length, 21);
  assert.match(few, /\[there are more than these 20; more with a larger maxResults, at most 200, or narrow/);
  assert.equal(found(await world.text('grep_search', {query: 'many of these', isRegexp: false, maxResults: 1000})).length, 201);
  const [line] = found(await world.text('grep_search', {query: 'here', isRegexp: false, includePattern: '*.min.js'}));
  assert.match(line, /^long.min.js:1: …x{100}HEREy+…$/);
  assert.ok(line.length < 450);
});

test('grep_search passes over what it may not or cannot read', async () => {
  world.write({'holes.bin': {sparse: 2 ** 30}, 'shut/in.txt': 'needle in shut\n', '[brackets].txt': 'bracketed\n', 'bad/.gitignore': '[\n', 'bad/x.txt': 'badly\n'});
  chmodSync(world.path('shut'), 0o000);
  const text = await world.text('grep_search', {query: 'wide needle', isRegexp: false});
  assert.equal(text, 'wide.txt:2: wide needle\n');
  assert.equal(await world.text('grep_search', {query: 'badly', isRegexp: false}), 'bad/x.txt:1: badly\n');
  assert.match(await world.text('grep_search', {query: 'nowhere at all', isRegexp: false}), /No matches/);
  chmodSync(world.path('shut'), 0o755);
});

test('the folders of the gateway are hidden, even in a workspace that is a link', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
  symlinkSync('.', path.join(folder, 'workspace'));
  const inner = await Workspace.start({folder, files: {'.config/toolgate/note.txt': 'findme\n'}});
  try {
    inner.write({'data/mine.txt': 'findme\n', 'visible.txt': 'findme\n', 'database/x.txt': 'findme\n'});
    const all = {includeIgnoredFiles: true};
    assert.deepEqual(found(await inner.text('grep_search', {query: 'findme', isRegexp: false, ...all})), ['database/x.txt:1: findme', 'visible.txt:1: findme']);
    assert.deepEqual(found(await inner.text('file_search', {query: '*.txt'})), ['database/x.txt', 'visible.txt']);
    assert.deepEqual(found(await inner.text('file_search', {query: path.join(folder, 'workspace', 'd*/**')})), ['database/x.txt']);
    assert.deepEqual(found(await inner.text('file_search', {query: path.join(folder, 'd*/**')})), ['database/x.txt']);
    assert.equal(await inner.text('file_search', {query: 'operator-token'}), 'No files found.');
    assert.doesNotMatch(await inner.text('read_project_structure', {}), /operator|data\/|toolgate\//);
    assert.doesNotMatch(await inner.text('list_dir', {path: '.'}), /^data\/$/m);
    assert.match(await inner.failure('read_file', {filePath: 'data/operator-token'}), /belongs to the gateway itself/);
    const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {cwd: folder, stdio: 'pipe'});
    git('init', '-q');
    git('add', '-f', 'data/mine.txt', 'visible.txt');
    git('commit', '-qm', 'first');
    inner.write({'data/mine.txt': 'changed\n', 'visible.txt': 'changed\n'});
    const changes = await inner.text('get_changed_files', {});
    assert.match(changes, /diff --git a\/visible.txt/);
    assert.doesNotMatch(changes, /mine|operator-token/);
  } finally {
    await inner.stop();
  }
});

test('a folder that is swapped for a link shows nothing from outside', async () => {
  world.write({'swap/real/in.txt': 'needle inside\n', 'swap/real/secret.txt': 'needle decoy\n'});
  let goes = true;
  let swaps = 0;
  const swapping = (async () => {
    symlinkSync('../../elsewhere', world.path('swap/link'));
    for (; goes; ++swaps) {
      renameSync(world.path('swap/real'), world.path('swap/aside'));
      renameSync(world.path('swap/link'), world.path('swap/real'));
      await new Promise(setImmediate);
      renameSync(world.path('swap/real'), world.path('swap/link'));
      renameSync(world.path('swap/aside'), world.path('swap/real'));
      await new Promise(setImmediate);
    }
  })();
  for (let i = 0; i < 20; ++i) {
    const {body} = await world.api.invoke('grep_search', {query: 'needle', isRegexp: false, includePattern: './swap'});
    assert.ok(!textOf(body).includes('SECRET'), textOf(body));
  }
  goes = false;
  await swapping;
  assert.ok(swaps > 5);
  rmSync(world.path('swap'), {recursive: true});
});

test('a search ends with its request', async () => {
  const abort = new AbortController();
  const call = world.api.invoke('grep_search', {query: 'needle', isRegexp: false}, {}, {signal: abort.signal});
  abort.abort();
  await assert.rejects(call, {name: 'AbortError'});
  assert.match(await world.text('grep_search', {query: 'wide needle', isRegexp: false}), /wide.txt/);
});

test('read_project_structure shows the tree without what is ignored', async () => {
  const text = await world.text('read_project_structure', {});
  for (const part of ['\nsrc/\n  deep/\n    c.ts\n  b.js\n  kept.log\n', '\nlib/\n  src/\n    d.js\n', '\n.github/\n  flow.yml\n', '\na.js\n']) assert.ok(text.includes(part), `${part} is not in ${text}`);
  for (const part of ['node_modules', 'build', 'config', 'c.log', 'secret', 'loop', 'outside']) assert.ok(!text.includes(part), `${part} is in ${text}`);
});

test('a workspace that was removed is said to be gone', async () => {
  const gone = await Workspace.start();
  try {
    rmSync(gone.folder, {recursive: true});
    const cases = [
      ['list_dir', {path: '.'}], ['read_file', {filePath: 'a.txt'}], ['file_search', {query: '*'}], ['grep_search', {query: 'x', isRegexp: false}],
      ['read_project_structure', {}], ['create_file', {filePath: 'a/b.txt', content: 'x'}], ['create_directory', {dirPath: 'a'}]
    ];
    for (const [tool, input] of cases) assert.equal(await gone.failure(tool, input), `the workspace's folder ${gone.folder} is gone`, tool);
  } finally {
    await gone.stop();
  }
});

test('without ripgrep the tools say what to install', async () => {
  const bare = await Workspace.start({env: {PATH: '/nonexistent'}});
  try {
    for (const [tool, input] of [['file_search', {query: '*'}], ['grep_search', {query: 'x', isRegexp: false}], ['read_project_structure', {}]])
      assert.match(await bare.failure(tool, input), /needs ripgrep.*apt install ripgrep/, tool);
    assert.match(await bare.failure('get_changed_files', {}), /needs git.*apt install git/);
  } finally {
    await bare.stop();
  }
});
