// The commands tools, toolsets and doctor, as a person at a terminal and as a script use them.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {binary, startGateway} from './gateway.mjs';

let folder;
const object = (properties) => ({type: 'object', properties});
const contribution = (name, more = {}) =>
    ({name, displayName: name, modelDescription: `Does ${name}.`, inputSchema: object({}), ...more});

const five = {
  name: 'weather', publisher: 'acme', displayName: 'Acme Weather',
  contributes: {
    languageModelTools: [
      contribution('get_weather', {
        toolReferenceName: 'weather', canBeReferencedInPrompt: true, tags: ['weather', 'read'],
        modelDescription: 'The weather of a place.\nNow \x1b[31mred\u202e and ' + 'very long '.repeat(40),
        inputSchema: object({city: {type: 'string', minLength: 1}})
      }),
      contribution('get_tides', {tags: ['read'], when: 'config.acme.sea', toolReferenceName: 'tides'}),
      contribution('get_storms', {tags: ['weather'], when: 'config.acme.sea &&'}),
      contribution('broken', {inputSchema: object({a: {type: 'text'}})}),
      contribution('send_alert', {tags: ['write']})
    ]
  }
};
const verbs = ['get', 'list', 'create', 'delete', 'find'];
const manyTools = Array.from({length: 5000}, (_, i) => contribution(
    `${verbs[i % 5]}_thing_${i}`, {tags: [i % 2 ? 'odd' : 'even'], when: i % 100 ? undefined : 'never'}));

function writeExtension(name, manifest) {
  mkdirSync(path.join(folder, name), {recursive: true});
  writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify(manifest));
}
const file = (name, value) => {
  const where = path.join(folder, name);
  mkdirSync(path.dirname(where), {recursive: true});
  writeFileSync(where, typeof value === 'string' ? value : JSON.stringify(value));
  return where;
};
const environment = (more = {}) => ({
  PATH: process.env.PATH, HOME: folder, ...more, ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(ASAN|UBSAN|TSAN|LSAN)_/.test(name)))
});
const run = (args, env) => {
  const [command, ...rest] = args;
  return spawnSync(binary, [command, '--workspace', path.join(folder, 'workspace'), ...rest], {
    encoding: 'utf8', cwd: folder, env: environment(env), maxBuffer: 64 << 20
  });
};
const withFive = (command, ...more) => run([command, '--extension', path.join(folder, 'five'), ...more]);
const withMany = (command, ...more) => run([command, '--extension', path.join(folder, 'many'), ...more]);

