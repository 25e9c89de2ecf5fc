// The built-in tools that read files and folders.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync, writeSync} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {textOf, Workspace} from './builtin.mjs';

const lines = (count, word = 'line') => Array.from({length: count}, (_, i) => `${word} ${i + 1}\n`).join('');
const utf16 = (text, big) => {
  const bytes = Buffer.from('\ufeff' + text, 'utf16le');
  return big ? bytes.swap16() : bytes;
};
const png = (width, height) => {
  const bytes = Buffer.alloc(40);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

let world;
before(async () => {
  world = await Workspace.start(
      {settings: {'toolgate.workspace.extraFolders': [`/proc/${process.pid}`]}});
  writeFileSync(path.join(world.gateway.folder, 'outside.txt'), 'SECRET outside\n');
});
after(() => world.stop());

test('list_dir names what is in a folder', async () => {
  world.write({'list/b.txt': 'b', 'list/a/': null, 'list/empty/': null, 'list/to-a': {link: 'a'}, 'list/nowhere': {link: 'none'}});
  assert.equal(await world.text('list_dir', {path: 'list'}), 'a/\nb.txt\nempty/\nnowhere\nto-a/\n');
  assert.equal(await world.text('list_dir', {path: world.path('list/empty')}), 'The folder is empty.');
  assert.equal(await world.text('list_dir', {path: `file://${world.path('list/to-a')}`}), 'The folder is empty.');
  assert.match(await world.failure('list_dir', {path: 'list/none'}), /there is no list\/none/);
  assert.match(await world.failure('list_dir', {path: 'list/b.txt'}), /list\/b.txt is a file, not a folder/);
  assert.match(await world.failure('list_dir', {path: 'list/b.txt/c'}), /a part of list\/b.txt\/c is not a folder/);
  assert.match(await world.failure('list_dir', {path: '..'}), /outside the workspace/);
  assert.match(await world.failure('list_dir', {path: '../data'}), /belongs to the gateway itself/);
});

test('list_dir shows odd names so that they cannot deceive', async () => {
  mkdirSync(world.path('odd'));
  for (const name of [Buffer.from('line\nbreak'), Buffer.from('bidi\u202etxt.exe'), Buffer.from([0x61, 0xff, 0x62]), Buffer.from('\x1b[31mred')])
    closeSync(openSync(Buffer.concat([Buffer.from(world.path('odd') + '/'), name]), 'w'));
  assert.equal(await world.text('list_dir', {path: 'odd'}),
      'a⟨0xFF⟩b\nbidi⟨U+202E⟩txt.exe\nline⟨U+000A⟩break\n⟨U+001B⟩[31mred\n');
  for (const name of ['a⟨0xFF⟩b', 'line⟨U+000A⟩break', '⟨U+001B⟩[31mred'])
    assert.match(await world.text('read_file', {filePath: `odd/${name}`}), /empty/, name);
  rmSync(world.path('odd'), {recursive: true});
});

test('list_dir of a large folder says how much it leaves out', async () => {
  mkdirSync(world.path('large'));
  for (let i = 0; i < 2003; ++i) closeSync(openSync(world.path(`large/f${i}`), 'w'));
  const text = await world.text('list_dir', {path: 'large'});
  assert.match(text, /\[3 more are not shown; file_search finds files by a glob\]/);
  rmSync(world.path('large'), {recursive: true});
});

test('read_file takes both forms of its input', async () => {
  world.write({'form.txt': lines(30)});
  const cases = [
    [{}, 1, 30], [{startLine: 3, endLine: 5}, 3, 5], [{startLine: 29, endLine: 99}, 29, 30], [{offset: 4, limit: 2}, 4, 5],
    [{limit: 1}, 1, 1], [{offset: 30}, 30, 30], [{startLine: 0, endLine: 1}, 1, 1], [{startLine: 2.7, endLine: 3.2}, 2, 3],
    [{offset: -5, limit: 1}, 1, 1], [{startLine: 30, endLine: 1e300}, 30, 30], [{startLine: 6, endLine: 6}, 6, 6]
  ];
  for (const [input, first, last] of cases) {
    const expected = Array.from({length: last - first + 1}, (_, i) => `line ${first + i}\n`).join('');
    const more = last < 30 ? `; go on with startLine ${last + 1}` : '';
    assert.equal(await world.text('read_file', {filePath: 'form.txt', ...input}),
        `[form.txt, lines ${first} to ${last} of 30${more}]\n${expected}`, JSON.stringify(input));
  }
  assert.match(await world.failure('read_file', {filePath: 'form.txt', startLine: 31, endLine: 40}), /line 31 is behind the end: form.txt has 30 lines/);
  assert.match(await world.failure('read_file', {filePath: 'form.txt', startLine: 5, endLine: 4}), /endLine 4 is before startLine 5/);
  assert.match(await world.failure('read_file', {}), /filePath/);
  assert.match(await world.failure('read_file', {filePath: 'form.txt', limit: 0}), /limit: must be >= 1/);
});

test('read_file shows 2000 lines at once and says how to go on', async () => {
  world.write({'many.txt': lines(4500)});
  const text = await world.text('read_file', {filePath: 'many.txt', startLine: 1, endLine: 4500});
  assert.equal(text, `[many.txt, lines 1 to 2000 of 4500; go on with startLine 2001]\n${lines(2000)}`);
  world.write({'wide.txt': lines(200, 'x'.repeat(3000))});
  const wide = await world.text('read_file', {filePath: 'wide.txt'});
  assert.match(wide, /^\[wide.txt, lines 1 to 67 of 200; go on with startLine 68\]\n/);
});

test('read_file reads what text is written in', async () => {
  const cases = [
    ['plain', Buffer.from('zwei\ndrei'), '[F, lines 1 to 2 of 2; no line break at the end]\nzwei\ndrei'],
    ['empty', Buffer.alloc(0), '[F is empty]'],
    ['break', Buffer.from('\n'), '[F, lines 1 to 1 of 1]\n\n'],
    ['dos', Buffer.from('a\r\nb\r\n'), '[F, lines 1 to 2 of 2; lines end with \\r\\n]\na\nb\n'],
    ['mark', Buffer.from('\ufeffä\n'), '[F, lines 1 to 1 of 1; begins with a byte order mark]\nä\n'],
    ['little', utf16('ä€😀\r\nĊ਀\n', false), '[F, lines 1 to 2 of 2; is UTF-16; lines end with \\r\\n]\nä€😀\nĊ਀\n'],
    ['big', utf16('ä€😀\nĊ਀', true), '[F, lines 1 to 2 of 2; is UTF-16; no line break at the end]\nä€😀\nĊ਀'],
    ['latin', Buffer.from('caf\xe9\n', 'latin1'), '[F, lines 1 to 1 of 1; is not UTF-8, read as Latin-1]\ncafé\n'],
    ['mixed', Buffer.concat([Buffer.from('ä'), Buffer.from([0xff, 0x0a])]), '[F, lines 1 to 1 of 1; is not UTF-8: � stands for wrong bytes]\nä�\n'],
    ['bidi', Buffer.from('a\u202eb\n'), '[F, lines 1 to 1 of 1]\na\u202eb\n']
  ];
  for (const [name, bytes, expected] of cases) {
    world.write({[`encoded/${name}`]: bytes});
    assert.equal(await world.text('read_file', {filePath: `encoded/${name}`}), expected.replace('F', `encoded/${name}`), name);
  }
});

test('read_file cuts very long lines', async () => {
  world.write({'long.txt': `${'ä'.repeat(20_000)}\nnext\n`});
  assert.equal(await world.text('read_file', {filePath: 'long.txt'}),
      `[long.txt, lines 1 to 2 of 2; 1 too long and cut]\n${'ä'.repeat(5000)}[… this line has 40001 bytes]\nnext\n`);
});

test('read_file says what cannot be read', async () => {
  world.write({
    'refused/zero.bin': Buffer.from('ELF\0\x01'), 'refused/wide.bin': Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0]), 'refused/folder/': null,
    'refused/out': {link: '../../outside.txt'}, 'refused/absolute': {link: '/etc/passwd'}, 'refused/gone': {link: 'nothing'}, 'refused/out-gone': {link: '../../nothing'},
    'refused/circle': {link: 'ring'}, 'refused/ring': {link: 'circle'}, 'refused/token': {link: '../../data'}
  });
  execFileSync('mkfifo', [world.path('refused/pipe')]);
  const socket = net.createServer().listen(world.path('refused/socket'));
  await new Promise((resolve) => socket.once('listening', resolve));
  const cases = [
    ['refused/none', /there is no refused\/none/], ['refused/zero.bin', /zero.bin is binary \(5 bytes\)/], ['refused/wide.bin', /is binary/],
    ['refused/folder', /is a folder, not a file/], ['refused/out', /outside the workspace/], ['refused/out-gone', /outside the workspace/], ['refused/absolute', /outside the workspace/],
    ['refused/gone', /there is no refused\/gone/], ['refused/circle', /lead in a circle/], ['refused/pipe', /is a pipe, not a file/],
    ['refused/socket', /is a socket, not a file/], ['/dev/null', /outside the workspace/], ['../outside.txt', /outside the workspace/],
    ['refused/../../outside.txt', /outside the workspace/], ['refused/zero.bin/x', /is not a folder/], ['refused/token', /belongs to the gateway itself/],
    ['file://host/a', /another machine/], [`file://${world.gateway.folder}/outside.txt`, /outside the workspace/], ['file:///%2e%2e/etc/passwd', /outside the workspace/],
    ['', /path is empty/], ['a\0b', /NUL/], ['x'.repeat(5000), /too long/], ['x'.repeat(300), /too long/],
    // Root may read everything, but not this.
    [`/proc/${process.pid}/mem`, /cannot (read|open) .*mem: (Input\/output error|Permission denied)/]
  ];
  if (process.getuid() !== 0) {
    world.write({'refused/locked.txt': {text: 'x', mode: 0o000}});
    cases.push(['refused/locked.txt', /cannot open refused\/locked.txt: Permission denied/]);
  }
  for (const [filePath, expected] of cases) assert.match(await world.failure('read_file', {filePath}), expected, filePath);
  socket.close();
});

