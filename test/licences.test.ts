/** docs/licences.md lists what the lock files install, and nothing of it has a licence that is not allowed. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const file = path.join(root, 'docs', 'licences.md');

/** Licences that ask for no more than a notice. */
const allowed = [
  'Apache-2.0',
  'BSD-1-Clause',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unicode-3.0',
  'Unlicense',
];

/** Packages of another licence; docs/licences.md says why each is there. */
const exceptions = ['rpc-websockets'];

/** Whether a licence can be chosen: of `A OR B` one of them, of `A AND B` both. */
function isAllowed(licence: string): boolean {
  const terms = licence.replaceAll(/[()*]/g, '').split(' AND ');
  return terms.every((term) => term.split(' OR ').some((one) => allowed.includes(one.trim())));
}

const written = execFileSync(process.execPath, ['scripts/licences.mjs'], {
  cwd: root,
  encoding: 'utf8',
});

test('docs/licences.md is what the lock files install', () => {
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, written);
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test('every package has a licence that is allowed, but for those named', () => {
  const rows = [...written.matchAll(/^\| (\S+) \| [\w.+-]+ \| (.+) \|$/gm)].filter(
    ([, name]) => name !== 'Name',
  );
  expect(rows.length).toBeGreaterThan(100);
  const others = rows.filter(([, , licence = '']) => !isAllowed(licence)).map(([, name]) => name);
  expect(others).toEqual(exceptions);
});

test('a licence is judged by what can be chosen of it', () => {
  expect(['MIT OR GPL-3.0', 'Unlicense *', '(MIT OR X) AND ISC'].map(isAllowed)).toEqual(
    Array(3).fill(true),
  );
  expect(['GPL-3.0', 'MIT AND GPL-3.0', 'none'].map(isAllowed)).toEqual(Array(3).fill(false));
});
