// The built-in tools that edit files, and taking edits back.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {Workspace} from './builtin.mjs';
import {binary, startGateway} from './gateway.mjs';
import {environment, Home} from './home.mjs';
import {plain} from './terminal.mjs';

let world;
before(async () => {
  world = await Workspace.start({settings: {'chat.tools.edits.autoApprove': {'**/*': true, '**/ask/**': false}}});
});
after(() => world.stop());

const edits = async (query = '') => (await world.api.request('GET', `/v1/edits${query}`, {operator: true})).body.data;
const undo = (id, body) => world.api.request('POST', `/v1/edits/${id}/undo`, {operator: true, body});

async function edit(tool, input) {
  const {status, body} = await world.call(tool, input);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.ending, 'result', JSON.stringify(body));
  return body;
}

// Server-sent events as they come.
class Events {
  constructor(url, token) {
    this.abort = new AbortController();
    this.text = '';
    this.stream = fetch(url, {headers: {authorization: `Bearer ${token}`}, signal: this.abort.signal})
                      .then((response) => response.body.pipeThrough(new TextDecoderStream()).getReader());
  }

  async until(pattern) {
    const stream = await this.stream;
    while (!pattern.test(this.text)) this.text += (await stream.read()).value;
  }

  list(kind) {
    return [...this.text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].filter((found) => found[1] === kind).map((found) => JSON.parse(found[2]));
  }

  stop() {
    this.abort.abort();
  }
}

const patch = (text) => ({input: `*** Begin Patch\n${text}*** End Patch\n`, explanation: 'a test'});

test('each tool edits, says what it did, and can be undone', async (t) => {
  const cases = [
    {tool: 'create_file', input: {filePath: 'new/deep/a.txt', content: 'one\n'}, says: /^Created the folder .*\nCreated the folder .*\nCreated .*new\/deep\/a.txt \(\+1 -0 lines\)\n$/, file: 'new/deep/a.txt', text: 'one\n'},
    {tool: 'create_directory', input: {dirPath: 'made/here'}, says: /Created the folder made\/here/},
    {tool: 'replace_string_in_file', files: {'r.txt': 'a\nb\nc\n'}, input: {filePath: 'r.txt', oldString: 'b\n', newString: 'B\n'}, says: /Edited r.txt \(\+1 -1 lines\)/, file: 'r.txt', text: 'a\nB\nc\n'},
    {tool: 'replace_string_in_file', files: {'crlf.txt': '\ufeffa\r\nb\r\nc\r\n'}, input: {filePath: 'crlf.txt', oldString: 'a\nb', newString: 'a\nnew\nb'}, says: /Edited/, file: 'crlf.txt', text: '\ufeffa\r\nnew\r\nb\r\nc\r\n'},
    {tool: 'replace_string_in_file', input: {filePath: 'fresh.txt', oldString: '', newString: 'x\n'}, says: /Created fresh.txt/, file: 'fresh.txt', text: 'x\n'},
    {tool: 'multi_replace_string_in_file', files: {'m1.txt': 'one two\n', 'm2.txt': 'three\n'}, input: {explanation: 'e', replacements: [{filePath: 'm1.txt', oldString: 'one', newString: '1'}, {filePath: 'm1.txt', oldString: '1 two', newString: '1 2'}, {filePath: 'm2.txt', oldString: 'three', newString: '3'}]}, says: /Edited m1.txt .*\nEdited m2.txt/, file: 'm1.txt', text: '1 2\n'},
    {tool: 'apply_patch', files: {'p.txt': 'a\nb\nc\n', 'gone.txt': 'x\n', 'from.txt': 'f\n'}, input: patch('*** Update File: p.txt\n@@\n a\n-b\n+B\n c\n*** Delete File: gone.txt\n*** Add File: added.txt\n+n\n*** Update File: from.txt\n*** Move to: moved/to.txt\n@@\n-f\n+F\n'), says: /Created the folder moved\nEdited p.txt.*\nDeleted gone.txt\nCreated added.txt.*\nDeleted from.txt\nCreated moved\/to.txt/, file: 'moved/to.txt', text: 'F\n'},
    {tool: 'insert_edit_into_file', files: {'i.js': 'function a() {\n  return 1;\n}\n\nfunction b() {}\n'}, input: {explanation: 'e', filePath: 'i.js', code: 'function a() {\n  return 2;\n}\n// ...existing code...\n'}, says: /Edited i.js/, file: 'i.js', text: 'function a() {\n  return 2;\n}\n\nfunction b() {}\n'}
  ];
  for (const {tool, files = {}, input, says, file, text} of cases)
    await t.test(`${tool} ${JSON.stringify(input).slice(0, 60)}`, async () => {
      world.write(files);
      const body = await edit(tool, input);
      assert.match(body.content[0].text, says);
      if (file) assert.equal(world.read(file), text);
      const {id} = body.metadata.edit;
      assert.match(body.message, new RegExp(`'toolgate undo ${id}' takes it back`));
      const undone = await undo(id);
      assert.equal(undone.status, 200, JSON.stringify(undone.body));
      assert.equal(undone.body.undoes, id);
      for (const [name, content] of Object.entries(files)) assert.equal(world.read(name), content);
      if (file && !(file in files)) assert.equal(world.read(file), null);
      assert.ok(!existsSync(world.path('made')) && !existsSync(world.path('new')) && !existsSync(world.path('moved')));
      for (const name of Object.keys(files)) rmSync(world.path(name));
    });
  assert.deepEqual(readdirSync(world.folder).filter((name) => name.startsWith('.toolgate')), []);
});

