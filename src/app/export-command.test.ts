import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Duckdb, withDuckdb } from '../../test/support/duckdb.js';
import { oddUser } from '../../test/support/odd-accounts.js';
import { formatDecimal, formatFixedDecimal } from '../amounts/decimals.js';
import { readSegments } from '../journal/store/segment-index.js';
import { segmentName } from '../journal/store/segment-name.js';
import { cleanUp, JournalRig, journalOfLife, LiveBook, newFolder } from '../journal/testing.js';
import { Direction } from '../sim/bytes/generated/enums.js';
import { FEW_MARKETS } from '../sim/bytes/market-presets.js';
import { type ExportFlags, exportRows } from './export-command.js';

afterEach(cleanUp);

const MARKET = 'SOL-PERP';
const never = new AbortController().signal;

/** The markets of the local chain; SOL has makers, and its decimals differ from the nine of body sizes. */
const PRESETS = {
  ...FEW_MARKETS,
  spots: FEW_MARKETS.spots.map((spot) => ({ ...spot, decimals: 7 })),
  partsOf: () => 1,
};

async function exported(folder: string, flags: ExportFlags = {}): Promise<string> {
  const out = path.join(newFolder(), `out.${flags.format?.split('-').at(-1) ?? 'csv'}`);
  expect(await exportRows(folder, { market: MARKET, out, ...flags }, never)).toBe(true);
  expect(existsSync(`${out}.part`)).toBe(false);
  return out;
}

/** The compared parts of a shown /l2 or /l3 body. */
interface Shown {
  readonly ts: number;
  readonly seq: number;
  readonly slot: number;
  readonly bids: readonly ShownRow[];
  readonly asks: readonly ShownRow[];
}

interface ShownRow {
  readonly price: string;
  readonly size: string;
  readonly sources: { readonly dlob?: string };
  readonly maker: string;
  readonly orderId: number;
}

/** The /l2 or the /l3 bodies of a market at each moment, which are stored alternately. */
function bodiesOf(
  shown: ReadonlyMap<string, string>,
  kind: 'l2' | 'l3',
  market: string,
): readonly Shown[] {
  return [...shown.values()].flatMap((text) =>
    text
      .split('\n')
      .slice(1)
      .filter((_, at) => at % 2 === ['l2', 'l3'].indexOf(kind))
      .map((line) => JSON.parse(line))
      .filter(({ marketName }) => marketName === market),
  );
}

/** The rows of a body as texts: side, price and amount as decimals, and the identity of an order. */
function textsOf(
  { bids, asks }: Shown,
  textOf: (row: ShownRow) => string | undefined,
): readonly string[] {
  return [...bids.map((row) => ['bid', row] as const), ...asks.map((row) => ['ask', row] as const)]
    .flatMap(([side, row]) => {
      const text = textOf(row);
      return text === undefined ? [] : [`${side} ${formatDecimal(BigInt(row.price), 6)} ${text}`];
    })
    .sort();
}

const amountText = (size: string): string => formatDecimal(BigInt(size), 9);
const levelText = ({ sources: { dlob } }: ShownRow): string | undefined =>
  dlob === undefined ? undefined : amountText(dlob);
const orderText = ({ size, maker, orderId }: ShownRow): string =>
  `${amountText(size)} ${maker} ${orderId}`;

/** The levels at a moment, according to the rows of a file. */
async function levelsAt(duckdb: Duckdb, file: string, until: string): Promise<readonly string[]> {
  const rows = await duckdb.query(
    `select side, price::double, arg_max(amount, moment)::double as last
     from (select *, ${file.endsWith('csv') ? '"timestamp"' : 'seq'} as moment from '${file}')
     where moment <= ${until} group by side, price having last > 0`,
  );
  return rows.map(([side, price, amount]) => `${side} ${price} ${amount}`).sort();
}

