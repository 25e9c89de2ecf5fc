// Registered tools in chat requests: use_vscode_tools, include and exclude lists, #references, and
// groups where there are too many. Calls go back to the client.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';

import {startUpstream} from '../mock/upstream.mjs';

import {extensionFiles, manifest, referable, tool} from './extensions.mjs';
import {mockModel, startGateway} from './gateway.mjs';
import {chat} from './raw.mjs';
import {checkAnswer, checkError} from './rules.mjs';

const ownTool = (name) => ({type: 'function', function: {name, description: `own ${name}`}});
const user = (content) => [{role: 'user', content}];
const schema = {type: 'object', properties: {city: {type: 'string', minLength: 1}}};

describe('a few tools', () => {
  let upstream;
  let gateway;
  before(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      settings: {
        'toolgate.models': [
          mockModel(upstream, {family: 'gpt-4.1'}), mockModel(upstream, {id: 'plain', toolCalling: false})
        ]
      },
      files: extensionFiles(
          manifest('acme.weather', [
            referable('get_weather', 'weather', {inputSchema: schema}), referable('get_alerts', 'alerts'),
            tool('set_alarm'), tool('off', {when: 'never'}),
            tool('broken', {inputSchema: {type: 'object', properties: {list: {type: 'array'}}}})
          ]))
    });
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.close();
  });

  const say = (content, more = {}) =>
      chat(gateway.port, {model: 'mock-1', messages: user(content), ...more});
  const sent = () => (upstream.last.json.tools ?? []).map((one) => one.function.name);
  const warnings = (response) => response.json.toolgate.warnings.join('\n');

  test('every enabled tool is offered, shaped for the family', async () => {
    const response = await say('hello', {use_vscode_tools: true});
    checkAnswer(response, {stream: false});
    assert.deepEqual(sent(), ['get_weather', 'get_alerts', 'set_alarm']);
    assert.deepEqual(upstream.last.json.tools[0], {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Does get_weather',
        parameters: {type: 'object', properties: {city: {type: 'string'}}}
      }
    });
    assert.equal(upstream.last.json.use_vscode_tools, undefined);
    assert.match(warnings(response), /tool 'broken' is left out/);
  });

  test('nothing is offered that was not asked for', async () => {
    await say('hello');
    assert.deepEqual(sent(), []);
  });

  test('a client\'s own tools come first, and win where names clash', async () => {
    const response = await say('hello', {use_vscode_tools: true, tools: [ownTool('mine'), ownTool('get_alerts')]});
    assert.deepEqual(sent(), ['mine', 'get_alerts', 'get_weather', 'set_alarm']);
    assert.equal(upstream.last.json.tools[1].function.description, 'own get_alerts');
    assert.match(warnings(response), /tool 'get_alerts': the client's/);
  });

  test('include and exclude lists choose', async () => {
    await say('hello', {include_tools: ['weather', 'set_alarm']});
    assert.deepEqual(sent(), ['get_weather', 'set_alarm']);
    await say('hello', {use_vscode_tools: true, exclude_tools: ['get_*', 'broken']});
    assert.deepEqual(sent(), ['set_alarm']);
    await say('hello', {toolsInclude: ['acme.weather'], toolsExclude: ['alerts', 'broken']});
    assert.deepEqual(sent(), ['get_weather', 'set_alarm']);
    for (const key of ['include_tools', 'toolsExclude']) assert.equal(upstream.last.json[key], undefined);
  });

  test('what a list does not know is told with the nearest name', async () => {
    const response = await say('hello', {include_tools: ['weather', 'get_alrts']});
    assert.deepEqual(sent(), ['get_weather']);
    assert.match(warnings(response), /get_alrts.*get_alerts/);
  });

  test('lists that leave no tool are an error', async () => {
    for (const lists of [{include_tools: ['broken']}, {include_tools: []}, {include_tools: ['nobody']}, {include_tools: ['weather'], exclude_tools: ['weather']}]) {
      const response = await say('hello', lists);
      assert.equal(response.status, 400, JSON.stringify(lists));
      checkError(response.json);
    }
  });

  test('exclude_tools alone changes nothing, and says so', async () => {
    const response = await say('hello', {exclude_tools: ['weather']});
    assert.deepEqual(sent(), []);
    assert.match(warnings(response), /exclude_tools has no effect/);
  });

  test('a reference offers its tool', async () => {
    await say('what says #weather today?');
    assert.deepEqual(sent(), ['get_weather']);
    await say('#tool:acme.weather/alerts and #"set_alarm" please');
    assert.deepEqual(sent().sort(), ['get_alerts', 'set_alarm']);
    for (const name of ['#"acme.weather"', '#acme.weather', '#acme.weather,']) {
      await say(`use ${name}`);
      assert.deepEqual(sent(), ['get_weather', 'get_alerts', 'set_alarm']);
    }
    await say('#acme.weather/alerts?');
    assert.deepEqual(sent(), ['get_alerts']);
    await say('issue #12 in C# and page#weather');
    assert.deepEqual(sent(), []);
  });

  test('references in text parts count, and only in the last user message', async () => {
    await chat(gateway.port, {
      model: 'mock-1',
      messages: [
        {role: 'user', content: '#alerts'}, {role: 'assistant', content: 'ok'},
        {role: 'user', content: [{type: 'text', text: 'then'}, {type: 'text', text: '#weather'}]}
      ]
    });
    assert.deepEqual(sent(), ['get_weather']);
  });

  test('an excluded tool is not offered by a reference either, and that is told', async () => {
    for (const more of [{use_vscode_tools: true}, {}]) {
      const response = await say('#weather and #alerts', {...more, exclude_tools: ['weather', 'broken']});
      assert.ok(!sent().includes('get_weather'));
      assert.ok(sent().includes('get_alerts'));
      assert.match(warnings(response), /'get_weather' is referenced, but exclude_tools names it/);
    }
  });

  test('a disabled tool is not offered whatever names it', async () => {
    await say('#off please', {use_vscode_tools: true});
    assert.ok(!sent().includes('off'));
    const response = await say('#tool:acme.weather/off');
    assert.deepEqual(sent(), []);
    assert.equal(response.status, 200);
  });

  test('a registered tool can be the one that must be called', async () => {
    const choice = (name) => ({tool_choice: {type: 'function', function: {name}}});
    await say('hello', {use_vscode_tools: true, ...choice('get_alerts')});
    assert.deepEqual(sent(), ['get_alerts']);
    await say('#weather', {tools: [ownTool('mine')], ...choice('get_weather')});
    assert.deepEqual(sent(), ['get_weather']);
    const unknown = await say('hello', {use_vscode_tools: true, ...choice('nobody')});
    assert.equal(unknown.status, 400);
    assert.match(unknown.json.error.message, /available: get_weather/);
    await say('hello', {use_vscode_tools: true, tool_choice: 'none'});
    assert.deepEqual(sent(), []);
  });

  test('the demo model calls what is referenced', async () => {
    const response = await chat(gateway.port, {model: 'toolgate/demo', messages: user('#weather {"city":"Oslo"}')});
    const [call] = response.json.choices[0].message.tool_calls;
    assert.equal(call.function.name, 'get_weather');
    assert.deepEqual(JSON.parse(call.function.arguments), {city: 'Oslo'});
    for (const name of ['#tool:acme.weather/alerts', '#acme.weather/alerts', '#"alerts"', '#alerts.']) {
      const other = await chat(gateway.port, {model: 'toolgate/demo', messages: user(`see ${name}`)});
      assert.equal(other.json.choices[0].message.tool_calls?.[0].function.name, 'get_alerts', name);
    }
  });

  test('a model that takes no tools is offered none', async () => {
    const response = await say('#weather', {model: 'plain', use_vscode_tools: true});
    assert.deepEqual(sent(), []);
    assert.match(warnings(response), /toolCalling/);
  });

  test('usage counts the tools that were added', async () => {
    const tokens = async (more) => {
      const response = await chat(gateway.port, {model: 'toolgate/demo', messages: user('hello'), ...more});
      return response.json.usage.prompt_tokens;
    };
    assert.ok(await tokens({use_vscode_tools: true}) > await tokens({}) + 20);
  });
});

