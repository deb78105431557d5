/** Rows of an export, compared with the book of each moment, as read from each file separately. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { oddUser } from '../../test/support/odd-accounts.js';
import { formatDecimal } from '../amounts/decimals.js';
import type { RowBlock } from '../contract/row-block.js';
import type { Engine } from '../engine/engine.js';
import { EngineError } from '../engine/errors.js';
import { Direction } from '../sim/bytes/generated/enums.js';
import { FEW_MARKETS } from '../sim/bytes/market-presets.js';
import { type ExportedBook, readBookRows } from './export-rows.js';
import type { ReplayHole } from './replay-hole.js';
import { JournalPlayer } from './store/journal-player.js';
import { readSegments } from './store/segment-index.js';
import type { SegmentInfo } from './store/segment-info.js';
import { segmentName } from './store/segment-name.js';
import { cleanUp, JournalRig, journalOfLife, LiveBook, newFolder } from './testing.js';

afterEach(cleanUp);

const MARKET = 'SOL-PERP';
const CHANNELS = ['book', 'orders'] as const;

type Channel = (typeof CHANNELS)[number];

/** The market's book at the end of a turn: a line per level or order. */
interface Moment {
  readonly ts: number;
  readonly state: string;
  readonly lines: Readonly<Record<Channel, readonly string[]>>;
}

interface Shown {
  readonly price: string;
  readonly size: string;
  readonly maker: string;
  readonly orderId: number;
}

function linesOf(body: Uint8Array, nameOf: (row: Shown) => string): readonly string[] {
  const { bids, asks } = JSON.parse(Buffer.from(body).toString());
  const side = (name: string, rows: readonly Shown[]): readonly string[] =>
    rows.map((row) => {
      const [price, amount] = [
        formatDecimal(BigInt(row.price), 6),
        formatDecimal(BigInt(row.size), 9),
      ];
      return `${name} ${price} ${amount}${nameOf(row)}`;
    });
  return [...side('bid', bids), ...side('ask', asks)].sort();
}

function momentOf(engine: Engine, ts: number): Moment {
  const market = engine.findMarket('perp_0')?.id;
  const { state } = engine;
  if (market === undefined) return { ts, state, lines: { book: [], orders: [] } };
  const book = linesOf(
    engine.l2({ market, depth: 1_000, vamm: false, indicative: false }),
    () => '',
  );
  const orders = linesOf(engine.l3({ market }), ({ maker, orderId }) => ` ${maker} ${orderId}`);
  return { ts, state, lines: { book, orders } };
}

