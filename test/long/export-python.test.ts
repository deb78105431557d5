/** What pandas and hftbacktest make of an export: the levels that the service showed last. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { exportRows } from '../../src/app/export-command.js';
import {
  cleanUp,
  JournalRig,
  journalOfLife,
  LiveBook,
  newFolder,
} from '../../src/journal/testing.js';

/** A Python that has the packages: the long form installs them. */
const PYTHON = process.env['EXPORT_PYTHON'];
const LOADER = fileURLToPath(new URL('python/load_export.py', import.meta.url));
const MARKET = 'SOL-PERP';
const [TICK, LOT] = ['0.0001', '0.01'];

type Level = readonly [side: string, price: number, amount: number];

interface Loaded {
  readonly csv: readonly Level[];
  readonly parquet: readonly Level[];
  readonly hftbacktest: readonly Level[];
  readonly types: Readonly<Record<string, string>>;
}

afterEach(cleanUp);

function load(...files: readonly string[]): Loaded {
  const { stdout, stderr } = spawnSync(PYTHON ?? '', ['-B', LOADER, ...files, TICK, LOT], {
    encoding: 'utf8',
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(stderr);
  return JSON.parse(last) as Loaded;
}

/** The levels of orders of the last /l2 that was shown. */
function lastLevels(shown: ReadonlyMap<string, string>): readonly string[] {
  const lines = [...shown.values()].at(-1)?.split('\n').slice(1) ?? [];
  const l2 = lines.filter((_, at) => at % 2 === 0).map((line) => JSON.parse(line));
  const { bids, asks } = l2.find(({ marketName }) => marketName === MARKET);
  const of = (side: string, rows: readonly { price: string; sources: { dlob?: string } }[]) =>
    rows.flatMap(({ price, sources: { dlob } }) =>
      dlob === undefined ? [] : [`${side} ${Number(price) / 1e6} ${Number(dlob) / 1e9}`],
    );
  return [...of('bid', bids), ...of('ask', asks)].sort();
}

test('pandas and hftbacktest have the levels of the last book of two runs', async () => {
  const { folder } = await journalOfLife();
  const book = new LiveBook({ seed: 4, epoch: 'second', slot: 60, parts: 5 });
  const rig = new JournalRig(book, { folder });
  await rig.write(20);
  await rig.service.stop();
  const place = newFolder();
  const never = new AbortController().signal;
  const files: string[] = [];
  for (const format of ['tardis-csv', 'parquet']) {
    const out = path.join(place, `book.${format.split('-').at(-1)}`);
    expect(await exportRows(folder, { market: MARKET, format, out }, never)).toBe(true);
    files.push(out);
  }
  const { csv, parquet, hftbacktest, types } = load(...files);
  const expected = lastLevels(book.shown);
  expect(expected.length).toBeGreaterThan(10);
  for (const levels of [csv, parquet, hftbacktest]) {
    expect(levels.map((level) => level.join(' ')).sort()).toEqual(expected);
  }
  expect(types).toMatchObject({ ts: 'datetime64[ms, UTC]', seq: 'int64', price: 'object' });
});
