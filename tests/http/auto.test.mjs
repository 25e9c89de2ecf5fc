// Auto-execute through the socket: registered tools run here until the model answers.
import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {USAGE} from '../mock/answers.mjs';

import {call, callWith, historyFaults} from './agent_upstream.mjs';
import {AgentWorld, citySchema, LiveAnswer, useWorld, user} from './agent_world.mjs';
import {extensionFiles, manifest, tool} from './extensions.mjs';
import {chat} from './raw.mjs';

const LIMIT = {timeout: 120_000};
const KINDS = [['whole', {}], ['streamed', {stream: true}]];
const look = (city, id) => call('look', {city}, id);
const repeat = (count, make) => Array.from({length: count}, (_, at) => make(at));
const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('the upstream of these tests notices malformed histories', () => {
  const calls = (...ids) => ({
    role: 'assistant',
    content: null,
    tool_calls:
        ids.map((id) => ({id, type: 'function', function: {name: 'look', arguments: '{}'}}))
  });
  const result = (id) => ({role: 'tool', tool_call_id: id, content: 'x'});
  const good = [user('hi'), calls('a', 'b'), result('a'), result('b'), {role: 'assistant', content: 'done'}];
  assert.deepEqual(historyFaults(good), []);
  const broken = calls('a');
  broken.tool_calls[0].function.arguments = '{"city":';
  for (const bad of [
           [user('hi'), calls('a', 'b'), result('a')],
           [user('hi'), calls('a', 'b'), result('b'), result('a')],
           [user('hi'), calls('a'), result('a'), result('a')],
           [user('hi'), calls('a'), user('no'), result('a')],
           [user('hi'), calls('a'), result('a'), calls('a'), result('a')],
           [user('hi'), result('a')],
           [user('hi'), broken, result('a')],
           [{role: 'critic', content: 'hi'}],
           [{role: 'assistant', content: null}],
           [user('hi'), calls(), user('hi')]
         ])
    assert.notDeepEqual(historyFaults(bad), [], JSON.stringify(bad));
});

