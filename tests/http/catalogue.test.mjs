// The catalogue through the socket: what GET /v1/tools and /v1/toolsets say of extensions' manifests
// and tool-set files, and that changes of files, settings and context keys show.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {extensionFile, extensionFiles, manifest, referable, tool} from './extensions.mjs';
import {startGateway} from './gateway.mjs';
import {exchange} from './raw.mjs';
import {checkError} from './rules.mjs';

const weather = manifest('acme.weather', [
  referable('get_weather', 'weather', {
    tags: ['weather', 'read'],
    userDescription: 'The weather of a city',
    inputSchema: {type: 'object', properties: {city: {type: 'string'}}, required: ['city']}
  }),
  referable('get_alerts', 'alerts', {tags: ['weather']}),
  tool('set_alarm', {tags: ['write']}),
  tool('night_mode', {when: 'config.acme.night'}),
  tool('odd_condition', {when: 'a &&& b'}),
  tool('bad name', {})
]);

let gateway;
before(async () => {
  gateway = await startGateway({
    settings: {'toolgate.tools.deny': ['set_*']},
    files: {
      ...extensionFiles(weather),
      '.config/toolgate/my.toolsets.jsonc':
          '{ // mine\n "mine": {"tools": ["weather", "nobody"], "description": "My tools",},\n}'
    }
  });
});
after(() => gateway?.stop());

const get = (path) => exchange(gateway.port, {path});
const names = (response) => response.json.data.map((entry) => entry.name);
const put = (body, headers = {Authorization: `Bearer ${gateway.operatorToken}`}) =>
    exchange(gateway.port, {
      method: 'PUT',
      path: '/v1/context',
      headers: {'Content-Type': 'application/json', ...headers},
      body: JSON.stringify(body)
    });

