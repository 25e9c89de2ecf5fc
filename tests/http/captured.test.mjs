// Requests captured from real clients, where they are at hand: each is accepted and reaches the
// upstream unchanged, and its answer keeps the rules.
import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {startGatewayFor} from './gateway.mjs';
import {chat, exchange} from './raw.mjs';
import {checkAnswer} from './rules.mjs';

const folder = path.resolve(import.meta.dirname, '../../../shared/thirdparty/client-requests');
const missing =
    !existsSync(folder) && `third-party data: ../shared/thirdparty/client-requests is not there`;

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGatewayFor(upstream);
});
after(async () => {
  await gateway?.stop();
  await upstream?.close();
});

function requestsOf(file) {
  return readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter((request) => request.path.endsWith('/chat/completions') && request.body?.messages)
      .map((request) => request.body);
}

// What a named tool_choice and "none" do to the tools is tested in validation.test.mjs.
function toolsPassedOn({tools, tool_choice: choice}) {
  if (choice === 'none') return undefined;
  return choice?.function ? tools.filter((tool) => tool.function.name === choice.function.name) :
                            tools;
}

// What a request brought, as the model's family takes it.
async function shaped(tools) {
  if (!tools) return tools;
  const response = await exchange(gateway.port, {
    method: 'POST',
    path: '/v1/normalize',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({model: 'mock-1', tools})
  });
  assert.deepEqual(response.json.errors, []);
  return response.json.tools;
}

test(
    'captured requests are there', {skip: missing},
    () => assert.ok(readdirSync(folder).length > 5));

describe('captured from', {skip: missing}, () => {
  for (const file of missing ? [] : readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    const bodies = requestsOf(file);
    if (bodies.length === 0) continue;
    test(`${file}: ${bodies.length} requests`, async () => {
      for (const captured of bodies) {
        const body = {...captured, model: 'mock-1'};
        const response = await chat(gateway.port, body);
        assert.equal(response.status, 200, response.text);
        const includeUsage = body.stream_options?.include_usage === true;
        checkAnswer(response, {stream: body.stream === true, includeUsage});
        const {tools, tool_choice: choice, stream_options: options, ...rest} = body;
        const {tools: sentTools, tool_choice: sentChoice, stream_options: sentOptions, ...sent} =
            upstream.last.json;
        assert.deepEqual(sent, rest);
        assert.deepEqual(sentTools, await shaped(toolsPassedOn(body)));
        if (['auto', 'required'].includes(choice)) assert.equal(sentChoice, choice);
        if (options) assert.ok(sentOptions, 'stream_options are lost');
      }
    });
  }
});
