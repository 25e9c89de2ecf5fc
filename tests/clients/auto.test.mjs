// Stock clients hold conversations in which the gateway runs tools of its own beside theirs.
import {createOpenAICompatible} from '@ai-sdk/openai-compatible';
import {HumanMessage} from '@langchain/core/messages';
import {tool as langChainTool} from '@langchain/core/tools';
import {ChatOpenAI} from '@langchain/openai';
import {generateText, isStepCount, stepCountIs, streamText, tool as aiTool} from 'ai';
import {createAgent} from 'langchain';
import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import OpenAI from 'openai';
import {z} from 'zod';

import {call} from '../http/agent_upstream.mjs';
import {AgentWorld} from '../http/agent_world.mjs';

const AUTO = {
  use_vscode_tools: true,
  tool_execution: 'auto'
};
const look = (city) => call('look', {city});

let world;
let baseURL;
before(async () => {
  world = await AgentWorld.start();
  await world.registerUsual();
  baseURL = `${world.gateway.url}/v1`;
});
after(() => world?.stop());
beforeEach(() => world.reset());
afterEach(() => assert.deepEqual(world.upstream.violations.splice(0), []));

// Each holds a conversation to its end and gives the text of the last answer. `mine` is the
// client's own tool.
const clients = {
  'npm openai with runTools': (question, {stream, mine}) => {
    const client = new OpenAI({baseURL, apiKey: 'sk-client', maxRetries: 0});
    const parameters = {type: 'object', properties: {n: {type: 'number'}}, required: ['n']};
    const runner = client.chat.completions.runTools({
      ...AUTO,
      model: 'mock-1',
      stream,
      messages: [{role: 'user', content: question}],
      tools: [{type: 'function', function: {name: 'mine', parameters, parse: JSON.parse, function: mine}}]
    });
    return runner.finalContent();
  },
  'a LangChain agent': async (question, {stream, mine}) => {
    const model = new ChatOpenAI({
      model: 'mock-1',
      apiKey: 'sk-client',
      maxRetries: 0,
      modelKwargs: AUTO,
      configuration: {baseURL}
    });
    const own = langChainTool(mine, {name: 'mine', description: 'mine', schema: z.object({n: z.number()})});
    const agent = createAgent({model, tools: [own]});
    const input = {messages: [new HumanMessage(question)]};
    if (!stream) return (await agent.invoke(input)).messages.at(-1).content;
    let state;
    for await (const [mode, value] of await agent.stream(input, {streamMode: ['messages', 'values']}))
      if (mode === 'values') state = value;
    return state.messages.at(-1).content;
  },
  'the AI SDK': async (question, {stream, mine}) => {
    const model = createOpenAICompatible(
        {name: 'toolgate', baseURL, apiKey: 'sk-client', includeUsage: true})('mock-1');
    const answer = await (stream ? streamText : generateText)({
      model,
      maxRetries: 0,
      prompt: question,
      stopWhen: (isStepCount ?? stepCountIs)(5),
      providerOptions: {toolgate: AUTO},
      tools: {mine: aiTool({description: 'mine', inputSchema: z.object({n: z.number()}), execute: mine})}
    });
    return answer.text;
  }
};

const texts = () =>
    world.upstream.last.messages.map(({role, content, tool_calls: calls}) => role === 'assistant' ?
        [content ?? '', (calls ?? []).map((one) => one.function.name)] :
        typeof content === 'string' ? content : content.map((part) => part.text).join(''));

for (const [name, hold] of Object.entries(clients)) {
  for (const stream of [false, true]) {
    describe(`${name}, ${stream ? 'streamed' : 'whole'}`, {timeout: 60_000}, () => {
      const converse = async () => {
        const inputs = [];
        const text = await hold('weather?', {
          stream,
          mine: (input) => {
            inputs.push(input);
            return `mine ${input.n}`;
          }
        });
        return {text, inputs};
      };

      test('gets the answer, and nothing of the calls', async () => {
        world.upstream.play(
            {text: 'Let me look. ', calls: [look('Oslo'), call('act', {})]},
            {text: 'Once more. ', calls: [look('Rome')]}, {text: 'It rains.'});
        const {text, inputs} = await converse();
        assert.equal(text, 'Let me look. Once more. It rains.');
        assert.deepEqual(inputs, []);
        assert.equal(world.tools.calls.length, 3);
        for (const request of world.upstream.requests) assert.equal(request.stream ?? false, stream);
      });

      test('runs its own tool in a mixed turn', async () => {
        world.upstream.play(
            {text: 'Both. ', calls: [look('Oslo'), call('mine', {n: 1}), call('act', {})]},
            {text: 'It rains.'});
        const {text, inputs} = await converse();
        assert.equal(text, 'It rains.');
        assert.deepEqual(inputs, [{n: 1}]);
        assert.deepEqual(texts(), [
          'weather?', ['Both. ', ['look', 'mine', 'act']], 'look {"city":"Oslo"}', 'mine 1', 'act {}'
        ]);
      });

      test('goes through several of them, with rounds in between', async () => {
        world.upstream.play(
            {text: 'One. ', calls: [look('1')]},
            {text: 'Two. ', calls: [call('mine', {n: 1}), look('2'), call('mine', {n: 2})]},
            {calls: [look('3')]}, {text: 'Four. ', calls: [call('mine', {n: 3})]},
            {text: 'Five. ', calls: [look('5')]}, {text: 'It rains.'});
        const {text, inputs} = await converse();
        assert.equal(text, 'Five. It rains.');
        assert.deepEqual(inputs, [{n: 1}, {n: 2}, {n: 3}]);
        assert.deepEqual(texts(), [
          'weather?', ['One. ', ['look']], 'look {"city":"1"}', ['Two. ', ['mine', 'look', 'mine']],
          'mine 1', 'look {"city":"2"}', 'mine 2', ['', ['look']], 'look {"city":"3"}',
          ['Four. ', ['mine']], 'mine 3', ['Five. ', ['look']], 'look {"city":"5"}'
        ]);
        assert.equal(world.tools.calls.length, 4);
      });
    });
  }
}

describe('npm openai', () => {
  const client = () => new OpenAI({baseURL, apiKey: 'sk-client', maxRetries: 0});
  const ask = (more) => ({
    ...AUTO,
    model: 'mock-1',
    messages: [{role: 'user', content: 'weather?'}],
    stream: true,
    ...more
  });

  test('ignores the events of tools that it asked for', async () => {
    world.upstream.play({text: 'Let me look. ', calls: [look('Oslo')]}, {text: 'It rains.'});
    const options = {include_usage: true, include_tool_events: true};
    const completion =
        await client().chat.completions.stream(ask({stream_options: options})).finalChatCompletion();
    assert.equal(completion.choices[0].message.content, 'Let me look. It rains.');
    assert.equal(completion.choices[0].message.tool_calls, undefined);
    assert.ok(completion.usage.total_tokens > 0);
  });

  test('has the report on the last chunk', async () => {
    world.upstream.play({calls: [look('Oslo')]}, {text: 'It rains.'});
    let last;
    for await (const value of await client().chat.completions.create(ask())) last = value;
    assert.equal(last.toolgate.rounds, 2);
    assert.deepEqual(last.toolgate.invocations.map((one) => one.name), ['look']);
  });

  test('that aborts stops the tool', async () => {
    world.tools.answer = () => new Promise(() => {});
    world.upstream.play({text: 'Let me look. ', calls: [look('Oslo')]});
    const request = world.nextToolRequest();
    const stream = await client().chat.completions.create(ask());
    const {closed} = await request;
    stream.controller.abort();
    assert.equal(await closed, false);
  });
});