test('what cannot be done fails before anyone is asked', async (t) => {
  world.write({
    'ask/a.txt': 'x\ny\nx\n',
    'ask/binary': Buffer.from([0, 1, 2]),
    'ask/latin.txt': Buffer.from('caf\xe9', 'latin1'),
    'ask/locked.txt': {text: 'a', mode: 0o444},
    'ask/big': {sparse: 2 ** 30},
    'ask/dir/': null,
    'ask/loop': {link: 'loop'},
    'ask/out': {link: '/etc/hostname'}
  });
  const replace = (name, oldString = 'x', newString = 'z') => ['replace_string_in_file', {filePath: `ask/${name}`, oldString, newString}];
  const cases = [
    [...replace('a.txt'), /stands 2 times in ask\/a.txt, at lines 1, 3/],
    [...replace('a.txt', 'xx'), /does not stand in ask\/a.txt/],
    [...replace('a.txt', 'y', 'y'), /are the same/],
    [...replace('none.txt'), /there is no ask\/none.txt/],
    [...replace('binary'), /is binary/],
    [...replace('latin.txt'), /is not UTF-8/],
    [...replace('locked.txt', 'a'), /is read-only/],
    [...replace('big'), /has 1073741824 bytes: edits touch files of up to 10485760 bytes/],
    [...replace('dir'), /is a folder/],
    [...replace('loop'), /circle/],
    [...replace('out'), /outside the workspace/],
    [...replace('../../data/operator-token'), /belongs to the gateway itself/],
    ['create_file', {filePath: 'ask/a.txt', content: 'x'}, /ask\/a.txt is there already/],
    ['create_file', {filePath: 'ask/a.txt/b', content: 'x'}, /ask\/a.txt is a file/],
    ['create_file', {filePath: 'ask/nul', content: 'a\0b'}, /NUL character/],
    ['create_file', {filePath: `ask/${'n'.repeat(300)}`, content: 'x'}, /too long/],
    ['create_file', {filePath: 'ask/trail/', content: 'x'}, /^ask\/trail\/ names a folder, not a file$/],
    ['apply_patch', patch('*** Add File: ask/trail/\n+x\n'), /names a folder/],
    ['create_directory', {dirPath: 'ask/a.txt'}, /is a file/],
    ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: 'ask/a.txt', oldString: 'y', newString: 'Y'}, {filePath: 'ask/a.txt', oldString: 'nope', newString: ''}]}, /replacement 2: .*does not stand.*nothing was changed/],
    ['multi_replace_string_in_file', {explanation: 'e', replacements: []}, /replacements/],
    ['apply_patch', {input: 'nonsense', explanation: 'e'}, /must begin with/],
    ['apply_patch', patch('*** Update File: ask/a.txt\n-q\n+r\n'), /these lines are not in ask\/a.txt/],
    ['apply_patch', patch('*** Update File: ask/a.txt\n-x\n+r\n'), /stand 2 times/],
    ['apply_patch', patch('*** Delete File: ask/dir\n'), /is a folder/],
    ['apply_patch', patch('*** Add File: ask/a.txt\n+x\n'), /is there already/],
    ['insert_edit_into_file', {explanation: 'e', filePath: 'ask/a.txt', code: '// ...existing code...\nq\n// ...existing code...\n'}, /none of its lines/],
    ['insert_edit_into_file', {explanation: 'e', filePath: 'ask/none.txt', code: '// ...existing code...\nq\n'}, /no existing code to keep/]
  ];
  for (const [tool, input, words] of cases)
    await t.test(`${tool}: ${words}`, async () => {
      assert.match(await world.failure(tool, input), words);
      assert.deepEqual(await world.api.pending(), []);
    });
  assert.equal(world.read('ask/a.txt'), 'x\ny\nx\n');
  chmodSync(world.path('ask/locked.txt'), 0o644);
});

