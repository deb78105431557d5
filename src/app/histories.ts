/**
 * The history beside a book: its worker, the folder of its files, and the markets of the book, which
 * it needs to know by their names.
 */
import type { EdgeConfig, ServiceConfig } from '../config/config.js';
import type { MarketInfo } from '../contract/markets.js';
import type { Timer, Timers } from '../contract/timers.js';
import { History } from '../history/history.js';
import { type HistoryMarket, marketKeyOf } from '../history/model/records.js';
import type { DataFolder } from './data-folder.js';
import type { Runtime } from './runtime.js';

/** How often the markets of the book are compared with the last ones. */
const MARKETS_WATCH_MS = 1_000;

/** A market as the book knows it. */
export type BookMarket = Pick<MarketInfo, 'symbol' | 'marketType' | 'marketIndex' | 'decimals'>;

/** The history of a service, and when it runs. */
export interface ServiceHistory {
  readonly history: History;
  start(): void;
  /** Tells it the markets of the book now, before it is asked about them. */
  shareMarkets(): void;
  stop(): Promise<void>;
}

/** Builds the history of a service; undefined when its settings say that there is none. */
export function historyOf(
  { history: settings, nodes, sources = [], programId }: ServiceConfig,
  folder: DataFolder,
  runtime: Runtime,
  markets: () => readonly BookMarket[],
): ServiceHistory | undefined {
  if (settings === undefined) return undefined;
  const grpc = sources.filter((source) => source.kind === 'grpc');
  const setup = { ...settings, nodes, grpc, programId, dataDir: folder.path };
  const history = new History({ setup, ...runtime });
  return startedBy(history, { markets, chain: () => null }, runtime.timers);
}

/** What of an edge's settings its history needs. */
type ReaderConfig = Pick<EdgeConfig, 'programId' | 'database'>;

/** What a history needs to know of the book beside it. */
interface KnownBook {
  readonly markets: () => readonly BookMarket[];
  /** The chain that the history has to be of; null for any. */
  readonly chain: () => string | null;
}

/** Builds the history of an edge, which reads what its core writes; undefined without a database. */
export function readHistoryOf(
  { programId, database }: ReaderConfig,
  runtime: Runtime,
  book: KnownBook,
): ServiceHistory | undefined {
  if (database === undefined) return undefined;
  const unused = { backfillHours: 0, backfillTransactionsMax: 0, requestsPerSecond: 1 };
  const setup = { ...unused, ...{ retentionDays: 0, candleRetentionDays: 0, dataDir: '' } };
  const history = new History({ setup: { ...setup, nodes: [], programId, database }, ...runtime });
  return startedBy(history, book, runtime.timers);
}

function startedBy(history: History, book: KnownBook, timers: Timers): ServiceHistory {
  const shareMarkets = marketSharing(history, book);
  let watch: Timer | undefined;
  const planWatch = (): void => {
    watch = timers.after(MARKETS_WATCH_MS, () => {
      planWatch();
      shareMarkets();
    });
  };
  return {
    history,
    start: () => {
      history.start();
      planWatch();
    },
    shareMarkets,
    stop: async () => {
      watch?.cancel();
      await history.stop();
    },
  };
}

/** Returns what tells a history the markets and their chain, where they are others than the last time. */
function marketSharing(history: History, { markets, chain }: KnownBook): () => void {
  let lastText = '';
  return () => {
    const now = { markets: markets().map(historyMarket), genesisHash: chain() };
    const text = JSON.stringify(now);
    if (text === lastText) return;
    lastText = text;
    history.setBook(now);
  };
}

function historyMarket({ symbol, marketType, marketIndex, decimals }: BookMarket): HistoryMarket {
  const key = marketKeyOf({ marketType, marketIndex });
  return { key, symbol, marketType, marketIndex, decimals };
}
