// The built-in tools in the hands of the demo model: what someone sees who tries a chat, or a request, without any model of their own.
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {machineRefuses, Workspace} from './builtin.mjs';
import {Home} from './home.mjs';
import {chat} from './raw.mjs';
import {plain} from './terminal.mjs';

const CTRL_D = '\x04';
const skip = machineRefuses();
const notes = 'one\ntwo\nthree\n';
const reference = {read_file: '#readFile', create_file: '#createFile', run_in_terminal: '#runInTerminal'};
const says = (tool, input) => `${reference[tool]} ${JSON.stringify(input)}`;
const page = {filePath: 'page.txt', content: 'hello\n'};
const touch = {command: 'touch made && echo done'};

describe('in a chat', () => {
  let folder;
  let own;
  let terminal;
  const workspace = (name) => path.join(folder, 'workspace', name);
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
    for (const name of ['workspace', 'data']) mkdirSync(path.join(folder, name));
    writeFileSync(workspace('notes.txt'), notes);
    own = new Home(folder);
    terminal = own.terminal(['chat']);
    await terminal.expect(/Ctrl-D leaves[^]*› /);
  });
  afterEach(async () => {
    terminal.press(CTRL_D);
    assert.equal(await terminal.exited, 0, plain(terminal.output));
    rmSync(folder, {recursive: true, force: true});
  });
  const prompt = (tool, input) => terminal.press(`${says(tool, input)}\r`);
  const answer = (pattern) => terminal.expect(new RegExp(`${pattern.source}[^]*toolgate/demo · 2 rounds · 1 call · [^]*› `));

  test('it says which tools it calls, and how', async () => {
    terminal.press('hello\r');
    await terminal.expect(/#readFile \{"filePath":"README\.md"\}[^]*#createFile[^]*#runInTerminal[^]*› /);
  });

  test('read_file runs at once', async () => {
    prompt('read_file', {filePath: 'notes.txt', startLine: 1, endLine: 3});
    await answer(/✓\S* \S*read_file[^]*read_file answered: \[notes\.txt, lines 1 to 3 of 3\]\r\none\r\ntwo\r\nthree\r\n/);
    assert.doesNotMatch(terminal.output, /Your choice/);
  });

  test('create_file shows a coloured diff, asks, and can be undone', async () => {
    prompt('create_file', page);
    await terminal.expect(/Create page\.txt\?[^]*\x1b\[32m\+hello\x1b\[0m[^]*Your choice/);
    terminal.press('d');
    await answer(/⊘\S* \S*create_file[^]*denied[^]*create_file answered: .*denied/);
    assert.deepEqual(readdirSync(workspace('.')), ['notes.txt']);
    prompt('create_file', page);
    await terminal.expect(/\x1b\[32m\+hello\x1b\[0m[^]*Your choice/);
    terminal.press('o');
    await answer(/create_file answered: Created page\.txt[^]*'toolgate undo edit_\w+' takes the edit back\./);
    assert.equal(readFileSync(workspace('page.txt'), 'utf8'), 'hello\n');
    terminal.press('/exit\r');
    assert.equal(await terminal.exited, 0);
    assert.match(await own.ok(['undo', '--yes']), /^removed page\.txt\n/);
    assert.deepEqual(readdirSync(workspace('.')), ['notes.txt']);
  });

  test('run_in_terminal shows the command; an answer for the session counts for exactly this', {skip}, async () => {
    prompt('run_in_terminal', touch);
    await terminal.expect(/Run this command\?[^]*touch made && echo done[^]*s\S* exactly this, this session[^]*Your choice/);
    terminal.press('s');
    await answer(/✓ allowed in this session, for exactly these arguments[^]*run_in_terminal answered: done\r\n/);
    prompt('run_in_terminal', touch);
    await answer(/run_in_terminal answered: done\r\n/);
    prompt('run_in_terminal', {command: 'touch other'});
    await terminal.expect(/touch other[^]*Your choice/);
    terminal.press('d');
    await answer(/run_in_terminal answered: .*denied/);
    assert.deepEqual(readdirSync(workspace('.')), ['made', 'notes.txt']);
  });
});

describe('over HTTP in auto mode', () => {
  let world;
  let home;
  before(async () => {
    world = await Workspace.start();
    world.write({'notes.txt': notes});
    home = new Home(world.gateway.folder);
  });
  after(() => world.stop());
  const ask = (tool, input) => chat(
      world.gateway.port, {model: 'toolgate/demo', tool_execution: 'auto', messages: [{role: 'user', content: says(tool, input)}]});
  const textOf = ({json}) => json.choices[0].message.content;

  test('read_file runs at once', async () => {
    assert.equal(textOf(await ask('read_file', {filePath: 'notes.txt'})), `read_file answered: [notes.txt, lines 1 to 3 of 3]\n${notes}`);
  });

  for (const [tool, input, shows, done, name] of [
         ['create_file', page, /\+hello/, /^create_file answered: Created page\.txt/, 'page.txt'],
         ['run_in_terminal', touch, /touch made && echo done/, /^run_in_terminal answered: done\n/, 'made']
       ]) {
    test(`${tool} waits for 'toolgate approve'`, {skip: tool === 'run_in_terminal' && skip}, async () => {
      for (const decision of ['deny', 'approve']) {
        const answer = ask(tool, input);
        const {id} = await world.api.waiting();
        assert.match(await home.ok(['pending', id]), shows);
        assert.equal(world.read(name), null);
        await home.ok([decision, id]);
        assert.match(textOf(await answer), decision === 'deny' ? /denied/ : done);
      }
      assert.notEqual(world.read(name), null);
    });
  }
});
