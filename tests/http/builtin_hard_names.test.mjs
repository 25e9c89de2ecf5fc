// The built-in tools where names and places deceive: links in circles and out of the workspace, folders that are swapped and files
// that are written or removed during calls, and names that cannot be shown as they are.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {textOf, Workspace} from './builtin.mjs';

const settings = {'chat.tools.edits.autoApprove': {'**/*': true}};
const patch = (text) => ({input: `*** Begin Patch\n${text}*** End Patch\n`, explanation: 'a test'});
const png = (width) => {
  const bytes = Buffer.alloc(40);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(1, 20);
  return bytes;
};
const saidBy = ({body}) => body.error?.message ?? textOf(body);

let world, outside;
before(async () => {
  world = await Workspace.start({settings});
  outside = path.join(world.gateway.folder, 'outside');
  mkdirSync(path.join(outside, 'folder'), {recursive: true});
  for (const [name, text] of [['in.txt', 'SECRET needle\n'], ['in.cpp', 'int SECRET_needle;\n'], ['pic.png', png(777)], ['secret.txt', 'SECRET needle\n']])
    writeFileSync(path.join(outside, name), text);
});
after(() => world.stop());

const undo = (id) => world.api.request('POST', `/v1/edits/${id}/undo`, {operator: true});
const tree = (folder) => execFileSync('sh', ['-c', 'find . -printf "%p %y %m %s\\n" | sort; find . -type f -exec sha256sum {} + | sort'], {cwd: folder, encoding: 'utf8'});

// A call of each tool that takes a path, for something called in.txt, in.cpp or pic.png in `folder`; `n` makes names new.
const reading = (folder) => [
  ['read_file', {filePath: `${folder}/in.txt`}], ['read_file', {filePath: `${folder}/none.txt`}], ['view_image', {filePath: `${folder}/pic.png`}], ['list_dir', {path: folder}],
  ['get_changed_files', {repositoryPath: folder}], ['get_errors', {filePaths: [`${folder}/in.cpp`]}], ['list_code_usages', {symbolName: 'needle', filePaths: [`${folder}/in.cpp`]}]
];
const editing = (folder, n = 0) => [
  ['create_file', {filePath: `${folder}/new${n}/file.txt`, content: 'made\n'}], ['create_directory', {dirPath: `${folder}/made${n}/deep`}],
  ['replace_string_in_file', {filePath: `${folder}/in.txt`, oldString: 'needle', newString: `needle ${n}`}],
  ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: `${folder}/in.txt`, oldString: 'needle', newString: `needle ${n}`}]}],
  ['apply_patch', patch(`*** Add File: ${folder}/added${n}.txt\n+made\n*** Update File: ${folder}/in.txt\n*** Move to: ${folder}/moved${n}.txt\n`)],
  ['apply_patch', patch(`*** Delete File: ${folder}/in.txt\n`)],
  ['insert_edit_into_file', {explanation: 'e', filePath: `${folder}/in.txt`, code: `${n}\n`}],
  ['rename', {symbol: 'needle', newName: `needle${n}`, filePath: `${folder}/in.cpp`}]
];

describe('links', () => {
  before(() => world.write({'links/circle': {link: 'ring'}, 'links/ring': {link: 'circle'}, 'links/self': {link: '.'}, 'links/up': {link: '..'},
                            'links/out': {link: '../../outside'}, 'links/data': {link: '../../data'}, 'links/in.txt': 'plain needle\n'}));
  after(() => rmSync(world.path('links'), {recursive: true}));

  for (const [name, says] of [['circle', /^(replacement 1: )?the links in links\/circle\S* lead in a circle(; nothing was changed)?$/],
                              ['out', /links\/out\S* is outside the workspace/], ['data', /links\/data\S* belongs to the gateway itself/]])
    test(`no tool follows one that leads ${name === 'circle' ? 'in a circle' : `to ${name}`}`, async () => {
      const before = tree(outside);
      for (const [tool, input] of [...reading(`links/${name}`), ...editing(`links/${name}`)])
        assert.match(await world.failure(tool, input), says, `${tool} ${JSON.stringify(input)}`);
      assert.equal(tree(outside), before);
    });
  test('the last part of a path may be one in a circle, too', async () => {
    for (const [tool, input] of [['create_file', {filePath: 'links/circle', content: 'x'}], ['create_directory', {dirPath: 'links/ring'}], ['apply_patch', patch('*** Add File: links/circle\n+x\n')],
                                 ['apply_patch', patch('*** Delete File: links/ring\n')], ['list_dir', {path: 'links/ring'}], ['view_image', {filePath: 'links/circle'}]])
      assert.match(await world.failure(tool, input), /^the links in links\/(circle|ring) lead in a circle$/, tool);
  });
  test('list_dir says of one that leads out no more than its name', async () => {
    assert.equal(await world.text('list_dir', {path: 'links'}), 'circle\ndata\nin.txt\nout\nring\nself/\nup/\n');
  });
  test('searches pass over them and end', async () => {
    assert.equal(await world.text('file_search', {query: 'links/**'}), 'links/in.txt\n');
    assert.equal(await world.text('grep_search', {query: 'needle', isRegexp: false, includeIgnoredFiles: true}), 'links/in.txt:1: plain needle\n');
    assert.equal(await world.text('read_project_structure', {}), '[1 file]\nlinks/\n  in.txt\n');
  });
});

