// Auto-execute and the room that a model has: long results, read_result, long histories; and how
// many calls run beside each other.
import assert from 'node:assert/strict';
import {describe, test} from 'node:test';

import {call} from './agent_upstream.mjs';
import {useWorld, user} from './agent_world.mjs';

const LIMIT = {timeout: 120_000};
const repeat = (count, make) => Array.from({length: count}, (_, at) => make(at));
const lines = (count) => repeat(count, (at) => `line ${at}: the quick brown fox jumps\n`).join('');
const handleIn = (text) => /toolgate:\/\/results\/[\w.]+/.exec(text)?.[0];
const tokensOf = async (world, text) =>
    (await world.api.request('POST', '/v1/tokens', {body: {text}})).body.tokens;

describe('a long result', LIMIT, () => {
  const MOST = 8000;
  const shared = useWorld({}, {model: {maxInputTokens: MOST}});

  test('is shortened to the room that the model has, and read on', async () => {
    const {world} = shared;
    const text = lines(5000);
    world.tools.answer = () => ({text});
    const parts = [];
    const readOn = (told) => {
      const [, shown, next] = /^([^]*)\n\n\[Bytes \d+ to \d+ of \d+; (.*)\]$/.exec(told);
      parts.push(shown);
      return /offset (\d+)/.exec(next)?.[1];
    };
    let handle;
    world.upstream.play(
        {calls: [call('peek')]},
        ({messages}) => {
          handle = handleIn(messages.at(-1).content);
          parts.push(messages.at(-1).content.split('\n\n[The first ')[0]);
          return {calls: [call('read_result', {handle, offset: parts[0].length, limit: 1000})]};
        },
        ({messages}) => ({
          calls: [call('read_result', {handle, offset: Number(readOn(messages.at(-1).content)), limit: 500})]
        }),
        ({messages}) => {
          assert.notEqual(readOn(messages.at(-1).content), undefined);
          return {calls: [call('read_result', {handle, offset: text.length - 100})]};
        },
        {text: 'Done.'});
    const answer = await world.say('go');
    assert.equal(answer.text, 'Done.');
    assert.ok(text.startsWith(parts.join('')), 'the parts follow each other without a gap');
    assert.ok(parts.join('').length > 1500 + 4 * MOST / 4, `${parts.map((part) => part.length)}`);
    assert.equal(parts[1].length, 1000);
    assert.equal(world.told[0], `${text.slice(-100)}\n\n[Bytes ${text.length - 100} to ${text.length} of ${
        text.length}; the end]`);
    assert.deepEqual(answer.report.invocations.map(({name}) => name), ['peek', ...repeat(3, () => 'read_result')]);
  });

  test('leaves room for the next round, however many there are at once', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(2000)});
    world.upstream.play({calls: repeat(6, (at) => call('peek', {at}))}, {text: 'Done.'});
    assert.equal((await world.say('go')).text, 'Done.');
    const told = await Promise.all(world.told.map((text) => tokensOf(world, text)));
    assert.ok(told.every((tokens) => tokens > 400 && tokens <= MOST / 2 / 6), `${told}`);
    assert.equal(new Set(world.told.map(handleIn)).size, 6);
  });

  test('is not shortened when it fits', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(20)});
    world.upstream.play({calls: [call('peek')]}, {text: 'Done.'});
    await world.say('go');
    assert.deepEqual(world.told, [lines(20)]);
  });

  test('keeps its characters whole', async () => {
    const {world} = shared;
    const text = 'größer 漢字 🦊 '.repeat(4000);
    world.tools.answer = () => ({text});
    world.upstream.play(
        {calls: [call('peek')]},
        ({messages}) => {
          const told = messages.at(-1).content;
          const offset = Number(/The first (\d+) of/.exec(told)[1]);
          return {calls: [call('read_result', {handle: handleIn(told), offset, limit: 16})]};
        },
        {text: 'Done.'});
    await world.say('go');
    const shown = world.upstream.last.messages.filter(({role}) => role === 'tool')
                      .map(({content}) => content.replace(/\n\n\[[^]*$/, ''));
    assert.ok(text.startsWith(shown.join('')) && shown[1].length > 2, JSON.stringify(shown[1]));
  });

  test('of the last turn can be read in the next one', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(5000)});
    world.upstream.play({calls: [call('peek')]}, ({messages}) => ({text: messages.at(-1).content.slice(-200)}));
    const first = await world.say('go');
    const handle = handleIn(first.text);
    world.upstream.play({calls: [call('read_result', {handle, limit: 100})]}, {text: 'Done.'});
    await world.say([user('go'), {role: 'assistant', content: first.text}, user('more')]);
    assert.ok(world.upstream.offered[0].includes('read_result'));
    assert.ok(world.told[0].startsWith(lines(5000).slice(0, 100)), world.told[0]);
  });
});