for (const [kind, more] of KINDS) {
  describe(`${kind} answers`, LIMIT, () => {
    const shared = useWorld();
    const say = (messages, other = {}) => shared.world.say(messages, {...more, ...other});

    test('a call runs here, and the model is asked again with its result', async () => {
      const {world} = shared;
      const asked = look('Oslo');
      world.upstream.play({text: 'Let me look. ', calls: [asked]}, {text: 'It rains.'});
      const answer = await say('weather?');
      assert.equal(answer.text, 'Let me look. It rains.');
      assert.equal(answer.finish, 'stop');
      assert.deepEqual(answer.calls, []);
      assert.deepEqual(world.inputs, [['look', {city: 'Oslo'}]]);
      const [question, turn, result] = world.upstream.last.messages;
      assert.deepEqual(question, user('weather?'));
      assert.equal(turn.content, 'Let me look. ');
      assert.equal(turn.tool_calls[0].function.name, 'look');
      assert.deepEqual(JSON.parse(turn.tool_calls[0].function.arguments), {city: 'Oslo'});
      assert.equal(result.tool_call_id, turn.tool_calls[0].id);
      assert.equal(result.content, 'look {"city":"Oslo"}');
      assert.equal(world.upstream.last.messages.length, 3);
    });

    test('the report has every call', async () => {
      const {world} = shared;
      world.upstream.play(
          {calls: [look('Oslo'), call('act')]}, {calls: [look('Rome')]}, {text: 'Done.'});
      const {report} = await say('weather?');
      assert.equal(report.rounds, 3);
      assert.deepEqual(report.invocations.map((one) => one.name), ['look', 'act', 'look']);
      assert.deepEqual(report.warnings, []);
      for (const one of report.invocations) {
        assert.equal(one.state, 'Completed');
        assert.match(JSON.stringify(one.decision), /ConfirmationNotNeeded/);
        assert.ok(one.duration_ms >= 0);
        const shown = (await world.api.show(one.id)).body;
        assert.equal(shown.name, one.name);
        assert.equal(shown.state, 'Completed');
      }
    });

    test('an answer without calls is one round', async () => {
      shared.world.upstream.play({text: 'Hello.'});
      const answer = await say('hi');
      assert.equal(answer.text, 'Hello.');
      assert.equal(answer.report.rounds, 1);
      assert.deepEqual(answer.report.invocations, []);
    });

    test('rounds follow each other, and the history grows by each', async () => {
      const {world} = shared;
      world.upstream.play(
          {text: 'a ', calls: [look('1'), look('2')]}, {calls: [call('act', {n: 3})]},
          {text: 'b ', calls: [look('4')]}, {text: 'c'});
      assert.equal((await say('go')).text, 'a b c');
      assert.deepEqual(world.upstream.histories.map((history) => history.length), [1, 4, 6, 8]);
      assert.deepEqual(
          world.upstream.last.messages.filter(({role}) => role === 'tool').map(({content}) => content),
          ['look {"city":"1"}', 'look {"city":"2"}', 'act {"n":3}', 'look {"city":"4"}']);
      for (const offered of world.upstream.offered)
        assert.deepEqual(offered, ['look', 'peek', 'act', 'ask']);
    });

    test('tools are offered by a list or a reference, too', async () => {
      const {world} = shared;
      for (const [question, offer] of [['weather?', {include_tools: ['look']}], ['#look there', {}]]) {
        world.upstream.play({calls: [look('Oslo')]}, {text: 'Done.'});
        const answer = await say(question, {use_vscode_tools: false, ...offer});
        assert.equal(answer.text, 'Done.');
        assert.deepEqual(world.upstream.offered, [['look'], ['look']]);
        assert.deepEqual(world.told, ['look {"city":"Oslo"}']);
      }
    });

    test('a tool that is not offered does not run', async () => {
      const {world} = shared;
      world.upstream.play({calls: [call('act')]}, {text: 'Done.'});
      await say('go', {exclude_tools: ['act']});
      assert.deepEqual(world.inputs, []);
      assert.match(world.told[0], /act/);
    });

    test('usage is the sum of all rounds', async () => {
      shared.world.upstream.play({calls: [look('1')]}, {calls: [look('2')]}, {text: 'Done.'});
      const wanted = kind === 'streamed' ? {stream_options: {include_usage: true}} : {};
      const {usage} = await say('go', wanted);
      for (const key of Object.keys(USAGE)) assert.equal(usage[key], 3 * USAGE[key], key);
    });

    test('fields that the gateway does not know reach the upstream in every round', async () => {
      const {world} = shared;
      world.upstream.play({calls: [look('1')]}, {text: 'Done.'});
      await say('go', {x_unknown: {a: [1]}, temperature: 0.5, session_id: 's1', max_tool_rounds: 3});
      assert.equal(world.upstream.requests.length, 2);
      for (const request of world.upstream.requests) {
        assert.deepEqual(request.x_unknown, {a: [1]});
        assert.equal(request.temperature, 0.5);
      }
    });

    test('what a model thought, and signed its calls with, goes back to it', async () => {
      const {world} = shared;
      const extra = {extra_content: {google: {thought_signature: 'c2lnbmVk'}}};
      world.upstream.play(
          {reasoning: 'Oslo is far. Look twice.', calls: [callWith(extra, 'look', {city: 'Oslo'}), look('Bern')]},
          {text: 'Done.'});
      await say('go');
      const message = world.upstream.last.messages.find(({role}) => role === 'assistant');
      assert.equal(message.reasoning_content, 'Oslo is far. Look twice.');
      assert.deepEqual(message.tool_calls.map((one) => one.extra_content), [extra.extra_content, undefined]);
      assert.deepEqual(Object.keys(message.tool_calls[1]).sort(), ['function', 'id', 'type']);
    });

    test('to call a tool is asked for once', async () => {
      const {world} = shared;
      for (const choice of ['required', {type: 'function', function: {name: 'look'}}]) {
        world.upstream.play({calls: [look('1')]}, {text: 'Done.'});
        assert.equal((await say('go', {tool_choice: choice})).text, 'Done.');
        const [first, second] = world.upstream.requests;
        assert.deepEqual(first.tool_choice, choice);
        assert.ok([undefined, 'auto'].includes(second.tool_choice), `${second.tool_choice}`);
        assert.deepEqual(world.upstream.offered[1], ['look', 'peek', 'act', 'ask']);
      }
    });

    test('what the choice of tools leaves out does not run', async () => {
      const {world} = shared;
      const named = {type: 'function', function: {name: 'look'}};
      for (const choice of [named, {type: 'allowed_tools', allowed_tools: {mode: 'required', tools: [named]}}]) {
        world.tools.calls.length = 0;
        world.upstream.play({calls: [call('act')]}, {text: 'Done.'});
        assert.equal((await say('go', {tool_choice: choice})).text, 'Done.');
        assert.deepEqual(world.inputs, []);
        assert.match(world.told[0], /no tool 'act'/);
        assert.notEqual(world.upstream.requests[1].tool_choice?.allowed_tools?.mode, 'required');
      }
    });

    test('an upstream that fails after tools have run is not to be asked again', async () => {
      const {world} = shared;
      world.upstream.play({calls: [call('act')]}, {status: 503});
      const response = await chat(world.gateway.port, world.body([user('go')]));
      assert.equal(response.status, 503);
      assert.equal(response.headers['x-should-retry'], 'false');
    });

    test('calls that were cut off are not made', async () => {
      const {world} = shared;
      world.upstream.play({text: 'Let me. ', calls: [call('act')], finish: 'length'});
      const answer = await say('go');
      assert.equal(answer.text, 'Let me. ');
      assert.equal(answer.finish, 'length');
      assert.deepEqual(answer.calls, []);
      assert.deepEqual(world.inputs, []);
      assert.match(answer.report.warnings.join('\n'), /cut off/);
    });

    for (const [what, make] of [
             ['in every turn', () => [[look('1', 'call_0'), call('act', {n: 2}, 'call_1')], [look('3', 'call_0')], [call('act', {n: 4}, 'call_0')]]],
             ['inside a turn', () => [[look('1', 'call_0'), look('2', 'call_0'), call('act', {n: 3}, 'call_0')]]],
             ['that the client used before', () => [[look('1', 'old')]]]]) {
      test(`a model may use its ids again ${what}`, async () => {
        const {world} = shared;
        const turns = make();
        world.upstream.play(...turns.map((calls) => ({calls})), {text: 'Done.'});
        const past = [
          user('before'),
          {
            role: 'assistant',
            content: null,
            tool_calls: [{id: 'old', type: 'function', function: {name: 'look', arguments: '{"city":"x"}'}}]
          },
          {role: 'tool', tool_call_id: 'old', content: 'old result'}
        ];
        const answer = await say([...past, user('go')]);
        assert.equal(answer.text, 'Done.');
        assert.deepEqual(
            world.upstream.last.messages.slice(4).filter(({role}) => role === 'tool').map(({content}) => content),
            turns.flat().map((one) => `${one.name} ${one.arguments}`));
        assert.deepEqual(world.upstream.last.messages.slice(0, 4), [...past, user('go')]);
      });
    }

    describe('errors go to the model', () => {
      const tell = async (asked, other = {}) => {
        const {world} = shared;
        world.upstream.play({calls: [asked, look('Oslo')]}, {text: 'I see.'});
        const answer = await say('go', other);
        assert.equal(answer.text, 'I see.');
        assert.equal(answer.report.rounds, 2);
        assert.equal(world.told[1], 'look {"city":"Oslo"}');
        return world.told[0];
      };

      test('an unknown tool, with the nearest names', async () => {
        const told = await tell(call('lookk', {city: 'Oslo'}));
        assert.match(told, /lookk/);
        assert.match(told, /\blook\b/);
        assert.deepEqual(shared.world.inputs, [['look', {city: 'Oslo'}]]);
      });

      test('a name that no tool can have', async () => {
        assert.match(await tell(call('look at this!')), /look at this!/);
      });

      test('arguments that the tool does not take, with the place and the schema', async () => {
        const told = await tell(call('look', {city: {name: 'Oslo'}}));
        assert.match(told, /city/);
        assert.ok(told.includes('"additionalProperties"') && told.includes('"string"'), told);
        assert.equal(shared.world.tools.calls.length, 1);
      });

      test('arguments that are no JSON', async () => {
        const told = await tell(call('look', '{"city": Oslo]'));
        assert.match(told, /JSON|argument|invalid/i);
        assert.equal(shared.world.tools.calls.length, 1);
      });

      test('a tool that fails', async () => {
        const {world} = shared;
        const answer = world.tools.answer;
        world.tools.answer = (one) =>
            one.path === '/act' ? {status: 500, text: 'the database is down'} : answer(one);
        assert.match(await tell(call('act')), /the database is down/);
      });

      test('a tool that takes too long', async () => {
        const {world} = shared;
        await world.register('slow', {timeoutSeconds: 0.2});
        const {promise: never, resolve: letGo} = Promise.withResolvers();
        const answer = world.tools.answer;
        world.tools.answer = (one) => one.path === '/slow' ? never : answer(one);
        assert.match(await tell(call('slow')), /time|0\.2|second/i);
        letGo({text: 'late'});
        await world.api.request('DELETE', '/v1/tools/slow', {operator: true});
      });

      for (const decision of ['deny', 'skip']) {
        test(`a person says ${decision}, with the message`, async () => {
          const {world} = shared;
          const told = tell(call('ask'));
          const {id} = await world.api.waiting();
          await world.api.confirm(id, decision, {message: 'not on a Sunday'});
          assert.match(await told, /not on a Sunday/);
          assert.deepEqual(world.inputs, [['look', {city: 'Oslo'}]]);
        });
      }
    });

    describe('errors of the upstream go to the client', () => {
      test('at the first request with its status', async () => {
        shared.world.upstream.play({status: 429});
        const answer = await say('go');
        assert.equal(answer.status, 429);
        assert.match(answer.error.message, /the model fails with 429/);
      });

      test('behind text as an event, otherwise with its status', async () => {
        const {world} = shared;
        world.upstream.play({text: 'Let me look. ', calls: [look('Oslo')]}, {status: 429});
        const answer = await say('go');
        assert.match(answer.error.message, /the model fails with 429/);
        assert.equal(answer.status, kind === 'streamed' ? 200 : 429);
        assert.equal(answer.text, kind === 'streamed' ? 'Let me look. ' : '');
        assert.equal(world.inputs.length, 1);
      });

      test('when the connection breaks in a later round', async () => {
        shared.world.upstream.play({text: 'a ', calls: [look('Oslo')]}, {text: 'b ', broken: true});
        const answer = await say('go');
        assert.ok(answer.error, 'no error');
        assert.equal(answer.status === 200, kind === 'streamed');
      });
    });

    describe('confirmation', () => {
      test('a call waits for a person, and runs when it is allowed', async () => {
        const {world} = shared;
        world.upstream.play({text: 'May I? ', calls: [call('ask', {a: 1})]}, {text: 'Thanks.'});
        const answer = say('go');
        const waiting = await world.api.waiting();
        assert.equal(waiting.name, 'ask');
        assert.deepEqual(waiting.arguments, {a: 1});
        assert.equal(world.tools.calls.length, 0);
        assert.equal(world.upstream.requests.length, 1);
        await world.api.confirm(waiting.id, 'allow');
        const {text, report} = await answer;
        assert.equal(text, 'May I? Thanks.');
        assert.equal(report.invocations[0].id, waiting.id);
        assert.match(JSON.stringify(report.invocations[0].decision), /UserAction/);
        assert.deepEqual(world.told, ['ask {"a":1}']);
      });

      test('an approval for the session holds for its next call', async () => {
        const {world} = shared;
        world.upstream.play({calls: [call('ask', {a: 1})]}, {calls: [call('ask', {a: 2})]}, {text: 'Done.'});
        const answer = say('go', {session_id: `session-${kind}`});
        const {id} = await world.api.waiting();
        await world.api.confirm(id, 'allow', {scope: 'session'});
        assert.equal((await answer).text, 'Done.');
        assert.deepEqual(world.inputs, [['ask', {a: 1}], ['ask', {a: 2}]]);
      });

      test('"deny" tells the model that a person would have to confirm', async () => {
        const {world} = shared;
        world.upstream.play({calls: [call('ask'), look('Oslo')]}, {text: 'Then not.'});
        const answer = await say('go', {confirmation: 'deny'});
        assert.equal(answer.text, 'Then not.');
        assert.match(world.told[0], /person|confirm|approv/i);
        assert.equal(world.told[1], 'look {"city":"Oslo"}');
        assert.deepEqual(world.inputs, [['look', {city: 'Oslo'}]]);
        assert.equal((await world.api.pending()).length, 0);
      });

      test('"return" hands the call to the client', async () => {
        const {world} = shared;
        world.upstream.play({text: 'You do it. ', calls: [call('ask', {a: 1})]}, {text: 'Thanks.'});
        const answer = await say('go', {confirmation: 'return'});
        assert.equal(answer.text, 'You do it. ');
        assert.equal(answer.finish, 'tool_calls');
        assert.deepEqual(
            answer.calls.map((one) => [one.name, JSON.parse(one.arguments)]), [['ask', {a: 1}]]);
        assert.equal(world.tools.calls.length, 0);
        assert.equal(world.upstream.requests.length, 1);
      });
    });

    describe('limits', () => {
      const counting = () => {
        let round = 0;
        return () => ({text: `${++round} `, calls: [look(`city ${round}`)]});
      };

      for (const [what, limit, runs] of [['10 by default', {}, 10], ['as asked', {max_tool_rounds: 2}, 2]]) {
        test(`rounds of tools: ${what}`, async () => {
          const {world} = shared;
          world.upstream.play(counting());
          const answer = await say('go', limit);
          assert.equal(answer.finish, 'stop');
          assert.deepEqual(answer.calls, []);
          assert.equal(answer.text, repeat(runs + 1, (at) => `${at + 1} `).join(''));
          assert.match(answer.report.warnings.join('\n'), /max_tool_rounds/);
          assert.equal(world.tools.calls.length, runs);
          assert.equal(answer.report.rounds, runs + 1);
          assert.equal(answer.report.invocations.length, runs);
        });
      }

      test('max_tool_rounds 0 has no end of its own', async () => {
        const {world} = shared;
        const next = counting();
        world.upstream.play(
            () => world.upstream.requests.length <= 25 ? next() : {text: 'Enough.'});
        const answer = await say('go', {max_tool_rounds: 0});
        assert.match(answer.text, /25 Enough\.$/);
        assert.equal(world.tools.calls.length, 25);
        assert.deepEqual(answer.report.warnings, []);
      });

      test('a call that is repeated runs three times, is refused twice, and then it ends', async () => {
        const {world} = shared;
        world.upstream.play(() => ({text: 'again ', calls: [look('Oslo')]}));
        const answer = await say('go');
        assert.equal(answer.finish, 'stop');
        assert.equal(answer.text, 'again '.repeat(6));
        assert.equal(answer.report.rounds, 6);
        assert.equal(world.tools.calls.length, 3);
        const told = world.upstream.last.messages.filter(({role}) => role === 'tool')
                         .map(({content}) => content);
        assert.deepEqual(told.slice(0, 3), repeat(3, () => 'look {"city":"Oslo"}'));
        assert.equal(told.length, 5);
        for (const text of told.slice(3)) assert.match(text, /same|identical|repeat|again|already/i);
        assert.notEqual(answer.report.warnings.length, 0);
      });

      test('calls that grow are no repetition', async () => {
        const {world} = shared;
        world.upstream.play((request) => request.messages.length < 16 ?
                                {calls: [look('x'.repeat(request.messages.length * 1000))]} :
                                {text: 'Done.'});
        const answer = await say('go');
        assert.equal(answer.text, 'Done.');
        assert.equal(world.tools.calls.length, 8);
      });

      test('calls that grow without end are ended by the limit on rounds', async () => {
        const {world} = shared;
        world.upstream.play((request) => ({calls: [look('x'.repeat(request.messages.length * 1000))]}));
        const answer = await say('go', {max_tool_rounds: 12});
        assert.equal(answer.finish, 'stop');
        assert.equal(world.tools.calls.length, 12);
        assert.match(answer.report.warnings.join('\n'), /max_tool_rounds/);
      });

      test('of a thousand calls in one turn 128 run', async () => {
        const {world} = shared;
        world.upstream.play(
            {text: 'So many. ', calls: repeat(1000, (at) => call('peek', {at}))}, {text: 'Done.'});
        const answer = await say('go');
        assert.match(answer.text, /^So many\. /);
        assert.equal(answer.finish, 'stop');
        assert.deepEqual(answer.calls, []);
        assert.equal(world.tools.calls.length, 128);
        assert.match(answer.report.warnings.join('\n'), /128/);
      });
    });

    describe('at the same time', () => {
      // Answers when `count` calls are there, in the reverse of their order.
      const together = (count) => {
        const waiting = [];
        return async ({input}) => {
          const mine = Promise.withResolvers();
          waiting.push(mine);
          if (waiting.length === count) {
            for (const one of waiting.toReversed()) {
              one.resolve('together');
              await delay(5);
            }
          }
          const late = setTimeout(() => mine.resolve('alone'), 3000);
          const how = await mine.promise;
          clearTimeout(late);
          return {text: `${how} ${JSON.stringify(input)}`};
        };
      };

      test('tools that only read run together, and their results keep the order', async () => {
        const {world} = shared;
        world.tools.answer = together(6);
        world.upstream.play({calls: repeat(6, (at) => call('peek', {at}))}, {text: 'Done.'});
        await say('go');
        assert.deepEqual(world.told, repeat(6, (at) => `together {"at":${at}}`));
      });

      test('others run one after the other', async () => {
        const {world} = shared;
        const trace = [];
        world.tools.answer = async ({path, input}) => {
          trace.push(`${path}${input.at} begins`);
          await delay(20);
          trace.push(`${path}${input.at} ends`);
          return {text: `${input.at}`};
        };
        const names = ['peek', 'peek', 'act', 'act', 'peek'];
        world.upstream.play({calls: names.map((name, at) => call(name, {at}))}, {text: 'Done.'});
        await say('go');
        assert.deepEqual(world.told, ['0', '1', '2', '3', '4']);
        const at = (text) => trace.indexOf(text);
        assert.ok(at('/peek1 begins') < at('/peek0 ends'), `${trace}`);
        assert.deepEqual(trace.slice(4), [
          '/act2 begins', '/act2 ends', '/act3 begins', '/act3 ends', '/peek4 begins', '/peek4 ends'
        ]);
      });

      test('one that fails and one that hangs lose nothing of the others', async () => {
        const {world} = shared;
        await world.register('slow', {timeoutSeconds: 0.2, readOnly: true});
        const {promise: never, resolve: letGo} = Promise.withResolvers();
        world.tools.answer = ({path, input}) => path === '/slow' ? never :
            input.bad ? {status: 503, text: 'out of order'} :
                        {text: `fine ${input.at}`};
        world.upstream.play(
            {
              calls: [
                call('peek', {at: 0}), call('slow'), call('peek', {bad: true}), call('peek', {at: 3})
              ]
            },
            {text: 'Done.'});
        const answer = await say('go');
        assert.equal(answer.text, 'Done.');
        assert.equal(world.told[0], 'fine 0');
        assert.match(world.told[2], /out of order/);
        assert.equal(world.told[3], 'fine 3');
        assert.equal(answer.report.invocations.length, 4);
        letGo({text: 'late'});
        await world.api.request('DELETE', '/v1/tools/slow', {operator: true});
      });

      test('one that waits for a person does not lose the others', async () => {
        const {world} = shared;
        world.upstream.play({calls: [look('1'), call('ask'), look('2')]}, {text: 'Done.'});
        const answer = say('go');
        const {id} = await world.api.waiting();
        await world.api.confirm(id, 'allow');
        assert.equal((await answer).text, 'Done.');
        assert.deepEqual(world.told, ['look {"city":"1"}', 'ask {}', 'look {"city":"2"}']);
      });
    });

    describe('a client that goes', () => {
      const leave = async (arrived) => {
        const {world} = shared;
        const stop = new AbortController();
        const answer = fetch(`${world.gateway.url}/v1/chat/completions`, {
          method: 'POST',
          signal: stop.signal,
          body: JSON.stringify(world.body([user('go')], more))
        }).then((response) => response.text()).catch((error) => error);
        await arrived;
        stop.abort();
        assert.equal((await answer).name, 'AbortError');
      };

      test('takes its running tool along, and the model is not asked again', async () => {
        const {world} = shared;
        world.tools.answer = () => new Promise(() => {});
        world.upstream.play({calls: [call('act')]});
        const request = world.nextToolRequest();
        await leave(request);
        assert.equal(await (await request).closed, false);
        while ((await world.api.request('GET', '/v1/invocations?state=Executing')).body.data.length)
          await delay(5);
        assert.equal(world.upstream.requests.length, 1);
      });

      test('takes its question to a person along', async () => {
        const {world} = shared;
        world.upstream.play({calls: [call('ask')]});
        const waiting = world.api.waiting();
        await leave(waiting);
        const {id} = await waiting;
        await world.api.waiting((row) => row.id === id, 'Cancelled');
        assert.equal(world.upstream.requests.length, 1);
      });

      test('takes the model along', async () => {
        const {world} = shared;
        const {promise: held, resolve: letGo} = Promise.withResolvers();
        let later;
        const arrived = new Promise((resolve) => {
          world.upstream.play({calls: [look('Oslo')]}, (request, connection) => {
            later = connection;
            resolve();
            return {text: 'So ', held};
          });
        });
        await leave(arrived);
        await later.closed;
        letGo();
      });
    });
  });
}