/** The orders at a moment, likewise. */
async function ordersAt(duckdb: Duckdb, file: string, seq: number): Promise<readonly string[]> {
  const rows = await duckdb.query(
    `select side, price::double, amount::double, maker, orderId from '${file}' where seq <= ${seq}
     qualify row_number() over (partition by maker, orderId order by seq desc) = 1 and action <> 'remove'`,
  );
  return rows.map((row) => row.join(' ')).sort();
}

test('DuckDB makes the levels of each /l2 of an export in any format, of any market', async (context) => {
  const { folder, book } = await journalOfLife({ presets: PRESETS });
  await withDuckdb(context, async (duckdb) => {
    for (const market of [MARKET, 'SOL']) {
      const bodies = bodiesOf(book.shown, 'l2', market);
      expect(bodies.some(({ bids }) => bids.length > 0)).toBe(true);
      for (const format of ['tardis-csv', 'parquet', 'jsonl']) {
        const file = await exported(folder, { market, format });
        for (const body of bodies.filter((_, at) => at % 7 === 0)) {
          const until = format === 'tardis-csv' ? `${body.ts}000` : `${body.seq}`;
          const found = await levelsAt(duckdb, file, until);
          expect(found, `${market} ${format} ${until}`).toEqual(textsOf(body, levelText));
        }
      }
    }
  });
});

test('DuckDB makes the orders of each /l3 of an export', async (context) => {
  const { folder, book } = await journalOfLife();
  await withDuckdb(context, async (duckdb) => {
    for (const format of ['parquet', 'jsonl']) {
      const file = await exported(folder, { channel: 'orders', format });
      for (const body of bodiesOf(book.shown, 'l3', MARKET).filter((_, at) => at % 7 === 0)) {
        const found = await ordersAt(duckdb, file, body.seq);
        expect(found, `${format} ${body.seq}`).toEqual(textsOf(body, orderText));
      }
      const actions = await duckdb.query(`select distinct action from '${file}' order by action`);
      expect(actions).toEqual([['add'], ['change'], ['remove']]);
    }
  });
});

test('an order that is gone has the price and the size that it had', async (context) => {
  const { folder } = await journalOfLife();
  const file = await exported(folder, { channel: 'orders', format: 'parquet' });
  await withDuckdb(context, async ({ query }) => {
    const differing = await query(
      `select count(*) from (
         select action, [side, price::text, amount::text] as now,
           lag(now) over (partition by maker, orderId order by seq) as before from '${file}')
       where action = 'remove' and now <> before`,
    );
    expect(differing).toEqual([['0']]);
  });
});

test('the columns of a file have the types that its readers expect', async (context) => {
  const { folder } = await journalOfLife();
  const typesOf = async ({ query }: Duckdb, file: string): Promise<readonly string[]> =>
    (await query(`describe from '${file}'`)).map(([name, type]) => `${name} ${type}`);
  const head = ['ts TIMESTAMP', 'slot BIGINT', 'epoch VARCHAR', 'seq BIGINT', 'isSnapshot BOOLEAN'];
  const tail = ['side VARCHAR', 'price DECIMAL(38,6)', 'amount DECIMAL(38,9)'];
  await withDuckdb(context, async (duckdb) => {
    const levels = await exported(folder, { format: 'parquet' });
    expect(await typesOf(duckdb, levels)).toEqual([...head, ...tail]);
    const orders = await exported(folder, { format: 'parquet', channel: 'orders' });
    const own = ['action VARCHAR', 'maker VARCHAR', 'orderId BIGINT'];
    expect(await typesOf(duckdb, orders)).toEqual([...head, ...own, ...tail]);
  });
});

/** Three asks at the highest price, each of the largest signed size: together they have more than 64 bits. */
async function journalOfLargest(): Promise<string> {
  const folder = newFolder();
  const book = new LiveBook({ seed: 3 });
  const rig = new JournalRig(book, { folder });
  await rig.write(1);
  const ask = { price: HIGHEST, baseAssetAmount: LARGEST, direction: Direction.Short };
  for (const seed of [1, 2, 3]) {
    const { data, ...account } = oddUser({ seed }, [ask]);
    const text = data.toString('base64');
    book.engine.push({ ...account, slot: book.slot, data: text, encoding: 'base64' });
  }
  await rig.write(1);
  await rig.service.stop();
  return folder;
}

