// The commands normalize, validate and tokens, as a person and as a script use them.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';

import {binary} from './gateway.mjs';

let folder;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'toolgate-commands-'));
});
after(() => rmSync(folder, {recursive: true}));

const file = (name, value) => {
  const where = path.join(folder, name);
  writeFileSync(where, typeof value === 'string' ? value : JSON.stringify(value));
  return where;
};
const run = (args, input = '') => spawnSync(binary, args, {
  encoding: 'utf8',
  input,
  cwd: folder,
  env: {PATH: process.env.PATH, HOME: folder, ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(ASAN|UBSAN|TSAN|LSAN)_/.test(name)))}
});

const tool = (name, parameters) =>
    ({type: 'function', function: {name, description: 'd', parameters}});
const good = tool('good', {type: 'object', properties: {a: {type: 'string', minLength: 1}}});
const bad = tool('bad', {type: 'object', properties: {a: {type: 'text'}}});

describe('normalize', () => {
  test('prints the tools on stdout and what changed on stderr', () => {
    const {status, stdout, stderr} = run(['normalize', '--family', 'gpt-4', file('t.json', [good])]);
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout)[0].function.parameters.properties, {a: {type: 'string'}});
    assert.match(stderr, /good\n.*minLength/);
    assert.match(stderr, /\/function\/parameters\/properties\/a\/minLength/);
    assert.match(stderr, /1 tool for gpt-4: 1 change, 0 left out/);
    assert.ok(!/\x1b/.test(stdout + stderr), 'colour in a pipe');
  });

  test('reads standard input, one tool, and a whole request', () => {
    for (const value of [[good], good, {model: 'x', tools: [good]}]) {
      const {status, stdout} = run(['normalize', '--family', 'gpt-5', '-'], JSON.stringify(value));
      assert.equal(status, 0);
      assert.deepEqual(JSON.parse(stdout), [good]);
    }
  });

  test('a bad tool is left out, with the reason and how to mend it', () => {
    const list = file('bad.json', [bad, good]);
    const {status, stdout, stderr} = run(['normalize', '--family', 'gpt-5', list]);
    assert.equal(status, 1);
    assert.deepEqual(JSON.parse(stdout), [good]);
    assert.match(stderr, /left out/);
    assert.match(stderr, /to mend it/);
    const strict = run(['normalize', '--family', 'gpt-5', '--strict', list]);
    assert.equal(strict.status, 1);
    assert.equal(strict.stdout, '');
    assert.match(strict.stderr, /Failed to validate tool bad: Error: tool parameters do not match/);
  });

  test('--json is the object of the route', () => {
    const {stdout} = run(['normalize', '--family', 'gpt-4', '--json'], JSON.stringify([bad, good]));
    const reply = JSON.parse(stdout);
    assert.deepEqual(reply.tools.length, 1);
    assert.deepEqual(reply.fixes.map((fix) => fix.tool), ['good']);
    assert.deepEqual(reply.errors.map((error) => error.tool), ['bad']);
  });

  test('settings files add families', () => {
    const settings = file('s.json', {'toolgate.families': [{contains: 'own', add: ['dropKeywords']}]});
    const args = ['normalize', '--family', 'my-OWN-model', '--settings', settings];
    const {stdout, stderr} = run(args, JSON.stringify([good]));
    assert.ok(!/minLength/.test(stdout), stdout + stderr);
    const wrong = file('w.json', {'toolgate.families': [{contains: 'own', add: ['dropEverything']}]});
    const refused = run(['normalize', '--family', 'x', '--settings', wrong], '[]');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /w\.json:1:\d+: .*must be one of cutDescriptions/);
  });

  test('what is wrong is said, with status 1 or 2', () => {
    assert.equal(run(['normalize', file('t.json', [good])]).status, 2);
    const missing = run(['normalize', '--family', 'x', 'no-such-file.json']);
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /no-such-file\.json: No such file/);
    const broken = run(['normalize', '--family', 'x'], '[{]');
    assert.equal(broken.status, 1);
    assert.match(broken.stderr, /line 1, column 3/);
  });
});

const schema = {
  type: 'object',
  properties: {
    name: {type: 'string'},
    count: {type: 'integer', minimum: 3},
    options: {type: 'object', properties: {deep: {type: 'boolean'}}}
  },
  required: ['name'],
  additionalProperties: false
};