describe('a stream', LIMIT, () => {
  const shared = useWorld({'toolgate.limits.streamKeepAliveSeconds': 0.2});

  test('gives the text of a round before its tools have ended', async () => {
    const {world} = shared;
    const {promise: running, resolve: letGo} = Promise.withResolvers();
    world.tools.answer = () => running;
    world.upstream.play({text: 'Let me look. ', calls: [look('Oslo')]}, {text: 'It rains.'});
    const answer = await LiveAnswer.open(world, [user('weather?')]);
    await answer.until(/look\. /);
    letGo({text: 'rain'});
    assert.equal((await answer.rest()).text, 'Let me look. It rains.');
  });

  test('gives the text of a later round while the model writes', async () => {
    const {world} = shared;
    const {promise: held, resolve: letGo} = Promise.withResolvers();
    world.upstream.play({text: 'One. ', calls: [look('Oslo')]}, {text: 'Two. ', held});
    const answer = await LiveAnswer.open(world, [user('weather?')]);
    await answer.until(/Two\. /);
    letGo();
    assert.equal((await answer.rest()).finish, 'stop');
  });

  test('is kept alive while a tool runs and while a person is asked', async () => {
    const {world} = shared;
    const {promise: running, resolve: letGo} = Promise.withResolvers();
    world.tools.answer = ({path}) => path === '/act' ? running : {text: 'done'};
    world.upstream.play({text: 'One. ', calls: [call('act')]}, {text: 'Two. ', calls: [call('ask')]}, {text: 'End.'});
    const answer = await LiveAnswer.open(world, [user('go')]);
    await answer.until(/One\.[^]*: keepalive\n\n: keepalive\n\n/);
    letGo({text: 'done'});
    const {id} = await world.api.waiting();
    await answer.until(/Two\.[^]*: keepalive\n\n: keepalive\n\n/);
    await world.api.confirm(id, 'allow');
    assert.equal((await answer.rest()).text, 'One. Two. End.');
  });

  test('is kept alive without a word of the model, too', async () => {
    const {world} = shared;
    world.upstream.play({calls: [call('ask')]}, {text: 'End.'});
    const opened = LiveAnswer.open(world, [user('go')]);
    const {id} = await world.api.waiting();
    const answer = await Promise.race([opened, delay(2000)]);
    await answer?.until(/: keepalive\n\n/);
    await world.api.confirm(id, 'allow');
    assert.equal((await (await opened).rest()).text, 'End.');
    assert.ok(answer, 'nothing was sent while a person was asked');
  });

  test('tells of the calls when it is asked to', async () => {
    const {world} = shared;
    const asked = look('Oslo');
    world.upstream.play({calls: [asked, call('lookk')]}, {text: 'Done.'});
    const {toolEvents, report} = await world.say(
        'go', {stream: true, stream_options: {include_tool_events: true}});
    for (const value of toolEvents) assert.deepEqual(value.choices, []);
    const events = toolEvents.map((value) => value.toolgate.invocation)
                       .filter((event) => event.name === 'look');
    assert.ok(events.length > 0, 'no event');
    const turn = world.upstream.last.messages.at(-3);
    for (const event of events) {
      assert.equal(event.id, report.invocations[0].id);
      assert.equal(event.call_id, turn.tool_calls[0].id);
    }
    assert.equal(events.at(-1).state, 'Completed');
  });

  test('tells of a call that waits for a person while it waits', async () => {
    const {world} = shared;
    world.upstream.play({calls: [call('ask')]}, {text: 'Done.'});
    const answer = await LiveAnswer.open(
        world, [user('go')], {stream_options: {include_tool_events: true}});
    await answer.until(/WaitingForConfirmation/);
    const {id} = await world.api.waiting();
    await world.api.confirm(id, 'allow');
    const {toolEvents} = await answer.rest();
    const states = toolEvents.map((value) => value.toolgate.invocation)
                       .filter((event) => event.id === id).map((event) => event.state);
    assert.equal(states.indexOf('WaitingForConfirmation') < states.indexOf('Completed'), true, `${states}`);
  });

  test('tells nothing of the calls otherwise', async () => {
    const {world} = shared;
    world.upstream.play({calls: [look('Oslo')]}, {text: 'Done.'});
    for (const streamOptions of [{}, {stream_options: {include_tool_events: false}}]) {
      world.upstream.play({calls: [look('Oslo')]}, {text: 'Done.'});
      const {toolEvents, text} = await world.say('go', {stream: true, ...streamOptions});
      assert.equal(text, 'Done.');
      assert.deepEqual(toolEvents, []);
    }
  });

  test('has its usage with tool events, too', async () => {
    const {world} = shared;
    world.upstream.play({calls: [look('Oslo')]}, {text: 'Done.'});
    const {usage, toolEvents} = await world.say(
        'go', {stream: true, stream_options: {include_usage: true, include_tool_events: true}});
    assert.equal(usage.total_tokens, 2 * USAGE.total_tokens);
    assert.notEqual(toolEvents.length, 0);
  });
});