// A call that waits; what `meanwhile` does happens before it is allowed.
async function allowedAfter(tool, input, meanwhile) {
  const answer = world.api.invoke(tool, input);
  const call = await world.api.waiting(({name}) => name === tool);
  await meanwhile(call);
  await world.api.confirm(call.id, 'allow');
  return (await answer).body;
}

test('the question shows the edit as a diff, and nothing is written before the answer', async () => {
  world.write({'ask/q.txt': 'one\ntwo\n'});
  const input = {filePath: 'ask/q.txt', oldString: 'two', newString: '2'};
  const body = await allowedAfter('replace_string_in_file', input, (call) => {
    assert.equal(call.confirmation.title, 'Edit ask/q.txt?');
    assert.ok(call.confirmation.messageIsMarkdown);
    assert.equal(
        call.confirmation.message,
        '```diff\n--- a/ask/q.txt\n+++ b/ask/q.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n```\n');
    assert.equal(world.read('ask/q.txt'), 'one\ntwo\n');
  });
  assert.equal(body.ending, 'result', JSON.stringify(body));
  assert.equal(world.read('ask/q.txt'), 'one\n2\n');
  const denied = await world.call('replace_string_in_file', {filePath: 'ask/q.txt', oldString: '2', newString: '3'}, {decision: 'deny'});
  assert.equal(denied.body.ending, 'denied');
  assert.equal(world.read('ask/q.txt'), 'one\n2\n');
});

test('names cannot pass for lines of the question', async () => {
  const name = 'ask/n\n```\nb\u202e.txt';
  const body = await allowedAfter('create_file', {filePath: name, content: 'x\n'}, (call) => {
    assert.equal(call.confirmation.title, 'Create ask/n\\n```\\nb⟨U+202E⟩.txt?');
    assert.ok(call.confirmation.message.startsWith('````diff\n'));
  });
  assert.equal(body.ending, 'result', JSON.stringify(body));
  assert.equal(world.read(name), 'x\n');
});