test('read_file reads a range of a huge file', async () => {
  world.write({'huge.txt': {text: 'first\nsecond', sparse: 2 ** 30}, 'holes.bin': {sparse: 2 ** 30}});
  const file = openSync(world.path('huge.txt'), 'r+');
  writeSync(file, '\nlast\n', 2 ** 30);
  closeSync(file);
  assert.ok(statSync(world.path('huge.txt')).blocks < 1000, 'the file is not sparse here');
  assert.match(await world.failure('read_file', {filePath: 'holes.bin'}), /is binary \(1073741824 bytes\)/);
  // The NULs are behind what is looked at to tell text from binary.
  world.write({'behind.txt': {text: `first\n${'second '.repeat(2000)}`, sparse: 2 ** 30}});
  const behind = openSync(world.path('behind.txt'), 'r+');
  writeSync(behind, '\nlast\n', 2 ** 30);
  closeSync(behind);
  assert.equal(await world.text('read_file', {filePath: 'behind.txt', startLine: 1, endLine: 1}), '[behind.txt, lines 1 to 1 of 3; go on with startLine 2]\nfirst\n');
  assert.equal(await world.text('read_file', {filePath: 'behind.txt', startLine: 3, endLine: 3}), '[behind.txt, lines 3 to 3 of 3]\nlast\n');
  const second = await world.text('read_file', {filePath: 'behind.txt', startLine: 2, endLine: 2});
  assert.match(second, /second sec\w*\s?\[… this line has 1073741819 bytes\]\n$/);
  for (const name of ['huge.txt', 'holes.bin', 'behind.txt']) unlinkSync(world.path(name));
});

