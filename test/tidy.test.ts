/**
 * Checks the measurable rules of docs/style.md. A rule that the code does not yet meet has a ratchet: a
 * limit that may be lowered and is never raised.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

const LIMITS = {
  functionLines: 70,
  typeScriptFileLines: 500,
  rustFileLines: 600,
};

/** Ratchets. */
const AT_MOST = {
  /** Functions above 25 lines. */
  longFunctions: 150,
  /** TypeScript files above 300 lines. */
  longFiles: 13,
  /** Functions and methods whose name is one word, in percent. */
  oneWordNamesPercent: 15,
  /** Names of types that two rooms declare, outside the client, which stands alone. */
  typeNamesInTwoRooms: 5,
  /** Phrases in comments of `src` and `crates` that hide their subject. */
  vaguePhrases: 40,
  /** Functions and classes of the library without an example. */
  withoutExample: 0,
};

/** Phrases in comments that stand for a noun or a verb of the field: see rule 21 of docs/style.md. */
const VAGUE = /\b(what (is|it)|behind|at once|stands|beside|goes on|nobody|tells)\b/gi;

/**
 * Terms that only this project uses. Comments of crates and tests may use the first and the third; the
 * glossary explains them. In backticks and paths they are names of folders.
 */
const RIDDLES: readonly (readonly [word: RegExp, instead: string])[] = [
  [/(?<![/`])\bincumbent/i, 'the Drift v2 dlob-server, the Drift v2 data API'],
  [/\b(system|servers?) in production\b|\bproduction's\b/i, 'the Drift v2 data API'],
  [/\b(the|a|our) specification\b|\bspecification's\b/i, 'what it says, or who says it'],
  [/\breference (library|client)\b/i, '@drift-labs/sdk, drift-common'],
  [/\bthe exchange's program\b/i, 'the Drift v2 program'],
  [/\bthe originals\b/i, 'the Drift v2 program, @drift-labs/sdk'],
];

interface Source {
  readonly name: string;
  readonly text: string;
}

const tracked = execFileSync('git', ['ls-files', 'src', 'crates'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(path.join(root, name)))
  .filter(
    (name) => !/\.test\.ts$|type-test|(^|\/)testing(\/|\.ts$)|\/tests\/|\/tests\.rs$/.test(name),
  )
  .filter((name) => !/\/generated\/|index\.d\.ts$/.test(name));

const sources = tracked
  .filter((name) => /\.(ts|rs)$/.test(name))
  .map((name): Source => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
const typeScript = sources.filter(({ name }) => name.endsWith('.ts'));
const rust = sources
  .filter(({ name }) => name.endsWith('.rs'))
  .map(({ name, text }) => ({ name, text: withoutTestModule(text) }));

/** The text of a Rust file up to its tests. */
function withoutTestModule(text: string): string {
  const start = text.search(/^#\[cfg\(test\)\]\nmod \w+ \{/m);
  return start < 0 ? text : text.slice(0, start);
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

interface MeasuredFunction {
  readonly name: string;
  readonly place: string;
  readonly lines: number;
}

function parse({ name, text }: Source): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
}

/** All functions with a body of statements, named or not. */
function functionsOf(source: Source): readonly MeasuredFunction[] {
  const file = parse(source);
  const found: MeasuredFunction[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
      const last = file.getLineAndCharacterOfPosition(node.end).line;
      const name = node.name?.getText(file).replace(/^#/, '') ?? '';
      found.push({ name, place: `${source.name}:${first + 1}`, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Functions of formatted Rust: from `fn` to the brace of the same depth. */
function rustFunctionsOf({ name, text }: Source): readonly MeasuredFunction[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const [, indent, fn] =
      /^(\s*)(?:pub(?:\([^)]*\))? )?(?:const |unsafe )*fn (\w+)/.exec(line) ?? [];
    if (fn === undefined || /;\s*$/.test(line)) return [];
    const end = lines.findIndex((other, at) => at >= index && other === `${indent}}`);
    return [{ name: fn, place: `${name}:${index + 1}`, lines: end - index + 1 }];
  });
}

const functions = [...typeScript.flatMap(functionsOf), ...rust.flatMap(rustFunctionsOf)];

describe('length', () => {
  test('no function has more than 70 lines', () => {
    expect(functions.length).toBeGreaterThan(1_000);
    const long = functions.filter(({ lines }) => lines > LIMITS.functionLines);
    expect(long).toEqual([]);
  });

  test('functions of more than 25 lines do not get more', () => {
    expect(functions.filter(({ lines }) => lines > 25).length).toBeLessThanOrEqual(
      AT_MOST.longFunctions,
    );
  });

  test('no file is longer than its limit, and long ones do not get more', () => {
    const over = (list: readonly Source[], max: number): readonly string[] =>
      list.filter(({ text }) => lineCount(text) > max).map(({ name }) => name);
    expect(over(typeScript, LIMITS.typeScriptFileLines)).toEqual([]);
    expect(over(rust, LIMITS.rustFileLines)).toEqual([]);
    expect(over(typeScript, 300).length).toBeLessThanOrEqual(AT_MOST.longFiles);
  });
});

describe('names', () => {
  test('of functions and methods are rarely one word', () => {
    const named = typeScript.flatMap(functionsOf).filter(({ name }) => /^\w+$/.test(name));
    const oneWord = named.filter(({ name }) => /^[a-z]+$/.test(name));
    expect((100 * oneWord.length) / named.length).toBeLessThanOrEqual(AT_MOST.oneWordNamesPercent);
  });

  test('of types stand in one room', () => {
    const rooms = new Map<string, Set<string>>();
    for (const { name, text } of typeScript) {
      const room = name.split('/')[1] ?? '';
      if (room === 'client') continue;
      for (const [, type = ''] of text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)) {
        rooms.set(type, (rooms.get(type) ?? new Set()).add(room));
      }
    }
    const found = [...rooms]
      .filter(([, of]) => of.size > 1)
      .map(([type, of]) => `${type}: ${[...of].join(', ')}`);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(AT_MOST.typeNamesInTwoRooms);
  });

  test('of private members are #x', () => {
    const found = typeScript.flatMap(({ name, text }) =>
      [...text.matchAll(/^\s*(?:private|protected) .*/gm)].map(
        ([line]) => `${name}: ${line.trim()}`,
      ),
    );
    // A constructor that only its own class may call has no other form.
    expect(found.filter((line) => !/private constructor\(/.test(line))).toEqual([]);
  });
});

/** What reads a clock of the system or waits by it, and objects with such members. */
const CLOCK_CALLS = /^(set|clear)(Timeout|Interval|Immediate)$/;
const CLOCK_MEMBERS =
  /^(performance\.(now|timeOrigin)|Date\.now|process\.hrtime|AbortSignal\.timeout)$/;

/** The code that may read clocks of the system, and why: all other code is passed `Timers`. */
const CLOCK_USERS: readonly (readonly [path: RegExp, why: string])[] = [
  [/^src\/rpc\/timers\.ts:/, 'the timers of the system'],
  [/^src\/client\/environment\.ts:/, 'the clock of the library, which imports nothing'],
  [/^src\/history\/postgres\/server-link\.ts:/, 'blocks its thread while it waits'],
  [/^src\/page\//, 'runs in browsers, where frames are drawn by requestAnimationFrame'],
  [/^src\/sim\//, 'a chain of its own beside the service, with processes and relays'],
  [
    /^src\/(follow|load|match|shadow|sources|verify)\//,
    'programs of the command line, in real time',
  ],
];

/** The uses of clocks of the system in a file's code, a line each. */
function clockUsesIn(source: Source): readonly string[] {
  const file = parse(source);
  const found: string[] = [];
  const isUse = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node)) return CLOCK_MEMBERS.test(node.getText(file));
    if (ts.isNewExpression(node))
      return node.expression.getText(file) === 'Date' && !node.arguments?.length;
    if (ts.isStringLiteral(node)) return /^node:timers(\/|$)/.test(node.text);
    return ts.isIdentifier(node) && CLOCK_CALLS.test(node.text);
  };
  const visit = (node: ts.Node): void => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    if (isUse(node)) found.push(`${source.name}:${line}: ${node.getText(file)}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('time', () => {
  test('is passed to all code but that which is listed', () => {
    const uses = typeScript.flatMap(clockUsesIn);
    expect(uses.filter((use) => !CLOCK_USERS.some(([path]) => path.test(use)))).toEqual([]);
    const idle = CLOCK_USERS.filter(([path]) => !uses.some((use) => path.test(use)));
    expect(idle, 'listed, and uses none').toEqual([]);
  });

  test.each([
    ['setTimeout(run, 1);', 1],
    ['const plan = globalThis.setImmediate;', 1],
    ['const { nowMs = Date.now } = options;', 1],
    ['const now = () => performance.now();', 1],
    ['const ageMs = new Date().getTime();', 1],
    ["import { setTimeout as sleep } from 'node:timers/promises';", 2],
    ['fetch(url, { signal: AbortSignal.timeout(5) });', 1],
    ['/** As `Date.now()` has it. */ const at = new Date(ms); timers.after(5, run);', 0],
  ])('as used in %s is seen', (text, count) => {
    expect(clockUsesIn({ name: 'a.ts', text })).toHaveLength(count);
  });
});

/** The comments of a source as one line of text, without their marks. */
function commentsIn({ text }: Source): string {
  return [...text.matchAll(/^\s*(?:\/\/[/!]?|\/?\*+)(?!\/) ?(.*)$/gm)]
    .map(([, words = '']) => words)
    .join(' ');
}

test('comments name their subject', () => {
  const phrases = sources.flatMap((source) => commentsIn(source).match(VAGUE) ?? []);
  expect(phrases.length).toBeLessThanOrEqual(AT_MOST.vaguePhrases);
  const text = '/**\n * What\n * it does.\n */\n/// Is behind.\nconst what = "nobody tells";\n';
  expect(commentsIn({ name: 'a.ts', text }).match(VAGUE)).toEqual(['What it', 'behind']);
});

/** A text without line breaks and comment marks, so that a phrase may be wrapped. */
function joinedText({ text }: Source): string {
  return text.replace(/\n\s*(\*|\/\/)?\s*/g, ' ');
}

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(path.join(root, name)))
  .map((name): Source => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));

/** The terms in a text that a reader cannot know. */
function riddlesIn(source: Source): readonly string[] {
  const { name } = source;
  const joined = joinedText(source);
  return RIDDLES.flatMap(([word, instead]) =>
    [...joined.matchAll(new RegExp(word, 'gi'))].map(
      ({ index }) =>
        `${name}: ...${joined.slice(Math.max(0, index - 40), index + 40)}... (say: ${instead})`,
    ),
  );
}

test('documents, help and error texts name Drift v2 and its servers', () => {
  const read = documents.filter(({ name }) => name !== 'docs/glossary.md');
  expect(read.length).toBeGreaterThan(15);
  expect([...read, ...typeScript].flatMap(riddlesIn)).toEqual([]);
  const wrapped = {
    name: 'a.md',
    text: 'as the system in\nproduction has it, see `test/incumbents`',
  };
  expect(riddlesIn(wrapped)).toHaveLength(1);
});

/** Exported declarations without a comment before them. */
function undocumentedIn(source: Source): readonly string[] {
  const file = parse(source);
  return file.statements
    .filter((node) => ts.canHaveModifiers(node))
    .filter((node) =>
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
    )
    .filter((node) => ts.getJSDocCommentsAndTags(node).length === 0)
    .map((node) => `${source.name}: ${node.getText(file).split('\n')[0]}`);
}

describe('documentation', () => {
  test('of every exported item', () => {
    expect(typeScript.flatMap(undocumentedIn)).toEqual([]);
    const bare = { name: 'a.ts', text: 'export const a = 1;\n/** B. */\nexport const b = 2;\n' };
    expect(undocumentedIn(bare)).toEqual(['a.ts: export const a = 1;']);
  });

  test('of the library has an example for every function and class', () => {
    const entries = ['index.ts', 'accounts/index.ts', 'chain/index.ts'];
    const paths = entries.map((entry) => path.join(root, 'src/client', entry));
    expect(missingExamples(paths).length).toBeLessThanOrEqual(AT_MOST.withoutExample);
  });
});

describe('tests in Rust', () => {
  const files = execFileSync('git', ['ls-files', '*.rs'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== '' && existsSync(path.join(root, name)));

  test('below tests/ are each a module of a program', () => {
    expect(files.filter((file) => file.includes('/tests/')).filter(isNamedByNone)).toEqual([]);
    expect(isNamedByNone('crates/book/tests/forgotten.rs')).toBe(true);
  });

  test('are not in programs, of which `cargo test` in scripts/test.mjs runs none', () => {
    const programs = files.filter((file) => /\/src\/(main\.rs|bin\/.*)$/.test(file));
    expect(programs.length).toBeGreaterThan(3);
    expect(
      programs.filter((file) => readFileSync(path.join(root, file), 'utf8').includes('#[test]')),
    ).toEqual([]);
  });
});

/** Cargo runs a file of tests/ by itself unless the crate says `autotests = false`; then a module names it. */
function isNamedByNone(file: string): boolean {
  const [crate = ''] = file.split(/\/(?:src|tests)\//);
  const manifest = readFileSync(path.join(root, crate, 'Cargo.toml'), 'utf8');
  if (file.endsWith('/tests/main.rs') || !manifest.includes('autotests = false')) return false;
  const { dir, name } = path.parse(file.replace(/\/mod\.rs$/, '.rs'));
  const namers = ['main.rs', 'mod.rs'].map((namer) => path.join(root, dir, namer));
  return !namers
    .filter((namer) => existsSync(namer))
    .some((namer) => readFileSync(namer, 'utf8').includes(`mod ${name};`));
}

/** What the entry points export as a value that can be called, without an `@example`. */
function missingExamples(entries: readonly string[]): readonly string[] {
  const program = ts.createProgram([...entries], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const callable = ts.SymbolFlags.Function | ts.SymbolFlags.Class;
  const exported = entries.flatMap((entry) => {
    const file = program.getSourceFile(entry);
    const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    return symbol === undefined ? [] : checker.getExportsOfModule(symbol);
  });
  expect(exported.length).toBeGreaterThan(50);
  return exported
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .filter(({ flags }) => (flags & callable) !== 0)
    .filter((symbol) => !symbol.getJsDocTags(checker).some(({ name }) => name === 'example'))
    .map(({ name }) => name);
}

describe('tests', () => {
  /** Of those that `npm test` runs. */
  const PROCESS_FILES_MAX = 18;
  /** They start git alone. */
  const others = ['test/documents.test.ts', 'test/tidy.test.ts'];

  test('that start processes stand in test/process and test/long', () => {
    const files = execFileSync('git', ['ls-files', 'src', 'test'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((name) => name.endsWith('.test.ts') && existsSync(path.join(root, name)));
    const elsewhere = files.filter((name) => !/^test\/(process|long)\//.test(name));
    const starting = elsewhere.filter((name) =>
      /from 'node:child_process'/.test(readFileSync(path.join(root, name), 'utf8')),
    );
    expect(starting).toEqual(others);
    const short = files.filter((name) => name.startsWith('test/process/'));
    expect(short.length).toBeLessThanOrEqual(PROCESS_FILES_MAX);
  });
});