test('tool events of arguments over several lines are events still', async () => {
  const world = await AgentWorld.start();
  try {
    await world.registerUsual();
    world.upstream.play({calls: [call('look', '{\n  "city":\r\n "Oslo"\n}')]}, {text: 'Done.'});
    const answer = await world.say(
        'go', {stream: true, stream_options: {include_tool_events: true}},
        {authorization: `Bearer ${world.gateway.operatorToken}`});
    assert.equal(answer.text, 'Done.');
    assert.deepEqual(answer.toolEvents.at(-1).toolgate.invocation.arguments, {city: 'Oslo'});
  } finally {
    await world.stop();
  }
});

describe('a limit on all calls of a turn', LIMIT, () => {
  const shared = useWorld({'toolgate.limits.turnCalls': 5});

  test('leaves those beyond it', async () => {
    const {world} = shared;
    world.upstream.play((request) => request.messages.length < 20 ?
                            {text: 'more ', calls: repeat(2, (at) => look(`${request.messages.length} ${at}`))} :
                            {text: 'Done.'});
    const answer = await world.say('go');
    assert.equal(world.tools.calls.length, 5);
    assert.match(answer.text, /^more more more /);
    assert.equal(answer.finish, 'stop');
    assert.match(answer.report.warnings.join('\n'), /turnCalls/);
  });

  test('counts those that nobody can make', async () => {
    const {world} = shared;
    world.upstream.play(({messages}) => ({text: 'more ', calls: [call('no_such_tool', {at: messages.length})]}));
    const answer = await world.say('go', {max_tool_rounds: 0});
    assert.match(answer.text, /^(more ){5,7}$/);
    assert.match(answer.report.warnings.join('\n'), /turnCalls/);
  });
});

