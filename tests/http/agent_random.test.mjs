// Conversations at random: rounds, parallel calls, tools that fail, people who decide, clients that
// go, edit and come back, a gateway that is killed. No history is malformed, no call runs twice, no
// result is lost. AGENT_CONVERSATIONS sets how many, AGENT_SEED which.
import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import test from 'node:test';

import {call} from './agent_upstream.mjs';
import {AgentWorld, clientTool, readStream, returned, user} from './agent_world.mjs';
import {binary} from './gateway.mjs';
import {checkWhole} from './rules.mjs';

// A sanitizer's build is slow.
const conversations =
    Number(process.env.AGENT_CONVERSATIONS ?? (/asan|tsan/.test(binary) ? 60 : 300));
const seed = Number(process.env.AGENT_SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 6;
const RESTART_EVERY = 40;
const HUNG = 60_000;

function randomFrom(state) {
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 2_147_483_648 * limit);
  };
}

const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const nonceOf = (text) => /n\d+_\d+/.exec(text)?.[0];
const nonces = (calls) => calls.map((one) => nonceOf(one.arguments));

// The kinds of calls that the model makes, and whose result the history must have.
const KINDS = [
  {name: 'peek', runs: true}, {name: 'peek', runs: true}, {name: 'act', runs: true},
  {name: 'fail', runs: true}, {name: 'ask'}, {name: 'mine', client: true},
  {name: 'strict', more: {n: 'many'}}, {name: 'nobody_here'}
];

class Conversation {
  constructor(life, number) {
    this.life = life;
    this.number = number;
    this.random = randomFrom(seed * 7919 + number * 104_729 + 1);
    for (let skip = 0; skip < 3; ++skip) this.random(2);
    this.calls = 0;
    this.confirmation = ['wait', 'wait', 'deny', 'return'][this.random(4)];
    this.stream = this.random(2) === 0;
    this.sameIds = this.random(3) === 0;
  }

  problem(text) {
    this.life.problems.push(`conversation ${this.number}, ${this.attempt}: ${text}`);
  }

  // The model: what it is asked with must be everything since the last question.
  answer(request) {
    if (this.edited !== 'ids') this.check(request.messages);
    const text = this.random(3) ? `text ${this.random(1000)} ` : '';
    this.text += text;
    this.requests += 1;
    if (this.chain.length >= this.rounds) {
      this.text += 'end';
      return {text: `${text}end`};
    }
    const calls = Array.from({length: 1 + this.random(4)}, (_, at) => {
      const kind = KINDS[this.random(KINDS.length)];
      const nonce = `n${this.number}_${++this.calls}`;
      const id = this.sameIds ? `call_${at}` : undefined;
      return {...call(kind.name, {nonce, ...kind.more}, id), nonce, kind};
    });
    this.chain.push(calls);
    return {text, calls};
  }

  check(messages) {
    const behind = messages.slice(messages.findLastIndex(({role}) => role === 'user') + 1);
    const turns = behind.filter(({role}) => role === 'assistant')
                      .map((turn) => (turn.tool_calls ?? []).map((one) => nonceOf(one.function.arguments)));
    const expected = this.chain.map((calls) => calls.map((one) => one.nonce));
    if (JSON.stringify(turns) !== JSON.stringify(expected)) {
      this.problem(`the model sees the calls ${JSON.stringify(turns)} instead of ${JSON.stringify(expected)}`);
      return;
    }
    const results = behind.filter(({role}) => role === 'tool');
    for (const [at, one] of this.chain.flat().entries()) this.checkResult(one, `${results[at]?.content}`);
  }

  checkResult({nonce, kind}, content) {
    const there = content.includes(`result of ${nonce}.`);
    const due = kind.runs || this.isClients(kind) || this.life.finished.has(nonce);
    if (there !== Boolean(due))
      this.problem(`the result of ${kind.name} ${nonce} is ${JSON.stringify(content)}`);
    if (content === '') this.problem(`${kind.name} ${nonce} has an empty result`);
  }

  isClients(kind) {
    return kind.client || (kind.name === 'ask' && this.confirmation === 'return');
  }