// Exchanges the two again and again, in a process of its own, until stop(), which says how often. It has begun.
async function exchanging(one, other) {
  const program = `
import ctypes, os, signal, sys, time
libc, count, goes = ctypes.CDLL(None), 0, True
def stop(*_):
    global goes
    goes = False
signal.signal(signal.SIGTERM, stop)
one, other = (os.fsencode(name) for name in sys.argv[1:])
while goes:
    count += libc.renameat2(-100, one, -100, other, 2) == 0
    if count == 1: print("begun", flush=True)
    time.sleep(0.0003)
print(count)
`;
  const child = spawn('python3', ['-c', program, one, other], {stdio: ['ignore', 'pipe', 'inherit']});
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => { said += text; });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
    return Number(said.replace('begun\n', ''));
  };
}

const searches = (folder) => [
  ['file_search', {query: `./${folder}/**`}], ['grep_search', {query: 'needle', isRegexp: false, includePattern: `./${folder}`}], ['read_project_structure', {}]
];
// What may be said of something that is elsewhere, gone or another one in the moment of a call.
const passing = new RegExp([
  'outside the workspace', 'another place by now', 'there is no', 'has changed', 'was (removed|created)', 'leads nowhere', 'is gone', 'not in a git repository', 'does not stand',
  'is a (file|link)', 'not a folder', 'is there (already|again)', 'cannot (reach|read)', 'something else than what was shown', 'are not in', 'no existing code', 'grows while it is read',
  'would change nothing', 'could not do it: .*(non-added|index may be stale)', 'cannot run .*: No such file'
].join('|'));

test('a folder that is exchanged for a link shows nothing from outside, and nothing is written there', async (t) => {
  const before = tree(outside);
  const endings = {done: 0, refused: 0};
  const note = (tool, said, done) => {
    assert.doesNotMatch(said, /SECRET|secret\.txt|777 ×/, tool);
    if (!done) assert.match(said, passing, tool);
    ++endings[done ? 'done' : 'refused'];
  };
  t.after(() => rmSync(world.path('swap'), {recursive: true, force: true}));
  for (let n = 1; n <= 8; ++n) {
    rmSync(world.path('swap'), {recursive: true, force: true});
    world.write({'swap/place/in.txt': 'inner needle\n', 'swap/place/in.cpp': 'int needle;\n', 'swap/place/pic.png': png(33), 'swap/other': {link: '../../outside'}});
    const stop = await exchanging(world.path('swap/place'), world.path('swap/other'));
    try {
      for (const [tool, input] of [...reading('swap/place'), ...Array(8).fill(searches('swap')).flat(), ...editing('swap/place', n)]) {
        const answer = await world.call(tool, input);
        const {ending, metadata} = answer.body;
        note(tool, saidBy(answer), ending === 'result');
        if (!metadata?.edit) continue;
        const {status, body} = await undo(metadata.edit.id);
        note('undo', JSON.stringify(body), status === 200);
      }
    } finally {
      assert.ok(await stop() > 10);
    }
  }
  assert.equal(tree(outside), before);
  assert.ok(endings.done > 20 && endings.refused > 20, JSON.stringify(endings));
});

