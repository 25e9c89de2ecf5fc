// Every built-in tool as someone meets it who has just installed Toolgate and calls it by hand at a terminal.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {machineRefuses, Workspace} from './builtin.mjs';
import {Home} from './home.mjs';
import {plain} from './terminal.mjs';
import {WebServer} from './web_server.mjs';

const files = {
  'notes.txt': 'one\ntwo\nthree\n',
  'src/main.cpp': 'int twice(int n) { return n + n; }\nint main() { return twice(2); }\n',
  'broken.cpp': 'int broken() { return nothing; }\n',
  'dot.gif': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  '.vscode/tasks.json': '{"version": "2.0.0", "tasks": [{"label": "greet", "type": "shell", "command": "touch greeted; echo greetings"}]}\n'
};
const patch = '*** Begin Patch\n*** Add File: added.txt\n+new\n*** Update File: notes.txt\n-two\n+2\n*** End Patch\n';
const replaced = (text) => ({'notes.txt': files['notes.txt'].replace(...text)});

// What is asked, which lines of the diff are red and green, what the tool says, and what is other than in `files` then (null: a folder).
const edits = {
  create_file: {
    input: {filePath: 'new/page.txt', content: 'hello\nworld\n'}, asks: 'Create new/page.txt?', green: ['+hello', '+world'],
    says: /Created new\/page\.txt \(\+2 -0 lines\)/, leaves: {'new/': null, 'new/page.txt': 'hello\nworld\n'}
  },
  create_directory: {
    input: {dirPath: 'far/away'}, asks: 'Create far/away?', bold: ['folder far is created', 'folder far/away is created'],
    says: /Created the folder far\nCreated the folder far\/away/, leaves: {'far/': null, 'far/away/': null}
  },
  replace_string_in_file: {
    input: {filePath: 'notes.txt', oldString: 'two', newString: '2'}, asks: 'Edit notes.txt?', red: ['-two'], green: ['+2'],
    says: /Edited notes\.txt \(\+1 -1 lines\)/, leaves: replaced(['two', '2'])
  },
  multi_replace_string_in_file: {
    input: {explanation: 'Digits', replacements: [{filePath: 'notes.txt', oldString: 'one', newString: '1'}, {filePath: 'src/main.cpp', oldString: '(2)', newString: '(3)'}]},
    asks: 'Edit 2 files?', red: ['-one', '-int main() { return twice(2); }'], green: ['+1', '+int main() { return twice(3); }'],
    says: /Edited notes\.txt.*\nEdited src\/main\.cpp/, leaves: {...replaced(['one', '1']), 'src/main.cpp': files['src/main.cpp'].replace('(2)', '(3)')}
  },
  apply_patch: {
    input: {explanation: 'A patch', input: patch}, asks: 'Edit 2 files (1 new)?', red: ['-two'], green: ['+new', '+2'],
    says: /Created added\.txt.*\nEdited notes\.txt/, leaves: {...replaced(['two', '2']), 'added.txt': 'new\n'}
  },
  insert_edit_into_file: {
    input: {explanation: 'More', filePath: 'notes.txt', code: '// ...existing code...\nthree\nfour\n'}, asks: 'Edit notes.txt?', green: ['+four'],
    says: /Edited notes\.txt \(\+1 -0 lines\)/, leaves: replaced(['three\n', 'three\nfour\n'])
  },
  rename: {
    input: {symbol: 'twice', newName: 'doubled', filePath: 'src/main.cpp'}, asks: 'Edit src/main.cpp?',
    red: ['-int main() { return twice(2); }'], green: ['+int main() { return doubled(2); }'],
    says: /Edited src\/main\.cpp \(\+2 -2 lines\)/, leaves: {'src/main.cpp': files['src/main.cpp'].replaceAll('twice', 'doubled')}
  }
};