for (const [kind, more] of KINDS) {
  describe(`limits of a whole turn, ${kind}`, LIMIT, () => {
    const tokens = useWorld({'toolgate.limits.turnTokens': 2 * USAGE.total_tokens});
    const time = useWorld({'toolgate.limits.turnSeconds': 0.3});

    test('tokens', async () => {
      const {world} = tokens;
      world.upstream.play((request) => ({text: 'more ', calls: [look(`${request.messages.length}`)]}));
      const answer = await world.say('go', more);
      assert.equal(answer.finish, 'stop');
      assert.match(answer.text, /^(more ){1,3}$/);
      assert.match(answer.report.warnings.join('\n'), /turnTokens/);
    });

    test('time that a tool takes', async () => {
      const {world} = time;
      world.tools.answer = () => new Promise(() => {});
      world.upstream.play({text: 'Let me. ', calls: [call('act')]});
      const answer = await world.say('go', more);
      assert.equal(answer.text, 'Let me. ');
      assert.equal(answer.finish, 'stop');
      assert.match(answer.report.warnings.join('\n'), /turnSeconds/);
    });

    test('time that the model takes', async () => {
      const {world} = time;
      const {promise: held, resolve: letGo} = Promise.withResolvers();
      world.upstream.play({text: 'Let me. ', calls: [look('1')]}, {held});
      const answer = await world.say('go', more);
      letGo();
      assert.equal(answer.text, 'Let me. ');
      assert.equal(answer.finish, 'stop');
      assert.match(answer.report.warnings.join('\n'), /turnSeconds/);
    });
  });
}

