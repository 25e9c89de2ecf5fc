// A language server that does what the text of its documents says. It knows the language of .fake files:
// "def NAME" defines, "impl NAME" implements, "BAD" is an error and "DUBIOUS" a warning. Words that begin with '#'
// make it misbehave, and what stands behind "#run" is run by bash, as a plugin would be: its output is an error.
// What happens to it is written to fake.log in the folder it runs in, if that can be written.
import {spawn, spawnSync} from 'node:child_process';
import {appendFileSync, existsSync, writeFileSync} from 'node:fs';

const pulls = process.argv.includes('--pull');
const documents = new Map();  // by URI: {text, version}
const said = new Map();       // by URI: the text that problems were last published of
const note = (...words) => {
  try {
    appendFileSync('fake.log', `${words.join(' ')}\n`);
  } catch {
  }
};
const write = (text) => process.stdout.write(text);
const send = (message) => {
  const body = JSON.stringify({jsonrpc: '2.0', ...message});
  return write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};

note('start', process.pid, Object.keys(process.env).sort().join(','));
if (process.argv.includes('--mute')) await new Promise(() => setInterval(() => {}, 1000));
if (process.argv.includes('--broken')) {
  process.stderr.write('this server is broken\n');
  process.exit(9);
}

function problemsOf(text) {
  const problems = [];
  text.split('\n').forEach((line, number) => {
    if (line.startsWith('#run ')) {
      const {stdout, stderr, status} = spawnSync('bash', ['-c', line.slice(5)], {encoding: 'utf8', timeout: 10_000});
      const range = {start: {line: number, character: 0}, end: {line: number, character: 4}};
      problems.push({range, severity: 1, message: `[${stdout}][${stderr}][${status}]`});
    }
    for (const [word, severity] of [['BAD', 1], ['DUBIOUS', 2], ['HINT', 4]]) {
      const at = line.indexOf(word);
      if (at < 0) continue;
      const range = {start: {line: number, character: at}, end: {line: number, character: at + word.length}};
      problems.push({range, severity, message: `${word} is not good`, source: 'fake', code: 7});
    }
  });
  return problems;
}

const nowhere = {start: {line: 4e9, character: 4e9}, end: {line: 4e9, character: 4e9}};

