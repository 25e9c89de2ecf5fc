// The demo model: a script that answers, streams and calls the client's tools without any network.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {startGateway} from './gateway.mjs';
import {chat} from './raw.mjs';
import {checkAnswer} from './rules.mjs';

let gateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway?.stop());

const tools = ['readFile', 'listFiles'].map(
    (name) => ({
      type: 'function',
      function: {name, parameters: {type: 'object', properties: {filePath: {type: 'string'}}}}
    }));
const two = '#readFile {"filePath":"README.md"} and #listFiles {"filePath":"src"}';

async function ask(messages, more = {}) {
  const body = {
    model: 'toolgate/demo',
    messages: typeof messages === 'string' ? [{role: 'user', content: messages}] : messages,
    ...more
  };
  const includeUsage = more.stream_options?.include_usage === true;
  return checkAnswer(await chat(gateway.port, body), {stream: more.stream === true, includeUsage});
}

for (const stream of [false, true]) {
  const how = stream ? {stream, stream_options: {include_usage: true}} : {};
  const name = stream ? 'streamed' : 'whole';

  test(`${name}: without a reference it says what it can do, always the same`, async () => {
    const first = await ask('hello', how);
    assert.equal(first.error, null);
    assert.ok(first.text.length > 20);
    assert.equal(first.finish, 'stop');
    assert.equal((await ask('hello', how)).text, first.text);
  });

  test(`${name}: a reference becomes a call with the arguments as written`, async () => {
    const answer = await ask('#readFile {"filePath":"README.md"}', {...how, tools});
    assert.deepEqual(
        answer.calls.map((call) => [call.name, JSON.parse(call.arguments)]),
        [['readFile', {filePath: 'README.md'}]]);
  });

  test(`${name}: a reference without arguments calls with {}`, async () => {
    const answer = await ask('please #listFiles', {...how, tools});
    assert.deepEqual(
        answer.calls.map((call) => [call.name, JSON.parse(call.arguments)]), [['listFiles', {}]]);
  });

  test(`${name}: several references become parallel calls`, async () => {
    const answer = await ask(two, {...how, tools});
    assert.deepEqual(
        answer.calls.map((call) => [call.name, JSON.parse(call.arguments)]),
        [['readFile', {filePath: 'README.md'}], ['listFiles', {filePath: 'src'}]]);
  });

  test(`${name}: after the results it answers with what came back`, async () => {
    const {calls} = await ask(two, {...how, tools});
    const answer = await ask(
        [
          {role: 'user', content: two}, {
            role: 'assistant',
            content: null,
            tool_calls: calls.map((call) => ({
                                    id: call.id,
                                    type: 'function',
                                    function: {name: call.name, arguments: call.arguments}
                                  }))
          },
          ...calls.map(
              (call, at) => ({role: 'tool', tool_call_id: call.id, content: `result ${at} é`}))
        ],
        {...how, tools});
    assert.deepEqual(answer.calls, []);
    assert.match(answer.text, /result 0 é/);
    assert.match(answer.text, /result 1 é/);
  });

  test(`${name}: a tool that is not offered is not called`, async () => {
    assert.deepEqual((await ask('#deleteEverything {}', {...how, tools})).calls, []);
    assert.deepEqual((await ask('#readFile {}', how)).calls, []);
  });
}

test('it is what a gateway without settings answers with', async () => {
  const response = await chat(gateway.port, {messages: [{role: 'user', content: 'hello'}]});
  assert.equal(response.json.model, 'toolgate/demo');
});
