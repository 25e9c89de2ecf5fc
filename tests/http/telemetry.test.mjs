// Spans and metrics for a collector of OpenTelemetry: what they say, what they keep to themselves,
// and that nobody waits for them.
import assert from 'node:assert/strict';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';

import {USAGE} from '../mock/answers.mjs';

import {call} from './agent_upstream.mjs';
import {AgentWorld, user} from './agent_world.mjs';
import {attributesOf, Collector} from './collector.mjs';
import {UPSTREAM_KEY} from './gateway.mjs';
import {chat, exchange} from './raw.mjs';

const LIMIT = {timeout: 120_000};
const FAST = {OTEL_BSP_SCHEDULE_DELAY: '50'};
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const PARENT_HEADER = `00-${TRACE}-${PARENT}-01`;
const SECRET = 'sentinel-secret-7741';
const ID = /^[0-9a-f]{16}$/;
const CLIENT = 3;
const INTERNAL = 1;
const look = (city, id) => call('look', {city}, id);
const plain = (more = {}) => ({model: 'mock-1', messages: [user('hi')], ...more});

async function startWorld(collector, settings = {}, options = {}) {
  const world = await AgentWorld.start(
      {'toolgate.telemetry.endpoint': collector.url, ...settings},
      {...options, env: {...FAST, ...options.env}});
  await world.registerUsual();
  world.heads = [];
  const {behave} = world.upstream.server;
  world.upstream.server.behave = (request, reply) => {
    world.heads.push(request.headers);
    return behave(request, reply);
  };
  return world;
}

function useWorld(settings = {}, options = {}) {
  const shared = {};
  before(async () => {
    shared.collector = await Collector.start();
    shared.world = await startWorld(shared.collector, settings, options);
  });
  after(async () => {
    await shared.world?.stop();
    await shared.collector?.stop();
  });
  beforeEach(() => {
    shared.world.reset();
    shared.world.heads.length = 0;
    shared.collector.requests.length = 0;
  });
  afterEach(() => assert.deepEqual(shared.world.upstream.violations.splice(0), []));
  return shared;
}

const headersOf = (head) => ({
  traceparent: head.traceparent ?? head.get?.('traceparent'),
  tracestate: head.tracestate ?? head.get?.('tracestate')
});

async function metricsOf(world) {
  return (await exchange(world.gateway.port, {path: '/metrics'})).text;
}