test('what has changed since the question is not edited', async (t) => {
  const input = (name) => ({filePath: `ask/${name}`, oldString: 'two', newString: '2'});
  const cases = [
    ['changed', (name) => world.write({[name]: 'one\ntwo\nthree\n'}), /has changed since this edit was shown/],
    ['deleted', (name) => rmSync(world.path(name)), /was removed since this edit was shown/],
    ['made executable', (name) => chmodSync(world.path(name), 0o755), /has changed since/],
    ['swapped for a link', (name) => {
      rmSync(world.path(name));
      symlinkSync('/etc/hostname', world.path(name));
    }, /is another place by now/],
    ['made a folder', (name) => {
      rmSync(world.path(name));
      world.write({[`${name}/`]: null});
    }, /has changed since/]
  ];
  for (const [what, change, words] of cases)
    await t.test(what, async () => {
      const name = `ask/${what}.txt`;
      world.write({[name]: 'one\ntwo\n'});
      const body = await allowedAfter('replace_string_in_file', input(`${what}.txt`), () => change(name));
      assert.equal(body.ending, 'failed', JSON.stringify(body));
      assert.match(body.error, words);
    });
  await t.test('a folder swapped for a link', async () => {
    world.write({'ask/in/x.txt': 'two\n', 'other/x.txt': 'two\n'});
    const body = await allowedAfter('replace_string_in_file', input('in/x.txt'), () => {
      renameSync(world.path('ask/in'), world.path('ask/was'));
      symlinkSync(world.path('other'), world.path('ask/in'));
    });
    assert.match(body.error, /is another place by now/);
    assert.equal(world.read('other/x.txt'), 'two\n');
  });
  await t.test('a new file that is there by now', async () => {
    const body = await allowedAfter('create_file', {filePath: 'ask/late.txt', content: 'mine\n'},
                                    () => world.write({'ask/late.txt': 'theirs\n'}));
    assert.match(body.error, /ask\/late.txt was created since/);
    assert.equal(world.read('ask/late.txt'), 'theirs\n');
  });
});

test('protected files are asked about', async () => {
  const answer = world.api.invoke('create_file', {filePath: '.vscode/settings.json', content: '{}\n'});
  const call = await world.api.waiting(({name}) => name === 'create_file');
  await world.api.confirm(call.id, 'deny');
  assert.equal((await answer).body.ending, 'denied');
  assert.ok(!existsSync(world.path('.vscode')));
});

test('/v1/edits lists, shows and undoes, for the operator only', async () => {
  world.write({'u.txt': {text: 'one\n', mode: 0o750}});
  const first = (await edit('replace_string_in_file', {filePath: 'u.txt', oldString: 'one', newString: 'two'})).metadata.edit;
  const second = (await edit('replace_string_in_file', {filePath: 'u.txt', oldString: 'two', newString: 'three'})).metadata.edit;
  assert.deepEqual((await edits('?limit=2')).map(({id}) => id), [second.id, first.id]);
  assert.deepEqual(await edits('?workspace=/elsewhere'), []);
  for (const [method, where] of [['GET', '/v1/edits'], ['GET', `/v1/edits/${first.id}`], ['POST', `/v1/edits/${first.id}/undo`]])
    assert.equal((await world.api.request(method, where)).status, 401, where);

  const shown = (await world.api.request('GET', `/v1/edits/${second.id}`, {operator: true})).body;
  assert.equal(shown.summary, 'Edit u.txt');
  assert.equal(shown.files[0].before.mode, '0750');
  assert.ok(shown.undo.possible && shown.undo.diff.includes('-three\n+two\n'));
  const early = await undo(first.id);
  assert.equal(early.status, 409);
  assert.match(early.body.error.message, /u.txt has changed since this edit/);
  assert.match((await world.api.request('GET', `/v1/edits/${first.id}`, {operator: true})).body.undo.problem, /u.txt has changed/);

  assert.equal((await undo(second.id)).status, 200);
  assert.equal((await undo(second.id)).status, 409);
  assert.equal((await undo(first.id)).status, 200);
  assert.equal(world.read('u.txt'), 'one\n');
  assert.equal(statSync(world.path('u.txt')).mode & 0o777, 0o750);
  world.write({'u.txt': 'by hand\n'});
  const forced = await undo(second.id, {force: true});
  assert.equal(forced.status, 200);
  assert.equal(world.read('u.txt'), 'two\n');
  assert.equal((await undo(forced.body.id)).status, 200);
  assert.equal(world.read('u.txt'), 'by hand\n');
  assert.equal((await undo('edit_none')).status, 404);
  assert.equal((await undo(first.id, {force: 'yes'})).status, 400);
  assert.equal((await undo(first.id, {other: 1})).status, 400);
});

