/** Every sentence of the specification that this version answers for has a test named after it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LATER, SENTENCE_SETS, SENTENCES } from './support/spec-sentences.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
const self = 'spec-coverage.test.ts';

/** The ids that begin the names of tests: `test('rule-4: each side holds ...'`. */
function testedIds(): string[] {
  const files = readdirSync(folder).filter((name) => /^spec-.*\.test\.ts$/.test(name));
  const texts = files.filter((name) => name !== self).map((name) => readFileSync(folder + name));
  const names = texts.flatMap((text) => [...text.toString().matchAll(/\btest\(\s*'([^':]+): /g)]);
  return names.map(([, id]) => id ?? '');
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
