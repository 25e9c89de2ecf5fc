// Random command lines from a seed, the same on every machine: some from a small grammar, some of them
// damaged. No line has a path in it: whatever bash makes of one stays in the folder it runs in.
const WORDS = ['a', 'x', '-l', '-n1', '.', "'a b'", '"a b"', '"$x"', '$x', '${x}', '${x:-a}', '${#x}', '*', '?', '[a]', '[', '{}', '{a,b}', '~', 'a=b',
  "'a'\\''b'", '\\;', '\\$x', '"\\$x"', '$((1+2))', '$((2*(3)))', 'a#b', '$', '"$"', '!', 'é', '-delete', '-exec', '+', '1', '}', '"`ls`"', "'\n'", '"a\nb"'];
const PROGRAMS = ['ls', 'cat', 'echo', 'find .', 'sort', 'git log', 'git grep', 'touch', 'grep', 'true', 'false', 'test', '[', 'printf', 'l\\s', "'ls'", 'cd', ':', 'uniq', 'tree', 'file', 'date'];
const REDIRECTIONS = ['>a', '> x', '>>a', '2>&1', '>&2', '<a', '<>a', '>|a', '&>a', '&>>a', '>&a', '<<<a', '<<<"$x"', '2>a', '>&-', '<&0', '1>&2-', '{f}>a', '>"a"'];
const PIECES = [' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '$', '`', '"', "'", '\\', '{', '}', '[', ']', '*', '?', '~', '#', '!', '=', '+', '-', ':', ',', '0', '1',
  '@', '%', '^', 'a', 'x', 'E', 'é', '\u00a0', '\u2028', '\\\n', '$(', '$((', '${', '<(', '>(', '<<', '<<E', '\nE\n', '<<-', '<<<', '&&', '||', '|&', ';;', '$\'', '$"', '))', '((', '[[', ']]',
  '{}', 'if ', 'then ', 'fi', 'do ', 'done', 'for ', ' in ', 'while ', 'case ', 'time ', '! ', 'coproc ', 'function ', 'touch x', '`touch x`', '$(touch x)', '-delete', ' #', ':-', ':=', '@P', '-1', '1-'];

class Maker {
  constructor(random) {
    this.random = random;
    this.tails = '';
  }

  word(depth) {
    const {random} = this;
    if (depth > 0 && random.chance(0.12)) {
      const inside = this.list(depth - 1, true);
      return random.pick([`$(${inside})`, `"$(${inside})"`, `<(${inside})`, `\`${inside}\``, `"\`${inside}\`"`, `\${x:-$(${inside})}`, `>(${inside})`]);
    }
    return random.pick(WORDS) + (random.chance(0.1) ? random.pick(WORDS) : '');
  }

  redirection(nested) {
    const {random} = this;
    if (nested || !random.chance(0.2)) return random.pick(REDIRECTIONS);
    const delimiter = random.pick(['E', "'E'", '"E"', '-E', 'E2', '\\E', 'E"F"', '$x']);
    const body = Array.from({length: random.below(3)}, () => random.pick(['text', '$x', '$(ls)', '`cat`', '\\$(ls)', '\tE', "it's", 'E)', ' E', '"', '${x:-a}', '\\']));
    const end = delimiter.replace(/^-/, '').replace(/['"\\]/g, '');
    this.tails += [...body, end].map((line) => `\n${line}`).join('');
    return `<<${delimiter}`;
  }

  command(depth, nested) {
    const {random} = this;
    const kind = depth > 0 ? random.below(14) : 0;
    if (kind === 13) return `(${this.list(depth - 1, nested)})`;
    if (kind === 12) return `{ ${this.list(depth - 1, nested)}; }`;
    if (kind === 11) return `if ${this.list(depth - 1, nested)}; then ${this.list(depth - 1, nested)}; else ${this.list(depth - 1, nested)}; fi`;
    if (kind === 10) return `for f in ${this.word(0)} ${this.word(depth - 1)}; do ${this.list(depth - 1, nested)}; done`;
    if (kind === 9) return `while ${this.list(depth - 1, nested)}; do ${this.list(depth - 1, nested)}; done`;
    const parts = [random.pick(PROGRAMS)];
    if (random.chance(0.1)) parts.unshift(random.pick(['x=1', 'x=$y', 'x=$(ls)', '!', 'time', 'LANG=C', 'x+=a', '>a']));
    for (let i = random.below(4); i > 0; i--) parts.push(this.word(depth));
    if (random.chance(0.2)) parts.splice(1 + random.below(parts.length), 0, this.redirection(nested));
    return parts.join(random.chance(0.05) ? ' \\\n' : ' ');
  }

  list(depth, nested) {
    const {random} = this;
    let line = this.command(depth, nested);
    for (let i = random.below(3); i > 0 && random.chance(0.5); i--)
      line += random.pick(['; ', ' | ', ' && ', ' || ', ' & ', nested ? '; ' : '\n', '|', ';', '&', ' |& ']) + this.command(depth, nested);
    return line;
  }
}

export function damage(line, random) {
  let characters = [...line];
  for (let i = 1 + random.below(3); i > 0; i--) {
    const at = random.below(characters.length + 1);
    const kind = random.below(5);
    if (kind === 0) characters.splice(at, 1);
    else if (kind === 1) characters.splice(at, 1, random.pick(PIECES));
    else if (kind === 2 && at < characters.length) characters.splice(random.below(characters.length), 0, ...characters.slice(at, at + 1 + random.below(6)));
    else characters.splice(at, 0, random.pick(PIECES));
    characters = [...characters.join('')];
  }
  return characters.join('');
}

export function randomCommand(random, seeds) {
  let line;
  if (random.chance(0.3)) {
    line = random.pick(seeds);
  } else {
    const maker = new Maker(random);
    line = maker.list(2, false);
    // Where a line break follows, it is where here-documents begin.
    const at = line.indexOf('\n');
    line = at < 0 ? line + maker.tails : line.slice(0, at) + maker.tails + line.slice(at);
  }
  return random.chance(0.6) ? damage(line, random) : line;
}