test('an undo is in the trail and among the events, however it ends', async () => {
  world.write({'trail.txt': 'one\n'});
  const {id} = (await edit('replace_string_in_file', {filePath: 'trail.txt', oldString: 'one', newString: 'two'})).metadata.edit;
  const events = new Events(`${world.gateway.url}/v1/events?types=undo,audit`, world.gateway.operatorToken);
  await events.until(/connected/);
  const sequence = (await world.api.audit()).at(-1).sequence;

  world.write({'trail.txt': 'by hand\n'});
  assert.equal((await undo(id)).status, 409);
  assert.equal((await undo(id, {force: 'yes'})).status, 400);
  assert.equal((await undo('edit_none')).status, 404);
  world.write({'trail.txt': 'two\n'});
  const done = await undo(id);
  assert.equal(done.status, 200);
  const {status} = await new Home(world.gateway.folder).run(['undo', id, '--yes']);
  assert.equal(status, 1);

  const entries = (await world.api.audit()).filter((entry) => entry.sequence > sequence);
  const about = {edit: id, workspace: world.folder, files: ['trail.txt']};
  assert.deepEqual(entries.map(({data}) => data), [
    {...about, outcome: 'begun'},
    {...about, outcome: 'refused', problem: 'trail.txt has changed since this edit'},
    {...about, outcome: 'begun'},
    {...about, outcome: 'done', undone_by: done.body.id},
    {...about, outcome: 'begun'},
    {...about, outcome: 'refused', problem: `${id} is undone already, by ${done.body.id}`}
  ]);
  for (const {kind, actor, tool_id: tool} of entries)
    assert.deepEqual([kind, actor, tool], ['undo', 'operator', 'replace_string_in_file']);
  assert.equal((await world.api.verify()).intact, true);

  await events.until(/is undone already[^]*is undone already/);
  const outcomes = entries.map(({data}) => data).filter(({outcome}) => outcome !== 'begun');
  assert.deepEqual(events.list('undo'), outcomes.map((data) => ({...data, actor: 'operator'})));
  assert.deepEqual(events.list('audit').map(({data}) => data), entries.map(({data}) => data));
  events.stop();

  const lines = await new Home(world.gateway.folder).ok(['audit', '--tool', 'replace_string_in_file', '--limit', '6']);
  assert.match(lines, new RegExp(`undo\\treplace_string_in_file\\toperator\\t\\t\\tdone, ${id} by ${done.body.id}: trail.txt\\n`));
  assert.match(lines, new RegExp(`refused, ${id} stays: trail.txt has changed since this edit`));
});

test('toolgate undo takes the last edit back', async () => {
  const home = new Home(world.gateway.folder);
  world.write({'cli.txt': 'one\n'});
  const {id} = (await edit('replace_string_in_file', {filePath: 'cli.txt', oldString: 'one', newString: 'two'})).metadata.edit;
  assert.match(await home.ok(['undo', '--list']), new RegExp(`${id}\\t.*\\tEdit cli.txt\\treplace_string_in_file`));
  const asked = await home.run(['undo']);
  assert.equal(asked.status, 2);
  assert.match(asked.stderr, /add --yes/);
  assert.match(await home.ok(['undo', '--yes']), /^edited cli.txt\nUndone; 'toolgate undo edit_\w+' takes this back.\n$/);
  assert.equal(world.read('cli.txt'), 'one\n');
  const again = await home.run(['undo', id, '--yes']);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /is undone already.*--force/);
  assert.equal((await home.run(['undo', 'edit_none', '--yes'])).status, 1);
});

