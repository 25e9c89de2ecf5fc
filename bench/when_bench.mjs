// node when_bench.mjs MODULES FILE: what parsing and evaluating `when` clauses cost with VS Code's
// own parser, from npm @codingame/monaco-vscode-api in MODULES/node_modules. One line of JSON, as
// when_bench prints it.
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, file] = process.argv.slice(2);
const folder = resolve(modules, 'node_modules/@codingame/monaco-vscode-api');
const {Parser} = await import(
    pathToFileURL(`${folder}/vscode/src/vs/platform/contextkey/common/contextkey.js`).href);
const {version} = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));

const {clauses, context} = JSON.parse(readFileSync(file, 'utf8'));
const values = {getValue: (key) => context[key]};
const parser = new Parser({regexParsingWithErrorRecovery: false});

const ROUNDS = 30;
const REPEATS = 200;
// Nanoseconds of CPU time per clause, the best of several rounds.
function measure(count, run) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = process.cpuUsage();
    for (let i = 0; i < REPEATS; i++) run();
    const used = process.cpuUsage(begin);
    best = Math.min(best, used.user + used.system);
  }
  return best * 1000 / (count * REPEATS);
}

const verdicts = clauses.map((clause) => {
  const parsed = parser.parse(clause);
  return parsed ? String(Number(parsed.evaluate(values))) : '-';
}).join('');
const parsed = clauses.map((clause) => parser.parse(clause)).filter(Boolean);
let held = 0;
const both = measure(clauses.length, () => {
  for (const clause of clauses) held += parser.parse(clause)?.evaluate(values) ? 1 : 0;
});
const evaluate = measure(parsed.length, () => {
  for (const clause of parsed) held += clause.evaluate(values) ? 1 : 0;
});
console.log(JSON.stringify({
  who: `VS Code's parser (monaco-vscode-api ${version})`,
  clauses: clauses.length,
  held: held > 0,
  verdicts,
  both_ns: Number(both.toFixed(1)),
  evaluate_ns: Number(evaluate.toFixed(1))
}));