// Until the catalogue is as expected: files are noticed within a second or so.
async function eventually(check) {
  const end = performance.now() + 15_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

test('tools are listed with everything that is known of them', async () => {
  const response = await get('/v1/tools');
  assert.equal(response.status, 200);
  assert.equal(response.json.object, 'list');
  assert.deepEqual(names(response), ['get_weather', 'get_alerts', 'odd_condition']);
  assert.deepEqual(response.json.data[0], {
    name: 'get_weather',
    description: 'Does get_weather',
    inputSchema: {type: 'object', properties: {city: {type: 'string'}}, required: ['city']},
    tags: ['weather', 'read'],
    displayName: 'Display get_weather',
    toolReferenceName: 'weather',
    fullReferenceName: 'acme.weather/weather',
    userDescription: 'The weather of a city',
    source: {type: 'extension', id: 'acme.weather', label: 'acme.weather'},
    toolsets: ['acme.weather', 'mine'],
    enabled: true,
    state: 'declared',
    canBeReferencedInPrompt: true
  });
});

test('the same without the prefix', async () => {
  assert.deepEqual((await get('/tools')).json, (await get('/v1/tools')).json);
});

test('a list can be narrowed by name and tags', async () => {
  assert.deepEqual(names(await get('/v1/tools?name=get_*')), ['get_weather', 'get_alerts']);
  assert.deepEqual(names(await get('/v1/tools?name=*alerts')), ['get_alerts']);
  assert.deepEqual(names(await get('/v1/tools?name=get')), []);
  assert.deepEqual(names(await get('/v1/tools?tags=read,write')), ['get_weather']);
  assert.deepEqual(names(await get('/v1/tools?tags=weather,read')), ['get_weather', 'get_alerts']);
  assert.deepEqual(names(await get('/v1/tools?tags=weather,read&tags_match=all')), ['get_weather']);
  assert.deepEqual(names(await get('/v1/tools?name=get%5F%2A&tags=%20read')), ['get_weather']);
});

test('a wrong parameter is named', async () => {
  for (const [query, param] of [['tags_match=some', 'tags_match'], ['include_disabled=2', 'include_disabled']]) {
    const response = await get(`/v1/tools?${query}`);
    assert.equal(response.status, 400);
    checkError(response.json);
    assert.equal(response.json.error.param, param);
  }
});

test('disabled tools say why', async () => {
  const response = await get('/v1/tools?include_disabled=true');
  const states = Object.fromEntries(response.json.data.map((one) => [one.name, one]));
  assert.equal(states.set_alarm.enabled, false);
  assert.equal(states.set_alarm.state, 'denied');
  assert.equal(states.set_alarm.rule, 'toolgate.tools.deny: "set_*"');
  assert.equal(states.night_mode.enabled, false);
  assert.equal(states.night_mode.state, 'its condition does not hold');
  assert.equal(states.night_mode.when, 'config.acme.night');
  assert.match(states.odd_condition.whenFault, /&/);
});

test('one tool is found by each of its names', async () => {
  for (const name of ['get_weather', 'weather', 'acme.weather%2Fweather', 'acme.weather/weather'])
    assert.equal((await get(`/v1/tools/${name}`)).json.name, 'get_weather');
  const unknown = await get('/v1/tools/get_wether');
  assert.equal(unknown.status, 404);
  checkError(unknown.json);
  assert.equal(unknown.json.error.code, 'tool_not_found');
  assert.match(unknown.json.error.message, /did you mean 'get_weather'/);
});

test('a family shows what its models get', async () => {
  const {json} = await get('/v1/tools/get_alerts?family=gpt-4.1');
  assert.equal(json.family, 'gpt-4.1');
  assert.equal(json.function.function.name, 'get_alerts');
  assert.ok(Array.isArray(json.fixes));
});

test('tool sets are listed with their members', async () => {
  const {json} = await get('/v1/toolsets');
  const sets = Object.fromEntries(json.data.map((set) => [set.referenceName, set]));
  assert.deepEqual(Object.keys(sets).slice(0, 4), ['vscode', 'execute', 'read', 'agent']);
  assert.deepEqual(sets.mine.tools, ['get_weather']);
  assert.deepEqual(sets.mine.missing, ['nobody']);
  assert.equal(sets.mine.description, 'My tools');
  assert.equal(sets.mine.enabled, true);
  assert.equal(sets['acme.weather'].enabled, false); // set_alarm is denied
  assert.equal(sets['acme.weather'].members.length, 4); // night_mode is not there now
});

test('a bad entry is told and the others stay', async () => {
  await gateway.logged(/bad name/);
});

test('a tool-set file that changes is read again', async () => {
  gateway.writeFile('workspace/.toolgate/team.toolsets.jsonc', {team: {tools: ['alerts']}});
  await eventually(async () => {
    const {json} = await get('/v1/toolsets');
    assert.deepEqual(json.data.find((set) => set.referenceName === 'team')?.tools, ['get_alerts']);
  });
  gateway.writeFile('workspace/.toolgate/team.toolsets.jsonc', {team: {tools: ['weather']}});
  await eventually(async () => {
    const {json} = await get('/v1/toolsets');
    assert.deepEqual(json.data.find((set) => set.referenceName === 'team')?.tools, ['get_weather']);
  });
  rmSync(path.join(gateway.folder, 'workspace/.toolgate/team.toolsets.jsonc'));
  await eventually(async () => {
    const {json} = await get('/v1/toolsets');
    assert.equal(json.data.find((set) => set.referenceName === 'team'), undefined);
  });
});

test('an extension that comes, changes and goes shows', async () => {
  const shown = async (expected) => eventually(async () => {
    assert.deepEqual(names(await get('/v1/tools?name=new_*')), expected);
  });
  gateway.writeFile(extensionFile('acme.more'), manifest('acme.more', [tool('new_one')]));
  await shown(['new_one']);
  gateway.writeFile(extensionFile('acme.more'), manifest('acme.more', [tool('new_one'), tool('new_two')]));
  await shown(['new_one', 'new_two']);
  rmSync(path.join(gateway.folder, path.dirname(extensionFile('acme.more'))), {recursive: true});
  await shown([]);
});

test('a setting is a context key', async () => {
  gateway.writeSettings({'toolgate.tools.deny': ['set_*'], 'acme.night': true});
  await eventually(async () => {
    assert.ok(names(await get('/v1/tools')).includes('night_mode'));
  });
  gateway.writeSettings({'toolgate.tools.deny': ['set_*', 'get_alerts'], acme: {night: false}});
  await eventually(async () => {
    assert.deepEqual(names(await get('/v1/tools')), ['get_weather', 'odd_condition']);
  });
  gateway.writeSettings({'toolgate.tools.deny': ['set_*']});
  await eventually(async () => {
    assert.equal(names(await get('/v1/tools')).length, 3);
  });
});

test('a context key republishes the catalogue at once', async () => {
  gateway.writeFile(extensionFile('acme.keyed'),
                    manifest('acme.keyed', [tool('keyed', {when: 'phase == \'two\' && workspaceFolderCount > 0'})]));
  await eventually(async () => {
    assert.equal((await get('/v1/tools?name=keyed&include_disabled=true')).json.data.length, 1);
  });
  assert.deepEqual(names(await get('/v1/tools?name=keyed')), []);
  const changed = await put({phase: 'two'});
  assert.equal(changed.status, 200);
  assert.equal(changed.json.phase, 'two');
  assert.equal(changed.json.workspaceFolderCount, 1);
  await eventually(async () => assert.deepEqual(names(await get('/v1/tools?name=keyed')), ['keyed']));
  await put({phase: null});
  await eventually(async () => assert.deepEqual(names(await get('/v1/tools?name=keyed')), []));
});

test('an entry that cannot be read does not stop the rest', async () => {
  const loop = path.join(gateway.folder, '.config/toolgate/extensions/loop');
  symlinkSync('loop', loop);
  gateway.writeFile(extensionFile('acme.after'), manifest('acme.after', [tool('after_one')]));
  await eventually(async () => assert.deepEqual(names(await get('/v1/tools?name=after_*')), ['after_one']));
  await gateway.logged(/loop/);
  rmSync(loop);
  // Opening a pipe would wait for a writer.
  mkdirSync(path.join(gateway.folder, 'workspace/.toolgate'), {recursive: true});
  const pipe = path.join(gateway.folder, 'workspace/.toolgate/pipe.toolsets.jsonc');
  execFileSync('mkfifo', [pipe]);
  gateway.writeFile(extensionFile('acme.after'), manifest('acme.after', [tool('after_two')]));
  await eventually(async () => assert.deepEqual(names(await get('/v1/tools?name=after_*')), ['after_two']));
  rmSync(pipe);
});

test('when one of two extensions with the same tool goes, the other has it', async () => {
  gateway.writeFile(extensionFile('clash.a'), manifest('clash.a', [tool('clash', {modelDescription: 'from a'})]));
  gateway.writeFile(extensionFile('clash.b'), manifest('clash.b', [tool('clash', {modelDescription: 'from b'})]));
  const from = (expected) => eventually(async () => {
    assert.deepEqual((await get('/v1/tools?name=clash')).json.data.map((one) => one.description), expected);
  });
  await from(['from a']);
  await gateway.logged(/already registered/);
  rmSync(path.join(gateway.folder, path.dirname(extensionFile('clash.a'))), {recursive: true});
  await from(['from b']);
});

test('tools come and go while the settings are broken', async () => {
  gateway.writeSettings('{');
  await gateway.logged(/settings not changed/);
  gateway.writeFile(extensionFile('acme.meanwhile'), manifest('acme.meanwhile', [tool('meanwhile')]));
  await eventually(async () => assert.deepEqual(names(await get('/v1/tools?name=meanwhile')), ['meanwhile']));
  gateway.writeSettings({'toolgate.tools.deny': ['set_*']});
});

test('a workspace can neither open an allow list nor stop the gateway', async () => {
  const other = await startGateway({
    settings: {'toolgate.tools.allow': ['read', 'safe/*', 'fine', 'mine']},
    files: {
      ...extensionFiles(
          manifest('acme.tools', [tool('fine'), referable('danger', 'dangerRef'), referable('good', 'goodRef')])),
      '.config/toolgate/my.toolsets.jsonc': {mine: {tools: ['goodRef']}},
      'workspace/.toolgate/trick.toolsets.jsonc': {read: {tools: ['dangerRef']}, safe: {tools: ['acme.tools']}},
      'workspace/.vscode/settings.json': {'chat.agent.enabled': 'yes', 'toolgate.tools.deny': []}
    }
  });
  const {json} = await exchange(other.port, {path: '/v1/tools'});
  assert.deepEqual(json.data.map((one) => one.name), ['fine', 'good']);
  await other.logged(/chat.agent.enabled.*boolean/);
  await other.stop();
});

test('settings that no clause reads are not shown', async () => {
  gateway.writeSettings({'toolgate.tools.deny': ['set_*'], 'http.proxyAuthorization': 'SECRET', 'acme.night': true});
  const show = () => exchange(gateway.port, {path: '/v1/context', headers: {Authorization: `Bearer ${gateway.operatorToken}`}});
  await eventually(async () => assert.equal((await show()).json['config.acme.night'], true));
  assert.doesNotMatch((await show()).text, /SECRET/);
});

test('context keys are for the operator alone, and settings are not among them', async () => {
  assert.equal((await put({phase: 'two'}, {})).status, 401);
  assert.equal((await put({'config.acme.night': true})).status, 400);
  assert.equal((await put([1])).status, 400);
});
