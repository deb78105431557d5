/**
 * Draws mutants by seed, one changed token each, and runs the tests of the mutant's room against it.
 * Each mutant is a line of test/mutants.tsv: seed, place, change, and who found it. A mutant with a
 * line is not run again, but with --whole: what survived its room's tests is run against all.
 *
 *   node scripts/mutants.mjs --seed 1 --count 60 --language rust
 *   node scripts/mutants.mjs --seed 1 --count 60 --language typescript --whole
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mulberry32 } from '../bench/workload/mulberry32.mjs';
import { root } from './process.mjs';

const TABLE = path.join(root, 'test', 'mutants.tsv');
/** A mutant that hangs is found. */
const LIMIT_MS = 600_000;
const vitest = (...args) => ['npx', 'vitest', 'run', '--bail', '1', '--reporter', 'dot', ...args];
const inWorld = (folder) => vitest('--project', 'world', '--project', 'world-apart', folder);
const WORLD = vitest('--project', 'world', '--project', 'world-apart');
const ADDON = ['node', 'scripts/setup.mjs', 'addon'];
const crate = (name) => ['cargo', 'test', '-q', '-p', name];

/** The rooms of a language with the tests of each, and all tests. */
const LANGUAGES = {
  rust: {
    ending: '.rs',
    rooms: {
      'crates/book/src': [crate('slotbook-book')],
      'crates/wire/src': [crate('slotbook-wire')],
      'crates/journal/src': [crate('slotbook-journal')],
    },
    whole: [['cargo', 'test', '-q', '--workspace'], ADDON, WORLD],
  },
  typescript: {
    ending: '.ts',
    rooms: {
      'src/feed': [inWorld('src/feed')],
      'src/server/sockets': [inWorld('src/server/sockets')],
      'src/history/ingest': [inWorld('src/history/ingest'), inWorld('src/history')],
      'src/journal': [inWorld('src/journal')],
    },
    whole: [WORLD],
  },
};

const CHANGES = [
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ == /g, ' != '],
  [/ != /g, ' == '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \+= /g, ' -= '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[(\s])!(?=[a-z(])/g, ''],
  [/\bif \((?=[^)])/g, 'if (true || '],
  [/(?<![\w.])[1-9]\d{0,5}(?![\w.])/g, (text) => String(Number(text) + 1)],
  [/^\s+(?:this|self)?[\w.#]+\(.*\);$/g, ''],
];

/** Every place of a file's code, without strings, comments and tests, where a token can be changed. */
function placesOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const [code] = text.split(/^#\[cfg\(test\)\]\s*\n\s*mod /m);
  return code.split('\n').flatMap((line, index) => {
    if (/^\s*(?:\/\/|\/?\*|#|import |use |export (?:type|interface)|type )/.test(line)) return [];
    const bare = line.replace(/'[^']*'|"[^"]*"|`[^`]*`|\/\/.*$/g, (quoted) =>
      ' '.repeat(quoted.length),
    );
    return CHANGES.flatMap(([pattern, change]) =>
      [...bare.matchAll(pattern)].map((match) => {
        const changed = typeof change === 'string' ? change : change(match[0]);
        const at = match.index;
        return {
          file,
          line: index,
          was: line,
          is: line.slice(0, at) + changed + line.slice(at + match[0].length),
        };
      }),
    );
  });
}

function* mutantsOf({ ending, rooms }, draw) {
  const places = Object.keys(rooms).map((room) =>
    execFileSync('git', ['ls-files', room], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((file) => file.endsWith(ending) && !/\.test\.ts$|testing/.test(file))
      .flatMap(placesOf)
      .map((place) => ({ ...place, room })),
  );
  for (let turn = 0; ; turn += 1) {
    const ofRoom = places[turn % places.length];
    yield ofRoom[Math.floor(draw() * ofRoom.length)];
  }
}

/** The end of the first failing command, or undefined: nothing found the mutant. */
function failureOf(commands) {
  for (const [command, ...args] of commands) {
    const result = spawnSync(command, args, {
      cwd: root,
      encoding: 'utf8',
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 2 ** 28,
    });
    if (result.status !== 0) return `${result.stdout}\n${result.stderr}`;
  }
  return undefined;
}

const doesNotCompile = (output) =>
  /error\[E|error: (?!test failed|\d+ target)|could not compile/.test(output);

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    language: { type: 'string', default: 'typescript' },
    whole: { type: 'boolean', default: false },
  },
});
const language = LANGUAGES[values.language];
if (language === undefined)
  throw new RangeError(`--language was ${values.language}, must be rust or typescript`);
const rows = existsSync(TABLE) ? readFileSync(TABLE, 'utf8').trim().split('\n') : [];
/** Keys of mutants and their verdicts. */
const verdicts = new Map(
  rows
    .filter(Boolean)
    .map((row) => [row.slice(0, row.lastIndexOf('\t')), row.slice(row.lastIndexOf('\t') + 1)]),
);

function verdictOf({ file, line, is }, commands, found) {
  const whole = path.join(root, file);
  const text = readFileSync(whole, 'utf8');
  const lines = text.split('\n');
  lines[line] = is;
  try {
    writeFileSync(whole, lines.join('\n'));
    const failure = failureOf(commands);
    if (failure === undefined) return 'survived';
    return doesNotCompile(failure) ? 'does not compile' : found;
  } finally {
    writeFileSync(whole, text);
  }
}

let left = Number(values.count);
for (const mutant of mutantsOf(language, mulberry32(Number(values.seed)))) {
  if (left === 0) break;
  const key = [
    values.seed,
    `${mutant.file}:${mutant.line + 1}`,
    mutant.was.trim(),
    mutant.is.trim(),
  ].join('\t');
  const known = verdicts.get(key);
  let verdict = known ?? verdictOf(mutant, language.rooms[mutant.room], 'room');
  if (values.whole && verdict === 'survived') verdict = verdictOf(mutant, language.whole, 'whole');
  if (verdict !== known) {
    verdicts.set(key, verdict);
    writeFileSync(TABLE, `${[...verdicts].map((row) => row.join('\t')).join('\n')}\n`);
    console.log(`${key}\t${verdict}`);
  }
  if (verdict !== 'does not compile') left -= 1;
}