test('a folder that is there already is fine, and nobody is asked', async () => {
  world.write({'ask/there/': null});
  const {body} = await world.api.invoke('create_directory', {dirPath: 'ask/there'});
  assert.equal(body.content[0].text, 'The folder ask/there is there already.\n');
  assert.equal(body.metadata?.edit, undefined);
});

test('an undo keeps folders that hold something else, and says so', async () => {
  const home = new Home(world.gateway.folder);
  await edit('create_file', {filePath: 'nd/a/b.txt', content: 'b\n'});
  world.write({'nd/a/mine': 'mine'});
  assert.match(await home.ok(['undo', '--yes']), /^removed nd\/a\/b.txt\nnd stays: it holds something else by now\nnd\/a stays: .*\nUndone; /);
  assert.equal(world.read('nd/a/mine'), 'mine');
  assert.equal(world.read('nd/a/b.txt'), null);

  await edit('create_file', {filePath: 'turned', content: 'b\n'});
  rmSync(world.path('turned'));
  world.write({'turned/': null});
  for (const force of [[], ['--force']]) {
    const {status, stderr} = await home.run(['undo', '--yes', ...force]);
    assert.equal(status, 1);
    assert.equal(stderr, 'toolgate: turned is a folder by now, which an undo leaves alone: move it away, then undo\n');
  }
  rmSync(world.path('turned'), {recursive: true});
  assert.match(await home.ok(['undo', '--yes']), /^No file had to be changed.\nUndone; /);
});

test("a running gateway's tools and undo work in its workspace, and commands say so", async () => {
  const elsewhere = path.join(world.gateway.folder, 'elsewhere');
  mkdirSync(elsewhere);
  const data = ['--data', path.join(world.gateway.folder, 'data')];
  const run = (args) => spawnSync(binary, args, {cwd: elsewhere, encoding: 'utf8', env: environment(world.gateway.folder), input: ''});
  const warning = `toolgate: the gateway at ${world.gateway.url} works in ${world.folder}, not in the current folder\n`;
  const input = ['--input', JSON.stringify({filePath: 'where.txt', content: 'x\n'})];
  const made = run(['call', 'create_file', ...data, '--yes', ...input]);
  assert.equal(made.status, 0, made.stderr);
  assert.equal(made.stderr, warning);
  assert.equal(world.read('where.txt'), 'x\n');
  const undone = run(['undo', ...data, '--yes']);
  assert.equal(undone.status, 0, undone.stderr);
  assert.equal(undone.stderr, warning);
  assert.match(undone.stdout, /^removed where.txt\n/);

  for (const command of [['call', 'list_dir', '--input', '{"path":"."}'], ['chat', 'hello']]) {
    const {status, stderr} = run([...command, ...data, '--workspace', elsewhere]);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`works in ${world.folder}, not in ${elsewhere}: leave --workspace out`));
  }
  assert.equal(run(['undo', ...data, '--list', '--workspace', elsewhere]).stdout, '');
  const same = spawnSync(binary, ['call', 'list_dir', ...data, '--input', '{"path":"."}'], {cwd: world.folder, encoding: 'utf8', env: environment(world.gateway.folder)});
  assert.equal(same.stderr, '');
});