test('read_file finds lines far behind again when the file has changed', async () => {
  const text = (word) => lines(200_000, word);
  world.write({'far.txt': text('aaaa')});
  const read = (line) => world.text('read_file', {filePath: 'far.txt', startLine: line, endLine: line});
  assert.match(await read(190_000), /\naaaa 190000\n$/);
  execFileSync('touch', ['-d', '2001-01-01', world.path('far.txt')]);
  await new Promise((resolve) => setTimeout(resolve, 2500));  // what is older than that may be remembered
  assert.match(await read(190_000), /\naaaa 190000\n$/);
  assert.match(await read(150_000), /\naaaa 150000\n$/);
  assert.match(await read(199_999), /\naaaa 199999\n$/);
  world.write({'far.txt': text('b')});
  execFileSync('touch', ['-d', '2001-01-01', world.path('far.txt')]);
  assert.match(await read(190_000), /\nb 190000\n$/);
});

test('a file that comes and goes during calls is there or not', async () => {
  const at = world.path('flicker.txt');
  let goes = true;
  const flicker = (async () => {
    for (let i = 0; goes; ++i) {
      if (i % 2) rmSync(at, {force: true});
      else writeFileSync(at, 'content\n');
      await new Promise(setImmediate);
    }
  })();
  for (let i = 0; i < 40; ++i) {
    const {body} = await world.api.invoke('read_file', {filePath: 'flicker.txt'});
    assert.match(textOf(body), /^(\[flicker.txt, lines 1 to 1 of 1\]\ncontent\n|\[flicker.txt is empty\]|there is no flicker.txt)$/);
  }
  goes = false;
  await flicker;
});

