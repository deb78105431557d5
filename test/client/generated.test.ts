/** The generated sources of the client library are those of the schemas and lists of the service. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientSources } from '../support/client-sources.js';

const folder = new URL('../../src/client/generated/', import.meta.url);

test('the readers and lists of the client library are those of the service', () => {
  const sources = clientSources();
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of sources) writeFileSync(new URL(name, folder), text);
  }
  expect(readdirSync(folder).sort()).toEqual([...sources.keys()].sort());
  for (const [name, text] of sources)
    expect(readFileSync(new URL(name, folder), 'utf8')).toBe(text);
});
