// Kills the gateway at random moments while people decide, and looks afterwards: nothing ran that
// nobody approved, nothing ran twice, no decision was lost, and the trail is whole.
// CRASH_ROUNDS sets how often; `make crash` does it a thousand times.
import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import test from 'node:test';

import {Api, ToolServer} from './approvals.mjs';
import {binary, Gateway} from './gateway.mjs';

// A sanitizer's build starts slowly.
const rounds = Number(process.env.CRASH_ROUNDS ?? (/asan|tsan/.test(binary) ? 20 : 100));
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);

function randomFrom(state) {
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 2_147_483_648 * limit);
  };
}

// A request that the crash may cut off: then nobody knows whether it arrived.
const orCut = (promise) => promise.then((answer) => answer, () => null);

class Rounds {
  constructor(server) {
    this.server = server;
    this.random = randomFrom(seed);
    this.sent = new Map();       // nonce → decisions that were sent about it
    this.confirmed = new Map();  // id → the decision that got 200
    this.idOf = new Map();       // nonce → id
    this.next = 0;
  }

  async start() {
    this.gateway = await new Gateway({folder: this.folder, settings: {'toolgate.logLevel': 'warn'}})
                       .ready();
    this.folder = this.gateway.folder;
    this.api = new Api(this.gateway);
  }

  async decide(row) {
    const nonce = row.arguments.nonce;
    const choice = ['allow', 'allow', 'deny', 'skip'][this.random(4)];
    this.sent.set(nonce, [...(this.sent.get(nonce) ?? []), choice]);
    this.idOf.set(nonce, row.id);
    const answer = await orCut(this.api.confirm(row.id, choice, {arguments_hash: row.arguments_hash}));
    if (answer?.status === 200) {
      assert.ok(!this.confirmed.has(row.id), `${row.id} was decided twice`);
      this.confirmed.set(row.id, choice);
    }
  }

  async decideAll() {
    while (!this.dead) {
      const rows = await orCut(this.api.pending());
      if (!rows) return;
      await Promise.all(rows.filter((row) => !row.decision).flatMap((row) => {
        // Two people at once, now and then.
        return this.random(4) === 0 ? [this.decide(row), this.decide(row)] : [this.decide(row)];
      }));
    }
  }

  async round() {
    this.dead = false;
    const calls = Array.from({length: 2 + this.random(6)}, () => {
      const nonce = `n${this.next++}`;
      return orCut(this.api.invoke('act', {nonce}));
    });
    const deciding = this.decideAll();
    await new Promise((resolve) => setTimeout(resolve, this.random(60)));
    await this.gateway.crash();
    this.dead = true;
    await Promise.all([...calls, deciding]);
    await this.start();
    await this.check();
  }

  async check() {
    for (const [id, choice] of this.confirmed) {
      const {status, body} = await this.api.show(id);
      assert.equal(status, 200, `${id} is lost`);
      const kind = {allow: 'UserAction', deny: 'Denied', skip: 'Skipped'}[choice];
      assert.equal(body.decision?.kind, kind, `the decision about ${id} is lost`);
      assert.notEqual(body.state, 'Executing');
    }
    this.confirmed.clear();
    this.checkRuns();
    await this.resumeSome();
    this.checkRuns();
    const trail = await this.api.verify();
    assert.equal(trail.intact, true, trail.problem);
  }

  checkRuns() {
    const runs = new Map();
    for (const {input} of this.server.calls) runs.set(input.nonce, (runs.get(input.nonce) ?? 0) + 1);
    for (const [nonce, count] of runs) {
      assert.equal(count, 1, `${nonce} ran ${count} times`);
      assert.ok(this.sent.get(nonce)?.includes('allow'), `${nonce} ran, and nobody allowed it`);
    }
  }

  // What was approved while nobody held it runs when it is resumed; what nobody decided is denied.
  async resumeSome() {
    for (const row of await this.api.pending()) {
      if (row.decision) {
        const resumed = await this.api.request('POST', `/v1/invocations/${row.id}/resume`);
        assert.equal(resumed.status, 200);
        assert.equal(resumed.body.state, 'Completed');
        const again = await this.api.request('POST', `/v1/invocations/${row.id}/resume`);
        assert.equal(again.status, 409);
      } else if (this.random(2) === 0) {
        this.sent.set(row.arguments.nonce, [...(this.sent.get(row.arguments.nonce) ?? []), 'allow']);
        assert.equal((await this.api.confirm(row.id, 'allow')).status, 200);
      } else {
        assert.equal((await this.api.confirm(row.id, 'deny')).status, 200);
      }
    }
  }
}

test(`nothing runs unapproved or twice through ${rounds} crashes (seed ${seed})`, async () => {
  const server = await ToolServer.start();
  server.answer = () => new Promise((resolve) => setTimeout(() => resolve({text: 'ok'}), 3));
  const life = new Rounds(server);
  await life.start();
  try {
    assert.equal((await life.api.register(server, 'act')).status, 201);
    for (let round = 0; round < rounds; ++round) await life.round();
    assert.ok(server.calls.length > 0, 'no call ever ran: the test shows nothing');
    assert.ok(
        (await life.api.audit()).some((entry) => entry.kind === 'unknown') || rounds < 20,
        'no crash ever hit a running call: the test shows too little');
  } finally {
    await life.gateway.stop().catch((error) => {
      rmSync(life.folder, {recursive: true, force: true});
      throw error;
    });
    await server.stop();
  }
});