// An answer is counted right after it was read, which may be later than it was sent.
async function metricsShow(world, pattern) {
  for (const end = performance.now() + 10_000; !pattern.test(await metricsOf(world));) {
    assert.ok(performance.now() < end, `no ${pattern} in ${await metricsOf(world)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const counted = (text, name) => {
  const line = text.split('\n').find((one) => one.startsWith(name));
  return line ? Number(line.split(' ').at(-1)) : 0;
};

describe('spans', LIMIT, () => {
  const shared = useWorld();

  test('of an auto turn with calls beside each other', async () => {
    const {world, collector} = shared;
    world.upstream.play({calls: [look('Oslo', 'call_a'), look('Rome', 'call_b')]}, {text: 'Done.'});
    await world.say('go', {session_id: 'talk', max_tokens: 50, temperature: 0.5});
    const trace = await collector.trace();

    const {top} = trace;
    assert.equal(top.name, 'POST /v1/chat/completions');
    assert.equal(top.parentSpanId, undefined);
    assert.match(top.traceId, /^[0-9a-f]{32}$/);
    assert.equal(top.attributes['http.request.method'], 'POST');
    assert.equal(top.attributes['http.route'], '/v1/chat/completions');
    assert.equal(top.attributes['url.path'], '/v1/chat/completions');
    assert.equal(top.attributes['http.response.status_code'], 200);
    assert.equal(top.attributes['server.address'], '127.0.0.1');
    assert.equal(top.status, undefined);

    const agent = trace.one('invoke_agent toolgate');
    assert.equal(agent.parentSpanId, top.spanId);
    assert.equal(agent.kind, INTERNAL);
    assert.equal(agent.attributes['gen_ai.operation.name'], 'invoke_agent');
    assert.equal(agent.attributes['gen_ai.agent.name'], 'toolgate');
    assert.equal(agent.attributes['toolgate.rounds'], 2);
    assert.equal(agent.attributes['gen_ai.usage.input_tokens'], 2 * USAGE.prompt_tokens);

    const rounds = trace.named('chat mock-1');
    assert.equal(rounds.length, 2);
    for (const [at, {attributes, ...round}] of rounds.entries()) {
      assert.equal(round.parentSpanId, agent.spanId);
      assert.equal(round.kind, CLIENT);
      assert.match(attributes['gen_ai.response.id'], /^chatcmpl-agent-/);
      assert.deepEqual(
          {...attributes, 'gen_ai.response.id': ''}, {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'openai',
            'gen_ai.system': 'openai',
            'gen_ai.request.model': 'mock-1',
            'gen_ai.request.max_tokens': 50,
            'gen_ai.request.temperature': 0.5,
            'gen_ai.conversation.id': 'talk',
            'gen_ai.response.id': '',
            'gen_ai.response.model': 'mock-1',
            'gen_ai.response.finish_reasons': [at === 0 ? 'tool_calls' : 'stop'],
            'gen_ai.usage.input_tokens': USAGE.prompt_tokens,
            'gen_ai.usage.output_tokens': USAGE.completion_tokens,
            'server.address': '127.0.0.1',
            'server.port': Number(new URL(world.upstream.baseUrl).port),
            'toolgate.request.stream': false
          });
    }

    const calls = trace.named('execute_tool look');
    assert.deepEqual(
        calls.map(({attributes}) => attributes['gen_ai.tool.call.id']).sort(), ['call_a', 'call_b']);
    for (const {attributes, ...one} of calls) {
      assert.equal(one.parentSpanId, agent.spanId);
      assert.equal(one.kind, INTERNAL);
      assert.equal(attributes['gen_ai.operation.name'], 'execute_tool');
      assert.equal(attributes['gen_ai.tool.name'], 'look');
      assert.equal(attributes['gen_ai.tool.type'], 'function');
      assert.equal(attributes['gen_ai.tool.description'], 'the tool look');
      assert.equal(attributes['gen_ai.conversation.id'], 'talk');
      assert.equal(attributes['toolgate.outcome'], 'result');
      assert.equal(attributes['toolgate.invocation.state'], 'Completed');
      assert.equal(attributes['toolgate.decision'], 'ConfirmationNotNeeded');
      assert.match(attributes['toolgate.invocation.id'], /^\w+/);
      assert.equal(attributes['error.type'], undefined);
      assert.equal(attributes['gen_ai.tool.call.arguments'], undefined);
    }
    assert.equal(trace.all.length, 6);
    const ids = trace.all.map(({spanId}) => spanId);
    assert.equal(new Set(ids).size, 6);
    for (const span of trace.all) {
      assert.match(span.spanId, ID);
      for (const key of ['startTimeUnixNano', 'endTimeUnixNano']) assert.match(span[key], /^\d{19}$/);
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
      assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(top.startTimeUnixNano));
      assert.ok(BigInt(span.endTimeUnixNano) <= BigInt(top.endTimeUnixNano));
    }
    // Beside each other: each began before the other ended.
    assert.ok(BigInt(calls[0].startTimeUnixNano) < BigInt(calls[1].endTimeUnixNano));
    assert.ok(BigInt(calls[1].startTimeUnixNano) < BigInt(calls[0].endTimeUnixNano));
  });

  for (const [kind, more] of [['whole', {}], ['streamed', {stream: true, stream_options: {include_usage: true}}]])
    test(`of ${kind} pass-through`, async () => {
      const {world, collector} = shared;
      world.upstream.play({text: 'Hello.'});
      await chat(world.gateway.port, plain(more), {headers: {'x-toolgate-session': 'mine'}});
      const trace = await collector.trace();
      const round = trace.one('chat mock-1');
      assert.equal(round.parentSpanId, trace.top.spanId);
      assert.equal(trace.all.length, 2);
      assert.equal(round.attributes['gen_ai.conversation.id'], 'mine');
      assert.equal(round.attributes['gen_ai.usage.output_tokens'], USAGE.completion_tokens);
      assert.deepEqual(round.attributes['gen_ai.response.finish_reasons'], ['stop']);
      assert.deepEqual(round.events.map(({name}) => name), ['toolgate.first_piece']);
    });

  test('of a model that fails', async () => {
    const {world, collector} = shared;
    for (const body of [plain(), world.body([user('hi')])]) {
      collector.requests.length = 0;
      world.upstream.play({status: 429});
      assert.equal((await chat(world.gateway.port, body)).status, 429);
      const trace = await collector.trace();
      const round = trace.one('chat mock-1');
      assert.equal(round.attributes['error.type'], '429');
      assert.deepEqual(round.status, {code: 2});
      assert.equal(trace.top.attributes['http.response.status_code'], 429);
      assert.equal(trace.top.status, undefined);
    }
  });

  test('of calls that are denied, fail or have wrong input', async () => {
    const {world, collector} = shared;
    world.tools.answer = () => ({status: 500, text: 'broken'});
    world.upstream.play(
        {calls: [call('ask', {}, 'c1'), call('act', {}, 'c2'), call('look', {town: 1}, 'c3')]},
        {text: 'Done.'});
    await world.say('go', {confirmation: 'deny'});
    const trace = await collector.trace();
    const denied = trace.one('execute_tool ask');
    assert.equal(denied.attributes['error.type'], 'denied');
    assert.equal(denied.attributes['toolgate.decision'], 'Denied');
    assert.deepEqual(denied.status, {code: 2});
    assert.match(trace.one('execute_tool act').attributes['error.type'], /^(tool_error|failed)$/);
    assert.equal(trace.one('execute_tool look').attributes['error.type'], 'invalid_request');
    assert.equal(trace.one('execute_tool look').attributes['gen_ai.tool.call.id'], 'c3');
    assert.equal(trace.one('invoke_agent toolgate').status, undefined);
  });

  test('of a call through the API, and how long a person took', async () => {
    const {world, collector} = shared;
    const answer = world.api.invoke('ask', {});
    const waiting = await world.api.waiting();
    await world.api.confirm(waiting.id, 'allow');
    assert.equal((await answer).status, 200);
    const trace = await collector.trace();
    assert.equal(trace.top.name, 'POST /v1/tools/{name}/invoke');
    assert.equal(trace.top.attributes['url.path'], '/v1/tools/ask/invoke');
    const {attributes, parentSpanId} = trace.one('execute_tool ask');
    assert.equal(parentSpanId, trace.top.spanId);
    assert.equal(attributes['toolgate.invocation.id'], waiting.id);
    assert.equal(attributes['toolgate.decision'], 'UserAction');
    assert.ok(attributes['toolgate.wait_seconds'] > 0);
    assert.match(attributes['gen_ai.tool.call.id'], /^call_/);
  });

  test('are of chats and calls only', async () => {
    const {world, collector} = shared;
    for (const path of ['/v1/models', '/v1/tools', '/healthz']) await exchange(world.gateway.port, {path});
    world.upstream.play({text: 'Hello.'});
    await chat(world.gateway.port, plain());
    await collector.trace();
    assert.equal(collector.spans.length, 2);
  });

  test('name the service and this process', async () => {
    const {world, collector} = shared;
    world.upstream.play({text: 'Hello.'});
    await chat(world.gateway.port, plain());
    await collector.trace();
    const [{json, headers, method}] = collector.requests;
    const resource = attributesOf(json.resourceSpans[0].resource.attributes);
    assert.equal(resource['service.name'], 'toolgate');
    assert.match(resource['service.instance.id'], /^toolgate-/);
    assert.equal(method, 'POST');
    assert.equal(headers['content-type'], 'application/json');
  });
});

describe('trace context', LIMIT, () => {
  const shared = useWorld();
  const say = (headers, body = plain()) => {
    shared.world.upstream.play({text: 'Hello.'});
    return chat(shared.world.gateway.port, body, {headers});
  };

  test('of the client is the parent, and goes on to the model and the tools', async () => {
    const {world, collector} = shared;
    world.upstream.play({calls: [look('Oslo')]}, {text: 'Done.'});
    await chat(
        world.gateway.port, world.body([user('go')]),
        {headers: {traceparent: PARENT_HEADER, tracestate: 'a=1, b=2'}});
    const trace = await collector.trace();
    assert.equal(trace.top.traceId, TRACE);
    assert.equal(trace.top.parentSpanId, PARENT);
    assert.equal(trace.top.traceState, 'a=1,b=2');
    const rounds = trace.named('chat mock-1');
    assert.equal(world.heads.length, 2);
    for (const [at, head] of world.heads.entries())
      assert.deepEqual(
          headersOf(head),
          {traceparent: `00-${TRACE}-${rounds[at].spanId}-01`, tracestate: 'a=1,b=2'});
    const [{headers}] = world.tools.calls;
    assert.equal(headers.traceparent, `00-${TRACE}-${trace.one('execute_tool look').spanId}-01`);
    assert.equal(headers.tracestate, 'a=1,b=2');
  });

  test('that is malformed is none', async () => {
    const {world, collector} = shared;
    for (const traceparent
             of [PARENT_HEADER.toUpperCase(), `ff${PARENT_HEADER.slice(2)}`, `${PARENT_HEADER}-1`,
                 `00-${'0'.repeat(32)}-${PARENT}-01`, 'x']) {
      collector.requests.length = 0;
      world.heads.length = 0;
      await say({traceparent, tracestate: 'a=1'});
      const {top} = await collector.trace();
      assert.notEqual(top.traceId, TRACE, traceparent);
      assert.equal(top.parentSpanId, undefined);
      assert.equal(headersOf(world.heads[0]).tracestate, undefined);
    }
  });

  test('that is not sampled is passed on and not recorded', async () => {
    const {world, collector} = shared;
    await say({traceparent: `00-${TRACE}-${PARENT}-00`});
    const {traceparent} = headersOf(world.heads[0]);
    assert.match(traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    assert.ok(!traceparent.includes(PARENT));
    await say({});
    await collector.trace();
    assert.equal(collector.spans.length, 2);
    assert.ok(collector.spans.every(({traceId}) => traceId !== TRACE));
  });
});

describe('what is kept to itself', LIMIT, () => {
  for (const content of [false, true])
    describe(`with content ${content}`, () => {
      const shared = useWorld(
          {
            'toolgate.telemetry.content': content,
            'toolgate.telemetry.headersEnv': {'x-collector-key': 'COLLECTOR_KEY'},
            'toolgate.telemetry.serviceName': 'mine'
          },
          {env: {COLLECTOR_KEY: 'sentinel-collector-key'}});

      test('arguments, results, headers and errors', async () => {
        const {world, collector} = shared;
        world.tools.answer = ({input}) => ({
          text: JSON.stringify({password: SECRET, seen: `you sent ${input.password}`, city: 'Bern'}),
          type: 'application/json'
        });
        world.upstream.play(
            {calls: [call('act', {password: SECRET, place: 'Oslo'}, 'c1'),
                     call('look', {city: 7, password: SECRET}, 'c2')]},
            {text: `the secret is ${SECRET}`});
        await chat(
            world.gateway.port, world.body([user(`mine is ${SECRET}`)]),
            {headers: {'x-other-key': SECRET, Authorization: `Bearer ${SECRET}`}});
        const trace = await collector.trace();
        world.tools.answer = () => ({status: 500, text: `refused: ${SECRET}`});
        await world.api.invoke('act', {api_key: SECRET}, {});
        await collector.until(({spans}) => spans.some(({name}) => name.includes('/invoke')));
        assert.ok(!collector.text.includes(UPSTREAM_KEY));
        assert.ok(!collector.text.includes('mine is'));
        const act = trace.one('execute_tool act').attributes;
        if (content) {
          assert.deepEqual(
              JSON.parse(act['gen_ai.tool.call.arguments']),
              {password: '[redacted]', place: 'Oslo'});
          assert.match(act['gen_ai.tool.call.result'], /Bern/);
          assert.doesNotMatch(JSON.stringify(trace.all), new RegExp(SECRET));
        } else {
          assert.ok(!collector.text.includes(SECRET));
          for (const word of ['Oslo', 'Bern']) assert.ok(!collector.text.includes(word), word);
          assert.equal(act['gen_ai.tool.call.arguments'], undefined);
          assert.equal(act['gen_ai.tool.call.result'], undefined);
        }
        assert.ok(!world.gateway.log.includes('sentinel-collector-key'));
        for (const {headers, json, path} of collector.requests) {
          assert.equal(headers['x-collector-key'], 'sentinel-collector-key');
          const [{resource}] = json.resourceSpans ?? json.resourceMetrics;
          assert.equal(attributesOf(resource.attributes)['service.name'], 'mine', path);
        }
      });
    });

  test('long content is cut', LIMIT, async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector, {'toolgate.telemetry.content': true});
    world.tools.answer = () => ({text: 'y'.repeat(20_000)});
    await world.api.invoke('act', {text: 'x'.repeat(20_000)});
    const {attributes} = (await collector.trace()).one('execute_tool act');
    for (const key of ['arguments', 'result'])
      assert.equal(attributes[`gen_ai.tool.call.${key}`].length, 4096, key);
    await world.stop();
    await collector.stop();
  });

  test('a workspace sends nothing anywhere', LIMIT, async () => {
    const collector = await Collector.start();
    const world = await AgentWorld.start({}, {
      env: FAST,
      files: {'workspace/.toolgate/settings.json': {'toolgate.telemetry.endpoint': collector.url}}
    });
    world.upstream.play({text: 'Hello.'});
    await chat(world.gateway.port, plain());
    await world.gateway.logged(/toolgate\.telemetry\.endpoint.* is ignored/);
    await world.stop();
    assert.equal(collector.requests.length, 0);
    await collector.stop();
  });
});

describe('sampling', LIMIT, () => {
  const shared = useWorld({'toolgate.telemetry.sample': 0});

  test('of 0 records what the client wants recorded, and nothing else', async () => {
    const {world, collector} = shared;
    world.upstream.play(() => ({text: 'Hello.'}));
    for (let i = 0; i < 5; ++i) await chat(world.gateway.port, plain());
    for (const head of world.heads) assert.match(headersOf(head).traceparent, /-00$/);
    await chat(world.gateway.port, plain(), {headers: {traceparent: PARENT_HEADER}});
    await collector.trace();
    assert.equal(collector.spans.length, 2);
    assert.ok(collector.spans.every(({traceId}) => traceId === TRACE));
  });
});

describe('a collector', LIMIT, () => {
  // The time of `count` requests, none of which may wait for the collector.
  async function chatQuickly(world, count) {
    world.upstream.play(() => ({text: 'Hello.'}));
    for (let i = 0; i < count; ++i) {
      const begin = performance.now();
      assert.equal((await chat(world.gateway.port, plain())).status, 200);
      assert.ok(performance.now() - begin < 5_000, 'a request waited');
    }
  }

  test('that is down loses nothing when it comes back soon', async () => {
    const first = await Collector.start();
    const world = await startWorld(first);
    await first.stop();
    await chatQuickly(world, 3);
    const collector = await Collector.start(first.port);
    await collector.until(({spans}) => spans.length === 6);
    await metricsShow(world, /toolgate_telemetry_spans_total\{outcome="exported"\} 6/);
    await world.stop();
    await collector.stop();
  });

  test('that is overloaded is asked again when it says', async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector);
    const times = [];
    collector.answer = () => {
      times.push(performance.now());
      return times.length === 1 ? {status: 503, more: {'retry-after': '2'}} : {};
    };
    await chatQuickly(world, 1);
    await collector.until(({spans}) => spans.length === 2);
    assert.ok(times[1] - times[0] >= 1_900, `${times}`);
    await world.stop();
    await collector.stop();
  });

  test('that refuses is not asked again', async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector);
    let asked = 0;
    collector.answer = () => ({status: (++asked, 400)});
    await chatQuickly(world, 1);
    await world.gateway.logged(/telemetry: \d spans were lost: the collector answered with status 400/);
    await metricsShow(world, /toolgate_telemetry_spans_total\{outcome="failed"\} [12]/);
    await world.stop();
    await collector.stop();
  });

  test('that takes a part says so', async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector);
    collector.answer = () =>
        ({body: {partialSuccess: {rejectedSpans: '1', errorMessage: 'one is\ntoo old'}}});
    await chatQuickly(world, 1);
    await world.gateway.logged(/the collector says: one is too old/);
    await metricsShow(world, /toolgate_telemetry_spans_total\{outcome="rejected"\} [12]/);
    await world.stop();
    await collector.stop();
  });

  test('that hangs delays nobody, and the queue has an end', async () => {
    const collector = await Collector.start();
    const world = await startWorld(
        collector, {}, {env: {OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5'}});
    let release;
    const held = new Promise((resolve) => (release = resolve));
    collector.answer = () => held.then(() => ({}));
    await chatQuickly(world, 40);
    const text = await metricsOf(world);
    assert.ok(counted(text, 'toolgate_telemetry_spans_total{outcome="queue_full"}') > 0, text);
    release();
    await collector.until(({spans}) => spans.length >= 10);
    await world.stop();
    await collector.stop();
  });

  test('gets what is left at the end', async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector, {}, {env: {OTEL_BSP_SCHEDULE_DELAY: '60000'}});
    await chatQuickly(world, 4);
    assert.equal(collector.requests.length, 0);
    await world.stop();
    assert.equal(collector.spans.length, 8);
    const [duration, usage] = collector.metrics;
    assert.equal(duration.name, 'gen_ai.client.operation.duration');
    const [point] = duration.histogram.dataPoints;
    assert.equal(point.count, '4');
    assert.equal(attributesOf(point.attributes)['gen_ai.request.model'], 'mock-1');
    assert.equal(usage.name, 'gen_ai.client.token.usage');
    assert.deepEqual(
        usage.histogram.dataPoints.map(({attributes}) => attributesOf(attributes)['gen_ai.token.type']).sort(),
        ['input', 'output']);
    await collector.stop();
  });

  test('that hangs at the end is not waited for long', async () => {
    const collector = await Collector.start();
    const world = await startWorld(collector);
    collector.answer = () => new Promise(() => {});
    await chatQuickly(world, 2);
    const begin = performance.now();
    await world.stop();
    assert.ok(performance.now() - begin < 10_000);
    await collector.stop();
  });

  test('is another one after a reload, and nothing is lost', async () => {
    const [first, second] = [await Collector.start(), await Collector.start()];
    const world = await startWorld(first, {}, {env: {OTEL_BSP_SCHEDULE_DELAY: '60000'}});
    await chatQuickly(world, 1);
    const {settings} = world.options;
    const from = world.gateway.log.length;
    world.gateway.writeSettings({...settings, 'toolgate.telemetry.endpoint': second.url});
    await world.gateway.logged(/settings read again/, {from});
    await chatQuickly(world, 1);
    await world.stop();
    assert.equal(first.spans.length + second.spans.length, 4);
    assert.ok(second.spans.length >= 2);
    await first.stop();
    await second.stop();
  });
});

describe('the environment', LIMIT, () => {
  for (const [what, more, spans] of [['configures it', {}, 2], ['switches it off', {OTEL_SDK_DISABLED: 'true'}, 0]])
    test(what, async () => {
      const collector = await Collector.start();
      const world = await AgentWorld.start({}, {
        env: {
          ...FAST,
          OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
          OTEL_SERVICE_NAME: 'by environment',
          ...more
        }
      });
      world.upstream.play({text: 'Hello.'});
      await chat(world.gateway.port, plain());
      await world.stop();
      assert.equal(collector.spans.length, spans);
      for (const {path, headers, json} of collector.requests) {
        assert.match(path, /^\/base\/v1\/(traces|metrics)$/);
        assert.equal(headers['x-key'], 'a b');
        const [{resource}] = json.resourceSpans ?? json.resourceMetrics;
        assert.equal(attributesOf(resource.attributes)['service.name'], 'by environment');
      }
      await collector.stop();
    });
});

describe('/metrics', LIMIT, () => {
  let world;
  before(async () => {
    world = await AgentWorld.start();
    await world.registerUsual();
  });
  after(() => world?.stop());

  test('counts rounds, tokens, calls and waits, without any collector', async () => {
    world.tools.answer = () => new Promise((resolve) => setTimeout(resolve, 300, {text: 'slow'}));
    world.upstream.play({calls: [look('Oslo'), call('act')]}, {text: 'Done.'});
    await world.say('go');
    world.upstream.play({status: 429});
    await chat(world.gateway.port, plain());
    const answer = world.api.invoke('ask', {});
    await world.api.confirm((await world.api.waiting()).id, 'deny');
    await answer;
    await world.api.invoke('look', {town: 1});
    const text = await metricsOf(world);
    const model = 'model="mock-1"';
    const round = (outcome) => counted(
        text, `toolgate_round_seconds_count{${model},outcome="${outcome}",provider="openai"}`);
    assert.equal(round('tool_calls'), 1, text);
    assert.equal(round('stop'), 1);
    assert.equal(round('429'), 1);
    const tokens = (direction) => counted(
        text, `toolgate_round_tokens_sum{direction="${direction}",${model},provider="openai"}`);
    assert.equal(tokens('input'), 2 * USAGE.prompt_tokens);
    assert.equal(tokens('output'), 2 * USAGE.completion_tokens);
    const calls = (tool, outcome) =>
        counted(text, `toolgate_tool_calls_total{outcome="${outcome}",tool="${tool}"}`);
    assert.equal(calls('look', 'result'), 1);
    assert.equal(calls('act', 'result'), 1);
    assert.equal(calls('ask', 'denied'), 1);
    assert.equal(calls('look', 'invalid_request'), 1);
    assert.equal(counted(text, 'toolgate_tool_seconds_count{tool="look"}'), 2);
    assert.equal(counted(text, 'toolgate_person_wait_seconds_count'), 1);
    // Each round on its own, without the 600 ms that the tools took.
    assert.equal(counted(text, `toolgate_upstream_seconds_count{${model}}`), 3);
    assert.ok(counted(text, `toolgate_upstream_seconds_sum{${model}}`) < 0.5, text);
    assert.equal(counted(text, `toolgate_upstream_answers_total{${model},status="200"}`), 2);
  });
});
