// For tests of auto-execute: a scripted model, a server with tools, a gateway between them, and
// the client as a function.
import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach} from 'node:test';

import {AgentUpstream} from './agent_upstream.mjs';
import {Api, ToolServer} from './approvals.mjs';
import {Gateway, mockModel} from './gateway.mjs';
import {chat, chatBytes, Connection} from './raw.mjs';
import {checkAnswer, checkStream, readEvents} from './rules.mjs';

export const citySchema = {
  type: 'object',
  properties: {city: {type: 'string'}},
  required: ['city'],
  additionalProperties: false
};

export const clientTool = (name) => ({
  type: 'function',
  function: {name, description: `the client's ${name}`, parameters: {type: 'object', properties: {}}}
});

export const user = (content) => ({role: 'user', content});

// The history with which a client comes back: what it got, and its results.
export const returned = ({text, calls}, result = (one) => `mine: ${one.name}`) => [
  {
    role: 'assistant',
    content: text,
    tool_calls: calls.map(
        ({id, name, arguments: input}) => ({id, type: 'function', function: {name, arguments: input}}))
  },
  ...calls.map((one) => ({role: 'tool', tool_call_id: one.id, content: result(one)}))
];

const isToolEvent = (event) =>
    event !== '[DONE]' && Object.hasOwn(JSON.parse(event).toolgate ?? {}, 'invocation');

// A stream as a client sees it, and what stands beside the deltas.
export function readStream(bytes, {includeUsage = false} = {}) {
  const events = readEvents(bytes);
  const outcome = checkStream(events.filter((event) => !isToolEvent(event)), {includeUsage});
  const chunks = events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event));
  const roles = chunks.flatMap((value) => value.choices ?? []).filter(({delta}) => delta.role);
  assert.equal(new Set(chunks.filter((value) => !value.error).map((value) => value.id)).size, 1);
  assert.equal(roles.length, 1, 'the role is sent once');
  return {
    ...outcome,
    status: 200,
    report: chunks.findLast((value) => value.toolgate?.rounds)?.toolgate,
    toolEvents: chunks.filter((value) => value.toolgate?.invocation)
  };
}

// A streamed answer that is read while it comes.
export class LiveAnswer {
  static async open(world, messages, more = {}) {
    const answer = new LiveAnswer();
    answer.connection = await Connection.open(world.gateway.port);
    answer.bytes = Buffer.alloc(0);
    answer.connection.send(
        chatBytes(world.gateway.port, world.body(messages, {stream: true, ...more})));
    assert.equal((await answer.connection.head()).status, 200);
    return answer;
  }

  async #more() {
    const bytes = await this.connection.chunk();
    if (bytes) this.bytes = Buffer.concat([this.bytes, bytes]);
    return bytes !== null;
  }

  // Reads until `pattern` has come.
  async until(pattern) {
    while (!pattern.test(this.bytes.toString()))
      assert.ok(await this.#more(), `no ${pattern} in ${this.bytes}`);
  }

  async rest(options) {
    while (await this.#more());
    this.connection.destroy();
    return readStream(this.bytes, options);
  }

  // The client goes.
  destroy() {
    this.connection.destroy();
  }
}

export class AgentWorld {
  // `model` has more members of the model's settings.
  static async start(settings = {}, {model = {}, ...options} = {}) {
    const world = new AgentWorld();
    world.upstream = await AgentUpstream.start();
    world.tools = await ToolServer.start();
    world.options = {
      ...options,
      settings: {'toolgate.models': [mockModel(world.upstream, model)], ...settings}
    };
    await world.open();
    world.reset();
    return world;
  }

  // With the data of the gateway before, if there was one.
  async open() {
    this.gateway = await new Gateway({...this.options, folder: this.gateway?.folder}).ready();
    this.api = new Api(this.gateway);
  }

  // A tool says which one it is and what it was given.
  reset() {
    this.tools.calls.length = 0;
    this.tools.answer = ({path, input}) => ({text: `${path.slice(1)} ${JSON.stringify(input)}`});
  }

  async register(name, more = {}) {
    const answer = await this.api.register(this.tools, name, {confirm: false, ...more});
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  }

  // The tools that most tests use: two that only read, one that acts, one that asks a person.
  async registerUsual() {
    const city = {inputSchema: citySchema};
    await this.register('look', {...city, readOnly: true, toolReferenceName: 'look'});
    await this.register('peek', {readOnly: true});
    await this.register('act');
    await this.register('ask', {confirm: true});
  }

  get inputs() {
    return this.tools.calls.map(({path, input}) => [path.slice(1), input]);
  }

  body(messages, more = {}) {
    return {
      model: 'mock-1',
      messages,
      use_vscode_tools: true,
      tool_execution: 'auto',
      ...more
    };
  }

  // A question, or a history, and the answer with the turn's report.
  async say(messages, more = {}, headers = {}) {
    const list = typeof messages === 'string' ? [user(messages)] : messages;
    const response = await chat(this.gateway.port, this.body(list, more), {headers});
    const includeUsage = more.stream_options?.include_usage === true;
    if (more.stream && response.status === 200) return readStream(response.body, {includeUsage});
    const outcome = checkAnswer(response, {stream: false});
    return {...outcome, report: response.json.toolgate};
  }

  // What the model was told about the last turn's calls.
  get told() {
    const messages = this.upstream.last.messages;
    const asked = messages.findLastIndex((message) => message.role === 'assistant');
    return messages.slice(asked + 1).map((message) => message.content);
  }

  // The connection to the tool server of the next call, for tests that cut it.
  nextToolRequest() {
    return new Promise((resolve) => {
      this.tools.http.once('request', (request, response) => resolve({
        closed: new Promise((closed) => response.once('close', () => closed(response.writableFinished)))
      }));
    });
  }

  async stop() {
    await this.gateway?.stop();
    await this.tools?.stop();
    await this.upstream?.close();
    assert.deepEqual(this.upstream?.violations, []);
  }
}

// A world for the tests of one describe(); no history may be malformed in any of them.
export function useWorld(settings = {}, options = {}) {
  const shared = {};
  before(async () => {
    shared.world = await AgentWorld.start(settings, options);
    await shared.world.registerUsual();
  });
  after(() => shared.world?.stop());
  beforeEach(() => shared.world.reset());
  afterEach(() => assert.deepEqual(shared.world.upstream.violations.splice(0), []));
  return shared;
}