const HIGHEST = (2n ** 64n / 100n) * 100n;
const LARGEST = ((2n ** 63n - 1n) / 10_000_000n) * 10_000_000n;

test('prices and sizes are exact, also the largest that the program takes', async (context) => {
  const folder = await journalOfLargest();
  const [price, level, size] = [HIGHEST / 10n ** 6n, 3n * LARGEST, LARGEST];
  for (const format of ['tardis-csv', 'jsonl']) {
    const text = readFileSync(await exported(folder, { format }), 'utf8');
    const lines = text.split('\n').filter((line) => line.includes(`${price}.`));
    expect(lines.map((line) => line.includes(formatDecimal(level, 9)))).toEqual([true]);
  }
  await withDuckdb(context, async ({ query }) => {
    for (const [channel, amount] of [
      ['book', level],
      ['orders', size],
    ] as const) {
      const file = await exported(folder, { channel, format: 'parquet' });
      const highest = `select max(price)::text, arg_max(amount, price)::text from '${file}'`;
      const texts = [formatFixedDecimal(HIGHEST, 6), formatFixedDecimal(amount, 9)];
      expect(await query(highest)).toEqual([texts]);
    }
  });
});

/** Two runs, each of which reads its accounts in several turns; the clock was set back before the second. */
async function journalOfRuns(): Promise<{
  readonly folder: string;
  readonly runs: readonly [LiveBook, LiveBook];
}> {
  const folder = newFolder();
  const runs = [
    new LiveBook({ seed: 3, parts: 5 }),
    new LiveBook({ seed: 4, epoch: 'second', slot: 25, parts: 5 }),
  ] as const;
  for (const book of runs) {
    const rig = new JournalRig(book, { folder });
    await rig.write(30);
    await rig.service.stop();
  }
  return { folder, runs };
}

/** The shown bodies of each moment of two runs; for shared moments, those of the second run. */
function shownOfRuns([first, second]: readonly [LiveBook, LiveBook]) {
  const [start = ''] = second.shown.keys();
  const startMs = Number(start.split(' ')[1]);
  return (['l2', 'l3'] as const).map((kind) => [
    ...bodiesOf(first.shown, kind, MARKET).filter(({ ts }) => ts < startMs),
    ...bodiesOf(second.shown, kind, MARKET),
  ]);
}