describe('validate', () => {
  const check = (input, ...more) => run(['validate', '--schema', file('schema.json', schema), ...more, input]);

  test('a valid input', () => {
    const {status, stdout} = check('{"name":"x"}');
    assert.equal(status, 0);
    assert.equal(stdout, 'valid\n');
  });

  test('repairs are shown with what the tool gets', () => {
    const {status, stdout} = check('{"name":5,"count":"7","options":"{\\"deep\\":true}"}');
    assert.equal(status, 0);
    assert.match(stdout, /valid after 3 repairs/);
    assert.match(stdout, /\/count {2}"7" → 7/);
    assert.match(stdout, /the tool gets\n\{/);
  });

  test('a fault points into the JSON', () => {
    const input = file('input.json', '{\n  "name": "é日",\n  "count": 1\n}');
    const {status, stdout} = check(input);
    assert.equal(status, 1);
    assert.match(stdout, /not valid: 1 fault/);
    const lines = stdout.split('\n');
    const shown = lines.findIndex((line) => line.includes('"count": 1'));
    assert.equal(lines[shown + 1].indexOf('^'), lines[shown].indexOf('1', lines[shown].indexOf('count')));
  });

  test('text that is no JSON points to where it breaks', () => {
    const {status, stdout} = check('{"name": }');
    assert.equal(status, 1);
    assert.match(stdout, /not valid JSON/);
    assert.match(stdout, /\{"name": \}\n +\^/);
  });

  test('every fault is listed', () => {
    const {stdout} = check('{"count":1,"more":1}', '--json');
    const reply = JSON.parse(stdout);
    assert.equal(reply.valid, false);
    assert.deepEqual(reply.errors.map((error) => error.keyword).sort(),
                     ['additionalProperties', 'minimum', 'required']);
    assert.match(reply.classic, /^ERROR: Your input to the tool was invalid \(/);
    assert.deepEqual(Object.keys(reply).filter(
        (key) => ['valid', 'input', 'errors', 'repairs', 'classic'].includes(key)).length, 5);
  });

  test('--json keeps the exact text of numbers', () => {
    const open = file('open.json', {type: 'object'});
    const {stdout} = run(['validate', '--schema', open, '--json', '{"a":1.50,"b":12345678901234567890}']);
    assert.match(stdout, /"input":\{"a":1\.50,"b":12345678901234567890\}/);
  });

  test('a tool stands for its schema, and standard input for a file', () => {
    const described = file('tool.json', tool('f', schema));
    assert.equal(run(['validate', '--schema', described], '{"name":"x"}').status, 0);
    assert.equal(run(['validate', '--schema', described, '-'], '{}').status, 1);
  });

  test('any JSON may stand on the command line', () => {
    const any = file('any.json', {});
    for (const text of ['null', 'true', '5', ' {}', '-5', '"x"', '[1]'])
      assert.equal(run(['validate', '--schema', any, '--', text]).status, 0, text);
    const {status, stderr} = run(['validate', '--schema', any, 'no-such-file']);
    assert.equal(status, 1);
    assert.match(stderr, /no-such-file: No such file/);
  });

  test('a check that a limit ends says nothing about the input', () => {
    const doubling = {$defs: {a0: {type: 'object'}}, $ref: '#/$defs/a30'};
    for (let i = 1; i <= 30; i++)
      doubling.$defs[`a${i}`] = {allOf: [{$ref: `#/$defs/a${i - 1}`}, {$ref: `#/$defs/a${i - 1}`}]};
    const bomb = file('bomb.json', doubling);
    const {status, stdout} = run(['validate', '--schema', bomb, '{}']);
    assert.equal(status, 1);
    assert.match(stdout, /^could not be checked\n.*check budget exceeded/);
    const reply = JSON.parse(run(['validate', '--schema', bomb, '--json', '{}']).stdout);
    assert.deepEqual([reply.valid, reply.checked], [false, false]);
  });

  test('a schema that cannot be used is named with the place', () => {
    const wrong = file('wrong.json', {type: 'object', properties: {a: {$ref: '#/nowhere'}}});
    const {status, stderr} = run(['validate', '--schema', wrong, '{}']);
    assert.equal(status, 1);
    assert.match(stderr, /wrong\.json: the schema cannot be used: .*nowhere/);
  });

  test('formats are checked on request', () => {
    const dated = file('dated.json', {type: 'string', format: 'date'});
    assert.equal(run(['validate', '--schema', dated, '"soon"']).status, 0);
    assert.equal(run(['validate', '--schema', dated, '--formats', '"soon"']).status, 1);
  });
});

describe('tokens', () => {
  test('counts a file and standard input', () => {
    assert.match(run(['tokens', file('text.txt', 'hello world')]).stdout, /^2 tokens {2}o200k_base, 11 bytes\n$/);
    assert.match(run(['tokens', '--encoding', 'cl100k_base'], 'hello').stdout, /^1 tokens/);
    assert.deepEqual(JSON.parse(run(['tokens', '--json'], 'hello').stdout), {tokens: 1, encoding: 'o200k_base'});
  });

  test('shows the tokens and their numbers', () => {
    const {stdout} = run(['tokens', '--show', '--ids'], 'hello world');
    assert.match(stdout, /^hello\| world\n24912 2375\n2 tokens/);
  });

  test('counts messages and tools', () => {
    const request = file('request.json', {messages: [{role: 'user', content: 'hi'}], tools: [good]});
    assert.match(run(['tokens', '--as', 'messages', request]).stdout, /^8 tokens/);
    assert.match(run(['tokens', '--as', 'tools', request]).stdout, /^[3-9]\d tokens/);
  });

  test('bytes that are no text are counted too, and never sent to the terminal', () => {
    const {status, stdout} = run(['tokens', '--show', file('bytes', '\x1b[31m\x00')]);
    assert.equal(status, 0);
    assert.ok(!stdout.includes('\x1b'), 'an escape sequence of the file reached the output');
  });

  test('special tokens count as text or as tokens', () => {
    assert.match(run(['tokens'], '<|endoftext|>').stdout, /^7 tokens/);
    assert.match(run(['tokens', '--special', '--ids'], '<|endoftext|>').stdout, /^199999\n1 tokens/);
    assert.deepEqual(JSON.parse(run(['tokens', '--json', '--ids'], 'hello').stdout).ids, [24912]);
  });

  test('the pictures in the docs show what is printed now', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const {status, stderr} = spawnSync(
        'python3', [path.join(root, 'scripts/screens.py'), '--check', binary], {encoding: 'utf8'});
    assert.equal(status, 0, stderr);
  });

  test('a wrong encoding is a usage error', () => {
    assert.equal(run(['tokens', '--encoding', 'x']).status, 2);
  });
});

describe('a command line that makes no sense', () => {
  for (const [args, expected] of [
         [['serv'], "toolgate: there is no 'toolgate serv'; did you mean serve?\n'toolgate --help' says more.\n"],
         [['unlike', 'any'], "toolgate: there is no 'toolgate unlike'\n'toolgate --help' says more.\n"],
         [['approvals', 'rest', '--yes'], "toolgate: there is no 'toolgate approvals rest'; did you mean reset?\n'toolgate approvals --help' says more.\n"],
         [['tools', '--jsn'], "toolgate: 'toolgate tools' has no option '--jsn'; did you mean --json?\n'toolgate tools --help' says more.\n"],
         [['serve', '--prt=1'], "toolgate: 'toolgate serve' has no option '--prt=1'; did you mean --port?\n'toolgate serve --help' says more.\n"],
         [['undo', 'one', 'two'], "toolgate: 'toolgate undo' was given 'two', which is one word too many\n'toolgate undo --help' says more.\n"],
         [['call', 'x', `{"a":"${'ä'.repeat(100)}"}`], `toolgate: 'toolgate call' was given '{"a":"${'ä'.repeat(53)}…', which is one word too many\n'toolgate call --help' says more.\n`],
         [['call'], "toolgate: NAME is required\n'toolgate call --help' says more.\n"],
         [['\x1b[31m'], "toolgate: there is no 'toolgate ⟨U+001B⟩[31m'\n'toolgate --help' says more.\n"]
       ])
    test(`toolgate ${args.map((word) => JSON.stringify(word)).join(' ')}`, () => {
      const {status, stdout, stderr} = run(args);
      assert.deepEqual({status, stdout, stderr}, {status: 2, stdout: '', stderr: expected});
    });
});