describe('tools in groups', LIMIT, () => {
  const shared = {};
  before(async () => {
    shared.world =
        await AgentWorld.start({'github.copilot.chat.virtualTools.threshold': 20});
    for (const at of repeat(40, (at) => at)) await shared.world.register(`tool_${at}`);
  });
  after(() => shared.world?.stop());
  beforeEach(() => shared.world.reset());
  afterEach(() => assert.deepEqual(shared.world.upstream.violations.splice(0), []));

  test('a group that is called is open in the next round, and its tools run', async () => {
    const {world} = shared;
    let group;
    world.upstream.play(
        (request) => {
          group = request.tools.map((one) => one.function.name).find((name) => name.startsWith('activate_'));
          return {calls: [call(group)]};
        },
        (request) => ({calls: [call(/tool_\d+/.exec(request.messages.at(-1).content)[0], {a: 1})]}),
        {text: 'Done.'});
    const answer = await world.say('go');
    assert.equal(answer.text, 'Done.');
    assert.deepEqual(answer.calls, []);
    const opened = world.upstream.histories[1].at(-1).content;
    assert.match(opened, /^Tools activated: /);
    assert.ok(!world.upstream.offered[1].includes(group));
    for (const name of opened.replace('Tools activated: ', '').split(', '))
      assert.ok(world.upstream.offered[1].includes(name), name);
    assert.equal(world.tools.calls.length, 1);
    assert.deepEqual(world.told, [`${world.inputs[0][0]} {"a":1}`]);
  });

  test('a tool in a closed group runs when it is called', async () => {
    const {world} = shared;
    world.upstream.play({calls: [call('tool_17', {a: 1})]}, {text: 'Done.'});
    assert.equal((await world.say('go')).text, 'Done.');
    assert.ok(!world.upstream.offered[0].includes('tool_17'));
    assert.ok(world.upstream.offered[1].includes('tool_17'));
    assert.deepEqual(world.told, ['tool_17 {"a":1}']);
  });

  test('a group and one of its tools may be called in one turn', async () => {
    const {world} = shared;
    world.upstream.play(
        (request) => ({calls: [call(request.tools[0].function.name), call('tool_0', {a: 1})]}), {text: 'Done.'});
    await world.say('go');
    assert.match(world.told[0], /^Tools activated: /);
    assert.equal(world.told[1], 'tool_0 {"a":1}');
  });
});

