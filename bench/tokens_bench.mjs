// node tokens_bench.mjs MODULES FILE [SECONDS]: how fast npm tiktoken and gpt-tokenizer, installed in
// the folder MODULES/node_modules, count the file's tokens. One line of JSON per package, as
// tokens_bench prints it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [modules, file, seconds = '2'] = process.argv.slice(2);
if (!file) {
  console.error('usage: node tokens_bench.mjs MODULES FILE [SECONDS]');
  process.exit(2);
}
const require = createRequire(resolve(modules, 'node_modules', 'here.js'));
const text = readFileSync(file, 'utf8');
const bytes = Buffer.byteLength(text);

// Best of at least three runs.
function measure(run) {
  const begin = performance.now();
  let first = 0;
  let best = Infinity;
  let bestCpu = Infinity;
  for (let i = 0; i < 3 || performance.now() - begin < Number(seconds) * 1000; i++) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    run();
    best = Math.min(best, performance.now() - start);
    const used = process.cpuUsage(cpu);
    bestCpu = Math.min(bestCpu, used.user + used.system);
    if (i === 0) first = best;
  }
  const round = (value, digits) => Number(value.toFixed(digits));
  return {
    mb_per_s: round(bytes / best / 1e3, 1),
    first_mb_per_s: round(bytes / first / 1e3, 1),
    cpu_ns_per_byte: round((bestCpu * 1e3) / bytes, 2),
  };
}

function tiktoken(name) {
  const encoding = require('tiktoken').get_encoding(name);
  return { encode: (input) => encoding.encode_ordinary(input).length };
}

// Special tokens count as text in both.
function gptTokenizer(name) {
  const { encode, countTokens } = require(`gpt-tokenizer/encoding/${name}`);
  const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  return {
    encode: (input) => encode(input, options).length,
    count: (input) => countTokens(input, options),
  };
}

for (const [who, open] of Object.entries({ tiktoken, 'gpt-tokenizer': gptTokenizer })) {
  const line = { who, bytes };
  for (const name of ['o200k_base', 'cl100k_base']) {
    const counter = open(name);
    line[name] = { tokens: counter.encode(text) };
    if (counter.count) line[name].count = measure(() => counter.count(text));
    line[name].encode = measure(() => counter.encode(text));
  }
  console.log(JSON.stringify(line));
}