// The same with a window of so many columns as its output.
const onTerminal = (columns, args, env) => {
  const script = `
import fcntl, os, pty, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
output = b""
while True:
    try:
        block = os.read(master, 65536)
    except OSError:
        break
    if not block:
        break
    output += block
sys.stdout.buffer.write(output.replace(b"\\r\\n", b"\\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
  return spawnSync('python3', ['-c', script, String(columns), binary, ...args],
                   {encoding: 'utf8', cwd: path.join(folder, 'workspace'), env: environment(env), maxBuffer: 64 << 20});
};
const plain = (text) => text.replace(/\x1b\[\d*m/g, '');
const lines = (text) => text.trimEnd().split('\n');

before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-tools-'));
  mkdirSync(path.join(folder, 'workspace'));
  file('.config/toolgate/settings.json', {'toolgate.tools.builtin': false});
  writeExtension('five', five);
  writeExtension('many', {
    name: 'many', publisher: 'acme', displayName: 'Many',
    contributes: {languageModelTools: manyTools}
  });
});
after(() => rmSync(folder, {recursive: true}));

describe('tools', () => {
  test('a pipe gets a line per tool with name, state, reference, source and description', () => {
    const {status, stdout, stderr} = withFive('tools');
    assert.equal(status, 0, stderr);
    const rows = lines(stdout).map((line) => line.split('\t'));
    assert.deepEqual(rows.map((row) => row[0]), five.contributes.languageModelTools.map((tool) => tool.name));
    assert.deepEqual(rows.map((row) => row.length), [5, 5, 5, 5, 5]);
    assert.deepEqual(rows[0].slice(1, 4), ['enabled', '#weather', 'extension:acme.weather']);
    assert.equal(rows[1][1], 'disabled: its condition does not hold: config.acme.sea');
    assert.equal(rows[2][1], 'enabled');
    assert.ok(rows[0][4].endsWith('very long'), 'the description was cut');
  });

  test('what strangers write never reaches the terminal as it is', () => {
    for (const args of [['tools'], ['tools', 'show', 'get_weather'], ['toolsets'], ['doctor']]) {
      const {stdout} = withFive(...args);
      assert.ok(!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/.test(stdout), args.join(' '));
    }
    assert.match(withFive('tools').stdout, /\\x1b\[31mred\\u202e/);
    const shown = onTerminal(80, ['tools', '--extension', path.join(folder, 'five')]).stdout;
    assert.ok(!shown.replace(/\x1b\[(0|1|2|31|32|33|36)m/g, '').includes('\x1b'));
    assert.ok(!shown.includes('\x1b[31mred'));
  });

  test('--json is what GET /v1/tools answers with', async () => {
    const gateway = await startGateway({args: ['--extension', path.join(folder, 'five')]});
    try {
      const get = async (where) => (await fetch(gateway.url + where)).json();
      assert.deepEqual(JSON.parse(withFive('tools', '--json').stdout), await get('/v1/tools'));
      assert.deepEqual(JSON.parse(withFive('tools', '--all', '--json').stdout),
                       await get('/v1/tools?include_disabled=true'));
      assert.deepEqual(JSON.parse(withFive('tools', '--json', '--tags', 'weather,read', '--tags-match', 'all').stdout),
                       await get('/v1/tools?tags=weather,read&tags_match=all'));
      assert.deepEqual(JSON.parse(withFive('tools', 'show', 'get_weather', '--json').stdout),
                       await get('/v1/tools/get_weather'));
      assert.deepEqual(JSON.parse(withFive('toolsets', '--json').stdout), await get('/v1/toolsets'));
    } finally {
      await gateway.stop();
    }
  });

  test('filters by tags and by name', () => {
    const names = (...args) => lines(withFive('tools', ...args).stdout).map((line) => line.split('\t')[0]);
    assert.deepEqual(names('--tags', 'weather,write'), ['get_weather', 'get_storms', 'send_alert']);
    assert.deepEqual(names('--tags', 'weather,read', '--tags-match', 'all'), ['get_weather']);
    assert.deepEqual(names('list', '--name', 'get_*'), ['get_weather', 'get_tides', 'get_storms']);
    assert.equal(withFive('tools', '--name', 'nothing').stdout, '');
    assert.equal(withFive('tools', '--tags-match', 'some').status, 2);
    assert.equal(withFive('tools', 'open').status, 2);
  });

  test('--family says what is changed', () => {
    const rows = lines(withFive('tools', '--family', 'gpt-4.1').stdout).map((line) => line.split('\t'));
    assert.equal(rows[0][4], '1 change');
    assert.match(rows[3][4], /^no model can be offered it: /);
    assert.equal(rows[4][4], '');
    const {data} = JSON.parse(withFive('tools', '--family', 'gpt-4.1', '--name', 'get_weather', '--json').stdout);
    assert.deepEqual(data[0].function.function.parameters.properties, {city: {type: 'string'}});
  });

  test('a terminal gets sources, marks and lines that fit', () => {
    for (const columns of [60, 120]) {
      const {status, stdout} = onTerminal(columns, ['tools', '--extension', path.join(folder, 'five')]);
      assert.equal(status, 0, stdout);
      const shown = plain(stdout);
      assert.match(shown, /^Acme Weather {2}extension acme\.weather\n {2}● get_weather +#weather/);
      assert.match(shown, /\n {2}○ get_tides +#tides +its condition does not hold/);
      assert.match(shown, /\n5 tools from 1 source: 4 enabled, 1 disabled\n/);
      assert.match(shown, /toolgate doctor/);
      for (const line of lines(shown)) assert.ok([...line].length <= columns, `${columns}: ${line}`);
    }
    assert.equal(plain(onTerminal(80, ['tools', '--extension', path.join(folder, 'five')]).stdout),
                 onTerminal(80, ['tools', '--extension', path.join(folder, 'five')], {NO_COLOR: '1'}).stdout);
  });

  test('without tools it says where they come from', () => {
    const {status, stdout} = onTerminal(80, ['tools']);
    assert.equal(status, 0);
    assert.match(stdout, /no tools yet/);
    assert.match(stdout, /toolgate\.tools\.builtin/);
    assert.match(stdout, /--extension/);
    assert.equal(run(['tools']).stdout, '');
  });

  test('5,000 tools are an overview on a terminal, and all of them in a pipe', () => {
    const {stdout} = onTerminal(100, ['tools', '--extension', path.join(folder, 'many')]);
    const shown = plain(stdout);
    assert.match(shown, /5,000 tools from 1 source: 4,950 enabled, 50 disabled/);
    assert.match(shown, /names +create_\* 1,000 /);
    assert.match(shown, /tags +even 2,500 +odd 2,500\n/);
    assert.match(shown, /--all/);
    assert.ok(lines(shown).length < 20, shown);
    for (const line of lines(shown)) assert.ok([...line].length <= 100, line);

    assert.equal(lines(withMany('tools').stdout).length, 5000);
    const all = onTerminal(100, ['tools', '--all', '--extension', path.join(folder, 'many')]).stdout;
    assert.ok(lines(all).length > 5000);
    const some = onTerminal(100, ['tools', '--name', '*_77?', '--extension', path.join(folder, 'many')]).stdout;
    assert.match(plain(some), /10 tools from 1 source/);
    assert.equal(JSON.parse(withMany('tools', '--json').stdout).data.length, 4950);
  });
});

describe('built-in tools', () => {
  const withBuiltIn = () => file('builtin.json', {'toolgate.tools.builtin': true});
  const withSettings = (args) => [args[0], '--settings', withBuiltIn(), ...args.slice(1)];

  test('a terminal gets them by sets, described for people', () => {
    const shown = plain(onTerminal(100, withSettings(['tools', '--extension', path.join(folder, 'five')])).stdout);
    assert.match(shown, /^Built in: search {2}#search\n(.*\n)*? {2}● list_dir +#listDirectory +List what is in a folder\n/m);
    assert.match(shown, /\nBuilt in: web {2}#web\n {2}● fetch_webpage +#fetch +Read pages from the web\n/);
    assert.match(shown, /\nAcme Weather {2}extension acme\.weather\n/);
    assert.match(shown, /from 2 sources/);
    for (const line of lines(shown)) assert.ok([...line].length <= 100, line);
  });

  test('show says all about one', () => {
    const {status, stdout} = run(withSettings(['tools', 'show', 'fetch']));
    assert.equal(status, 0);
    assert.match(stdout, /^● fetch_webpage/);
    assert.match(stdout, /state +enabled\n/);
    assert.match(stdout, /full name +web\/fetch\n/);
    assert.match(stdout, /Approval of a call\n +It depends on the input/);
  });

  test('sets have what they are for', () => {
    const shown = plain(onTerminal(100, withSettings(['toolsets'])).stdout);
    assert.match(shown, /#web +1 tool +Fetch pages from the web/);
    assert.match(shown, /#agent +1 tool +Plan work/);
  });

  test('a call runs here, without a gateway', () => {
    file('workspace/list/a.txt', 'a');
    const call = (...args) => run(withSettings(['call', ...args]));
    const {status, stdout, stderr} = call('list_dir', '--input', '{"path": "list"}');
    assert.equal(status, 0, stderr);
    assert.equal(stdout, 'a.txt\n');
    const failed = call('list_dir', '--input', '{"path": "none"}');
    assert.equal(failed.status, 1);
    assert.equal(failed.stderr, 'toolgate: list_dir gave no result: there is no none\n');
  });

  test('a call with other input is told what the tool takes', () => {
    const {status, stdout, stderr} = run(withSettings(['call', 'todo', '--input', '{"operation": "add"}']));
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^toolgate: todo does not take this input:\n- .*operation/);
    assert.match(stderr, /\nIt takes\n.*operation.*one of read, write.*needed/);
    assert.match(stderr, /todoList.*list of objects/);
    assert.match(stderr, /todoList\[\]\.status.*one of not-started, in-progress, completed.*needed/);
    assert.match(stderr, /\nfor example\n {2}toolgate call manage_todo_list --input '\{"operation":"read"\}'\n$/);
    assert.match(run(withSettings(['call', 'list_dir'])).stderr, /required property 'path'[^]*--input '\{"path":"…"\}'/);
    const example = /for example\n {2}toolgate call \w+ --input '(.*)'\n$/.exec(run(withSettings(['call', 'multi_replace_string_in_file'])).stderr)[1];
    assert.deepEqual(JSON.parse(example), {explanation: '…', replacements: [{filePath: '…', oldString: '…', newString: '…'}]});
    assert.match(run(withSettings(['call', 'fetch'])).stderr, /list of strings[^]*--input '\{"urls":\["…"\],"query":"…"\}'/);
  });

  test('a call that nobody can be asked about says how to allow it', () => {
    const {status, stderr} = run(withSettings(['call', 'fetch', '--input', '{"urls": ["https://a.example/"], "query": "x"}']));
    assert.equal(status, 1);
    assert.match(stderr, /a person would have to confirm this call[^]*--yes allows a call once/);
  });
});

describe('tools show', () => {
  test('prints all about a tool', () => {
    const {status, stdout, stderr} = withFive('tools', 'show', 'weather');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^● get_weather/);
    assert.match(stdout, /reference +#weather\n/);
    assert.match(stdout, /source +Acme Weather \(extension acme\.weather\)\n/);
    assert.match(stdout, /tags +weather, read\n/);
    assert.match(stdout, /Input\n {2}\{\n {4}"type": "object"/);
  });

  test('says what decided about its state', () => {
    assert.match(withFive('tools', 'show', 'get_tides').stdout,
                 /state +disabled: its condition does not hold.*\n +condition +config\.acme\.sea {2}\(does not hold\)/);
    const denied = file('deny.json', {'toolgate.tools.deny': ['get_*'], 'acme.sea': true});
    const {stdout} = withFive('tools', 'show', 'get_tides', '--settings', denied);
    assert.match(stdout, /state +disabled: denied by toolgate\.tools\.deny: "get_\*"\n/);
    assert.match(stdout, /config\.acme\.sea {2}\(holds\)/);
  });

  test('--family shows the changes with reasons and the schema that comes of them', () => {
    const {stdout} = withFive('tools', 'show', 'get_weather', '--family', 'gpt-4.1');
    assert.match(stdout, /For gpt-4\.1: 1 change\n {2}changed .*minLength/);
    assert.match(stdout, /models of this family refuse the keyword/);
    assert.ok(!stdout.slice(stdout.indexOf('Input for gpt-4.1')).includes('minLength'));
    assert.match(withFive('tools', 'show', 'send_alert', '--family', 'gpt-4.1').stdout, /nothing to change/);
    const broken = withFive('tools', 'show', 'broken').stdout;
    assert.match(broken, /No model can be offered it\n {2}left out/);
    assert.match(broken, /to mend it:/);
  });

  test('an unknown name is an error with the nearest one', () => {
    const {status, stdout, stderr} = withFive('tools', 'show', 'get_wether');
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /no tool is called 'get_wether'; did you mean 'get_weather'\?/);
    assert.match(withFive('tools', 'show', 'zzzzzz').stderr, /no tool is called 'zzzzzz'; 'toolgate tools' lists all\n$/);
    assert.equal(withFive('tools', 'show').status, 2);
  });
});

describe('toolsets', () => {
  const sets = () => file('mine.toolsets.jsonc', `{
    // what I use
    "sea": {"tools": ["tides", "weather", "nothing_like_it"], "description": "For sailors"},
  }`);

  test('a pipe gets a line per set', () => {
    const {status, stdout, stderr} = withFive('toolsets', '--toolsets', sets());
    assert.equal(status, 0, stderr);
    const rows = lines(stdout).map((line) => line.split('\t'));
    const sea = rows.find((row) => row[0] === 'sea');
    assert.deepEqual([sea[1], sea[3], sea[4]], ['enabled', 'get_weather', 'For sailors']);
    const own = rows.find((row) => row[0] === 'acme.weather');
    assert.equal(own[3].split(',').length, 4, 'the tool whose condition does not hold is no member now');
    assert.ok(rows.some((row) => row[1] === 'empty'));
  });

  test('a terminal gets names, members and what is missing', () => {
    const {stdout} = onTerminal(80, ['toolsets', '--toolsets', sets(), '--extension', path.join(folder, 'five')]);
    const shown = plain(stdout);
    assert.match(shown, /● #sea +1 tool +For sailors/);
    assert.match(shown, /not there: nothing_like_it/);
    assert.match(shown, /without tools: #vscode/);
    for (const line of lines(shown)) assert.ok([...line].length <= 80, line);
  });
});

describe('doctor', () => {
  const check = (...args) => {
    const {status, stdout, stderr} = run(['doctor', '--json', ...args]);
    assert.ok(stdout, stderr);
    return {status, ...JSON.parse(stdout), exit: status};
  };
  const of = (result, area, status) =>
      result.checks.filter((one) => one.area === area && (!status || one.status === status));

  test('all is well without anything', () => {
    const {status, stdout} = run(['doctor']);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Settings\n {2}✓ /);
    assert.match(stdout, /All is well\.\n$/);
    assert.deepEqual([check().exit, check().errors, check().warnings], [0, 0, 0]);
    assert.ok(!/\x1b/.test(stdout));
  });

  test('tells of conditions and schemas that cannot be used', () => {
    const result = check('--extension', path.join(folder, 'five'));
    assert.equal(result.exit, 1);
    const schema = result.checks.find((one) => one.status === 'error' && /'broken'/.test(one.message));
    assert.match(schema.message, /no model can be offered the tool/);
    assert.ok(schema.advice);
    const condition = result.checks.find((one) => one.status === 'error' && /'get_storms'/.test(one.message));
    assert.match(condition.message, /cannot be read, so .* always on/);
    assert.ok(condition.advice);
    assert.match(of(result, 'extensions', 'ok')[0].message, /Acme Weather \(acme\.weather\): 5 tools/);
    const shown = plain(onTerminal(70, ['doctor', '--extension', path.join(folder, 'five')]).stdout);
    assert.match(shown, /Tools\n {2}✗ no model can be offered/);
    assert.match(shown, /2 errors, 0 warnings\n$/);
    for (const line of lines(shown)) assert.ok([...line].length <= 70, line);
  });

  test('tells of settings, and looks at the rest with bad ones too', () => {
    const warned = check('--settings', file('typo.json', {'toolgate.defaultModle': 'x', 'toolgate.tools.deny': ['gone']}));
    assert.equal(warned.exit, 0);
    assert.equal(warned.status, 'warning');
    assert.match(of(warned, 'settings', 'warning')[0].message, /did you mean "toolgate\.defaultModel"/);
    assert.match(of(warned, 'settings', 'warning')[1].message, /toolgate\.tools\.deny.*names no tool/);
    const bad = check('--settings', file('bad.json', '{"a": }'), '--settings', file('worse.json', '['),
                      '--extension', path.join(folder, 'five'));
    assert.equal(bad.exit, 1);
    assert.deepEqual(of(bad, 'settings', 'error').map((one) => path.basename(one.message.split(':')[0])),
                     ['bad.json', 'worse.json']);
    assert.equal(of(bad, 'extensions', 'ok').length, 1);
  });

  test('tells of keys of models that are not set', () => {
    const settings = file('models.json', {'toolgate.models': [
      {id: 'm', provider: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'DOCTOR_KEY'}]});
    const [missing] = of(check('--settings', settings), 'models', 'warning');
    assert.match(missing.message, /DOCTOR_KEY is not set/);
    const {stdout} = run(['doctor', '--json', '--settings', settings], {DOCTOR_KEY: 'secret-1'});
    assert.deepEqual(of(JSON.parse(stdout), 'models', 'warning'), []);
    assert.ok(!stdout.includes('secret-1'));
    const unusable = run(['doctor', '--json', '--settings', settings], {DOCTOR_KEY: 'two words'});
    assert.equal(unusable.status, 1);
    assert.ok(!unusable.stdout.includes('two words'));
  });

  test('tells of tool-set files, manifests and the data folder', () => {
    const sets = check('--toolsets', file('broken.toolsets.jsonc', '{"a": {"tools": [1]}}'));
    assert.match(of(sets, 'tool sets', 'error')[0].message, /broken\.toolsets\.jsonc:1:\d+: /);
    mkdirSync(path.join(folder, 'empty'), {recursive: true});
    const manifest = check('--extension', path.join(folder, 'empty'));
    assert.match(of(manifest, 'extensions', 'error')[0].message, /package\.json/);
    const data = check('--data', file('a-file', ''));
    assert.match(of(data, 'data', 'error')[0].message, /is no folder/);
    const token = file('data/operator-token', 'x'.repeat(64));
    chmodSync(token, 0o644);
    assert.match(of(check('--data', path.dirname(token)), 'data', 'error')[0].message, /read by others/);
  });

  test('does not read MCP files yet, and says so', () => {
    const mcp = file('mcp.json', {servers: {}});
    assert.match(of(check('--mcp', mcp), 'mcp', 'warning')[0].message, /is not read/);
    assert.match(withFive('tools', '--mcp', mcp).stderr, /mcp\.json is not read/);
  });

  test('thousands of faults are cut on a terminal and listed in JSON', () => {
    writeExtension('bad', {name: 'bad', publisher: 'acme', contributes: {languageModelTools:
        Array.from({length: 300}, (_, i) => contribution(`bad_${i}`, {inputSchema: object({a: {type: 'text'}})}))}});
    const shown = onTerminal(100, ['doctor', '--extension', path.join(folder, 'bad')]).stdout;
    assert.match(plain(shown), /and 281 more; --json lists all\n/);
    assert.equal(check('--extension', path.join(folder, 'bad')).errors, 300);
  });
});