test('the SQL of the document gives the book and the orders of each moment', async (context) => {
  const document = readFileSync('docs/past.md', 'utf8');
  const queries = [...document.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);
  const { folder, runs } = await journalOfRuns();
  const place = newFolder();
  const toPlace = { market: MARKET, format: 'parquet' };
  await exportRows(folder, { ...toPlace, out: path.join(place, 'sol.parquet') }, never);
  const orders = { ...toPlace, channel: 'orders', out: path.join(place, 'orders.parquet') };
  await exportRows(folder, orders, never);
  const [levels = [], resting = []] = shownOfRuns(runs);
  expect(levels.length).toBeGreaterThan(40);
  await withDuckdb(context, async ({ query }) => {
    await query(`set file_search_path = '${place}'`);
    // Times of the file are in UTC, whatever the machine's time zone.
    await query("set TimeZone = 'Asia/Tokyo'");
    for (const [at, level] of levels.entries()) {
      const moment = new Date(level.ts).toISOString().slice(0, -1);
      const rows = queries.map((sql) =>
        query(sql.replace(/timestamp '[^']*'/, `timestamp '${moment}'`)),
      );
      const found = (await Promise.all(rows)).map((all) => all.map(textOfRow).sort());
      const order = resting[at];
      if (order === undefined) throw new Error('both are shown at each moment');
      expect(found, moment).toEqual([textsOf(level, levelText), textsOf(order, orderText)]);
    }
  });
});

/** A row whose first cells are side, price and amount, in the format of {@link textsOf}. */
function textOfRow([side, price, amount, ...others]: readonly unknown[]): string {
  const plain = (decimal: unknown): string => `${decimal}`.replace(/\.?0+$/, '');
  return [side, plain(price), plain(amount), ...others].join(' ');
}

test('an export of a part begins with the book as it was, and ends in time', async () => {
  const { folder, book } = await journalOfLife();
  const [from, to] = [1_750_000_010_000, 1_750_000_014_800];
  const file = await exported(folder, { from: `${from}`, to: `${to}`, format: 'jsonl' });
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const before = bodiesOf(book.shown, 'l2', MARKET).findLast(({ ts }) => ts < from);
  const snapshot = rows.filter(({ isSnapshot }) => isSnapshot);
  expect(snapshot[0]).toMatchObject({ seq: before?.seq, ts: before?.ts });
  const levels = snapshot.map(({ side, price, amount }) => `${side} ${price} ${amount}`);
  expect(levels.sort()).toEqual(before === undefined ? [] : textsOf(before, levelText));
  const later = rows.slice(snapshot.length).map(({ ts }) => ts);
  expect([Math.min(...later) >= from, Math.max(...later)]).toEqual([true, to]);
});

describe('of a journal with a damaged file', () => {
  /** The rows and the messages of a journal whose second file is damaged. */
  async function exportedOfSpoilt(spoil: (bytes: Buffer) => Buffer, flags: ExportFlags = {}) {
    const { folder } = await journalOfLife();
    const to = readSegments(folder, null).segments[2]?.first;
    const file = path.join(folder, segmentName(2));
    writeFileSync(file, spoil(readFileSync(file)));
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const out = await exported(folder, { format: 'jsonl', ...flags });
    const lines = said.mock.calls.map(([line]) => `${line}`);
    const holes = lines.filter((line) => !line.endsWith(` written to ${out}\n`));
    expect(lines.length).toBeGreaterThan(holes.length);
    said.mockRestore();
    const rows = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { rows, holes, to };
  }

  test('a line says what is lost', async () => {
    const { holes, to } = await exportedOfSpoilt((bytes) => bytes.subarray(0, -1));
    const line = new RegExp(`^hole: ${segmentName(2)}: [A-Z_]+: .* to slot ${to?.slot}\n$`);
    expect(holes).toEqual([expect.stringMatching(line)]);
  });

  test('what comes behind its last moment is not looked at', async () => {
    const { rows, holes, to } = await exportedOfSpoilt((bytes) => bytes.subarray(0, -1), {
      to: `${1_750_000_010_000}`,
    });
    expect([holes, (to?.ts ?? 0) > rows.at(-1).ts]).toEqual([[], true]);
  });
});

test('lines are those of Tardis: its columns, times in microseconds, no trailing zeros', async () => {
  const { folder } = await journalOfLife();
  const [head, first] = readFileSync(await exported(folder), 'utf8').split('\n');
  expect(head).toBe('exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount');
  expect(first).toMatch(
    /^slotbook,SOL-PERP,1750000000000000,1750000000000000,true,bid,\d+(\.\d*[1-9])?,\d+(\.\d*[1-9])?$/,
  );
});

test('an export that is stopped or fails leaves no file', async () => {
  const { folder } = await journalOfLife();
  const out = path.join(newFolder(), 'out');
  expect(await exportRows(folder, { market: MARKET, out }, AbortSignal.abort())).toBe(false);
  await expect(exportRows(folder, { market: 'X-PERP', out }, never)).rejects.toThrow(
    '--market was X-PERP, must be a market of the journal in this time',
  );
  expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, false]);
});

