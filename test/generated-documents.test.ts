/** What documents repeat of the service's lists and bodies is what the service has. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { FEED_STATES } from '../src/contract/feed-status.js';
import {
  RESOLUTION_NAMES,
  resolutionOf,
  resolutionSecondsMax,
} from '../src/contract/resolutions.js';
import { SCHEMA_FILES } from '../src/server/api/message-schemas.js';
import { recordTables } from './support/record-tables.js';
import { withLists, withShared } from './support/shared-lists.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (name: string): string => readFileSync(`${root}${name}`, 'utf8');
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

test.each(SCHEMA_FILES)('docs/schemas/%s.json', (file) => {
  const name = `docs/schemas/${file}.json`;
  const schema = JSON.parse(read(name));
  const expected = withShared(file, schema);
  if (isUpdate && !isDeepStrictEqual(schema, expected)) {
    writeFileSync(`${root}${name}`, `${JSON.stringify(expected, null, 2)}\n`);
  }
  expect(JSON.parse(read(name))).toEqual(expected);
});

test.each([
  ['docs/market-data.md', 1],
  ['docs/market-streams.md', 2],
  ['docs/udf.md', 1],
  ['docs/book.md', 1],
])('%s has the lists of the service', (name, count) => {
  const expected = withLists(read(name));
  if (isUpdate) writeFileSync(`${root}${name}`, expected);
  expect(expected.match(/<!-- list: /g)).toHaveLength(count);
  expect(read(name)).toBe(expected);
});

test.each([
  ['market_data.py', 'RESOLUTION_S', `{${secondsByName().join(', ')}}`],
  ['rows.py', 'State', `Literal[${FEED_STATES.map((state) => `"${state}"`).join(', ')}]`],
])('%s of the Python package has %s as the service has it', (file, list, text) => {
  const name = `python/slotbook/${file}`;
  const expected = read(name).replace(new RegExp(`^${list} = .*$`, 'm'), `${list} = ${text}`);
  if (isUpdate) writeFileSync(`${root}${name}`, expected);
  expect(expected).toContain(`${list} = ${text}`);
  expect(read(name)).toBe(expected);
});

/** The lengths of candles, as a Python dictionary has them. */
function secondsByName(): readonly string[] {
  return RESOLUTION_NAMES.map((name) => `"${name}": ${resolutionSecondsMax(resolutionOf(name))}`);
}

test('the tables by which records are written are those of the schemas of their bodies', () => {
  const name = 'crates/wire/src/generated/record_tables.rs';
  const expected = recordTables();
  if (isUpdate) writeFileSync(`${root}${name}`, expected);
  expect(read(name)).toBe(expected);
});
