// The built-in tools that read files and folders.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {Workspace} from './builtin.mjs';

let world;
before(async () => { world = await Workspace.start(); });
after(() => world.stop());

test('list_dir names what is in a folder', async () => {
  world.write({'list/b.txt': 'b', 'list/a/': null, 'list/empty/': null});
  assert.equal(await world.text('list_dir', {path: 'list'}), 'a/\nb.txt\nempty/\n');
  assert.equal(await world.text('list_dir', {path: world.path('list/empty')}), 'The folder is empty.');
  assert.match(await world.failure('list_dir', {path: 'list/none'}), /there is no list\/none/);
  assert.match(await world.failure('list_dir', {path: 'list/b.txt'}), /list\/b.txt is a file, not a folder/);
  assert.match(await world.failure('list_dir', {path: '..'}), /outside the workspace/);
  assert.match(await world.failure('list_dir', {path: '../data'}), /belongs to the gateway itself/);
});