describe('a file that others change during edits', () => {
  // What `disturb` does to the file, again and again, beside edits of it; a file is then as one of them left it, whole.
  const disturbances = {
    'is written': (at, n) => writeFileSync(at, `theirs ${n}\nword\n`),
    'is replaced': (at, n) => {
      writeFileSync(`${at}.next`, `theirs ${n}\nword\n`);
      renameSync(`${at}.next`, at);
    },
    'is removed': (at, n) => n % 2 ? rmSync(at, {force: true}) : writeFileSync(at, `theirs ${n}\nword\n`)
  };
  const calls = (name, n) => [
    ['replace_string_in_file', {filePath: name, oldString: 'word', newString: `ours ${n}`}],
    ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: name, oldString: 'word', newString: 'other'}, {filePath: name, oldString: 'other', newString: `ours ${n}`}]}],
    ['apply_patch', patch(`*** Update File: ${name}\n-word\n+ours ${n}\n`)],
    ['insert_edit_into_file', {explanation: 'e', filePath: name, code: `whole\nours ${n}\n`}]
  ];
  const isWhole = /^(theirs \d+|whole)\n(word|ours \d+)\n$/;

  for (const [what, disturb] of Object.entries(disturbances))
    test(what, async (t) => {
      mkdirSync(world.path('busy'));
      const at = world.path('busy/file.txt');
      let goes = true;
      const disturbing = (async () => {
        for (let n = 0; goes; ++n) {
          disturb(at, n);
          await new Promise(setImmediate);
        }
      })();
      const calm = () => {
        goes = false;
        return disturbing;
      };
      t.after(() => calm().then(() => rmSync(world.path('busy'), {recursive: true})));
      const refused = [];
      for (let n = 0; n < 15; ++n)
        for (const [tool, input] of calls('busy/file.txt', n)) {
          const answer = await world.call(tool, input);
          if (answer.body.ending !== 'result') refused.push(saidBy(answer));
          const {id} = answer.body.metadata?.edit ?? {};
          const undone = id ? await undo(id) : {status: 200};
          if (undone.status !== 200) refused.push(saidBy(undone));
          const text = world.read('busy/file.txt');
          assert.ok(text === null || text === '' || isWhole.test(text), text);
        }
      for (const said of refused) assert.match(said, passing);
      await calm();
      assert.ok(refused.length > 0);
      // Of what others wrote in the moment of the edit, and wrote again, nothing is lost: the error says where it is.
      for (const kept of readdirSync(world.path('busy')).filter((name) => name.startsWith('.')))
        assert.ok(refused.some((said) => said.includes(kept)), `${kept} is left, and no error says so`);

      disturb(at, 0);
      const {body} = await world.call('replace_string_in_file', {filePath: 'busy/file.txt', oldString: 'word', newString: 'last'});
      assert.equal(world.read('busy/file.txt'), 'theirs 0\nlast\n');
      assert.equal((await undo(body.metadata.edit.id)).status, 200);
      assert.equal(world.read('busy/file.txt'), 'theirs 0\nword\n');
    });

  test('comes and goes with its folder', async (t) => {
    let goes = true;
    const disturbing = (async () => {
      while (goes) {
        world.write({'busy/in.txt': 'needle\n', 'busy/in.cpp': 'int needle;\n', 'busy/pic.png': png(33)});
        await new Promise(setImmediate);
        rmSync(world.path('busy'), {recursive: true});
        await new Promise(setImmediate);
      }
    })();
    t.after(() => {
      goes = false;
      return disturbing;
    });
    for (let n = 0; n < 8; ++n)
      for (const [tool, input] of [...reading('busy'), ...searches('busy')]) {
        const answer = await world.call(tool, input);
        if (saidBy(answer).startsWith('busy/pic.png is no PNG')) continue;  // it has just been created, and is empty
        if (answer.body.ending !== 'result') assert.match(saidBy(answer), passing, tool);
        else if (tool === 'read_file') assert.match(saidBy(answer), /^\[busy\/in\.txt(, lines 1 to 1 of 1\]\nneedle\n| is empty\])$/);
        else if (tool === 'list_dir') assert.match(saidBy(answer), /^(The folder is empty\.|((in\.cpp|in\.txt|pic\.png)\n){1,3})$/);
        else if (tool === 'file_search') assert.match(saidBy(answer), /^(No files found\.|(busy\/(in\.cpp|in\.txt|pic\.png)\n){1,3}(\[.* files; .*\]\n)?)$/);
        else if (tool === 'grep_search') assert.match(saidBy(answer), /^(No matches found\..*|(\[Nothing matches .*\]\n)?(busy\/in\.(txt:1: needle|cpp:1: int needle;)\n){1,2})$/);
      }
  });

  test('has no usages once it is removed', async (t) => {
    t.after(() => rmSync(world.path('busy'), {recursive: true}));
    world.write({'busy/a.cpp': 'int passing;\n', 'busy/b.cpp': 'extern int passing;\nint use() { return passing; }\n'});
    assert.match(await world.text('list_code_usages', {symbolName: 'passing'}), /\n3 references:\nbusy\/a\.cpp:.*\nbusy\/b\.cpp:/);
    rmSync(world.path('busy/b.cpp'));
    assert.equal(await world.text('list_code_usages', {symbolName: 'passing'}), '1 definition:\nbusy/a.cpp:1:5: int passing;\n1 reference:\nbusy/a.cpp:1:5: int passing;\n');
    assert.equal(await world.text('rename', {symbol: 'passing', newName: 'staying', filePath: 'busy/a.cpp'}), 'Edited busy/a.cpp (+1 -1 lines)\n');
  });
});

