// manage_todo_list: one list per conversation, with errors that name the item.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {Workspace} from './builtin.mjs';

let world;
before(async () => { world = await Workspace.start(); });
after(() => world.stop());

const item = (id, status = 'not-started', more = {}) => ({id, title: `Step ${id}`, description: '', status, ...more});
const inSession = (session_id) => ({more: {session_id}});
const write = (session, todoList) => world.text('manage_todo_list', {operation: 'write', todoList}, inSession(session));
const read = (session) => world.text('manage_todo_list', {operation: 'read'}, inSession(session));

test('a list is kept for its conversation', async () => {
  assert.match(await read('one'), /There is no todo list yet/);
  const list = [item(1, 'completed'), item(2, 'in-progress', {description: 'in a.c\nand b.c'}), item(3)];
  const shown = '# Todo list\n\n- [x] 1. Step 1\n- [-] 2. Step 2\n  in a.c\n  and b.c\n- [ ] 3. Step 3\n';
  assert.equal(await write('one', list), shown);
  assert.equal(await read('one'), shown);
  assert.match(await read('two'), /There is no todo list yet/);
  assert.equal(await write('one', []), 'The todo list is empty now.');
  assert.match(await read('one'), /There is no todo list yet/);
});

test('nobody is asked, and people are told how far it is', async () => {
  const {status, body} = await world.api.invoke('manage_todo_list', {operation: 'write', todoList: [item(1, 'completed'), item(2, 'in-progress')]});
  assert.equal(status, 200);
  assert.match(JSON.stringify(body), /Todo list: 1 of 2 done, now “Step 2”/);
});

for (const [what, statuses, expected] of [
       ['none is in progress', ['not-started', 'completed'], /Warning: no item is in-progress/],
       ['several are in progress', ['in-progress', 'in-progress'], /Warning: 2 items are in-progress/],
       ['one is in progress', ['in-progress', 'not-started'], null],
       ['all is done', ['completed', 'completed'], null],
     ])
  test(`warns where it should: ${what}`, async () => {
    const text = await write('warn', statuses.map((status, i) => item(i + 1, status)));
    if (expected) assert.match(text, expected);
    else assert.doesNotMatch(text, /Warning/);
  });

for (const [what, input, expected] of [
       ['no operation', {}, /operation/],
       ['another operation', {operation: 'add'}, /operation/],
       ['no list', {operation: 'write'}, /todoList must hold all items/],
       ['no title', {operation: 'write', todoList: [item(1), {id: 2, status: 'completed'}]}, /title/],
       ['an empty title', {operation: 'write', todoList: [item(1), item(2, 'completed', {title: ''})]}, /item 2 \(todoList\[1\]\) has an empty title/],
       ['a long title', {operation: 'write', todoList: [item(1, 'completed', {title: 'x'.repeat(501)})]}, /item 1 .* has a title of over 500 bytes/],
       ['a long description', {operation: 'write', todoList: [item(1, 'completed', {description: 'x'.repeat(4001)})]}, /item 1 .* description of over 4000 bytes/],
       ['another status', {operation: 'write', todoList: [item(1, 'done')]}, /status/],
       ['the same id twice', {operation: 'write', todoList: [item(1), item(2), item(1)]}, /item 3 \(todoList\[2\]\) has the id 1 of an item before it/],
       ['half an id', {operation: 'write', todoList: [item(1.5)]}, /item 1 .* needs a whole number as its id/],
       ['too many', {operation: 'write', todoList: Array.from({length: 101}, (_, i) => item(i))}, /todoList has 101 items; 100 are allowed/],
     ])
  test(`refuses ${what}`, async () => assert.match(await world.failure('manage_todo_list', input), expected));

test('what nobody can see is shown, and lines stay lines', async () => {
  const text = await write('sly', [item(1, 'in-progress', {title: 'a\nb\u202e'})]);
  assert.match(text, /- \[-\] 1\. a⟨U\+000A⟩b⟨U\+202E⟩\n/);
});