// What is shown without a question.
const readers = {
  list_dir: [{path: '.'}, /^\.git\/\n\.vscode\/\nbroken\.cpp\ndot\.gif\nnotes\.txt\nsrc\/\n$/],
  read_project_structure: [{}, /^\[5 files\]\n\.vscode\/\n {2}tasks\.json\nsrc\/\n {2}main\.cpp\nbroken\.cpp\ndot\.gif\nnotes\.txt\n$/],
  file_search: [{query: '*.txt'}, /^notes\.txt\n$/],
  grep_search: [{query: 'two', isRegexp: false}, /^notes\.txt:2: two\n$/],
  read_file: [{filePath: 'notes.txt', startLine: 2, endLine: 3}, /^\[notes\.txt, lines 2 to 3 of 3\]\ntwo\nthree\n$/],
  view_image: [{filePath: 'dot.gif'}, /1 × 1[^]*\(image\/gif, 42 bytes; a pipe or a file gets the data\)\n$/],
  get_changed_files: [{}, /^Untracked:\n(.*\n)* {2}notes\.txt\n/],
  get_errors: [{filePaths: ['broken.cpp']}, /^broken\.cpp:1:23: error: Use of undeclared identifier 'nothing'/],
  list_code_usages: [{symbolName: 'twice'}, /^1 definition:\nsrc\/main\.cpp:1:5: int twice.*\n2 references:\n/],
  search_workspace_symbols: [{symbolName: 'twice'}, /^function twice: src\/main\.cpp:1:5: /],
  manage_todo_list: [{operation: 'write', todoList: [{id: 1, title: 'Read the code', status: 'in-progress'}]}, /^# Todo list\n\n- \[-\] 1\. Read the code\n$/]
};

// These have a test of their own below.
const others = ['run_in_terminal', 'get_terminal_output', 'send_to_terminal', 'kill_terminal', 'terminal_last_command', 'run_task', 'get_task_output', 'test_failure', 'fetch_webpage'];

// {'a/': null, 'a/b.txt': 'text'}, without what git keeps.
function everything(folder, below = '') {
  const found = {};
  for (const name of readdirSync(path.join(folder, below)).filter((one) => one !== '.git')) {
    const at = below + name;
    if (statSync(path.join(folder, at)).isDirectory()) Object.assign(found, {[`${at}/`]: null}, everything(folder, `${at}/`));
    else found[at] = readFileSync(path.join(folder, at), 'latin1');
  }
  return found;
}

let world;
let home;
let pages;
let untouched;
before(async () => {
  pages = await WebServer.start({'/apples': '<title>Apples</title><main><h1>Apples</h1><p>They grow on trees.</p></main>'});
  world = await Workspace.start({settings: {'toolgate.web.allowedPrivateHosts': [`127.0.0.1:${pages.port}`]}});
  home = new Home(world.gateway.folder);
  world.write(files);
  assert.equal(spawnSync('git', ['init', '-q', world.folder]).status, 0);
  untouched = everything(world.folder);
});
after(async () => {
  await world?.stop();
  await pages?.stop();
});
beforeEach(() => assert.deepEqual(everything(world.folder), untouched, 'what an earlier test left'));
afterEach(async () => {
  await world.api.request('DELETE', '/v1/approvals', {operator: true});
  const left = await world.api.pending();
  for (const {id} of left) await world.api.confirm(id, 'deny');
  assert.deepEqual(left, [], 'a test left a call that waits');
});

const commandFor = (tool, input) => ['call', tool, '--input', JSON.stringify(input)];

// A call that stands at its question.
async function asked(tool, input, title) {
  const terminal = home.terminal(commandFor(tool, input));
  await terminal.expect(/Your choice/);
  assert.ok(plain(terminal.output).includes(`\n${title}\n`), plain(terminal.output));
  return terminal;
}

async function end(terminal, status) {
  assert.equal(await terminal.exited, status, plain(terminal.output));
  return plain(terminal.output);
}

async function allowed(tool, input, title) {
  const terminal = await asked(tool, input, title);
  terminal.press('o');
  const shown = await end(terminal, 0);
  assert.match(shown, new RegExp(`✓ allowed once\n[^]*✓ ${tool}  \\d.* m?s  allowed once by operator\n`));
  return shown;
}

async function denied(tool, input, title) {
  const terminal = await asked(tool, input, title);
  terminal.press('d');
  assert.match(await end(terminal, 1), new RegExp(`✗ denied\n[^]*✗ ${tool} .*denied by operator\ntoolgate: ${tool} gave no result: the user denied this call\n$`));
  return terminal.output;
}

// What a call shows that nobody is asked about.
async function unasked(tool, input) {
  const shown = await end(home.terminal(commandFor(tool, input)), 0);
  assert.doesNotMatch(shown, /Your choice/);
  // A line on the progress may have stood there before.
  const [, text] = new RegExp(`^(?:.*\n)*?✓ ${tool}  \\d.* m?s  [\\w ()]+\n([^]*)$`).exec(shown) ?? assert.fail(shown);
  return text;
}

const tooWide = (text, columns) => text.split('\n').filter((line) => [...line].length > columns);

const colours = {red: 31, green: 32, bold: 1};
function assertPainted(output, expected) {
  for (const [name, number] of Object.entries(colours))
    for (const line of expected[name] ?? [])
      assert.ok(output.includes(`\x1b[${number}m${line}\x1b[0m`), `${line} is not ${name} in ${JSON.stringify(output)}`);
}

test('every built-in tool that is listed is tried here', async () => {
  const {data} = JSON.parse(await home.ok(['tools', '--json']));
  const builtin = data.filter(({source}) => source.type === 'internal').map(({name}) => name);
  assert.deepEqual(builtin.toSorted(), [...Object.keys(edits), ...Object.keys(readers), ...others].toSorted());
});

describe('what reads shows it at once', () => {
  for (const [tool, [input, expected]] of Object.entries(readers))
    test(tool, async () => assert.match(await unasked(tool, input), expected));
});

describe('an edit shows a coloured diff and asks; undo takes it back', () => {
  for (const [tool, edit] of Object.entries(edits)) {
    test(tool, async () => {
      const output = await denied(tool, edit.input, edit.asks);
      assertPainted(output, edit);
      const shown = plain(output);
      assert.match(shown, /w exactly this, this workspace +a exactly this, always/);
      assert.doesNotMatch(shown, /oldString|newString|replacements|Begin Patch|existing code/, 'the diff says it all');
      assert.deepEqual(everything(world.folder), untouched);

      const done = await allowed(tool, edit.input, edit.asks);
      assert.match(done, edit.says);
      const [, id] = /'toolgate undo (edit_\w+)' takes it back\./.exec(done) ?? assert.fail(done);
      assert.deepEqual(everything(world.folder), {...untouched, ...edit.leaves});

      const undo = home.terminal(['undo', id]);
      await undo.expect(/Undo "[^]*Undo it\? \[y\/N\]/);
      const turned = (lines = [], to) => lines.map((line) => to + line.slice(1));
      assertPainted(undo.output, {red: turned(edit.green, '-'), green: turned(edit.red, '+')});
      undo.press('y');
      await end(undo, 0);
      assert.deepEqual(everything(world.folder), untouched);
    });
  }

  test('in a window of 40 columns no line is wider', async () => {
    const terminal = home.terminal(commandFor('create_file', {filePath: 'wide.txt', content: `${'wide '.repeat(30)}\n`}), {columns: 40});
    await terminal.expect(/\x1b\[32m\+wide[^]*Your choice/);
    terminal.press('d');
    const shown = await end(terminal, 1);
    assert.deepEqual(tooWide(shown.slice(0, shown.indexOf('Your choice')), 40), []);
    const listed = await end(home.terminal(['tools'], {columns: 40}), 0);
    assert.deepEqual(tooWide(listed, 40).filter((line) => line.startsWith('  ')), []);
  });

  test('with NO_COLOR it is a plain diff', async () => {
    const {input} = edits.replace_string_in_file;
    const terminal = home.terminal(commandFor('replace_string_in_file', input), {env: {NO_COLOR: '1'}});
    await terminal.expect(/\n {2}-two\r\n {2}\+2\r\n[^]*Your choice/);
    terminal.press('d');
    await end(terminal, 1);
    assert.doesNotMatch(terminal.output, /\x1b\[\d+m/);
  });

  test('Ctrl-C at the question changes nothing', async () => {
    const terminal = await asked('create_file', edits.create_file.input, edits.create_file.asks);
    terminal.press('\x03');
    assert.match(await end(terminal, 1), /create_file gave no result: the call was cancelled by operator\n$/);
  });
});

describe('commands', {skip: machineRefuses()}, () => {
  afterEach(() => ['made', 'other', 'greeted'].forEach((name) => rmSync(world.path(name), {force: true})));
  const touch = {command: 'touch made && echo done', explanation: 'Makes a file.'};
  const title = 'Run this command?';

  test('run_in_terminal shows the command and why it asks', async () => {
    await denied('run_in_terminal', touch, title);
    assert.equal(world.read('made'), null);
    const shown = await allowed('run_in_terminal', touch, title);
    assert.match(shown, /\nIn the workspace's folder, in the sandbox: it writes to the workspace only, and has no network:\n\ntouch made && echo done\n\n/);
    assert.match(shown, /\nThe model says: Makes a file\.\nAsked because no rule of chat\.tools\.terminal\.autoApprove allows 'touch made'\.\n/);
    assert.match(shown, /\ndone\n\[The command exited with 0 after \d+\.\d s\.\]\n$/);
    assert.equal(world.read('made'), '');
    assert.match(await unasked('terminal_last_command', {}), /touch made && echo done\n\nIt showed:\ndone\n\[The command exited with 0/);
  });

  for (const [key, words] of [['w', 'in this workspace'], ['a', 'always']]) {
    test(`${key} counts for exactly this command`, async () => {
      const terminal = await asked('run_in_terminal', touch, title);
      assert.match(plain(terminal.output), /w exactly this, this workspace +a exactly this, always/);
      terminal.press(key);
      assert.match(await end(terminal, 0), new RegExp(`✓ allowed ${words}, for exactly these arguments\n[^]*✓ run_in_terminal .* allowed ${words} by operator\n`));
      assert.match(await unasked('run_in_terminal', touch), /^done\n/);
      await denied('run_in_terminal', {...touch, command: 'touch other && echo done'}, title);
      await denied('run_in_terminal', {...touch, command: 'touch made && echo done again'}, title);
      assert.equal(world.read('other'), null);
    });
  }

  test('arguments that were edited are asked about, and no others', async () => {
    const editor = path.join(home.folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i s/made/other/ "$1"\n', {mode: 0o755});
    const terminal = home.terminal(commandFor('run_in_terminal', touch), {env: {EDITOR: editor}});
    await terminal.expect(/touch made[^]*Your choice/);
    const from = terminal.read;
    terminal.press('e');
    await terminal.expect(/These are your arguments now[^]*Your choice/);
    const again = plain(terminal.output.slice(from));
    assert.match(again, /command +"touch other && echo done"/);
    assert.doesNotMatch(again, /touch made/);
    terminal.press('o');
    await end(terminal, 0);
    assert.deepEqual([world.read('made'), world.read('other')], [null, '']);
  });

  test('? says which rule lets a command run or asks', async () => {
    const why = async (command) => plain(await home.ok([...commandFor('run_in_terminal', {command}), '--explain']));
    assert.match(await why('ls'), /→ the tool +does not ask \(chat\.tools\.terminal\.autoApprove: .*\) → runs\n/);
    const terminal = home.terminal(commandFor('run_in_terminal', touch), {columns: 40});
    await terminal.expect(/Your choice/);
    const from = terminal.read;
    terminal.press('?');
    await terminal.expect(/A person would be asked[^]*Your choice/);
    assert.deepEqual(tooWide(plain(terminal.output.slice(from, terminal.read)), 40), []);
    terminal.press('d');
    await end(terminal, 1);
  });

  test('one in the background is read, typed into and ended', async () => {
    const started = await allowed('run_in_terminal', {command: 'touch made; cat', isBackground: true}, 'Run this command in the background?');
    const [, id] = /\nTerminal (term_\w+) is still running\.\n/.exec(started) ?? assert.fail(started);
    assert.match(await unasked('get_terminal_output', {id}), /^Terminal term_\w+ is still running\.\n/);
    await denied('send_to_terminal', {id, command: 'hello'}, 'Type this into a running command?');
    assert.doesNotMatch(await unasked('get_terminal_output', {id}), /hello/);
    assert.match(await allowed('send_to_terminal', {id, command: 'hello'}, 'Type this into a running command?'), /is still running\.\nhello\n/);
    assert.match(await unasked('kill_terminal', {id}), /\[The command was ended after .*kill_terminal\.\]\n$/);
  });

  test('a task is asked about with its command', async () => {
    await denied('run_task', {id: 'greet'}, 'Run this task?');
    assert.equal(world.read('greeted'), null);
    assert.match(await allowed('run_task', {id: 'greet'}, 'Run this task?'), /\ntouch greeted; echo greetings\n[^]*\ngreetings\n\[The command exited with 0/);
    assert.equal(world.read('greeted'), '');
    assert.match(await unasked('get_task_output', {id: 'greet'}), /^greetings\n\[The command exited with 0/);
  });

  test('tests that failed are named', async () => {
    const tests = "echo TAP version 13; echo 1..1; echo 'not ok 1 - adds up'; : npm test";
    await allowed('run_in_terminal', {command: `npm() { ${tests}; }; npm test`}, title);
    assert.match(await unasked('test_failure', {}), /adds up/);
  });
});

test('fetch_webpage asks before it fetches, and before a model sees the page', async () => {
  const input = {urls: [`${pages.url}/apples`], query: 'where apples grow'};
  await denied('fetch_webpage', input, 'Fetch this web page?');
  assert.equal(pages.requests.length, 0);
  const terminal = await asked('fetch_webpage', input, 'Fetch this web page?');
  terminal.press('o');
  await terminal.expect(/Use the result of 'fetch_webpage'\?[^]*They grow on trees\.[^]*Your choice/);
  terminal.press('o');
  assert.match(await end(terminal, 0), /✓ fetch_webpage [^]*# Apples\n\nThey grow on trees\.\n/);
});

describe('input that a tool does not take is answered with what is wrong and an example', () => {
  const cases = [
    ['create_file', {filePath: 'x.txt'}, /'content'/, /^ +content +string +needed /m, {filePath: '…', content: '…'}],
    ['read_file', {filepath: 'x.txt'}, /'filePath'/, /^ +filePath +string +needed /m, {filePath: '…'}],
    ['run_in_terminal', {command: ''}, /command/, /^ +command +string +needed /m, {command: '…'}],
    ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: 'notes.txt'}]}, /replacements\/0.*'oldString'/, /^ +replacements\[\]\.oldString +string +needed /m,
     {explanation: '…', replacements: [{filePath: '…', oldString: '…', newString: '…'}]}]
  ];
  for (const [tool, input, fault, row, example] of cases) {
    test(tool, async () => {
      const shown = await end(home.terminal(commandFor(tool, input)), 1);
      assert.match(shown, new RegExp(`^toolgate: ${tool} does not take this input:\n- `));
      assert.match(shown.slice(0, shown.indexOf('It takes')), fault);
      assert.match(shown, row);
      const [, given] = new RegExp(`\nfor example\n  toolgate call ${tool} --input '(.*)'\n$`).exec(shown) ?? assert.fail(shown);
      assert.deepEqual(JSON.parse(given), example);
    });
  }

  test('what cannot be done is said before anyone is asked', async () => {
    const faults = [
      ['read_file', {filePath: 'note.txt'}, /toolgate: read_file gave no result: there is no note\.txt\n$/],
      ['replace_string_in_file', {filePath: 'notes.txt', oldString: 'four', newString: '4'}, /^toolgate: oldString does not stand in notes\.txt/],
      ['create_file', {filePath: 'notes.txt', content: ''}, /^toolgate: notes\.txt is there already: change it with replace_string_in_file/],
      ['create_file', {filePath: '../x', content: ''}, /^toolgate: .*\/x is outside the workspace .*extraFolders/],
      ['drink_coffee', {}, /^toolgate: no tool is called 'drink_coffee'; 'toolgate tools' lists all\n$/],
      ['run_task', {id: 'meet'}, /^toolgate: there is no task 'meet' in \.vscode\/tasks\.json; it has 'greet'\n$/],
      ['kill_terminal', {id: 'term_none'}, /toolgate: kill_terminal gave no result: there is no terminal term_none; run_in_terminal gives the ids/]
    ];
    for (const [tool, input, why] of faults) {
      const shown = await end(home.terminal(commandFor(tool, input)), 1);
      assert.match(shown, why);
      assert.doesNotMatch(shown, /Your choice/);
    }
  });
});
