// Random schemas and inputs, checked by us and by Ajv: the verdicts are equal, and for draft-07 the
// first errors and the coerced values too. DIFFERENTIAL_SEED and DIFFERENTIAL_COUNT choose others.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';

import {makeRandom, randomSchema, randomValue} from './random_schemas.mjs';

const program = process.env.TOOLGATE_SCHEMA_LINES ??
    path.resolve(import.meta.dirname, '../../build/release/tests/toolgate_schema_lines');
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const count = Number(process.env.DIFFERENTIAL_COUNT ?? 300);
const INPUTS = 8;

const URIS = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

// Ajv reads siblings of $ref in draft-07, which the specification ignores; so no $schema there.
function makeCases(dialect) {
  const cases = [];
  const Class = dialect === 'draft-07' ? Ajv : Ajv2020;
  for (let number = 0; number < count; number++) {
    const random = makeRandom(seed * 1000003 + number * 2 + (dialect === 'draft-07' ? 0 : 1));
    const schema = randomSchema(random, dialect);
    if (hasAjvFault(schema)) continue;
    if (dialect === '2020-12' && typeof schema === 'object') schema.$schema = URIS[dialect];
    const options = {strict: false, validateFormats: false, logger: false};
    let plain;
    let coercing;
    try {
      plain = new Class(options).compile(structuredClone(schema));
      coercing = new Class({...options, coerceTypes: true}).compile(structuredClone(schema));
    } catch {
      continue;  // not every random schema is one that Ajv takes
    }
    for (let i = 0; i < INPUTS; i++) {
      const input = randomValue(random, 3);
      const holder = {data: structuredClone(input)};
      const place = {parentData: holder, parentDataProperty: 'data', rootData: holder, instancePath: '', dynamicAnchors: {}};
      const valid = plain(structuredClone(input));
      const coerced = coercing(holder.data, place);
      const errors = (coercing.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
      cases.push({schema, input, valid, coerced, errors, data: holder.data});
    }
  }
  return cases;
}

function ourAnswers(cases) {
  const lines = cases.map(({schema, input}) => JSON.stringify({schema, input})).join('\n');
  const run = spawnSync(program, {input: lines, maxBuffer: 1 << 28, encoding: 'utf8'});
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}

const skip = !existsSync(program) && `${path.basename(program)} is not built`;

test('draft-07: verdicts, first errors and coerced values are Ajv\'s', {skip}, () => {
  const cases = makeCases('draft-07');
  assert.ok(cases.length > count);
  ourAnswers(cases).forEach((ours, i) => {
    const {schema, input, valid, coerced, errors, data} = cases[i];
    const about = `${JSON.stringify(schema)} on ${JSON.stringify(input)}`;
    assert.equal(ours.error, undefined, about);
    assert.equal(ours.valid, valid, about);
    assert.equal(ours.coerced, coerced, about);
    assert.deepEqual(ours.errors, errors, about);
    if (coerced) assert.deepEqual(ours.data, data, about);
  });
});

test('2020-12: verdicts are Ajv\'s', {skip}, () => {
  const cases = makeCases('2020-12');
  assert.ok(cases.length > count);
  ourAnswers(cases).forEach((ours, i) => {
    const {schema, input, valid} = cases[i];
    const about = `${JSON.stringify(schema)} on ${JSON.stringify(input)}`;
    assert.equal(ours.error, undefined, about);
    assert.equal(ours.valid, valid, about);
  });
});

// Ajv loses track of evaluated items and members in some places, or throws; there the official
// suite, not Ajv, is the measure.
function hasAjvFault(schema) {
  const text = JSON.stringify(schema);
  return text.includes('"unevaluated') || (text.includes('"contains"') && text.includes('"prefixItems"'));
}
