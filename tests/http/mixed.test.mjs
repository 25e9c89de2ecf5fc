// Turns in which the model calls registered and client tools: ours run, theirs go to the client,
// and the upstream sees one history when the client comes back.
import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {call, callWith} from './agent_upstream.mjs';
import {AgentWorld, clientTool, returned, user} from './agent_world.mjs';

const LIMIT = {timeout: 120_000};
const KINDS = [['whole', {}], ['streamed', {stream: true}]];
const look = (city, id) => call('look', {city}, id);
const tools = [clientTool('mine'), clientTool('yours')];

let world;
before(async () => {
  world = await AgentWorld.start();
  await world.registerUsual();
});
after(() => world?.stop());
beforeEach(() => world.reset());
afterEach(() => assert.deepEqual(world.upstream.violations.splice(0), []));

// A history without ids: [content, [calls]] of the assistant, texts of all others.
const outline = (messages) => messages.map(
    ({role, content, tool_calls: calls}) => role === 'assistant' ?
        [content ?? '', (calls ?? []).map((one) => `${one.function.name} ${one.function.arguments}`)] :
        content);
const names = (answer) => answer.calls.map((one) => one.name);

for (const [kind, more] of KINDS) {
  describe(`mixed turns, ${kind}`, LIMIT, () => {
    const say = (messages, other = {}) => world.say(messages, {tools, ...more, ...other});
    const question = user('go');

    // One mixed turn: what the client got. The next round is `next`.
    const mixed = async (next = {text: 'Done.'}, other = {}) => {
      world.upstream.play(
          {text: 'Both. ', calls: [look('Oslo'), call('mine', {n: 1}), call('act', {n: 2})]}, next);
      const answer = await say([question], other);
      assert.deepEqual(names(answer), ['mine']);
      return answer;
    };
    const whole = [
      'go', ['Both. ', ['look {"city":"Oslo"}', 'mine {"n":1}', 'act {"n":2}']],
      'look {"city":"Oslo"}', 'mine: mine', 'act {"n":2}'
    ];

    test('ours run, and the client gets its own calls only', async () => {
      const answer = await mixed();
      assert.equal(answer.text, 'Both. ');
      assert.equal(answer.finish, 'tool_calls');
      assert.deepEqual(JSON.parse(answer.calls[0].arguments), {n: 1});
      assert.deepEqual(world.inputs, [['look', {city: 'Oslo'}], ['act', {n: 2}]]);
      assert.equal(answer.report.rounds, 1);
      assert.deepEqual(answer.report.invocations.map((one) => one.name), ['look', 'act']);
      assert.equal(world.upstream.requests.length, 1);
    });

    test('when the client comes back the upstream sees every call and every result', async () => {
      const answer = await mixed();
      const end = await say([question, ...returned(answer)]);
      assert.equal(end.text, 'Done.');
      assert.deepEqual(outline(world.upstream.last.messages), whole);
      assert.equal(world.tools.calls.length, 2);
      assert.equal(end.report.rounds, 1);
    });

    test('rounds before it are in the history, with their texts', async () => {
      world.upstream.play(
          {text: 'First. ', calls: [look('1')]}, {calls: [look('2'), look('3')]},
          {text: 'Then. ', calls: [call('mine'), look('4')]}, {text: 'Done.'});
      const answer = await say([question]);
      assert.equal(answer.text, 'First. Then. ');
      assert.deepEqual(names(answer), ['mine']);
      assert.equal((await say([question, ...returned(answer)])).text, 'Done.');
      assert.deepEqual(outline(world.upstream.last.messages), [
        'go', ['First. ', ['look {"city":"1"}']], 'look {"city":"1"}',
        ['', ['look {"city":"2"}', 'look {"city":"3"}']], 'look {"city":"2"}', 'look {"city":"3"}',
        ['Then. ', ['mine {}', 'look {"city":"4"}']], 'mine: mine', 'look {"city":"4"}'
      ]);
    });

    test('so they are when only the client\'s tools are called in the end', async () => {
      world.upstream.play(
          {text: 'First. ', calls: [look('1')]},
          {text: 'You. ', calls: [call('yours'), call('mine')]}, {text: 'Done.'});
      const answer = await say([question]);
      assert.deepEqual(names(answer), ['yours', 'mine']);
      await say([question, ...returned(answer)]);
      assert.deepEqual(outline(world.upstream.last.messages), [
        'go', ['First. ', ['look {"city":"1"}']], 'look {"city":"1"}',
        ['You. ', ['yours {}', 'mine {}']], 'mine: yours', 'mine: mine'
      ]);
    });

    test('a turn of the client\'s tools alone goes through as it is', async () => {
      world.upstream.play({text: 'You. ', calls: [call('mine', {n: 1})]}, {text: 'Done.'});
      const answer = await say([question]);
      assert.equal((await say([question, ...returned(answer)])).text, 'Done.');
      assert.deepEqual(
          outline(world.upstream.last.messages), ['go', ['You. ', ['mine {"n":1}']], 'mine: mine']);
      assert.equal(world.tools.calls.length, 0);
    });

    test('what the model thought and signed comes back, too', async () => {
      const extra = {extra_content: {google: {thought_signature: 'c2lnbmVk'}}};
      world.upstream.play(
          {reasoning: 'Both at once.', calls: [callWith(extra, 'look', {city: 'Oslo'}), callWith(extra, 'mine')]},
          {text: 'Done.'});
      const answer = await say([question]);
      await say([question, ...returned(answer)]);
      const message = world.upstream.last.messages.find(({role}) => role === 'assistant');
      assert.equal(message.reasoning_content, 'Both at once.');
      assert.deepEqual(message.tool_calls.map((one) => one.extra_content), [extra, extra].map((one) => one.extra_content));
    });

    test('several mixed turns follow each other', async () => {
      world.upstream.play(
          {text: 'One. ', calls: [look('1'), call('mine')]},
          {text: 'Two. ', calls: [look('2')]},
          {text: 'Three. ', calls: [call('yours'), look('3'), call('mine')]}, {text: 'Done.'});
      const first = await say([question]);
      const back = [question, ...returned(first)];
      const second = await say(back);
      assert.equal(second.text, 'Two. Three. ');
      assert.deepEqual(names(second), ['yours', 'mine']);
      const end = await say([...back, ...returned(second)]);
      assert.equal(end.text, 'Done.');
      assert.deepEqual(outline(world.upstream.last.messages), [
        'go', ['One. ', ['look {"city":"1"}', 'mine {}']], 'look {"city":"1"}', 'mine: mine',
        ['Two. ', ['look {"city":"2"}']], 'look {"city":"2"}',
        ['Three. ', ['yours {}', 'look {"city":"3"}', 'mine {}']], 'mine: yours', 'look {"city":"3"}',
        'mine: mine'
      ]);
      assert.equal(world.tools.calls.length, 3);
    });

    test('the turn is still whole in the questions after it', async () => {
      const answer = await mixed();
      const back = [question, ...returned(answer)];
      const end = await say(back);
      world.upstream.play({text: 'Again.'});
      await say([...back, {role: 'assistant', content: end.text}, user('and now?')]);
      assert.deepEqual(outline(world.upstream.last.messages), [...whole, ['Done.', []], 'and now?']);
    });

    test('a client may ask the same twice', async () => {
      const answer = await mixed();
      const back = [question, ...returned(answer)];
      await say(back);
      world.upstream.play({text: 'Done again.'});
      assert.equal((await say(back)).text, 'Done again.');
      assert.deepEqual(outline(world.upstream.last.messages), whole);
      assert.equal(world.tools.calls.length, 2);
    });

    test('what failed or was denied is in the history as well', async () => {
      const usual = world.tools.answer;
      world.tools.answer = (one) =>
          one.path === '/act' ? {status: 500, text: 'the database is down'} : usual(one);
      world.upstream.play(
          {calls: [call('act'), call('mine'), call('lookk'), call('ask')]}, {text: 'Done.'});
      const answer = await say([question], {confirmation: 'deny'});
      assert.deepEqual(names(answer), ['mine']);
      await say([question, ...returned(answer)]);
      const results = world.upstream.last.messages.slice(2).map(({content}) => content);
      assert.match(results[0], /the database is down/);
      assert.equal(results[1], 'mine: mine');
      assert.match(results[2], /lookk/);
      assert.match(results[3], /person|confirm|approv/i);
    });

    test('a call that is handed back because of its confirmation is the client\'s', async () => {
      world.upstream.play(
          {text: 'Now. ', calls: [look('1'), call('ask', {a: 1}), call('mine')]}, {text: 'Done.'});
      const answer = await say([question], {confirmation: 'return'});
      assert.deepEqual(names(answer), ['ask', 'mine']);
      assert.equal(answer.finish, 'tool_calls');
      await say([question, ...returned(answer)], {confirmation: 'return'});
      assert.deepEqual(outline(world.upstream.last.messages), [
        'go', ['Now. ', ['look {"city":"1"}', 'ask {"a":1}', 'mine {}']], 'look {"city":"1"}',
        'mine: ask', 'mine: mine'
      ]);
      assert.deepEqual(world.inputs, [['look', {city: '1'}]]);
    });

    test('a person is asked before the client gets its calls', async () => {
      world.upstream.play({calls: [call('mine'), call('ask', {a: 1})]}, {text: 'Done.'});
      const pending = say([question]);
      const {id} = await world.api.waiting();
      await world.api.confirm(id, 'allow');
      const answer = await pending;
      assert.deepEqual(names(answer), ['mine']);
      await say([question, ...returned(answer)]);
      assert.deepEqual(world.told, ['mine: mine', 'ask {"a":1}']);
    });

    test('a client\'s tool wins over ours of the same name', async () => {
      world.upstream.play({calls: [call('look', {x: 1}), call('act')]}, {text: 'Done.'});
      const own = {tools: [clientTool('look')]};
      const answer = await say([question], own);
      assert.deepEqual(names(answer), ['look']);
      assert.deepEqual(world.inputs, [['act', {}]]);
      await say([question, ...returned(answer)], own);
      assert.deepEqual(world.told, ['mine: look', 'act {}']);
    });

    describe('ids', () => {
      test('of two conversations with the same ids each gets its own results', async () => {
        const turn = (city) => ({calls: [look(city, 'call_0'), call('mine', {city}, 'call_1')]});
        world.upstream.play(turn('Oslo'), turn('Rome'), {text: 'Done.'}, {text: 'Done.'});
        const oslo = await say([user('Oslo?')]);
        const rome = await say([user('Rome?')]);
        await say([user('Oslo?'), ...returned(oslo)]);
        assert.equal(world.told[0], 'look {"city":"Oslo"}');
        await say([user('Rome?'), ...returned(rome)]);
        assert.equal(world.told[0], 'look {"city":"Rome"}');
      });

      test('of a mixed turn may be those of a turn of another conversation', async () => {
        world.upstream.play(
            {calls: [look('Oslo', 'call_a'), call('mine', {n: 1}, 'call_b')]},
            {calls: [call('mine', {n: 2}, 'call_b')]}, {text: 'Done.'});
        assert.deepEqual(names(await say([user('first')])), ['mine']);
        const other = await say([user('second')]);
        await say([user('second'), ...returned(other)]);
        assert.deepEqual(
            outline(world.upstream.last.messages), ['second', ['', ['mine {"n":2}']], 'mine: mine']);
      });

      test('that a model uses in every turn are one history all the same', async () => {
        const turn = (city) => ({calls: [look(city, 'call_0'), call('mine', {city}, 'call_1')]});
        world.upstream.play(turn('1'), {calls: [look('2', 'call_0')]}, turn('3'), {text: 'Done.'});
        const first = await say([question]);
        const back = [question, ...returned(first, () => 'first')];
        const second = await say(back);
        assert.notEqual(second.calls[0].id, first.calls[0].id);
        await say([...back, ...returned(second, () => 'second')]);
        assert.deepEqual(
            world.upstream.last.messages.filter(({role}) => role === 'tool').map(({content}) => content),
            ['look {"city":"1"}', 'first', 'look {"city":"2"}', 'look {"city":"3"}', 'second']);
      });
    });

    describe('a client that edits its history', () => {
      for (const [what, edit] of [
               ['drops the text', (turn) => ({...turn, content: null})],
               ['leaves the content out', ({content, ...turn}) => turn],
               ['gives its own parts', (turn) => ({...turn, content: [{type: 'text', text: turn.content}]})]]) {
        test(`and ${what} gets ours again`, async () => {
          const answer = await mixed();
          const [turn, ...results] = returned(answer);
          await say([question, edit(turn), ...results]);
          const seen = outline(world.upstream.last.messages);
          assert.deepEqual(seen[1][1], whole[1][1]);
          assert.deepEqual(seen.slice(2), whole.slice(2));
        });
      }

      test('and drops what came before gets ours again', async () => {
        world.upstream.play({text: 'Hello.'});
        await say([user('hi')]);
        world.upstream.play(
            {text: 'Both. ', calls: [look('Oslo'), call('mine', {n: 1}), call('act', {n: 2})]}, {text: 'Done.'});
        const answer =
            await say([user('hi'), {role: 'assistant', content: 'Hello.'}, question]);
        await say([{role: 'system', content: 'They said hi.'}, question, ...returned(answer)]);
        assert.deepEqual(outline(world.upstream.last.messages), ['They said hi.', ...whole]);
      });

      test('and says more behind its results gets ours again', async () => {
        const answer = await mixed();
        await say([question, ...returned(answer), user('be brief')]);
        assert.deepEqual(outline(world.upstream.last.messages), [...whole, 'be brief']);
      });

      test('and gives its results in another order gets them in the order of the calls', async () => {
        world.upstream.play({calls: [call('mine'), look('1'), call('yours')]}, {text: 'Done.'});
        const [turn, mine, yours] = returned(await say([question]));
        await say([question, turn, yours, mine]);
        assert.deepEqual(world.told, ['mine: mine', 'look {"city":"1"}', 'mine: yours']);
      });

      test('and drops one of its calls still gets ours', async () => {
        world.upstream.play({calls: [call('mine'), look('1'), call('yours')]}, {text: 'Done.'});
        const answer = await say([question]);
        await say([question, ...returned({...answer, calls: answer.calls.slice(1)})]);
        assert.ok(world.told.includes('look {"city":"1"}'), `${world.told}`);
        assert.ok(world.told.includes('mine: yours'), `${world.told}`);
      });

      test('and has no result of its call still gets ours, and each call has a result', async () => {
        const answer = await mixed();
        await say([question, returned(answer)[0], user('never mind')]);
        assert.deepEqual(
            outline(world.upstream.last.messages).filter((_, at) => at !== 3),
            [...whole.filter((_, at) => at !== 3), 'never mind']);
      });

      test('and takes the whole turn out sends what it likes', async () => {
        await mixed();
        const history = [question, {role: 'assistant', content: 'Never mind.'}, user('other')];
        await say(history);
        assert.deepEqual(world.upstream.last.messages, history);
      });

      test('and has ids of its own sends what it likes', async () => {
        const answer = await mixed();
        const history = [
          question,
          ...returned({...answer, calls: answer.calls.map((one) => ({...one, id: 'other'}))})
        ];
        await say(history);
        assert.deepEqual(outline(world.upstream.last.messages), outline(history));
      });
    });

    for (const [how, end] of [
             ['was killed', () => world.gateway.crash()],
             ['was stopped', async () => {
               world.gateway.signal('SIGTERM');
               assert.equal((await world.gateway.exited).code, 0);
             }]]) {
      test(`the turn is completed by a gateway that ${how} in between`, async () => {
        world.upstream.play(
            {text: 'First. ', calls: [look('1')]},
            {text: 'Both. ', calls: [look('2'), call('mine', {n: 1})]}, {text: 'Done.'});
        const answer = await say([question]);
        await end();
        await world.open();
        assert.equal((await say([question, ...returned(answer)])).text, 'Done.');
        assert.deepEqual(outline(world.upstream.last.messages), [
          'go', ['First. ', ['look {"city":"1"}']], 'look {"city":"1"}',
          ['Both. ', ['look {"city":"2"}', 'mine {"n":1}']], 'look {"city":"2"}', 'mine: mine'
        ]);
        assert.equal(world.tools.calls.length, 2);
      });
    }
  });
}

test('a turn that is over its time goes as the client sends it', async () => {
  const short = await AgentWorld.start({'toolgate.limits.turnKeepSeconds': 0.1});
  await short.registerUsual();
  short.upstream.play({calls: [look('1'), call('mine')]}, {text: 'Done.'});
  const answer = await short.say('go', {tools});
  await new Promise((resolve) => setTimeout(resolve, 300));
  const history = [user('go'), ...returned(answer)];
  assert.equal((await short.say(history, {tools})).text, 'Done.');
  assert.deepEqual(outline(short.upstream.last.messages), outline(history));
  await short.stop();
});