test('a link that is swapped never leads out of the workspace', async () => {
  world.write({'swap/inside.txt': 'inside\n', 'swap/in': {link: 'inside.txt'}});
  let goes = true;
  let swaps = 0;
  const swapping = (async () => {
    for (; goes; ++swaps) {
      symlinkSync(swaps % 2 ? 'inside.txt' : '../../outside.txt', world.path('swap/next'));
      renameSync(world.path('swap/next'), world.path('swap/in'));
      await new Promise(setImmediate);
    }
  })();
  const seen = new Set();
  for (let i = 0; i < 60; ++i) {
    const {body} = await world.api.invoke('read_file', {filePath: 'swap/in'});
    const text = textOf(body);
    assert.ok(!text.includes('SECRET'), text);
    seen.add(text.includes('outside the workspace') ? 'refused' : text.includes('inside\n') ? 'read' : text);
  }
  goes = false;
  await swapping;
  assert.ok(swaps > 10);
  for (const each of seen) assert.ok(['refused', 'read'].includes(each), each);
});

test('read_file says what it did for people', async () => {
  world.write({'told\n\u202e.txt': lines(3)});
  const {body} = await world.call('read_file', {filePath: 'told\n\u202e.txt', startLine: 1, endLine: 2});
  assert.equal(textOf(body), '[told⟨U+000A⟩⟨U+202E⟩.txt, lines 1 to 2 of 3; go on with startLine 3]\nline 1\nline 2\n');
  assert.equal(body.message, 'Read told⟨U+000A⟩⟨U+202E⟩.txt, lines 1 to 2 of 3');
});

test('view_image and read_file hand on pictures', async () => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080020004001011100ffd9', 'hex');
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([16, 0, 8, 0, 0, 0, 0])]);
  const webp = Buffer.concat([Buffer.from('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0'), Buffer.from([9, 0, 0, 4, 0, 0])]);
  world.write({'pictures/a.png': png(640, 480), 'pictures/b.jpg': jpeg, 'pictures/c.gif': gif, 'pictures/d.webp': webp});
  const cases = [['a.png', 'image/png', '640 × 480', png(640, 480)], ['b.jpg', 'image/jpeg', '64 × 32', jpeg], ['c.gif', 'image/gif', '16 × 8', gif], ['d.webp', 'image/webp', '10 × 5', webp]];
  for (const [name, type, size, bytes] of cases)
    for (const tool of ['view_image', 'read_file']) {
      const {body} = await world.call(tool, {filePath: `pictures/${name}`});
      const [text, data] = body.content ?? body.result.content;
      assert.equal(text.text, `pictures/${name}: ${type}, ${size} pixels, ${bytes.length} bytes`);
      assert.deepEqual(data, {type: 'data', mimeType: type, data: bytes.toString('base64')});
    }
});

test('view_image refuses what is no picture', async () => {
  world.write({
    'no/text.png': 'words\n', 'no/broken.png': png(0, 7), 'no/short.jpg': Buffer.from('ffd8ffe0', 'hex'), 'no/empty.gif': '',
    'no/vector.svg': '<svg/>', 'no/folder.png/': null
  });
  const large = openSync(world.path('no/large.png'), 'w');
  writeSync(large, png(1, 1));
  writeSync(large, 'x', 6 << 20);
  closeSync(large);
  const cases = [
    ['no/text.png', /is no PNG, JPEG, GIF or WebP picture/], ['no/vector.svg', /read_file shows files with text/], ['no/broken.png', /it is damaged/],
    ['no/short.jpg', /it is damaged/], ['no/empty.gif', /is no PNG/], ['no/large.png', /has 6291457 bytes; pictures are shown up to 5242880 bytes/],
    ['no/none.png', /there is no no\/none.png/], ['no/folder.png', /is a folder/], ['../outside.txt', /outside the workspace/]
  ];
  for (const [filePath, expected] of cases) assert.match(await world.failure('view_image', {filePath}), expected, filePath);
});