// What a document's text makes it do instead of answering.
function misbehave(text) {
  if (text.includes('#crash-once') && !existsSync('crashed')) {
    writeFileSync('crashed', '');
    process.exit(3);
  }
  if (/#crash\b(?!-)/.test(text)) process.exit(3);
  if (text.includes('#half')) {
    write('Content-Length: 100\r\n\r\n{"jsonrpc"');
    setTimeout(() => process.exit(4), 20);
    return true;
  }
  if (text.includes('#huge')) return write('Content-Length: 1000000000000\r\n\r\n{}');
  if (text.includes('#garbage')) return write('this is not the protocol\r\n\r\n');
  if (text.includes('#flood')) {
    const noise = {method: 'window/logMessage', params: {type: 3, message: 'x'.repeat(1 << 16)}};
    const flood = () => {
      while (send(noise)) continue;
      process.stdout.once('drain', flood);
    };
    flood();
    return true;
  }
  if (text.includes('#stubborn')) process.on('SIGTERM', () => note('SIGTERM'));
  if (text.includes('#child')) note('child', spawn('sleep', ['1000'], {stdio: 'ignore'}).pid);
  return text.includes('#silent');
}

function publish(uri) {
  const {text, version} = documents.get(uri);
  if (misbehave(text) || pulls) return;
  const right = {uri, version, diagnostics: problemsOf(text)};
  if (text.includes('#lie')) {
    send({id: 4711, result: 'nobody asked'});
    send({id: 'x', error: 'no object'});
    for (const params of [null, {}, {uri: 7}, {uri: 'file:///etc/passwd', diagnostics: right.diagnostics}, {uri, diagnostics: 1}])
      send({method: 'textDocument/publishDiagnostics', params});
    right.diagnostics = [{range: nowhere, message: 'far away'}, {message: 'no range'}, 5, null, ...right.diagnostics];
  }
  if (text.includes('#stale')) {
    const stale = {uri, version: version - 1, diagnostics: [{range: nowhere, message: 'stale'}]};
    send({method: 'textDocument/publishDiagnostics', params: stale});
    return setTimeout(() => send({method: 'textDocument/publishDiagnostics', params: right}), 50);
  }
  if (text.includes('#unversioned')) delete right.version;
  if (text.includes('#quiet') && said.get(uri) === text) return;  // it does not repeat itself
  said.set(uri, text);
  send({method: 'textDocument/publishDiagnostics', params: right});
}

function places(pattern) {
  const found = [];
  for (const [uri, {text}] of documents)
    text.split('\n').forEach((line, number) => {
      for (const match of line.matchAll(pattern)) {
        const character = match.index + match[0].length - match[1].length;
        const range = {start: {line: number, character}, end: {line: number, character: character + match[1].length}};
        found.push({uri, range, name: match[1]});
      }
    });
  return found;
}

function wordAt({textDocument, position}) {
  const line = documents.get(textDocument.uri)?.text.split('\n')[position.line] ?? '';
  if (line.trimStart().startsWith('//')) return null;
  return [...line.matchAll(/\w+/g)].find(({index, 0: word}) => index <= position.character && position.character < index + word.length)?.[0];
}

const locations = (pattern) => places(pattern).map(({uri, range}) => ({uri, range}));
const answers = {
  initialize: () => ({
    capabilities: {
      textDocumentSync: {openClose: true, change: 2, save: true},
      definitionProvider: true,
      referencesProvider: true,
      implementationProvider: {},
      workspaceSymbolProvider: true,
      renameProvider: true,
      ...(pulls ? {diagnosticProvider: {interFileDependencies: true}} : {})
    }
  }),
  shutdown: () => null,
  'textDocument/diagnostic': ({textDocument}) => ({kind: 'full', items: problemsOf(documents.get(textDocument.uri).text)}),
  'textDocument/definition': (params) => {
    const word = wordAt(params);
    return word ? locations(new RegExp(`def (${word})\\b`, 'g')) : null;
  },
  'textDocument/references': (params) => {
    const word = wordAt(params);
    const found = word ? locations(new RegExp(`\\b(${word})\\b`, 'g')) : [];
    if (found.length && documents.get(params.textDocument.uri).text.includes('#lie'))
      found.push({uri: 'file:///etc/passwd', range: {start: {line: 0, character: 0}, end: {line: 0, character: 4}}},
                 {uri: 'http://example.com', range: nowhere}, {uri: params.textDocument.uri, range: nowhere}, null, 'x');
    return found;
  },
  'textDocument/implementation': (params) => locations(new RegExp(`impl (${wordAt(params)})\\b`, 'g')),
  'workspace/symbol': ({query}) => places(/def (\w+)/g)
                                       .filter(({name}) => name.toLowerCase().includes(query.toLowerCase()))
                                       .map(({uri, range, name}) => ({name, kind: 12, containerName: 'box', location: {uri, range}}))
};

function take({id, method, params, result, error}) {
  if (method === undefined) return note('answer', id, JSON.stringify(result ?? error?.code ?? null));
  const uri = params?.textDocument?.uri;
  note(method, uri?.split('/').pop() ?? JSON.stringify(params?.id ?? ''));
  if (method === 'initialized')
    for (const [name, asked] of [['workspace/configuration', {items: [{}, {}]}], ['window/workDoneProgress/create', {token: 1}],
                                 ['client/registerCapability', {registrations: []}], ['workspace/applyEdit', {edit: {}}], ['fake/unknown', null]])
      send({id: name, method: name, params: asked});
  if (method === 'textDocument/didOpen') documents.set(uri, params.textDocument);
  if (method === 'textDocument/didChange') documents.set(uri, {...documents.get(uri), version: params.textDocument.version, text: params.contentChanges[0].text});
  if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') publish(uri);
  if (method === 'textDocument/didClose') documents.delete(uri);
  const stubborn = [...documents.values()].some(({text}) => text.includes('#stubborn'));
  if (method === 'exit' && !stubborn) process.exit(0);
  if (id === undefined || (method === 'shutdown' && stubborn)) return;
  if ([...documents.values()].some(({text}) => text.includes('#hang')) && method !== 'shutdown') return;
  if (method in answers) send({id, result: answers[method](params)});
  else send({id, error: {code: -32601, message: `${method} is unknown`}});
}

let buffer = Buffer.alloc(0);
process.stdin.on('data', (bytes) => {
  buffer = Buffer.concat([buffer, bytes]);
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const size = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + size) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + size).toString());
    buffer = buffer.subarray(end + 4 + size);
    take(message);
  }
});
process.stdin.on('end', () => {
  if (![...documents.values()].some(({text}) => text.includes('#stubborn'))) process.exit(0);
  setInterval(() => {}, 1000);
});
