// Random schemas and inputs from a seed, the same on every machine: material for comparing our
// checks with another validator's. Small worlds (few names, few values) so that rules meet inputs.
const NAMES = ['a', 'b', 'c', 'ab', 'x/y', 'n_1'];
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

export function makeRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const random = {
    below: (n) => Math.floor(next() * n),
    chance: (p) => next() < p,
    pick: (list) => list[Math.floor(next() * list.length)],
  };
  return random;
}

const SCALARS = [0, 1, 2, 5, -1, 1.5, 10, 100, true, false, null, '', 'a', 'ab', 'abc', 'true', 'false', '1', '2', '5', '1.5',
  ' 7 ', '0x10', 'é', '😀😀', 'null', '1e3'];

export function randomValue(random, depth) {
  const kind = random.below(depth > 0 ? 10 : 7);
  if (kind < 7) return random.pick(SCALARS);
  if (kind === 7) return Array.from({length: random.below(4)}, () => randomValue(random, depth - 1));
  const object = {};
  for (let i = random.below(4); i > 0; i--) object[random.pick(NAMES)] = randomValue(random, depth - 1);
  return object;
}

// Rules by name; `deep` makes a subschema.
const RULES = {
  type: (r) => (r.chance(0.75) ? r.pick(TYPES) : [...new Set([r.pick(TYPES), r.pick(TYPES)])]),
  enum: (r) => distinct(Array.from({length: 1 + r.below(3)}, () => randomValue(r, 1))),
  const: (r) => randomValue(r, 1),
  maximum: (r) => r.pick([0, 1, 2, 5, 10, 1.5]),
  minimum: (r) => r.pick([0, 1, 2, 5, -1]),
  exclusiveMaximum: (r) => r.pick([1, 5, 10]),
  exclusiveMinimum: (r) => r.pick([0, 1, 5]),
  multipleOf: (r) => r.pick([1, 2, 5, 0.5]),
  maxLength: (r) => r.below(4),
  minLength: (r) => r.below(4),
  pattern: (r) => r.pick(['^a', 'b$', '^[a-z]+$', '\\d', '^.$', '']),
  maxItems: (r) => r.below(4),
  minItems: (r) => r.below(3),
  uniqueItems: (r) => r.chance(0.8),
  items: (r, deep) => deep(),
  contains: (r, deep) => deep(),
  maxProperties: (r) => r.below(4),
  minProperties: (r) => r.below(3),
  required: (r) => [...new Set(Array.from({length: r.below(3)}, () => r.pick(NAMES)))],
  propertyNames: (r, deep) => deep(),
  additionalProperties: (r, deep) => (r.chance(0.6) ? false : deep()),
  properties: (r, deep) => named(r, deep),
  patternProperties: (r, deep) => ({[r.pick(['^a', 'b', '_'])]: deep()}),
  not: (r, deep) => deep(),
  anyOf: (r, deep) => several(r, deep),
  oneOf: (r, deep) => several(r, deep),
  allOf: (r, deep) => several(r, deep),
  if: (r, deep) => deep(),
  then: (r, deep) => deep(),
  else: (r, deep) => deep(),
  $ref: (r) => r.pick(['#/definitions/one', '#/definitions/two']),
};
const DRAFT7 = {
  dependencies: (r, deep) => ({[r.pick(NAMES)]: r.chance(0.5) ? [r.pick(NAMES)] : deep()}),
};
const DRAFT2020 = {
  prefixItems: (r, deep) => several(r, deep),
  minContains: (r) => r.below(3),
  maxContains: (r) => 1 + r.below(2),
  dependentRequired: (r) => ({[r.pick(NAMES)]: [r.pick(NAMES)]}),
  dependentSchemas: (r, deep) => ({[r.pick(NAMES)]: deep()}),
  unevaluatedProperties: (r, deep) => (r.chance(0.7) ? false : deep()),
  unevaluatedItems: (r, deep) => (r.chance(0.7) ? false : deep()),
};

function distinct(values) {
  const seen = new Set();
  return values.filter((value) => !seen.has(JSON.stringify(value)) && seen.add(JSON.stringify(value)));
}
const several = (r, deep) => Array.from({length: 1 + r.below(3)}, deep);
function named(r, deep) {
  const out = {};
  for (let i = 1 + r.below(3); i > 0; i--) out[r.pick(NAMES)] = deep();
  return out;
}

function subschema(random, depth, rules, names, refs) {
  if (random.chance(0.06)) return random.chance(0.5);
  const out = {};
  for (let i = 1 + random.below(depth > 1 ? 4 : 2); i > 0; i--) {
    const name = random.chance(0.3) ? 'type' : random.pick(names);
    if (name === '$ref' && !refs) continue;
    if (depth === 0 && rules[name].length > 1) continue;
    out[name] = rules[name](random, () => subschema(random, depth - 1, rules, names, refs));
  }
  return out;
}

// `dialect` is "draft-07" or "2020-12". Definitions do not refer on, so no schema loops.
export function randomSchema(random, dialect) {
  const rules = {...RULES, ...(dialect === 'draft-07' ? DRAFT7 : DRAFT2020)};
  const names = Object.keys(rules);
  const schema = subschema(random, 3, rules, names, true);
  if (typeof schema === 'boolean') return schema;
  schema.definitions = {
    one: subschema(random, 1, rules, names, false),
    two: subschema(random, 2, rules, names, false),
  };
  return schema;
}
