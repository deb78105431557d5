/** The documents name files and limits that there are. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && existsSync(path.join(root, name)));

const documents = tracked.filter(
  (name) => /\.md$/.test(name) && !/CHANGELOG|results|node_modules|^test\//.test(name),
);

/** Paths from the root in backticks, such as `src/feed/live-feed.ts` or `crates/book`. */
function pathsIn(text: string): readonly string[] {
  const pattern = /`((?:src|crates|test|bench|docs|ops|scripts|examples)\/[\w./*-]*)`/g;
  return [...text.matchAll(pattern)].map(([, found]) => found ?? '');
}

/** The targets of links to files of the repository. */
function linksIn(text: string): readonly string[] {
  const pattern = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
  return [...text.matchAll(pattern)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^\w+:/.test(target));
}

/** Links to headings, of this document or another one: the file, and what GitHub calls the heading. */
function headingLinksIn(name: string, text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].map(([, file = '', heading = '']) => [
    file === '' ? name : path.join(path.dirname(name), file),
    heading,
  ]);
}

/** The names by which the headings of a document are linked to. */
function headingsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
  return new Set(titles.map((title) => title.replace(/[^\w\s-]/g, '').replace(/ /g, '-')));
}

describe.each(documents)('%s', (name) => {
  test('names files and folders that there are', () => {
    const missing = pathsIn(read(name))
      .map((found) => found.replace(/\/$/, ''))
      .filter((found) => !found.includes('*') && !existsSync(path.join(root, found)));
    expect(missing).toEqual([]);
  });

  test('links to files that there are', () => {
    const missing = linksIn(read(name)).filter(
      (target) => !existsSync(path.join(root, path.dirname(name), target)),
    );
    expect(missing).toEqual([]);
  });
});

/** A document with each file that it shows, between its two comments, as the file is. */
function withFiles(document: string): string {
  const pattern = /(<!-- file: (\S+) -->\n)[\s\S]*?(<!-- file end -->)/g;
  return document.replace(pattern, (_, begin: string, name: string, end: string) => {
    return `${begin}\n\`\`\`\n${read(name)}\`\`\`\n\n${end}`;
  });
}

test('the documents show the files of ops as they are, each of them', () => {
  const names = documents.filter((name) => read(name).includes('<!-- file: '));
  const written = names.map((name) => withFiles(read(name)));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    for (const [at, name] of names.entries())
      writeFileSync(path.join(root, name), written[at] ?? '');
  }
  const document = names.map(read).join('\n');
  expect(document).toBe(written.join('\n'));
  const shown = [...document.matchAll(/<!-- file: (\S+) -->/g)].map(([, file]) => file);
  const kept = tracked.filter((file) => file.startsWith('ops/'));
  // A board is drawn, not read: it is named alone.
  const [named, whole] = [true, false].map((is) =>
    kept.filter((file) => file.endsWith('.json') === is),
  );
  expect(shown.sort()).toEqual(whole?.sort());
  expect(named?.filter((file) => !document.includes(file))).toEqual([]);
});

test('links to headings lead to headings that there are', () => {
  const links = documents.flatMap((name) => headingLinksIn(name, read(name)));
  expect(links.length).toBeGreaterThan(50);
  const dead = links.filter(([file, heading]) => !headingsOf(read(file)).has(heading));
  expect(dead).toEqual([]);
});

test('a path or a link to nothing would be seen', () => {
  expect(headingLinksIn('docs/a.md', '[one](#two) [three](api.md#four)')).toEqual([
    ['docs/a.md', 'two'],
    ['docs/api.md', 'four'],
  ]);
  expect([...headingsOf('## GET /market/{symbol}/x')]).toEqual(['get-marketsymbolx']);
  expect(pathsIn('see `src/nothing/here.ts` and `docs/api.md`')).toHaveLength(2);
  expect(linksIn('[one](gone.md#part) and [two](https://host.example)')).toEqual(['gone.md']);
});

test('ARCHITECTURE.md has a line for each folder of the large rooms, and for no other', () => {
  const folders = tracked
    .filter((name) => /^src\/(server|feed|history|journal|rpc|sim)\/[\w-]+\/.*\.ts$/.test(name))
    .map((name) => name.split('/').slice(0, 3).join('/'))
    .filter((folder) => !folder.endsWith('/testing'));
  const listed = [...read('ARCHITECTURE.md').matchAll(/^\| `(src\/\w+\/[\w-]+)` \|/gm)];
  const names = listed.map(([, folder]) => folder).sort();
  expect(names).toEqual([...new Set(folders)].sort());
});

test('docs/limits.md and docs/bounds.md name constants that there are', () => {
  const sources = tracked
    .filter((name) => /^(src|crates)\/.*\.(ts|rs)$/.test(name) && !name.includes('.test.'))
    .map(read)
    .join('\n');
  const tables = `${read('docs/limits.md')}\n${read('docs/bounds.md')}`;
  const rows = [...tables.matchAll(/^\|.*\|([^|]+)\|$/gm)];
  const names = rows.flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, constant = '']) => constant.replace(/^.*\./, '')),
  );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((constant) => !new RegExp(`\\b${constant}\\b`).test(sources))).toEqual([]);
});

/** The rows of a Markdown table, as the texts of their cells. */
function tableRowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(/ +\| +/));
}

/** Times, sizes and ratios, such as `68.7 us` and `59.7x`. */
const figuresIn = (text: string): readonly string[] =>
  text.match(/(?<![\w.])\d[\d.]*(x| (ns|us|ms|s|B)\b)/g) ?? [];

/** The figures of a row of README that the results do not have in the row which it names and links to. */
function unmeasuredIn(cells: readonly string[]): readonly string[] {
  const [, name = '', file = ''] = /^\[row (\S+)\]\((\S+)\)$/.exec(cells.at(-1) ?? '') ?? [];
  const rows = tableRowsOf(read(file)).filter(([first]) => first === name);
  const measured = figuresIn(rows.flat().join(' '));
  const claimed = figuresIn(cells.join(' '));
  expect(claimed.length).toBeGreaterThan(0);
  return claimed.filter((figure) => !measured.includes(figure));
}

test('README has five figures, each of the row of the results that it links to', () => {
  const rows = tableRowsOf(read('README.md')).filter((cells) => /^\[row /.test(cells.at(-1) ?? ''));
  expect(rows).toHaveLength(5);
  expect(rows.flatMap(unmeasuredIn)).toEqual([]);
  const [[figure = '', , ...others] = []] = rows;
  expect(unmeasuredIn([figure, '1.15 us', ...others])).toEqual(['1.15 us']);
});
