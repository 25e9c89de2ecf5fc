// The rules that every answer of the gateway keeps, whatever the upstream sent (docs/streaming.md),
// and the published OpenAI schemas where they are at hand.
import Ajv2020 from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';

const schemas = path.resolve(import.meta.dirname, '../../../shared/thirdparty/openai-schemas');
export const haveSchemas = existsSync(schemas);

const validators = new Map();
let checks = 0;
// How many values were held against a published schema.
export const schemaChecks = () => checks;

export function checkSchema(name, value) {
  if (!haveSchemas) return;
  ++checks;
  if (!validators.has(name)) {
    const ajv =
        new (Ajv2020.default ?? Ajv2020)({strict: false, allErrors: true, validateFormats: false});
    validators.set(
        name, ajv.compile(JSON.parse(readFileSync(path.join(schemas, `${name}.json`), 'utf8'))));
  }
  const validate = validators.get(name);
  assert.ok(
      validate(value),
      `${name}: ${JSON.stringify(validate.errors?.slice(0, 5))} in ${
          JSON.stringify(value).slice(0, 600)}`);
}

// The events of a stream. Only data lines and comments may stand in it, and only LF ends a line.
export function readEvents(bytes) {
  const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  assert.ok(
      text === '' || text.endsWith('\n\n'),
      `the last event is not closed: ${JSON.stringify(text.slice(-100))}`);
  const events = [];
  for (const block of text.split('\n\n').slice(0, -1)) {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    if (lines.length === 0) continue;
    assert.equal(
        lines.length, 1, `more than one line in an event: ${JSON.stringify(block.slice(0, 200))}`);
    assert.ok(
        lines[0].startsWith('data: '), `no data line: ${JSON.stringify(lines[0].slice(0, 200))}`);
    events.push(lines[0].slice(6));
  }
  return events;
}

export function checkError(value) {
  checkSchema('ErrorResponse', value);
  assert.deepEqual(Object.keys(value.error).sort(), ['code', 'message', 'param', 'type']);
  assert.equal(typeof value.error.message, 'string');
  assert.notEqual(value.error.message, '');
  assert.equal(typeof value.error.type, 'string');
  for (const key of ['code', 'param'])
    assert.ok(value.error[key] === null || typeof value.error[key] === 'string', key);
  return value.error;
}

function checkUsage(usage) {
  checkSchema('CompletionUsage', usage);
  for (const key of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
    assert.ok(Number.isInteger(usage[key]) && usage[key] >= 0, `usage.${key} is ${usage[key]}`);
  }
  assert.ok(usage.completion_tokens > 0, 'an answer of no tokens');
}

function checkReport(report) {
  assert.equal(typeof report?.rounds, 'number', 'no toolgate.rounds');
  for (const key of ['invocations', 'warnings', 'fixes'])
    assert.ok(Array.isArray(report[key]), `toolgate.${key}`);
}

function addCallDelta(calls, delta) {
  assert.ok(Number.isInteger(delta.index), 'a call delta without index');
  assert.ok(delta.index <= calls.length, `call index ${delta.index} after ${calls.length} calls`);
  if (delta.index === calls.length) {
    assert.ok(typeof delta.id === 'string' && delta.id !== '', 'first delta of a call without id');
    assert.equal(delta.type, 'function', 'first delta of a call without type');
    assert.ok(
        typeof delta.function?.name === 'string' && delta.function.name !== '',
        'first delta of a call without name');
    calls.push({id: delta.id, name: delta.function.name, arguments: ''});
  } else {
    assert.ok(!delta.id || delta.id === calls[delta.index].id, 'a call changes its id');
  }
  const text = delta.function?.arguments;
  assert.ok(text === undefined || typeof text === 'string', `arguments are ${typeof text}`);
  calls[delta.index].arguments += text ?? '';
}

function checkCalls(calls) {
  assert.equal(new Set(calls.map((call) => call.id)).size, calls.length, 'two calls with one id');
  for (const call of calls) assert.notEqual(call.arguments, '', 'a call without arguments');
}

