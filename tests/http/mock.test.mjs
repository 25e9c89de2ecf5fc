// The tests' own tools: the mock's good answers keep the rules, and its damages break them.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {DAMAGES} from '../mock/damages.mjs';
import {startUpstream} from '../mock/upstream.mjs';

import {chat} from './raw.mjs';
import {checkAnswer, difference} from './rules.mjs';

let upstream;
before(async () => {
  upstream = await startUpstream();
});
after(() => upstream.close());

async function outcomeOf(damage, stream) {
  upstream.behave = damage.behave;
  const response = await chat(upstream.port, {
    model: 'mock-1',
    messages: [],
    ...(stream ? {stream, stream_options: {include_usage: true}} : {})
  });
  return checkAnswer(response, {stream, includeUsage: true, report: false});
}

for (const name of ['ok', 'ok_call', 'ok_parallel']) {
  test(`${name} keeps every rule without a gateway`, async () => {
    const damage = DAMAGES.find((one) => one.name === name);
    for (const kind of ['stream', 'whole']) {
      assert.equal(
          difference(damage[kind].expect, await outcomeOf(damage, kind === 'stream')), null);
    }
  });
}

// Without a gateway these break a rule: the checker can fail.
for (const name
         of ['no_index', 'no_role', 'tcindex1', 'no_callid', 'args_empty', 'usage_missing_choices',
             'event_field', 'no_final_chunk', 'finish_stop', 'crlf', 'ct_json', 'truncate',
             'err400_text', 'same_id_twice', 'invalid_utf8', 'changing_id', 'no_usage',
             'data_after_done', 'last_chunk_missing', 'two_done']) {
  test(`${name} breaks a rule without a gateway`, async () => {
    await assert.rejects(outcomeOf(DAMAGES.find((one) => one.name === name), true));
  });
}

test('there are many damages, each of its own name', () => {
  assert.equal(new Set(DAMAGES.map((damage) => damage.name)).size, DAMAGES.length);
  assert.ok(DAMAGES.length >= 40);
});
