/** Every sentence of the specification that this version answers for has a test that names it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LATER, SENTENCE_SETS, SENTENCES } from './support/spec-sentences.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const TESTS = /\.test\.ts$|\/tests\/.*\.rs$/;

/** The ids in comments before tests, `Specification: rule-4, shape-l2.`, and those that begin names in `spec-*.test.ts`. */
function testedIds(): string[] {
  const files = ['crates', 'src', 'test'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${String(name)}`),
  );
  return files
    .filter((file) => TESTS.test(file) && !file.includes('node_modules'))
    .flatMap((file) => {
      const text = readFileSync(root + file, 'utf8');
      const listed = [...text.matchAll(/^ *\/\/ Specification: ([^.]+)\./gm)];
      const ids = listed.flatMap(([, list = '']) => list.split(/[\s,/]+/));
      if (!file.startsWith('test/spec-')) return ids;
      return [...ids, ...[...text.matchAll(/\btest\(\s*'([^':]+): /g)].map(([, id = '']) => id)];
    });
}

describe('the specification', () => {
  const tested = testedIds();

  test.each(Object.entries(SENTENCES))('%s is tested: %s', (id) => {
    expect(tested).toContain(id);
  });

  test('no two sentences have one id', () => {
    const ids = SENTENCE_SETS.flatMap((sentences) => Object.keys(sentences));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.sort()).toEqual(Object.keys(SENTENCES).sort());
  });

  test('no test answers for a sentence that is not there', () => {
    const known = new Set<string>(Object.keys(SENTENCES));
    expect(tested.filter((id) => !known.has(id))).toEqual([]);
  });

  test('no sentence is left for later that is tested already', () => {
    expect(Object.keys(LATER).filter((id) => tested.includes(id))).toEqual([]);
  });
});
