// A scripted model for tests of auto-execute. Each request is answered by the next round of the
// script, and every history that arrives is checked: `violations` must stay empty.
import {errorBody, streamOf, wholeOf} from '../mock/answers.mjs';
import {startUpstream} from '../mock/upstream.mjs';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];
const GATEWAY_FIELDS = [
  'use_vscode_tools', 'tool_execution', 'max_tool_rounds', 'include_tools', 'exclude_tools',
  'confirmation', 'session_id'
];
const MOST_TOOLS = 128;

let ids = 0;
// A call in a round; an `id` of its own unless one is given. Arguments may be text, to be broken.
export const call = (name, input = {}, id = `call_up_${++ids}`) =>
    ({id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input)});
// With members that OpenAI does not know.
export const callWith = (extra, ...args) => ({...call(...args), extra});

export const textOf = (content) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

function callFaults(call, seen) {
  const faults = [];
  if (typeof call.id !== 'string' || call.id === '') faults.push('a call without id');
  if (seen.has(call.id)) faults.push(`the id ${call.id} is used twice`);
  seen.add(call.id);
  if (call.type !== 'function') faults.push(`the call ${call.id} has the type ${call.type}`);
  if (!/^[\w-]{1,64}$/.test(call.function?.name ?? ''))
    faults.push(`the call ${call.id} has the name ${call.function?.name}`);
  try {
    JSON.parse(call.function?.arguments);
  } catch {
    faults.push(`the call ${call.id} has the arguments ${call.function?.arguments}`);
  }
  return faults;
}

function contentFault({role, content, tool_calls: calls}) {
  if (typeof content === 'string' || Array.isArray(content)) return [];
  return role === 'assistant' && calls ? [] : [`no content of ${role}`];
}

// What a strict server would refuse: every call is answered once, right behind its message and in
// order; no result stands alone; ids are unique; arguments are JSON.
export function historyFaults(messages) {
  const faults = [];
  const seen = new Set();
  let due = [];
  const settle = (at) => {
    if (due.length) faults.push(`messages[${at}]: no result of ${due.join()}`);
    due = [];
  };
  for (const [at, message] of messages.entries()) {
    const add = (...texts) => faults.push(...texts.map((text) => `messages[${at}]: ${text}`));
    add(...contentFault(message));
    if (message.role === 'tool') {
      const expected = due.shift();
      if (message.tool_call_id !== expected)
        add(`the result of ${message.tool_call_id}, where ${expected ?? 'none'} is due`);
      continue;
    }
    settle(at);
    if (!ROLES.includes(message.role)) add(`the role ${message.role}`);
    if (message.tool_calls === undefined) continue;
    if (message.role !== 'assistant') add(`calls of ${message.role}`);
    if (!message.tool_calls?.length) add('an empty list of calls');
    for (const one of message.tool_calls ?? []) add(...callFaults(one, seen));
    due = (message.tool_calls ?? []).map((one) => one.id);
  }
  settle(messages.length);
  return faults;
}

export function requestFaults(request) {
  const faults = historyFaults(request.messages);
  for (const field of GATEWAY_FIELDS)
    if (field in request) faults.push(`${field} went to the upstream`);
  if (request.stream_options && 'include_tool_events' in request.stream_options)
    faults.push('include_tool_events went to the upstream');
  const names = (request.tools ?? []).map((tool) => tool.function.name);
  if (new Set(names).size !== names.length) faults.push(`a tool is offered twice: ${names}`);
  if (names.length > MOST_TOOLS) faults.push(`${names.length} tools are offered`);
  return faults;
}

const words = (text) => text.match(/\s*\S+\s*/g) ?? [];
const pieces = (text) => text.match(/[^]{1,9}/g) ?? [];

export class AgentUpstream {
  static async start() {
    const upstream = new AgentUpstream();
    upstream.server = await startUpstream();
    upstream.server.behave = (request, reply) => upstream.#answer(request, reply);
    upstream.violations = [];
    upstream.answers = 0;
    upstream.play();
    return upstream;
  }

  get baseUrl() {
    return this.server.baseUrl;
  }

  // A round is {text, calls, reasoning, finish, status, held, broken} or a function of the request that gives
  // one: `finish` is another finish_reason than the usual, `status` fails, `held` is awaited behind
  // the text, `broken` cuts the connection there. One function alone answers every request.
  play(...rounds) {
    this.rounds = rounds;
    this.endless = rounds.length === 1 && typeof rounds[0] === 'function';
    this.requests = [];
  }

  get last() {
    return this.requests.at(-1);
  }

  get histories() {
    return this.requests.map((request) => request.messages);
  }

  get offered() {
    return this.requests.map((request) => (request.tools ?? []).map((tool) => tool.function.name));
  }

  close() {
    return this.server.close();
  }

  async #answer(request, reply) {
    const {json} = request;
    this.violations.push(...requestFaults(json));
    const number = this.requests.push(json) - 1;
    let round = this.rounds[this.endless ? 0 : number];
    if (!round) {
      this.violations.push(`request ${number + 1} of a script of ${this.rounds.length}`);
      round = {text: 'The script is over.'};
    }
    if (typeof round === 'function') round = await round(json, request);
    if (round.status)
      return reply.json(round.status, errorBody(round.status, `the model fails with ${round.status}`));
    return this.#send(json, reply, round);
  }

  // Behind the first half: before any byte it would be asked again.
  async #breakOff(reply, whole) {
    const body = JSON.stringify(whole);
    await reply.head(200, {'Content-Type': 'application/json', 'Content-Length': body.length});
    await reply.write(body.slice(0, body.length / 2));
    reply.reset();
  }

  async #send(request, reply, {text = '', calls = [], reasoning, finish, held, broken = false}) {
    const content = {
      pieces: words(text),
      calls: calls.map((one) => ({...one, pieces: pieces(one.arguments)})),
      model: request.model,
      id: `chatcmpl-agent-${++this.answers}`
    };
    if (!request.stream) {
      const whole = wholeOf(content);
      const {message} = whole.choices[0];
      message.content = text || null;
      if (reasoning) message.reasoning_content = reasoning;
      message.tool_calls?.forEach((one, at) => Object.assign(one, calls[at].extra));
      whole.choices[0].finish_reason = finish ?? whole.choices[0].finish_reason;
      await held;
      return broken ? this.#breakOff(reply, whole) : reply.json(200, whole);
    }
    await reply.streamHead();
    const usage = request.stream_options?.include_usage === true;
    const chunks = streamOf({...content, usage});
    const behindText = 1 + content.pieces.length;
    for (const {choices: [choice]} of chunks)
      for (const one of choice?.delta.tool_calls ?? [])
        if (one.id) Object.assign(one, calls[one.index].extra);
    for (const piece of words(reasoning ?? ''))
      await reply.event({...chunks[0], choices: [{index: 0, delta: {reasoning_content: piece}}]});
    for (const value of chunks.slice(0, behindText)) await reply.event(value);
    await held;
    if (broken) return reply.reset();
    for (const value of chunks.slice(behindText)) {
      const [choice] = value.choices;
      if (choice?.finish_reason) choice.finish_reason = finish ?? choice.finish_reason;
      await reply.event(value);
    }
    await reply.event('[DONE]');
    return reply.end();
  }
}
