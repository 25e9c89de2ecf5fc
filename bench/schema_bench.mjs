// node schema_bench.mjs MODULES FOLDER: what compiling and checking cost with Ajv, installed in the
// folder MODULES/node_modules. One line of JSON, as schema_bench prints it.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const [modules, folder] = process.argv.slice(2);
const require = createRequire(resolve(modules, 'node_modules', 'here.js'));
const Ajv7 = require('ajv').default;
const Ajv2020 = require('ajv/dist/2020').default;
const OPTIONS = {strict: false, validateFormats: false, logger: false};

const lines = readFileSync(`${folder}/cases.jsonl`, 'utf8').trim().split('\n');
const instances = {'2020': new Ajv2020(OPTIONS), '7': new Ajv7(OPTIONS)};
const compile = (schema) =>
    instances[String(schema.$schema ?? '').includes('2020-12') ? '2020' : '7'].compile(schema);

const cases = [];
const inputs = [];
for (const line of lines) {
  const {schema: text, inputs: list} = JSON.parse(line);
  try {
    const check = compile(JSON.parse(text));
    cases.push(text);
    for (const input of list)
      inputs.push({check, text: input.text, valid: input.valid, value: JSON.parse(input.text)});
  } catch {
    // refused by Ajv
  }
}

// Microseconds of CPU time per unit, the best of several rounds.
function measure(units, rounds, run) {
  let best = Infinity;
  for (let i = 0; i < rounds; i++) {
    const begin = process.cpuUsage();
    run();
    const used = process.cpuUsage(begin);
    best = Math.min(best, used.user + used.system);
  }
  return best / units;
}

let wrong = 0;
const text = measure(inputs.length, 25, () => {
  wrong = 0;
  for (const input of inputs) wrong += input.check(JSON.parse(input.text)) !== input.valid;
});
const check = measure(inputs.length, 25, () => {
  for (const input of inputs) wrong += input.check(input.value) !== input.valid;
});
// Ajv keeps what it compiled, so every round has instances of its own; schemas are parsed beforehand.
const schemas = cases.map((one) => JSON.parse(one));
const perRound = schemas.filter((_, number) => number % 5 === 0);
const compiling = measure(perRound.length, 3, () => {
  const own = {'2020': new Ajv2020(OPTIONS), '7': new Ajv7(OPTIONS)};
  for (const schema of perRound)
    own[String(schema.$schema ?? '').includes('2020-12') ? '2020' : '7'].compile(structuredClone(schema));
});
const round = (value, digits) => Number(value.toFixed(digits));
console.log(JSON.stringify({
  who: `Ajv ${require('ajv/package.json').version}`,
  inputs: inputs.length,
  wrong,
  text_us: round(text, 3),
  check_us: round(check, 3),
  compile_us: round(compiling, 1)
}));
