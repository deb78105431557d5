/** Nothing that docs/licences.md lists has a licence that is not allowed; test/process/rust.test.ts compares it with the lock files. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const written = readFileSync(path.join(root, 'docs', 'licences.md'), 'utf8');

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

/** Whether a range of `engines` admits a version: one of its alternatives, by all of its terms. */
function admitsVersion(range: string, version: readonly number[]): boolean {
  return range.split('||').some((terms) => {
    const found = [...terms.matchAll(/(>=|>|\^|)\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?/g)];
    return found.every(([, sign, ...parts]) => {
      const bound = parts.map((part) => Number(part ?? 0));
      const at = version.findIndex((part, index) => part !== bound[index]);
      const isAbove = at < 0 || (version[at] ?? 0) > (bound[at] ?? 0);
      return isAbove && (sign === '>=' || sign === '>' || version[0] === bound[0]);
    });
  });
}

test('every package admits the oldest Node.js that package.json admits, so that npm warns of none', () => {
  const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const oldest = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.slice(1).map(Number) ?? [];
  expect(oldest).toHaveLength(2);
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ engines?: { node?: string } }>(lock.packages);
  const warned = installed.filter(
    ([, { engines: asked }]) => !admitsVersion(asked?.node ?? '>=0', [...oldest, 0]),
  );
  expect(warned).toEqual([]);
});
