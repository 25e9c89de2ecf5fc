// Command lines, known tricks and random ones, taken apart by us and run by bash with a recorder in the
// place of every program: bash ran no command and wrote no file that we did not find in the line, and
// what would run without a question was told nothing that writes. SHELL_SEED, SHELL_COUNT and SHELL_SECONDS choose others.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';

import {randomCommand} from './random_commands.mjs';
import {makeRandom} from './random_schemas.mjs';
import {TRICKS, WRITES} from './shell_tricks.mjs';

const program = process.env.TOOLGATE_SHELL_LINES ??
    path.resolve(import.meta.dirname, '../../build/release/tests/toolgate_shell_lines');
const seed = Number(process.env.SHELL_SEED ?? 1);
const count = Number(process.env.SHELL_COUNT ?? 4_000);
const longest = Number(process.env.SHELL_SECONDS ?? 12) * 1000;
const BATCH = 500;
// What makes programs that read and print write or run something.
const WRITING = {
  find: /^-(exec|ok|delete|fprint|fls)/, sort: /^-[^-]*[oT]|^--o|^--comp/s, tree: /^-[^-]*[oR]/s, file: /^-[^-]*C|^--com/s,
  git: /^--(ou|out|outp|outpu|output|ext-diff|open-files-in-pager)(=|$)/, date: /^-[^-]*s|^--s/s, rg: /^--pre(=|$)/
};

function takeApart(lines) {
  const run = spawnSync(program, ['/workspace'], {input: lines.map((line) => JSON.stringify(line)).join('\n') + '\n', maxBuffer: 1 << 28, encoding: 'utf8'});
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}

function readCalls(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\x1e').slice(0, -1).map((call) => call.split('\x1f').slice(0, -1).map((word) => word.replaceAll('\x1d', '\n')));
}

// What bash did with each line: {calls: [[word, …], …], files: [name, …]}.
function runAll(lines) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-shell-'));
  try {
    lines.forEach((line, i) => mkdirSync(path.join(folder, String(i))));
    const recorder = path.join(import.meta.dirname, 'shell_recorder.bash');
    const run = spawnSync('bash', ['--noprofile', '--norc', recorder], {
      input: lines.map((line) => `${line}\0`).join(''), cwd: folder, env: {PATH: process.env.PATH, LANG: 'C.UTF-8'}, timeout: 120_000, encoding: 'utf8'});
    assert.equal(run.error, undefined);
    return lines.map((line, i) => ({calls: readCalls(path.join(folder, `${i}.calls`)), files: readdirSync(path.join(folder, String(i)))}));
  } finally {
    rmSync(folder, {recursive: true, force: true, maxRetries: 5});  // what runs in the background may still write
  }
}

// Whether a call can be what this command becomes.
function isCallOf(call, words) {
  for (let i = 0; i < words.length; i++) {
    if (!words[i].known) return true;
    if (call[i] !== words[i].text) return false;
  }
  return call.length === words.length;
}

function faultsOf(line, ours, bash) {
  const faults = [];
  const commands = ours.commands.filter((words) => words.length > 0);
  for (const call of bash.calls) {
    if (!commands.some((words) => isCallOf(call, words))) faults.push(`ran ${JSON.stringify(call)}`);
    const isTold = call.slice(1).some((word) => WRITING[call[0]]?.test(word) || (call[0] === 'git' && call[1] === 'grep' && /^-[^-]*O/s.test(word)));
    if (ours.approved && isTold) faults.push(`without a question: ${JSON.stringify(call)}`);
  }
  const written = ours.redirections.filter(({writes}) => writes);
  if (written.every(({known}) => known))
    for (const name of bash.files)
      if (!written.some(({text}) => text === name)) faults.push(`wrote ${JSON.stringify(name)}`);
  return faults.map((fault) => `${JSON.stringify(line)} ${fault}`);
}

// {faults, and how many lines there were, were taken apart and approved, and calls bash made}
function compare(lines) {
  const ours = takeApart(lines);
  const read = lines.map((line, i) => ({line, ours: ours[i]})).filter(({ours: {refused}}) => refused === undefined);
  const bash = runAll(read.map(({line}) => line));
  return {
    faults: read.flatMap(({line, ours: found}, i) => faultsOf(line, found, bash[i])),
    lines: lines.length,
    read: read.length,
    approved: read.filter(({ours: {approved}}) => approved).length,
    calls: bash.reduce((sum, {calls}) => sum + calls.length, 0)
  };
}

const skip = !existsSync(program) ? `${path.basename(program)} is not built` : spawnSync('bash', ['--version']).status !== 0 && 'bash is not installed';

test('known tricks are asked about', {skip}, () => {
  takeApart(TRICKS).forEach(({approved}, i) => assert.equal(approved, false, TRICKS[i]));
  assert.deepEqual(compare([...TRICKS, ...WRITES]).faults, []);
});

test('bash runs what was found in a line and nothing else', {skip}, (t) => {
  const seeds = [...TRICKS, ...WRITES, 'ls -la | grep x && cat a || echo no', 'cat <<E\n$(ls)\nE\nls', 'for f in *; do cat "$f"; done', 'echo "`ls`" $(cat <(ls))'];
  const random = makeRandom(seed);
  const total = {lines: 0, read: 0, approved: 0, calls: 0};
  const end = Date.now() + longest;
  for (let done = 0; done < count && Date.now() < end; done += BATCH) {
    const lines = Array.from({length: Math.min(BATCH, count - done)}, () => randomCommand(random, seeds)).filter((line) => !line.includes('/'));
    const {faults, ...counts} = compare(lines);
    assert.deepEqual(faults, []);
    for (const name of Object.keys(total)) total[name] += counts[name];
  }
  // A grammar that makes nothing worth reading would prove nothing.
  t.diagnostic(JSON.stringify(total));
  assert.ok(total.read > total.lines / 8 && total.approved > total.lines / 40 && total.calls > total.lines / 8, JSON.stringify(total));
});
