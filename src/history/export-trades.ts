/** Exports the stored trades of a market as rows, oldest first. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { BASE_PLACES, QUOTE_PLACES } from '../amounts/decimals.js';
import type { MarketInfo } from '../contract/markets.js';
import type { RowBlock, RowColumn } from '../contract/row-block.js';
import type { Timers } from '../contract/timers.js';
import { readLogged } from '../engine/events.js';
import { candlePointOf } from './candles/rules.js';
import { STORE_COPIES_MAX } from './model/limits.js';
import { type HistoryMarket, marketKeyOf, type RecordRow } from './model/records.js';
import { StoreError } from './store/error.js';
import { storeFile } from './store/open.js';
import { nextTrades } from './store/record-pages.js';
import { renderRows } from './store/render-rows.js';
import type { CandlePoint } from './store/types.js';
import { StoreManager } from './worker/store-manager.js';

/** The trades to export, and their file. */
export interface ExportedTrades {
  readonly dataDir: string;
  readonly genesisHash: string;
  readonly market: Pick<MarketInfo, 'marketType' | 'marketIndex' | 'decimals'>;
  /** The first moment of the range, unix milliseconds; trades have whole seconds. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly timers: Pick<Timers, 'nowMs'>;
}

/** Returns the genesis hashes of the chains whose history is in a folder. */
export function storedChains(dataDir: string): readonly string[] {
  const names = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.flatMap(({ name }) => /^([1-9A-HJ-NP-Za-km-z]{32,44})\.db$/.exec(name)?.[1] ?? []);
}

/**
 * Reads the trades that candles count; where a service has the file open, from a copy that is in the
 * folder meanwhile. Throws a StoreError.
 */
export async function* readTradeRows(trades: ExportedTrades): AsyncGenerator<RowBlock> {
  const { dataDir, genesisHash } = trades;
  try {
    yield* readRowsOf(dataDir, trades);
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'locked') throw error;
    const folder = mkdtempSync(path.join(dataDir, 'export-'));
    try {
      copyStore(storeFile(dataDir, genesisHash), storeFile(folder, genesisHash));
      yield* readRowsOf(folder, trades);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

async function* readRowsOf(folder: string, trades: ExportedTrades): AsyncGenerator<RowBlock> {
  const { genesisHash, market, fromMs, toMs, timers } = trades;
  const stores = new StoreManager({ folder, marketOf: () => undefined, timers });
  const span = { fromTs: Math.ceil(fromMs / 1_000), toTs: Math.floor(toMs / 1_000) };
  const walk = { market: marketKeyOf(market), ...span };
  try {
    const { store } = await stores.openStore(genesisHash);
    for (let behindSlot = -1; ; ) {
      const rows = store.runRead((parts) => nextTrades(parts, { ...walk, behindSlot }));
      const last = rows.at(-1);
      if (last === undefined) return;
      behindSlot = last.slot;
      const block = blockOf(rows, { ...market, key: walk.market, symbol: '' });
      if (block.count > 0) yield block;
    }
  } finally {
    stores.close();
  }
}

/**
 * Copies a store that a service writes to. Only pages of the log are written into the file, and the log
 * begins anew with another salt: with one salt all the time, file and log are a whole store together.
 */
function copyStore(from: string, to: string): void {
  for (let tries = 0; tries < STORE_COPIES_MAX; tries += 1) {
    const salt = saltOf(from);
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    if (salt !== '') copyFileSync(`${from}-wal`, `${to}-wal`, constants.COPYFILE_FICLONE);
    if (saltOf(from) === salt) return;
    rmSync(`${to}-wal`, { force: true });
  }
  throw new StoreError('locked', 'the service wrote too much while its file was copied');
}

/** The salt of a file's log; empty without a log. Source: sqlite.org, "Database File Format", 4.1. */
function saltOf(file: string): string {
  if (!existsSync(`${file}-wal`)) return '';
  const log = openSync(`${file}-wal`, 'r');
  try {
    const salt = Buffer.alloc(WAL_SALT_BYTES);
    return salt.toString('hex', 0, readSync(log, salt, 0, WAL_SALT_BYTES, WAL_SALT_AT));
  } finally {
    closeSync(log);
  }
}

const WAL_SALT_AT = 16;
const WAL_SALT_BYTES = 8;

/** The members of a trade in the data API's format that are exported as they are. */
interface TradeTexts {
  readonly taker: string;
  readonly maker: string;
  readonly takerOrderDirection: string;
  readonly makerOrderDirection: string;
  readonly actionExplanation: string;
}

type Trade = RecordRow & TradeTexts & { readonly point: CandlePoint };

function blockOf(rows: readonly RecordRow[], market: HistoryMarket): RowBlock {
  const [{ program } = { program: 'drift' as const }] = rows;
  const logged = readLogged(
    program,
    rows.map(({ bytes }) => bytes),
  );
  const list = renderRows(rows, 'records', { markets: [market] });
  const texts: readonly TradeTexts[] = JSON.parse(`[${list.toString()}]`);
  const trades = rows.flatMap((row, at): readonly Trade[] => {
    const [fill, text] = [logged[at]?.fill ?? null, texts[at]];
    const point = fill === null ? null : candlePointOf(fill, market.decimals);
    return point === null || text === undefined ? [] : [{ ...text, ...row, point }];
  });
  return { count: trades.length, columns: columnsOf(trades) };
}

function columnsOf(trades: readonly Trade[]): readonly RowColumn[] {
  const integers = (of: (trade: Trade) => bigint): BigInt64Array => BigInt64Array.from(trades, of);
  const base = { kind: 'decimal', places: BASE_PLACES } as const;
  const quote = { kind: 'decimal', places: QUOTE_PLACES } as const;
  return [
    { name: 'ts', kind: 'time', values: integers(({ ts }) => BigInt(ts) * 1_000n) },
    { name: 'slot', kind: 'integer', values: integers(({ slot }) => BigInt(slot)) },
    { name: 'id', kind: 'text', values: trades.map(({ point }) => `${point.fillRecordId}`) },
    { name: 'side', kind: 'text', values: trades.map(sideOf) },
    { name: 'price', ...quote, values: trades.map(({ point }) => point.price) },
    { name: 'amount', ...base, values: trades.map(({ point }) => point.base) },
    { name: 'quoteAmount', ...quote, values: trades.map(({ point }) => point.quote) },
    { name: 'taker', kind: 'text', values: trades.map(({ taker }) => taker) },
    { name: 'maker', kind: 'text', values: trades.map(({ maker }) => maker) },
    { name: 'explanation', kind: 'text', values: trades.map((trade) => trade.actionExplanation) },
    { name: 'txSig', kind: 'text', values: trades.map(({ txSig }) => txSig) },
    { name: 'txSigIndex', kind: 'integer', values: integers(({ index }) => BigInt(index)) },
  ];
}

function sideOf({ takerOrderDirection, makerOrderDirection }: Trade): string {
  if (takerOrderDirection !== '') return takerOrderDirection === 'long' ? 'buy' : 'sell';
  if (makerOrderDirection !== '') return makerOrderDirection === 'long' ? 'sell' : 'buy';
  return 'unknown';
}