/** Each moment of each file, up to its damage. */
function momentsOf(folder: string): readonly Moment[] {
  return readSegments(folder, null).segments.flatMap((segment) => {
    const moments: Moment[] = [];
    const player = new JournalPlayer({ folder, segment });
    try {
      while (player.next().kind !== 'moreBytes') {
        const { tsMs } = player.reader.position();
        if (tsMs > 0) moments.push(momentOf(player.engine, tsMs));
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    } finally {
      player.close();
    }
    return moments;
  });
}

/** A row: its identity, and its new value; null when removed. */
interface Row {
  readonly ts: number;
  readonly epoch: string;
  readonly seq: number;
  readonly isSnapshot: boolean;
  readonly key: string;
  readonly line: string | null;
}

function rowsOf({ count, columns }: RowBlock): readonly Row[] {
  const cell = (name: string, at: number): unknown =>
    columns.find((column) => column.name === name)?.values[at];
  return Array.from({ length: count }, (_, at) => {
    const [side, maker, orderId] = ['side', 'maker', 'orderId'].map((name) => cell(name, at));
    const [price, amount] = [cell('price', at) as bigint, cell('amount', at) as bigint];
    const isGone = maker === undefined ? amount === 0n : cell('action', at) === 'remove';
    const level = `${side} ${formatDecimal(price, 6)}`;
    const order = maker === undefined ? '' : ` ${maker} ${orderId}`;
    return {
      ts: Number(cell('ts', at)),
      epoch: String(cell('epoch', at)),
      seq: Number(cell('seq', at)),
      isSnapshot: cell('isSnapshot', at) === true,
      key: order === '' ? level : order,
      line: isGone ? null : `${level} ${formatDecimal(amount, 9)}${order}`,
    };
  });
}

/** A reader that only applies rows in order, and one that clears the book at the start of a snapshot. */
class RowReader {
  readonly #dropsBooks: boolean;
  readonly #held = new Map<string, string>();
  #wasSnapshot = false;

  constructor(kind: 'plain' | 'by snapshots') {
    this.#dropsBooks = kind === 'by snapshots';
  }

  apply({ isSnapshot, key, line }: Row): void {
    if (this.#dropsBooks && isSnapshot && !this.#wasSnapshot) this.#held.clear();
    this.#wasSnapshot = isSnapshot;
    if (line === null) this.#held.delete(key);
    else this.#held.set(key, line);
  }

  get lines(): readonly string[] {
    return [...this.#held.values()].sort();
  }
}

type Part = Partial<Pick<ExportedBook, 'market' | 'fromMs' | 'toMs'>>;

function exported(folder: string, channel: Channel, part: Part = {}) {
  const holes: ReplayHole[] = [];
  const { market = MARKET, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = part;
  const segments = readSegments(folder, null).segments.filter(({ last }) => last.ts >= fromMs);
  const book = { folder, segments, market, channel, fromMs, toMs };
  const blocks = [...readBookRows({ ...book, onHole: (hole) => holes.push(hole) })];
  return { holes, rows: blocks.flatMap((block) => (block === null ? [] : rowsOf(block))) };
}

/** Compares the readers' books at each moment, and returns how many moments had a book. */
function checkMoments(moments: readonly Moment[], rows: readonly Row[], channel: Channel): number {
  const readers = [new RowReader('plain'), new RowReader('by snapshots')];
  let applied = 0;
  let books = 0;
  for (const { ts, state, lines } of moments) {
    for (let row = rows[applied]; row !== undefined && row.ts <= ts; row = rows[applied]) {
      for (const reader of readers) reader.apply(row);
      applied += 1;
    }
    for (const reader of readers) expect(reader.lines, `${state} at ${ts}`).toEqual(lines[channel]);
    if (state !== 'rebuilding') checkLastSnapshot(rows.slice(0, applied), lines[channel]);
    books += Math.sign(lines[channel].length);
  }
  expect(applied).toBe(rows.length);
  return books;
}

/**
 * Outside of a rebuild, the book equals the last whole book, whose rows share a moment, plus the
 * later rows.
 */
function checkLastSnapshot(rows: readonly Row[], lines: readonly string[]): void {
  const ts = rows.findLast(({ isSnapshot }) => isSnapshot)?.ts ?? 0;
  const reader = new RowReader('plain');
  for (const row of rows) if (row.ts >= ts) reader.apply(row);
  expect(reader.lines).toEqual(lines);
}

/**
 * Appends a run of some slots, which reads its first accounts in several turns; the very first one
 * has none.
 */
async function appendRun(
  folder: string,
  run: ConstructorParameters<typeof LiveBook>[0] & { readonly slot: number },
): Promise<LiveBook> {
  const book = new LiveBook({ epoch: `run-${run.slot}`, parts: 6, ...run });
  const rig = new JournalRig(book, { folder });
  book.engine.endTurn(1_750_000_000_000 + run.slot * 400 - 1);
  await rig.write(20);
  await rig.service.stop();
  return book;
}

async function journalOfRuns(): Promise<string> {
  const { folder } = await journalOfLife();
  await appendRun(folder, { seed: 4, slot: 100 });
  await appendRun(folder, { seed: 5, slot: 200 });
  return folder;
}

/** Flips a bit of the turns of a file. */
function damage(folder: string, number: number): void {
  const file = path.join(folder, segmentName(number));
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length * 0.9);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}

const JOURNALS: Readonly<Record<string, () => Promise<string>>> = {
  'three runs': journalOfRuns,
  'a run that ended before it was live': async () => {
    const { folder } = await journalOfLife();
    await appendRun(folder, { seed: 4, slot: 100, parts: 30 });
    await appendRun(folder, { seed: 5, slot: 200 });
    return folder;
  },
  'a gap': async () => {
    const { folder } = await journalOfLife();
    rmSync(path.join(folder, segmentName(2)));
    return folder;
  },
  'a damaged file within a run': async () => {
    const { folder } = await journalOfLife();
    damage(folder, 2);
    return folder;
  },
  'a torn file, and a whole one that begins as it does': async () => {
    const { folder } = await journalOfLife();
    const bytes = readFileSync(path.join(folder, segmentName(3)));
    writeFileSync(path.join(folder, segmentName(4)), bytes);
    writeFileSync(path.join(folder, segmentName(3)), bytes.subarray(0, -1_000));
    return folder;
  },
  'a run whose last file is damaged': async () => {
    const folder = await journalOfRuns();
    damage(folder, readSegments(folder, null).segments.findLastIndex(isOfFirst) + 1);
    return folder;
  },
  'a change to another chain': async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 3 });
    const rig = new JournalRig(book, { folder });
    await rig.write(20);
    book.engine.setEpoch('other');
    book.engine.setState('rebuilding');
    await rig.write(5);
    book.engine.setState('live');
    await rig.write(5);
    await rig.service.stop();
    return folder;
  },
  'a run in which the market is not there': async () => {
    const { folder } = await journalOfLife();
    const engine = new LiveBook({ seed: 1, epoch: 'second' }).engine;
    const step = (): void => void engine.endTurn(1_750_000_050_000);
    const rig = new JournalRig({ engine, step }, { folder });
    await rig.write(1);
    await rig.service.stop();
    await appendRun(folder, { seed: 5, slot: 200 });
    return folder;
  },
  'a run in which another market has the name': async () => {
    const { folder } = await journalOfLife();
    const [first, second, ...others] = FEW_MARKETS.perps;
    if (first === undefined || second === undefined) throw new Error('there are two perp markets');
    const swapped = [{ ...first, name: second.name }, { ...second, name: first.name }, ...others];
    await appendRun(folder, { seed: 4, slot: 100, presets: { ...FEW_MARKETS, perps: swapped } });
    return folder;
  },
  'orders that come again on the other side': async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 3 });
    const rig = new JournalRig(book, { folder });
    await rig.write(2);
    for (const direction of [Direction.Short, Direction.Long, Direction.Short]) {
      const price = direction === Direction.Short ? 900_000_000n : 1_000_000n;
      const order = { price, baseAssetAmount: 1_000_000_000n, direction };
      const { data, ...account } = oddUser({ seed: 1 }, [order]);
      const text = data.toString('base64');
      book.engine.push({ ...account, slot: book.slot, data: text, encoding: 'base64' });
      await rig.write(1);
    }
    await rig.service.stop();
    return folder;
  },
};

