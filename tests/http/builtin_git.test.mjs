// get_changed_files: what git says, and nothing that a repository would like to have run.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {Workspace} from './builtin.mjs';

let world;
before(async () => { world = await Workspace.start(); });
after(() => world.stop());

const gitIn = (folder, ...args) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'init.defaultBranch=main', ...args], {cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8'});

// A repository with one commit of `files` in the folder `name` of the workspace.
function repository(name, files) {
  const folder = world.path(name);
  mkdirSync(folder, {recursive: true});
  gitIn(folder, 'init', '-q');
  world.write(Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])));
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  return (...args) => gitIn(folder, ...args);
}

const changes = (name, more = {}) => world.text('get_changed_files', {repositoryPath: name, ...more});

test('changes are shown by their state', async () => {
  const git = repository('states', {'staged.txt': 'one\n', 'changed.txt': 'two\n', 'removed.txt': 'three\n', 'both.txt': '1\n'});
  assert.equal(await changes('states'), 'Nothing has changed.');
  world.write({'states/staged.txt': 'ONE\n', 'states/both.txt': '2\n', 'states/new.txt': 'new\n'});
  git('add', '-A');
  world.write({'states/changed.txt': 'TWO\n', 'states/both.txt': '3\n', 'states/un\ntracked.txt': 'x\n', 'states/folder/deep.txt': 'x\n'});
  rmSync(world.path('states/removed.txt'));
  const text = await changes('states');
  assert.match(text, /^Staged:\n  both.txt\n  new.txt\n  staged.txt\n[^]*-one\n\+ONE\n/);
  assert.match(text, /\nNot staged:\n  both.txt\n  changed.txt\n  removed.txt\n[^]*-two\n\+TWO\n[^]*deleted file mode[^]*-three\n/);
  assert.match(text, /-1\n\+2\n[^]*-2\n\+3\n/);
  assert.match(text, /\nUntracked:\n  folder\/deep.txt\n  un⟨U\+000A⟩tracked.txt\n$/);
  const staged = await changes('states', {sourceControlState: ['staged']});
  assert.match(staged, /^Staged:/);
  assert.doesNotMatch(staged, /Not staged|Untracked|TWO/);
  const unstaged = await changes('states', {sourceControlState: ['unstaged']});
  assert.match(unstaged, /^Not staged:[^]*Untracked:/);
  assert.doesNotMatch(unstaged, /^Staged|ONE/m);
  assert.equal(await changes('states', {sourceControlState: ['merge-conflicts']}), 'Nothing has changed.');
  assert.equal(await changes('states/folder', {sourceControlState: ['staged']}), staged);
  assert.match(await world.failure('get_changed_files', {repositoryPath: 'states', sourceControlState: ['other']}), /sourceControlState/);
});

test('merge conflicts are shown', async () => {
  const git = repository('conflict', {'c.txt': 'base\n'});
  git('checkout', '-q', '-b', 'other');
  world.write({'conflict/c.txt': 'theirs\n'});
  git('commit', '-qam', 'theirs');
  git('checkout', '-q', 'main');
  world.write({'conflict/c.txt': 'ours\n'});
  git('commit', '-qam', 'ours');
  assert.throws(() => git('merge', 'other'));
  const text = await changes('conflict');
  assert.match(text, /^Merge conflicts:\n  c.txt\n[^]*<<<<<<< [^]*ours[^]*>>>>>>> /);
  assert.equal(await changes('conflict', {sourceControlState: ['staged', 'unstaged']}), 'Nothing has changed.');
});

test('what is long or no text is cut and mended', async () => {
  repository('long', {'a.txt': 'old\n', 'latin.txt': 'old\n'});
  world.write({'long/a.txt': 'some new line\n'.repeat(20_000), 'long/latin.txt': Buffer.from('caf\xe9\n', 'latin1')});
  const text = await changes('long');
  assert.match(text, /\[the diff is longer than 60000 bytes: read_file shows the files\]\n$/);
  assert.ok(text.length < 62_000);
  repository('latin', {'latin.txt': 'old\n'});
  world.write({'latin/latin.txt': Buffer.from('caf\xe9\n', 'latin1')});
  assert.match(await changes('latin'), /\+caf�\n/);
  repository('count', {});
  for (let i = 0; i < 230; ++i) writeFileSync(world.path(`count/f${i}`), '');
  assert.match(await changes('count'), /^Untracked:\n  f0\n[^]*\n  \[30 more are not shown\]\n$/);
});