// [as bytes, as answers show it]. The last has the mark itself in its name.
const odd = [
  [Buffer.from('new\nline'), 'new⟨U+000A⟩line'], [Buffer.from('bidi\u202etxt'), 'bidi⟨U+202E⟩txt'], [Buffer.from('-dash'), '-dash'], [Buffer.from(' blank'), ' blank'],
  [Buffer.from([0x62, 0xff, 0x61]), 'b⟨0xFF⟩a'], [Buffer.from('mark⟨U+000A⟩'), 'mark⟨U+27E8⟩U+000A⟩']
];
describe('odd names', () => {
  const at = (...parts) => Buffer.concat([Buffer.from(world.path('odd/')), ...parts.map((part) => Buffer.from(part))]);
  before(() => mkdirSync(world.path('odd')));
  after(() => rmSync(world.path('odd'), {recursive: true}));

  for (const [number, [bytes, shown]] of odd.entries())
    describe(shown, () => {
      const isText = Buffer.compare(Buffer.from(bytes.toString()), bytes) === 0;
      const folder = `odd/${shown}`;
      const symbol = `thing${number}`;
      before(() => {
        mkdirSync(at(bytes));
        for (const ending of ['.txt', '.cpp', '.png'])
          writeFileSync(at(bytes, '/', bytes, ending), ending === '.png' ? png(33) : ending === '.cpp' ? `int ${symbol};\nint wrong = ;\n` : 'odd needle\n');
      });
      after(() => rmSync(at(bytes), {recursive: true}));
      const file = (ending) => `${folder}/${shown}${ending}`;

      test('is read and found by what is shown', async () => {
        assert.equal(await world.text('list_dir', {path: folder}), ['.cpp', '.png', '.txt'].map((ending) => `${shown}${ending}\n`).join(''));
        assert.equal(await world.text('read_file', {filePath: file('.txt')}), `[${file('.txt')}, lines 1 to 1 of 1]\nodd needle\n`);
        assert.equal(await world.text('view_image', {filePath: file('.png')}), `${file('.png')}: image/png, 33 × 1 pixels, 40 bytes`);
        assert.equal(await world.text('file_search', {query: 'odd/**/*.txt'}), `${file('.txt')}\n`);
        assert.equal(await world.text('read_project_structure', {}), `[3 files]\nodd/\n  ${shown}/\n    ${shown}.cpp\n    ${shown}.png\n    ${shown}.txt\n`);
        assert.equal(await world.text('grep_search', {query: 'odd needle', isRegexp: false}), `${file('.txt')}:1: odd needle\n`);
      });
      test('means the same in a glob', async () => {
        for (const query of [file('.txt'), `./${file('.txt')}`, `${folder}/*.txt`]) {
          assert.equal(await world.text('file_search', {query}), `${file('.txt')}\n`, query);
          assert.equal(await world.text('grep_search', {query: 'odd needle', isRegexp: false, includePattern: query}), `${file('.txt')}:1: odd needle\n`, query);
        }
        assert.equal(await world.text('grep_search', {query: 'odd needle', isRegexp: false, includePattern: folder}), `${file('.txt')}:1: odd needle\n`);
      });
      test('is known to language servers', async () => {
        const place = `${file('.cpp')}:1:5: int ${symbol};\n`;
        const errors = await world.text('get_errors', {filePaths: [file('.cpp')]});
        assert.ok(errors.startsWith(`${file('.cpp')}:2:13: error: `), errors);
        assert.equal(await world.text('list_code_usages', {symbolName: symbol, filePaths: [file('.cpp')]}), `1 definition:\n${place}1 reference:\n${place}`);
        assert.equal(await world.text('search_workspace_symbols', {symbolName: symbol}), `variable ${symbol}: ${place}`);
      });
      test('is shown by git', async () => {
        const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {cwd: world.path('odd'), stdio: 'pipe'});
        git('init', '-q');
        assert.equal(await world.text('get_changed_files', {repositoryPath: 'odd'}), `Untracked:\n  ${shown}/${shown}.cpp\n  ${shown}/${shown}.png\n  ${shown}/${shown}.txt\n`);
        rmSync(world.path('odd/.git'), {recursive: true});
      });

      const edits = [
        ['replace_string_in_file', {filePath: file('.txt'), oldString: 'odd', newString: 'even'}, `Edited ${file('.txt')} (+1 -1 lines)\n`],
        ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: file('.txt'), oldString: 'odd', newString: 'even'}]}, `Edited ${file('.txt')} (+1 -1 lines)\n`],
        ['insert_edit_into_file', {explanation: 'e', filePath: file('.txt'), code: 'even needle\n'}, `Edited ${file('.txt')} (+1 -1 lines)\n`],
        ['apply_patch', patch(`*** Update File: ${file('.txt')}\n*** Move to: ${folder}/moved.txt\n-odd needle\n+even needle\n*** Add File: ${folder}/new.txt\n+new\n*** Delete File: ${file('.png')}\n`),
         `Deleted ${file('.txt')}\nCreated ${folder}/moved.txt (+1 -0 lines)\nCreated ${folder}/new.txt (+1 -0 lines)\nDeleted ${file('.png')}\n`],
        ['create_file', {filePath: `${folder}/new.txt`, content: 'new\n'}, `Created ${folder}/new.txt (+1 -0 lines)\n`],
        ['create_directory', {dirPath: `${folder}/sub/deep`}, `Created the folder ${folder}/sub\nCreated the folder ${folder}/sub/deep\n`],
        ['rename', {symbol, newName: 'pin', filePath: file('.cpp')}, `Edited ${file('.cpp')} (+1 -1 lines)\n`]
      ];
      for (const [tool, input, says] of edits)
        test(`${tool} ${isText ? 'edits it, and undo takes that back' : 'says that it cannot be edited'}`, async () => {
          const before = tree(world.path('odd'));
          const {status, body} = await world.call(tool, input);
          if (isText) {
            assert.equal(saidBy({body}), says);
            assert.notEqual(tree(world.path('odd')), before);
            const undone = await undo(body.metadata.edit.id);
            assert.equal(undone.status, 200, JSON.stringify(undone.body));
          } else {
            // Nobody is asked about what cannot be done.
            assert.equal(status, 400, JSON.stringify(body));
            assert.match(body.error.message, /^the path of odd\/b⟨0xFF⟩a\S* is not UTF-8: edits cannot be recorded$/);
          }
          assert.equal(tree(world.path('odd')), before);
          assert.deepEqual(readdirSync(world.path('odd')).length, 1, 'no other folder was made');
        });
      test('errors name it as it is shown', async () => {
        assert.equal(await world.failure('view_image', {filePath: file('.txt')}), `${file('.txt')} is no PNG, JPEG, GIF or WebP picture; read_file shows files with text`);
        assert.equal(await world.failure('list_dir', {path: file('.txt')}), `${file('.txt')} is a file, not a folder`);
        const nowhere = {oldString: 'nowhere', newString: 'x'};
        for (const [tool, input] of [['replace_string_in_file', {filePath: file('.txt'), ...nowhere}], ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: file('.txt'), ...nowhere}]}],
                                     ['apply_patch', patch(`*** Update File: ${file('.txt')}\n-nowhere\n+x\n`)], ['create_file', {filePath: file('.txt'), content: 'x'}],
                                     ['rename', {symbol, newName: 'x', filePath: file('.txt')}], ['get_errors', {filePaths: [file('.txt')]}]]) {
          const said = await world.failure(tool, input);
          assert.ok(said.includes(file('.txt')), `${tool}: ${said}`);
        }
      });
    });

  test('a name in an error is on one line, and its characters are seen', async () => {
    for (const [name, shown] of [['none\n[a.txt is empty]', 'none⟨U+000A⟩[a.txt is empty]'], ['none\u202etxt', 'none⟨U+202E⟩txt']])
      for (const [tool, input] of [...reading(name), ...editing(name), ['read_file', {filePath: `/etc/${name}`}], ['create_file', {filePath: `/etc/${name}`, content: 'x'}],
                                   ['create_directory', {dirPath: `/etc/${name}`}], ['read_file', {filePath: `file://${name}`}], ['file_search', {query: `/etc/${name}`}], ['file_search', {query: `../${name}`}],
                                   ['grep_search', {query: 'x', isRegexp: false, includePattern: `/etc/${name}`}]]) {
        if (/^(create|insert)/.test(tool) && !JSON.stringify(input).includes('/etc/')) continue;  // that would be a new one
        if (tool === 'apply_patch' && name.includes('\n')) continue;                     // a patch has lines
        const said = await world.failure(tool, input);
        assert.ok(said.includes(shown) && !said.includes(name), `${tool}: ${said}`);
      }
  });
});