describe('too many tools', () => {
  const many = (id, prefix, count) =>
      manifest(id, Array.from({length: count}, (_, i) => referable(`${prefix}_${i}`, `${prefix}${i}`)));
  let upstream;
  let gateway;
  before(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      settings: {'toolgate.models': [mockModel(upstream)]},
      files: {
        ...extensionFiles(many('acme.files', 'file', 120), many('acme.mail', 'mail', 100)),
        '.config/toolgate/my.toolsets.jsonc': {post: {tools: ['mail3', 'mail50', 'mail99']}}
      }
    });
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.close();
  });

  const ask = (messages, more = {}) => chat(gateway.port, {model: 'mock-1', messages, use_vscode_tools: true, ...more});
  const sent = () => upstream.last.json.tools.map((one) => one.function.name);
  const groups = () => sent().filter((name) => name.startsWith('activate_'));

  test('never more than the limit are sent, and groups stand for the rest', async () => {
    const response = await ask(user('hello'));
    checkAnswer(response, {stream: false});
    assert.ok(sent().length <= 128, `${sent().length} tools`);
    assert.ok(groups().length > 0);
    for (const entry of upstream.last.json.tools.filter((one) => one.function.name.startsWith('activate_')))
      assert.ok(entry.function.description.length > 10);
    assert.match(response.json.toolgate.warnings.join(), /220 tools are offered through \d+ groups/);
  });

  test('the client\'s own tools take their places first', async () => {
    const tools = Array.from({length: 60}, (_, i) => ownTool(`own_${i}`));
    await ask(user('hello'), {tools});
    assert.ok(sent().length <= 128);
    assert.equal(sent().filter((name) => name.startsWith('own_')).length, 60);
    const crowded = await ask(user('hello'), {tools: Array.from({length: 127}, (_, i) => ownTool(`own_${i}`))});
    assert.equal(crowded.status, 400);
    assert.match(crowded.json.error.message, /include_tools/);
  });

  test('a group that was called is open in the next round, and the call is answered', async () => {
    await ask(user('hello'));
    const group = groups()[0];
    const history = [
      ...user('hello'),
      {role: 'assistant', content: null, tool_calls: [{id: 'c1', type: 'function', function: {name: group, arguments: '{}'}}]},
      {role: 'tool', tool_call_id: 'c1', content: 'no such tool'}
    ];
    await ask(history);
    assert.ok(!sent().includes(group));
    assert.ok(sent().length <= 128);
    const answer = upstream.last.json.messages[2];
    assert.match(answer.content, /^Tools activated: /);
    for (const name of answer.content.replace('Tools activated: ', '').split(', ')) assert.ok(sent().includes(name), name);
  });

  test('a hidden tool that the model calls is there in the next round', async () => {
    await ask(user('hello'));
    const hidden = Array.from({length: 100}, (_, i) => `mail_${i}`).find((name) => !sent().includes(name));
    assert.ok(hidden);
    await ask([
      ...user('hello'),
      {role: 'assistant', content: null, tool_calls: [{id: 'c1', type: 'function', function: {name: hidden, arguments: '{}'}}]},
      {role: 'tool', tool_call_id: 'c1', content: 'done'}
    ]);
    assert.ok(sent().includes(hidden));
    assert.equal(upstream.last.json.messages[2].content, 'done');
  });

  test('a referenced tool is offered even where its group is closed', async () => {
    await ask(user('hello'));
    const hidden = Array.from({length: 120}, (_, i) => i).find((i) => !sent().includes(`file_${i}`));
    assert.notEqual(hidden, undefined);
    await ask(user(`use #file${hidden}`));
    assert.ok(sent().includes(`file_${hidden}`));
    assert.ok(sent().length <= 128);
  });

  test('the tool that must be called needs no group', async () => {
    const tools = Array.from({length: 128}, (_, i) => ownTool(`own_${i}`));
    for (const more of [{}, {tools}]) {
      const response = await ask(user('hello'), {...more, tool_choice: {type: 'function', function: {name: 'mail_77'}}});
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(sent(), ['mail_77']);
    }
  });

  test('so are the members of a tool set', async () => {
    await ask(user('use #post'));
    for (const name of ['mail_3', 'mail_50', 'mail_99']) assert.ok(sent().includes(name), name);
    assert.ok(sent().length <= 128);
  });

  test('an id that a later turn uses again belongs to that turn', async () => {
    await ask(user('hello'));
    const call = (name) =>
        ({role: 'assistant', content: null, tool_calls: [{id: 'call_0', type: 'function', function: {name, arguments: '{}'}}]});
    const answer = (content) => ({role: 'tool', tool_call_id: 'call_0', content});
    await ask([...user('hello'), call(groups()[0]), answer('?'), call('mail_1'), answer('REAL')]);
    assert.match(upstream.last.json.messages[2].content, /^Tools activated: /);
    assert.equal(upstream.last.json.messages[4].content, 'REAL');
  });

  test('a group says what is in it for this request', async () => {
    const described = () => upstream.last.json.tools.map((one) => one.function.description).join('\n');
    await ask(user('hello'));
    const listed = /\b(?:file|mail)_\d+\b/.exec(described())?.[0];
    assert.ok(listed, described());
    await ask(user('hello'), {exclude_tools: [listed]});
    assert.doesNotMatch(described(), new RegExp(`\\b${listed}\\b`));
  });

  test('a client\'s tool may be called like a group', async () => {
    await ask(user('hello'));
    const group = groups()[0];
    const response = await ask(user('hello'), {tools: [ownTool(group)]});
    assert.equal(response.status, 200, response.text);
    assert.equal(upstream.last.json.tools[0].function.description, `own ${group}`);
    assert.equal(new Set(sent()).size, sent().length);
  });

  test('a word in a prompt does not make a full request fail', async () => {
    const tools = Array.from({length: 128}, (_, i) => ownTool(`own_${i}`));
    const response = await chat(gateway.port, {model: 'mock-1', messages: user('about #file0'), tools});
    assert.equal(response.status, 200);
    assert.equal(sent().length, 128);
    assert.match(response.json.toolgate.warnings.join(), /1 of 1 referenced tools are not offered/);
  });

  test('without any registered tools a list leaves none', async () => {
    const empty = await startGateway({settings: {'toolgate.models': [mockModel(upstream)]}});
    const response = await chat(empty.port, {model: 'mock-1', messages: user('hi'), include_tools: ['nobody']});
    assert.equal(response.status, 400);
    const plain = await chat(empty.port, {model: 'mock-1', messages: user('hi #nobody')});
    assert.equal(plain.status, 200);
    await empty.stop();
  });

  test('the threshold is honoured, and 0 means no groups', async () => {
    const small = await startGateway({
      settings: {'toolgate.models': [mockModel(upstream)], 'github.copilot.chat.virtualTools.threshold': 30},
      files: extensionFiles(many('acme.files', 'file', 20), many('acme.mail', 'mail', 20))
    });
    const all = {model: 'mock-1', messages: user('hi'), use_vscode_tools: true};
    await chat(small.port, all);
    assert.ok(groups().length > 0);
    await small.stop();
    const off = await startGateway({
      settings: {'toolgate.models': [mockModel(upstream)], 'github.copilot.chat.virtualTools.threshold': 0},
      files: extensionFiles(many('acme.files', 'file', 129))
    });
    const response = await chat(off.port, all);
    assert.equal(response.status, 400);
    assert.match(response.json.error.message, /grouping is off/);
    await off.stop();
  });
});