  // One request of the client, until it is answered; null when the client has given up.
  async request(messages) {
    const before = this.chain.length;
    for (;;) {
      await this.life.open;
      const generation = this.life.generation;
      this.chain.length = before;
      this.text = '';
      this.requests = 0;
      this.attempt = this.life.attemptOf(this);
      const stop = new AbortController();
      const leaves = this.random(7) === 0 ? setTimeout(() => stop.abort(), this.random(30)) : null;
      try {
        const answer = await this.post(messages, AbortSignal.any([stop.signal, AbortSignal.timeout(HUNG)]));
        if (!answer.error) return answer;
        throw new Error(answer.error.message);
      } catch (error) {
        if (stop.signal.aborted) {
          this.life.counts.left += 1;
          if (this.random(3) === 0) return null;
        } else if (generation === this.life.generation) {
          throw error;
        }
      } finally {
        clearTimeout(leaves);
      }
    }
  }

  async post(messages, signal) {
    const {url} = this.life.world.gateway;
    const body = this.life.world.body(messages, {
      tools: [clientTool('mine')],
      confirmation: this.confirmation,
      stream: this.stream,
      x_attempt: this.attempt
    });
    const response = await fetch(
        `${url}/v1/chat/completions`, {method: 'POST', signal, body: JSON.stringify(body)});
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) return {error: {message: `${response.status} ${bytes}`}};
    if (this.stream) return readStream(bytes);
    const value = JSON.parse(bytes);
    return {...checkWhole(value), report: value.toolgate};
  }

  checkAnswer(answer) {
    if (answer.text !== this.text) this.problem(`the text ${answer.text} instead of ${this.text}`);
    if (answer.report.rounds !== this.requests)
      this.problem(`${answer.report.rounds} rounds instead of ${this.requests}`);
    const last = this.text.endsWith('end') ? [] : this.chain.at(-1);
    const own = last.filter(({kind}) => this.isClients(kind)).map((one) => one.nonce);
    if (JSON.stringify(nonces(answer.calls)) !== JSON.stringify(own))
      this.problem(`the client gets ${JSON.stringify(answer.calls)} instead of ${own}`);
  }

  // A client that does not send back what it got.
  edit(messages) {
    const question = messages.findLastIndex(({role}) => role === 'user');
    const turn = messages.findLastIndex(({role}) => role === 'assistant');
    this.edited = ['text', 'order', 'past', 'ids', 'turn'][this.random(5)];
    if (this.edited === 'text') messages[turn].content = null;
    // A turn of the client's calls alone would go on as the client sends it.
    if (this.edited === 'order' && this.chain.at(-1).some(({kind}) => !this.isClients(kind)))
      messages.push(...messages.splice(turn + 1).reverse());
    if (this.edited === 'past') messages.splice(0, question);
    if (this.edited === 'turn') {
      messages.splice(question + 1);
      this.chain = [];
    }
    if (this.edited === 'ids') {
      for (const [at, one] of messages[turn].tool_calls.entries()) one.id = `edited_${turn}_${at}`;
      for (const [at, one] of messages.slice(turn + 1).entries()) one.tool_call_id = `edited_${turn}_${at}`;
    }
  }

  async turn(messages) {
    this.chain = [];
    this.edited = null;
    this.rounds = this.random(6);
    for (;;) {
      const answer = await this.request(messages);
      if (!answer) return false;
      this.checkAnswer(answer);
      if (answer.calls.length === 0) {
        messages.push({role: 'assistant', content: answer.text});
        return true;
      }
      this.life.counts.mixed += 1;
      messages.push(...returned(answer, (one) => `client result of ${nonceOf(one.arguments)}.`));
      if (this.random(6) === 0 && this.edited !== 'ids') this.edit(messages);
    }
  }

  async run() {
    const messages = [];
    for (let turns = 1 + this.random(2); turns > 0; --turns) {
      messages.push(user(`question ${turns} of conversation ${this.number}`));
      if (!await this.turn(messages)) break;
    }
    this.attempt = null;
  }
}

class Life {
  constructor(world) {
    this.world = world;
    this.problems = [];
    this.attempts = new Map();
    this.runs = new Map();      // nonce → how often the tool was called
    this.finished = new Set();  // nonces whose tool has answered
    this.allowed = new Set();   // nonces that a person allowed
    this.counts = {left: 0, mixed: 0, denied: 0, restarts: 0};
    this.random = randomFrom(seed);
    this.generation = 0;
    this.open = Promise.resolve();
    world.upstream.play((request) => this.answer(request));
    world.tools.answer = (one) => this.runTool(one);
  }