test('a person at a terminal sees a coloured diff, and is told of undo', async () => {
  const home = new Home(world.gateway.folder);
  world.write({'ask/tty.txt': 'one\ntwo\n'});
  const cases = [
    ['replace_string_in_file', {filePath: 'ask/tty.txt', oldString: 'two', newString: '2'}],
    ['apply_patch', patch('*** Update File: ask/tty.txt\n-two\n+2\n')],
    ['insert_edit_into_file', {explanation: 'e', filePath: 'ask/tty.txt', code: 'one\n2\n'}],
    ['multi_replace_string_in_file', {explanation: 'e', replacements: [{filePath: 'ask/tty.txt', oldString: 'two', newString: '2'}]}]
  ];
  for (const [tool, input] of cases) {
    const terminal = home.terminal(['call', tool, '--input', JSON.stringify(input)]);
    await terminal.expect(/Edit ask\/tty.txt\?/);
    await terminal.expect(/\x1b\[31m-two\x1b\[0?m/);
    await terminal.expect(/\x1b\[32m\+2\x1b\[0?m/);
    await terminal.expect(/Your choice/);
    assert.ok(!plain(terminal.output).includes('oldString'), 'the diff says it all');
    terminal.press('o');
    await terminal.expect(/toolgate undo edit_\w+' takes it back/);
    assert.equal(await terminal.exited, 0);
    assert.equal(world.read('ask/tty.txt'), 'one\n2\n', tool);
    const undo = home.terminal(['undo']);
    await undo.expect(/Undo "Edit ask\/tty.txt"/);
    await undo.expect(/\x1b\[31m-2\x1b\[0?m/);
    await undo.expect(/Undo it\? \[y\/N\]/);
    undo.press('y');
    assert.equal(await undo.exited, 0);
    assert.equal(world.read('ask/tty.txt'), 'one\ntwo\n', tool);
  }
});

test('a call that was approved runs after a restart if the file is as it was shown; undo needs no gateway', async () => {
  const own = await Workspace.start({settings: {'chat.tools.edits.autoApprove': {'**/*': false}}});
  try {
    own.write({'a.txt': 'one\n', 'b.txt': 'one\n'});
    for (const name of ['a.txt', 'b.txt']) {
      own.api.invoke('replace_string_in_file', {filePath: name, oldString: 'one', newString: 'two'}).catch(() => {});
      await own.api.waiting(({arguments: given}) => JSON.stringify(given).includes(name));
    }
    await own.gateway.crash();
    own.gateway = await startGateway({settings: {'toolgate.tools.builtin': true, 'chat.tools.edits.autoApprove': {'**/*': false}}, folder: own.gateway.folder});
    own.api.gateway = own.gateway;
    own.write({'b.txt': 'one\nmore\n'});
    const results = {};
    for (const call of await own.api.pending()) {
      await own.api.confirm(call.id, 'allow');
      const {body} = await own.api.request('POST', `/v1/invocations/${call.id}/resume`);
      results[JSON.stringify(call.arguments).includes('a.txt') ? 'a' : 'b'] = body;
    }
    assert.equal(results.a.ending, 'result', JSON.stringify(results));
    assert.match(results.b.error, /b.txt has changed since this edit was shown/);
    assert.equal(own.read('a.txt'), 'two\n');
    assert.equal(own.read('b.txt'), 'one\nmore\n');
    own.gateway.signal('SIGTERM');
    await own.gateway.exited;
    const home = new Home(own.gateway.folder);
    assert.match(await home.ok(['undo', '--list']), /Edit a.txt/);
    assert.match(await home.ok(['undo', '--yes']), /edited a.txt/);
    assert.equal(own.read('a.txt'), 'one\n');
    assert.match(await home.ok(['audit', '--limit', '2']), /\tundo\t.*\toperator\t.*begun, edit_\w+: a.txt\n.*done, edit_\w+ by edit_\w+: a.txt\n$/);
  } finally {
    await own.stop();
  }
});

test('a file that changed since the session read it is not edited', async (t) => {
  const session = (id) => ({more: {session_id: id}});
  const replace = (from, to, id) =>
      world.call('replace_string_in_file', {filePath: 'seen.txt', oldString: from, newString: to}, session(id));
  const refused = async (answer) => {
    const {status, body} = await answer;
    assert.equal(status, 409, JSON.stringify(body));
    assert.equal(body.error.message, 'seen.txt has changed since you read it: read it again, then make the edit anew');
  };
  world.write({'seen.txt': 'one\ntwo\n'});
  await world.text('read_file', {filePath: 'seen.txt', startLine: 1, endLine: 1}, session('reader'));

  await t.test('after somebody else wrote it', async () => {
    world.write({'seen.txt': 'one\nTWO\n'});
    await refused(replace('one', '1', 'reader'));
    await refused(world.call('apply_patch', patch('*** Update File: seen.txt\n@@\n-one\n+1\n TWO\n'), session('reader')));
    await refused(world.call('apply_patch', patch('*** Delete File: seen.txt\n'), session('reader')));
    assert.equal(world.read('seen.txt'), 'one\nTWO\n');
  });
  await t.test('a read that failed is none', async () => {
    await world.failure('read_file', {filePath: 'seen.txt', startLine: 99}, session('reader'));
    await refused(replace('one', '1', 'reader'));
  });
  await t.test('others, who have not read it, may', async () => {
    assert.equal((await replace('TWO', 'two', 'other')).status, 200);
    await refused(replace('one', '1', 'reader'));
  });
  await t.test('once it is read again, it is, and again', async () => {
    await world.text('read_file', {filePath: world.path('seen.txt')}, session('reader'));
    assert.equal((await replace('one', '1', 'reader')).status, 200);
    assert.equal((await replace('two', '2', 'reader')).status, 200);
    assert.equal(world.read('seen.txt'), '1\n2\n');
  });
  await t.test('after an undo', async () => {
    const [last] = await edits('?limit=1');
    assert.equal((await undo(last.id)).status, 200);
    await refused(replace('1', 'one', 'reader'));
  });
  await t.test('through a link, and when it is replaced by one of the same length', async () => {
    world.write({'to-seen.txt': {link: 'seen.txt'}});
    await world.text('read_file', {filePath: 'to-seen.txt'}, session('linked'));
    world.write({'fresh.txt': '7\n8888\n'});
    renameSync(world.path('fresh.txt'), world.path('seen.txt'));
    await refused(replace('7', '1', 'linked'));
  });
  await t.test('while a person is asked, too', async () => {
    world.write({'ask/seen.txt': 'one\n'});
    await world.text('read_file', {filePath: 'ask/seen.txt'}, session('asked'));
    const answer = world.api.invoke('replace_string_in_file', {filePath: 'ask/seen.txt', oldString: 'one', newString: '1'}, {session_id: 'asked'});
    const {id} = await world.api.waiting();
    world.write({'ask/seen.txt': 'one\nmore\n'});
    await world.api.confirm(id, 'allow');
    assert.match(JSON.stringify((await answer).body), /has changed since/);
    assert.equal(world.read('ask/seen.txt'), 'one\nmore\n');
  });
});

test('an approval of an edit counts for exactly that edit', async () => {
  world.write({'ask/again.txt': 'a\n'});
  const input = {filePath: 'ask/again.txt', oldString: 'a', newString: 'b'};
  const answer = world.api.invoke('replace_string_in_file', input);
  const {id} = await world.api.waiting();
  const wide = await world.api.confirm(id, 'allow', {scope: 'always', target: 'tool'});
  assert.equal(wide.status, 400);
  assert.match(wide.body.error.message, /counts for exactly what was shown/);
  assert.equal((await world.api.confirm(id, 'allow', {scope: 'always'})).status, 200);
  assert.equal((await answer).status, 200);
  // The same change of the same file: nobody is asked.
  world.write({'ask/again.txt': 'a\n'});
  assert.equal((await world.api.invoke('replace_string_in_file', input)).status, 200);
  assert.equal(world.read('ask/again.txt'), 'b\n');
  // The same arguments, but another file by now.
  world.write({'ask/again.txt': 'a\nmore\n'});
  const other = world.api.invoke('replace_string_in_file', input);
  const asked = await world.api.waiting();
  await world.api.confirm(asked.id, 'deny');
  assert.equal((await other).body.ending, 'denied');
  assert.equal(world.read('ask/again.txt'), 'a\nmore\n');
});