// What a client makes of a stream: {text, calls, finish, usage, error, report}. `report: false` is
// for streams that do not come from the gateway.
export function checkStream(events, {includeUsage = false, report = true} = {}) {
  const outcome = {text: '', calls: [], finish: null, usage: null, error: null, warnings: []};
  let id = null;
  let reports = 0;
  const last = events.at(-1);
  for (const [at, event] of events.entries()) {
    if (event === '[DONE]') {
      assert.equal(at, events.length - 1, 'events after [DONE]');
      continue;
    }
    const value = JSON.parse(event);
    if (value.error) {
      outcome.error = checkError(value);
      assert.ok(at >= events.length - 2, 'events after an error');
      continue;
    }
    checkSchema('CreateChatCompletionStreamResponse', value);
    id ??= value.id;
    assert.ok(typeof value.id === 'string' && value.id !== '', 'a chunk without id');
    assert.equal(value.id, id, 'the id changes');
    assert.equal(value.object, 'chat.completion.chunk');
    assert.ok(Number.isInteger(value.created), 'created');
    assert.ok(typeof value.model === 'string' && value.model !== '', 'model');
    assert.ok(Array.isArray(value.choices), 'a chunk without choices');
    if (value.toolgate) {
      reports += 1;
      checkReport(value.toolgate);
      outcome.warnings = value.toolgate.warnings;
    }
    if (value.usage) {
      assert.ok(includeUsage, 'usage that nobody asked for');
      assert.deepEqual(value.choices, [], 'usage beside choices');
      assert.equal(outcome.usage, null, 'usage twice');
      assert.notEqual(outcome.finish, null, 'usage before the end');
      checkUsage(value.usage);
      outcome.usage = value.usage;
    }
    for (const choice of value.choices) {
      assert.equal(choice.index, 0, 'choices[].index');
      assert.equal(outcome.finish, null, 'a delta after the finish');
      assert.ok(choice.delta && typeof choice.delta === 'object', 'no delta');
      if (!outcome.started)
        assert.equal(choice.delta.role, 'assistant', 'the first delta has no role');
      outcome.started = true;
      const {content} = choice.delta;
      assert.ok(
          content === undefined || content === null || typeof content === 'string', 'content');
      outcome.text += content ?? '';
      for (const call of choice.delta.tool_calls ?? []) addCallDelta(outcome.calls, call);
      assert.ok(
          choice.finish_reason === null || typeof choice.finish_reason === 'string',
          'finish_reason');
      assert.notEqual(choice.finish_reason, '');
      outcome.finish = choice.finish_reason;
    }
  }
  if (outcome.error) return outcome;
  assert.equal(last, '[DONE]', 'no [DONE]');
  assert.notEqual(outcome.finish, null, 'no finish_reason');
  assert.equal(outcome.usage !== null, includeUsage, includeUsage ? 'no usage' : 'usage');
  if (outcome.calls.length) assert.equal(outcome.finish, 'tool_calls');
  checkCalls(outcome.calls);
  if (report) assert.equal(reports, 1, `${reports} turn reports`);
  return outcome;
}

export function checkWhole(value, {report = true} = {}) {
  checkSchema('CreateChatCompletionResponse', value);
  assert.equal(value.object, 'chat.completion');
  assert.ok(typeof value.id === 'string' && value.id !== '', 'id');
  assert.ok(Number.isInteger(value.created), 'created');
  assert.ok(typeof value.model === 'string' && value.model !== '', 'model');
  assert.equal(value.choices.length, 1);
  const [choice] = value.choices;
  assert.equal(choice.index, 0, 'choices[].index');
  const {message} = choice;
  assert.equal(message.role, 'assistant');
  assert.ok(message.content === null || typeof message.content === 'string', 'content');
  assert.ok('refusal' in message, 'refusal');
  assert.ok('logprobs' in choice, 'logprobs');
  assert.ok(
      typeof choice.finish_reason === 'string' && choice.finish_reason !== '', 'finish_reason');
  const calls = (message.tool_calls ?? []).map((call) => {
    assert.ok(typeof call.id === 'string' && call.id !== '', 'a call without id');
    assert.equal(call.type, 'function');
    assert.ok(
        typeof call.function.name === 'string' && call.function.name !== '', 'a call without name');
    assert.equal(typeof call.function.arguments, 'string');
    return {id: call.id, ...call.function};
  });
  checkCalls(calls);
  if (calls.length) assert.equal(choice.finish_reason, 'tool_calls');
  checkUsage(value.usage);
  if (report) checkReport(value.toolgate);
  return {
    text: message.content ?? '',
    calls,
    finish: choice.finish_reason,
    usage: value.usage,
    error: null,
    warnings: value.toolgate?.warnings ?? []
  };
}

// An answer over HTTP, streamed or whole, as an outcome; `status` is the HTTP status.
export function checkAnswer(response, {stream, includeUsage = false, report = true}) {
  const type = response.headers['content-type'] ?? '';
  if (response.status !== 200) {
    assert.ok(response.status >= 400, `status ${response.status}`);
    assert.match(type, /^application\/json/);
    return {
      status: response.status,
      text: '',
      calls: [],
      finish: null,
      error: checkError(JSON.parse(response.text))
    };
  }
  assert.match(type, stream ? /^text\/event-stream/ : /^application\/json/);
  const outcome = stream ?
      checkStream(readEvents(response.body), {includeUsage, report}) :
      checkWhole(
          JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(response.body)), {report});
  return {status: 200, ...outcome};
}

const sameText = (expected, text) =>
    expected instanceof RegExp ? expected.test(text) : expected === text;

// Null when `outcome` is as expected, otherwise why not.
export function difference(expected, outcome) {
  if (expected.either) {
    const all = expected.either.map((one) => difference(one, outcome));
    return all.includes(null) ? null : all.join(' / ');
  }
  const show = JSON.stringify(outcome).slice(0, 400);
  if (expected.fails) {
    if (!outcome.error) return `expected a failure, got ${show}`;
    if (!expected.fails.test(outcome.error.message))
      return `expected ${expected.fails}, got ${show}`;
    if (expected.status && outcome.status !== expected.status)
      return `expected status ${expected.status}, got ${show}`;
    return null;
  }
  if (outcome.error) return `expected an answer, got ${show}`;
  if (expected.warns && outcome.warnings &&
      !outcome.warnings.some((text) => expected.warns.test(text))) {
    return `expected a warning ${expected.warns}, got ${show}`;
  }
  if (!sameText(expected.text, outcome.text))
    return `expected text ${String(expected.text).slice(0, 200)}, got ${show}`;
  if (expected.finish !== outcome.finish) return `expected finish ${expected.finish}, got ${show}`;
  const calls = (list) => JSON.stringify(list.map((call) => [call.name, call.arguments]));
  if (calls(expected.calls) !== calls(outcome.calls))
    return `expected calls ${calls(expected.calls).slice(0, 300)}, got ${show}`;
  return null;
}