test.each<readonly [ExportFlags, string]>([
  [{ channel: 'bbo' }, '--channel was bbo, must be one of book, trades, orders'],
  [{ format: 'xml' }, '--format was xml, must be one of tardis-csv, parquet, jsonl'],
  [
    { channel: 'orders', format: 'tardis-csv' },
    '--format was tardis-csv, must be one of parquet, jsonl for --channel orders',
  ],
  [{ from: 'noon' }, '--from was noon, must be unix milliseconds or a time'],
  [
    { from: '2026-02-30' },
    '--from was 2026-02-30, must be unix milliseconds or a time such as 2026-11-01T12:00Z',
  ],
  [
    { from: '2030-01-01' },
    '--from was 2030-01-01, must be a time of the journal, which has 2025-06-15T15:06:40.000Z to 2025-06-15T15:07:03.600Z',
  ],
  [
    { to: '2020-01-01' },
    '--to was 2020-01-01, must be a time of the journal, which has 2025-06-15',
  ],
  [
    { market: 'X-PERP', from: '2025-01-01' },
    '--market was X-PERP, must be a market of the journal',
  ],
  [{ to: '350000000' }, '--to was 350000000, must be unix milliseconds or a time'],
  [{ from: '2026-11-02T00:00Z', to: '2026-11-01T00:00Z' }, 'must not be before --from'],
])('what is wrong with the flags %j is one line', async (flags, text) => {
  const { folder } = await journalOfLife();
  const failed = exportRows(folder, { market: MARKET, ...flags }, never);
  await expect(failed).rejects.toThrow(text);
  await expect(failed).rejects.not.toThrow('\n');
});

test('a time in a gap, a folder without a journal and a book without orders are told apart', async () => {
  const { folder } = await journalOfLife();
  rmSync(path.join(folder, segmentName(2)));
  const gap = { market: MARKET, from: '2025-06-15T15:06:50', to: '2025-06-15T15:06:51' };
  await expect(exportRows(folder, gap, never)).rejects.toThrow(
    /^--from was 2025-06-15T15:06:50 and --to was 2025-06-15T15:06:51, must be a time of the journal, which has .*, with gaps$/,
  );
  const place = newFolder();
  await expect(exportRows(place, { market: MARKET }, never)).rejects.toThrow(
    `DIR was ${place}, must be a folder with a journal`,
  );
  await expect(exportRows(folder, { market: 'USDC' }, never)).rejects.toThrow(
    '--market was USDC, must be a market with a book that is not empty always',
  );
});

test('an export keeps links, and writes to a device as it is', async () => {
  const { folder } = await journalOfLife();
  const file = await exported(folder);
  const link = path.join(newFolder(), 'link.csv');
  writeFileSync(`${link}.target`, 'of before');
  symlinkSync(`${link}.target`, link);
  await exportRows(folder, { market: MARKET, out: link }, never);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(`${link}.target`).equals(readFileSync(file))).toBe(true);
  const device = openSync('/dev/null', 'w');
  const out = `/proc/self/fd/${device}`;
  expect(await exportRows(folder, { market: MARKET, out }, never)).toBe(true);
  closeSync(device);
});

describe('an export to standard output', () => {
  /** Exports into a pipe whose every write ends with this error, and returns the written text. */
  async function piped(flags: ExportFlags, error: Error | null) {
    const { folder } = await journalOfLife();
    const file = await exported(folder, flags);
    const pieces: Uint8Array[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((bytes, done) => {
      pieces.push(bytes as Uint8Array);
      (done as unknown as (error: Error | null) => void)(error);
      return true;
    });
    try {
      const end = await exportRows(folder, { market: MARKET, ...flags, out: '-' }, never);
      return { end, written: Buffer.concat(pieces), file: readFileSync(file) };
    } finally {
      write.mockRestore();
    }
  }

  test.each(['tardis-csv', 'parquet', 'jsonl'])('has the bytes of the file: %s', async (format) => {
    const { end, written, file } = await piped({ format }, null);
    expect(end).toBe(true);
    expect(written.equals(file)).toBe(true);
    expect(existsSync('-')).toBe(false);
  });

  test('ends without an error when its reader does, and with one when it cannot be written', async () => {
    const errorOf = (code: string): Error => Object.assign(new Error(code), { code });
    expect((await piped({}, errorOf('EPIPE'))).end).toBe(false);
    await expect(piped({}, errorOf('ENOSPC'))).rejects.toThrow('ENOSPC');
  });
});