describe('tools that nothing runs here', LIMIT, () => {
  const shared = useWorld(
      {}, {files: extensionFiles(manifest('acme.weather', [tool('declared', {inputSchema: citySchema})]))});

  test('go back to the client, and the others run', async () => {
    const {world} = shared;
    world.upstream.play({calls: [look('Oslo'), call('declared', {city: 'Oslo'})]});
    const answer = await world.say('go');
    assert.deepEqual(answer.calls.map((one) => one.name), ['declared']);
    assert.deepEqual(world.inputs, [['look', {city: 'Oslo'}]]);
  });
});

test('without "auto" the calls go to the client', async () => {
  const world = await AgentWorld.start();
  await world.registerUsual();
  world.upstream.play({calls: [look('Oslo')]});
  const answer = await world.say('go', {tool_execution: 'none'});
  assert.deepEqual(answer.calls.map((one) => one.name), ['look']);
  assert.equal(world.tools.calls.length, 0);
  await world.stop();
});

describe('a gateway that stops', LIMIT, () => {
  test('lets go of a call that waits, and does not tell the model that it failed', async () => {
    const world = await AgentWorld.start();
    await world.registerUsual();
    world.upstream.play({calls: [call('ask')]}, {text: 'never'});
    const answer = chat(world.gateway.port, world.body([user('go')]));
    await world.api.waiting();
    world.gateway.signal('SIGTERM');
    const {status, json} = await answer;
    assert.equal(status, 503);
    assert.equal(json.error.code, 'shutting_down');
    assert.equal(world.upstream.requests.length, 1);
    await world.stop();
  });
});