function isOfFirst({ epoch }: SegmentInfo): boolean {
  return epoch === 'first';
}

describe.each(Object.entries(JOURNALS))('of a journal with %s', (_, createJournal) => {
  test('rows applied in order are the book of each moment, for readers of both kinds', async () => {
    const folder = await createJournal();
    const moments = momentsOf(folder);
    for (const channel of CHANNELS) {
      const { rows } = exported(folder, channel);
      expect(rows[0]?.isSnapshot).toBe(true);
      expect(checkMoments(moments, rows, channel)).toBeGreaterThan(4);
    }
  });

  test('a part of the time is the same, wherever it begins and ends', async () => {
    const folder = await createJournal();
    const moments = momentsOf(folder);
    for (const [first, last] of [
      [3, 8],
      [18, 45],
      [41, 62],
      [61, 70],
      [66, 90],
    ] as const) {
      const [from, to] = [moments[first]?.ts, moments[Math.min(last, moments.length - 1)]?.ts];
      if (from === undefined || to === undefined) continue;
      const part = { market: 'perp_0', fromMs: from + 1, toMs: to };
      const within = moments.filter(({ ts }) => ts > from && ts <= to);
      const { rows } = exported(folder, 'book', part);
      checkMoments(within, rows, 'book');
    }
  });
});

test('a market has the same rows by its key, and a seq that grows within each epoch', async () => {
  const folder = await journalOfRuns();
  const { rows } = exported(folder, 'book');
  expect(exported(folder, 'book', { market: 'PERP_0' }).rows).toEqual(rows);
  const epochs = rows.map(({ epoch }) => epoch);
  expect([...new Set(epochs)]).toEqual(['first', 'run-100', 'run-200']);
  expect(epochs).toEqual(epochs.toSorted());
  for (const [at, { epoch, seq }] of rows.entries()) {
    const before = rows[at - 1];
    if (before?.epoch === epoch) expect(seq).toBeGreaterThanOrEqual(before.seq);
  }
});

test('an export that ends in what a damaged file has lost has the book before', async () => {
  const { folder } = await journalOfLife();
  damage(folder, 2);
  const toMs = (readSegments(folder, null).segments[2]?.first.ts ?? 0) - 1;
  const moments = momentsOf(folder).filter(({ ts }) => ts <= toMs);
  const { holes, rows } = exported(folder, 'book', { toMs });
  expect(holes).toHaveLength(1);
  checkMoments(moments, rows, 'book');
});

test('a run whose clock was set back is exported also where the run before is later than all that is asked for', async () => {
  const folder = newFolder();
  await appendRun(folder, { seed: 4, slot: 100 });
  await appendRun(folder, { seed: 5, slot: 20 });
  const toMs = 1_750_000_000_000 + 35 * 400;
  const moments = momentsOf(folder).filter(({ ts }) => ts <= toMs);
  const { rows } = exported(folder, 'book', { toMs });
  expect(checkMoments(moments, rows, 'book')).toBeGreaterThan(4);
});

test('of each damaged file one hole is told, also of the last one of a run that another one follows', async () => {
  const folder = await journalOfRuns();
  const { segments } = readSegments(folder, null);
  const number = segments.findLastIndex(isOfFirst) + 1;
  damage(folder, 2);
  damage(folder, number);
  const { holes } = exported(folder, 'book');
  expect(holes.map(({ name }) => name)).toEqual([2, number].map(segmentName));
});