test('what is no repository of the workspace is refused', async () => {
  world.write({'plain/a.txt': 'a', 'escape/x': 'x', 'elsewhere/': null, 'broken/.git': 'gitdir: /nowhere\n'});
  const outer = world.gateway.folder;
  gitIn(outer, 'init', '-q');  // above the workspace
  gitIn(world.path('escape'), 'init', '-q');
  gitIn(world.path('escape'), 'config', 'core.worktree', outer);
  writeFileSync(world.path('elsewhere/.git'), `gitdir: ${outer}/.git\n`);
  const cases = [
    ['plain', /plain is not in a git repository of the workspace/], ['', /the workspace's folder is not in a git repository/], ['none', /there is no none/], ['plain/a.txt', /is a file, not a folder/],
    ['..', /outside the workspace/], ['escape', /outside the workspace/], ['elsewhere', /outside the workspace|not in a git repository/], ['broken', /not in a git repository|cannot read/]
  ];
  for (const [repositoryPath, expected] of cases) assert.match(await world.failure('get_changed_files', {repositoryPath}), expected, repositoryPath);
  rmSync(path.join(outer, '.git'), {recursive: true});
});

test('nothing that a repository names is run', async () => {
  const marker = path.join(world.gateway.folder, 'was-run');
  const script = path.join(world.gateway.folder, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >>${marker}\ncat\n`);
  chmodSync(script, 0o755);
  const git = repository('evil', {'a.txt': 'a\n', 'b.bin': 'b\n', '.gitattributes': '* filter=x=y diff=x\na.txt filter=lfs\n'});
  repository('evil/sub', {'s.txt': 's\n'});
  git('add', '-A');
  git('commit', '-qm', 'with a submodule');
  const settings = {
    'core.fsmonitor': script, 'core.pager': script, 'core.sshCommand': script, 'core.editor': script, 'core.hooksPath': path.dirname(script), 'diff.external': script,
    'diff.x.command': script, 'diff.x.textconv': script, 'filter.x=y.clean': script, 'filter.x=y.smudge': script, 'filter.x=y.process': script, 'filter.x=y.required': 'true',
    'filter.lfs.clean': script, 'filter.lfs.process': script, 'pager.diff': script, 'pager.status': script, 'credential.helper': script, 'interactive.diffFilter': script,
    'alias.status': `!${script}`, 'alias.diff': `!${script}`, 'diff.submodule': 'diff', 'status.submoduleSummary': 'true', 'core.gitProxy': script
  };
  for (const folder of ['evil', 'evil/sub'])
    for (const [name, value] of Object.entries(settings)) gitIn(world.path(folder), 'config', name, value);
  for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction', 'fsmonitor-watchman']) {
    writeFileSync(world.path(`evil/.git/hooks/${hook}`), `#!/bin/sh\necho hook ${hook} >>${marker}\n`);
    chmodSync(world.path(`evil/.git/hooks/${hook}`), 0o755);
  }
  world.write({'evil/a.txt': 'changed\n', 'evil/b.bin': 'changed\n', 'evil/sub/s.txt': 'changed\n', 'evil/new.txt': 'new\n'});
  rmSync(marker, {force: true});
  assert.match(await changes('evil'), /-a\n\+changed\n[^]*-b\n\+changed\n/);
  assert.ok(!existsSync(marker));
  // The marker is no proof if git would not have run it either.
  try {
    gitIn(world.path('evil'), 'diff');
  } catch {
    // the script is no filter
  }
  assert.ok(existsSync(marker));
});

test('conditions know of git and languages', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-test-'));
  mkdirSync(path.join(folder, 'workspace/.git'), {recursive: true});
  mkdirSync(path.join(folder, 'workspace/src'));
  writeFileSync(path.join(folder, 'workspace/src/a.cpp'), '');
  const known = await Workspace.start({folder});
  try {
    const {body} = await known.api.request('GET', '/v1/context', {operator: true});
    assert.equal(body.gitOpenRepositoryCount, 1);
    assert.equal(body['toolgate.language.cpp'], true);
    assert.equal(body['toolgate.language.rust'], undefined);
  } finally {
    await known.stop();
  }
  assert.equal((await world.api.request('GET', '/v1/context', {operator: true})).body.gitOpenRepositoryCount, 0);
});