describe('read_result', LIMIT, () => {
  const shared = useWorld({'toolgate.limits.resultBytes': 2000});

  test('is offered when there is something to read', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(200)});
    world.upstream.play({calls: [call('peek')]}, {text: 'Done.'});
    await world.say('go');
    assert.ok(!world.upstream.offered[0].includes('read_result'));
    assert.ok(world.upstream.offered[1].includes('read_result'));
  });

  test('is in no list, and not offered to whom excludes it', async () => {
    const {world} = shared;
    const {body} = await world.api.request('GET', '/v1/tools');
    assert.ok(!body.data.some(({name}) => name === 'read_result'));
    world.tools.answer = () => ({text: lines(200)});
    world.upstream.play({calls: [call('peek')]}, {text: 'Done.'});
    await world.say('go', {exclude_tools: ['read_result']});
    assert.ok(!world.upstream.offered[1].includes('read_result'));
  });

  test('reads nothing that is not there', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(200)});
    let handle;
    world.upstream.play(
        {calls: [call('peek')]},
        ({messages}) => {
          handle = handleIn(messages.at(-1).content);
          return {
            calls: [
              call('read_result', {handle: 'toolgate://results/../operator-token'}),
              call('read_result', {handle: 'toolgate://results/inv_none.0'}),
              call('read_result', {handle, offset: 1_000_000}),
              call('read_result', {handle, offset: -1}), call('read_result', {})
            ]
          };
        },
        {text: 'Done.'});
    await world.say('go');
    assert.match(world.told[0], /^Error: there is no result/);
    assert.match(world.told[1], /^Error: there is no result/);
    assert.match(world.told[2], /^Error: offset 1000000 is behind the end: the result has \d+ bytes/);
    assert.match(world.told[3], /offset/);
    assert.match(world.told[4], /handle/);
  });
});

describe('results of others', LIMIT, () => {
  const shared = useWorld({'toolgate.apiKeys': ['key-of-ann-0123456789', 'key-of-bob-0123456789'],
                           'toolgate.limits.resultBytes': 2000});

  test('are not read', async () => {
    const {world} = shared;
    world.tools.answer = () => ({text: lines(200)});
    world.upstream.play({calls: [call('peek')]}, {text: 'Done.'});
    await world.say('go', {}, {authorization: 'Bearer key-of-ann-0123456789'});
    const handle = handleIn(world.told[0]);
    for (const [who, expected] of [['ann', /^line 0/], ['bob', /^Error: there is no result/]]) {
      world.upstream.play({calls: [call('read_result', {handle})]}, {text: 'Done.'});
      await world.say(`read ${handle}`, {}, {authorization: `Bearer key-of-${who}-0123456789`});
      assert.match(world.told[0], expected, who);
    }
  });
});

describe('a history that is too long', LIMIT, () => {
  const shared = useWorld({}, {model: {maxInputTokens: 300}});

  test('is refused with its tokens before the upstream is asked', async () => {
    const {world} = shared;
    const answer = await world.say(lines(100));
    assert.equal(answer.status, 400);
    assert.equal(answer.error.code, 'context_length_exceeded');
    assert.match(answer.error.message, /about \d+ tokens .* takes 300 \(maxInputTokens\)/);
    assert.equal(world.upstream.requests.length, 0);
  });

  for (const [kind, more] of [['whole', {}], ['streamed', {stream: true}]])
    test(`ends a ${kind} turn with what was said`, async () => {
      const {world} = shared;
      world.tools.answer = () => ({text: lines(100)});
      world.upstream.play(({messages}) => ({text: 'More. ', calls: [call('peek', {at: messages.length})]}));
      const answer = await world.say('go', more);
      assert.match(answer.text, /^(More\. )+$/);
      assert.equal(answer.finish, 'stop');
      assert.match(answer.report.warnings.join('\n'), /maxInputTokens/);
    });
});

describe('calls beside each other', LIMIT, () => {
  const shared = useWorld({'toolgate.limits.parallelCalls': 3, 'toolgate.tools.parallel': ['ac*']});

  // How many ran at the same time, and in which order they began.
  const watch = (world, timeOf) => {
    const seen = {most: 0, begun: []};
    let now = 0;
    world.tools.answer = async ({path, input}) => {
      seen.begun.push(`${path.slice(1)}${input.at}`);
      seen.most = Math.max(seen.most, ++now);
      await new Promise((resolve) => setTimeout(resolve, timeOf(input)));
      --now;
      return {text: `${input.at}`};
    };
    return seen;
  };

  test('are as many as toolgate.limits.parallelCalls, and the next takes the first free place', async () => {
    const {world} = shared;
    const ended = Promise.withResolvers();
    const seen = {most: 0, now: 0, whileSlow: 0};
    world.tools.answer = async ({input}) => {
      seen.most = Math.max(seen.most, ++seen.now);
      if (input.at === 0)
        await ended.promise;
      else {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (++seen.whileSlow === 8) ended.resolve();
      }
      --seen.now;
      return {text: `${input.at}`};
    };
    world.upstream.play({calls: repeat(9, (at) => call('peek', {at}))}, {text: 'Done.'});
    await world.say('go');
    assert.deepEqual(world.told, repeat(9, (at) => `${at}`));
    assert.equal(seen.most, 3);
  });

  test('may be those that toolgate.tools.parallel names', async () => {
    const {world} = shared;
    const seen = watch(world, () => 30);
    world.upstream.play({calls: repeat(3, (at) => call('act', {at}))}, {text: 'Done.'});
    await world.say('go');
    assert.equal(seen.most, 3);
    await world.register('other');
    const alone = watch(world, () => 10);
    world.upstream.play({calls: repeat(3, (at) => call('other', {at}))}, {text: 'Done.'});
    await world.say('go');
    assert.equal(alone.most, 1);
    assert.deepEqual(alone.begun, ['other0', 'other1', 'other2']);
  });
});