  attemptOf(conversation) {
    const name = `attempt ${this.attempts.size + 1}`;
    this.attempts.set(name, conversation);
    return name;
  }

  // Nobody listens any more to an attempt that its client has left.
  answer(request) {
    const conversation = this.attempts.get(request.x_attempt);
    if (conversation?.attempt !== request.x_attempt) return {text: 'too late'};
    return conversation.answer(request);
  }

  async runTool({path, input}) {
    const {nonce} = input;
    this.runs.set(nonce, (this.runs.get(nonce) ?? 0) + 1);
    if (path === '/ask' && !this.allowed.has(nonce))
      this.problems.push(`${nonce} runs, and nobody has allowed it`);
    await delay(this.random(8));
    this.finished.add(nonce);
    return {status: path === '/fail' ? 500 : 200, text: `result of ${nonce}.`};
  }

  async decideAll() {
    while (!this.over) {
      const rows = await this.world.api.pending().catch(() => []);
      for (const row of (rows ?? []).filter((one) => !one.decision)) {
        const choice = ['allow', 'allow', 'deny', 'skip'][this.random(4)];
        if (choice === 'allow') this.allowed.add(row.arguments.nonce);
        const decided = await this.world.api.confirm(row.id, choice).catch(() => null);
        if (choice !== 'allow' && decided?.status === 200) this.counts.denied += 1;
      }
      await delay(5);
    }
  }

  restart() {
    const reopen = async () => {
      if (this.random(2) === 0) {
        await this.world.gateway.crash();
      } else {
        this.world.gateway.signal('SIGTERM');
        assert.equal((await this.world.gateway.exited).signal, null);
      }
      await this.world.open();
    };
    this.generation += 1;
    this.counts.restarts += 1;
    this.open = reopen();
    return this.open;
  }

  async work(numbers) {
    for (const number of numbers) {
      await new Conversation(this, number).run();
      this.done = (this.done ?? 0) + 1;
      if (this.done % RESTART_EVERY === 0) {
        await delay(this.random(20));
        await this.restart();
      }
    }
  }

  async run() {
    const deciding = this.decideAll();
    const numbers = Array.from({length: conversations}, (_, at) => at + 1).values();
    await Promise.all(Array.from({length: AT_ONCE}, () => this.work(numbers)))
        .finally(() => {
          this.over = true;
        });
    await deciding;
  }
}

async function settled(api) {
  for (let tries = 0; tries < 200; ++tries) {
    const running = await api.request('GET', '/v1/invocations?state=Executing', {operator: true});
    const waiting = (await api.pending()).filter((row) => !row.decision);
    if (running.body.data.length + waiting.length === 0) return true;
    for (const row of waiting) await api.confirm(row.id, 'deny');
    await delay(25);
  }
  return false;
}

test(`${conversations} conversations at random (seed ${seed})`, async () => {
  const world = await AgentWorld.start(
      {'toolgate.logLevel': 'warn', 'toolgate.limits.shutdownSeconds': 1});
  try {
    await world.register('peek', {readOnly: true});
    await world.register('act');
    await world.register('fail', {readOnly: true});
    await world.register('ask', {confirm: true});
    await world.register('strict', {
      inputSchema: {
        type: 'object',
        properties: {nonce: {type: 'string'}, n: {type: 'integer'}},
        required: ['nonce', 'n']
      }
    });
    const life = new Life(world);
    await life.run();
    assert.deepEqual(life.problems.slice(0, 10), []);
    assert.deepEqual(world.upstream.violations.slice(0, 10), []);
    assert.deepEqual([...life.runs].filter(([, runs]) => runs > 1), []);
    assert.ok(await settled(world.api), 'calls still run although every client has gone');
    assert.equal((await world.api.request('GET', '/healthz')).status, 200);
    assert.equal((await world.api.verify()).intact, true);
    assert.ok(life.runs.size > 0, 'no tool ever ran: the test shows nothing');
    for (const [what, times] of Object.entries(life.counts))
      assert.ok(times > 0 || conversations < 100, `${what} never happened: the test shows too little`);
  } finally {
    await world.stop().catch((error) => {
      rmSync(world.gateway.folder, {recursive: true, force: true});
      throw error;
    });
  }
});
