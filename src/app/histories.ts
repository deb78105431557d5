/**
 * The history of a service: its worker thread, the folder of its files, and the names of the book's
 * markets, which it needs.
 */
import type { EdgeConfig, ServiceConfig } from '../config/config.js';
import type { MarketInfo } from '../contract/markets.js';
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import type { Timer, Timers } from '../contract/timers.js';
import { History } from '../history/history.js';
import { type HistoryMarket, marketKeyOf } from '../history/model/records.js';
import type { DataFolder } from './data-folder.js';
import type { Runtime } from './runtime.js';

/** Interval at which changed markets are sent. */
const MARKETS_WATCH_MS = 1_000;

/** A market of the book. */
export type BookMarket = Pick<MarketInfo, 'symbol' | 'marketType' | 'marketIndex' | 'decimals'>;

type ReadMarkets = () => readonly BookMarket[];

/** The history of a service, and the functions that start and stop it. */
export interface ServiceHistory {
  readonly history: History;
  /** Starts it; `chain` returns the chain of the book, null until it is known. */
  start(chain: () => string | null): void;
  /** Passes the current markets to the history; needed before the first query. */
  shareMarkets(): void;
  stop(): Promise<void>;
}

/** Returns the history of a service; undefined when the settings disable it. */
export function historyOf(
  { history: settings, nodes, sources = [], programId, program }: ServiceConfig,
  folder: DataFolder,
  runtime: Runtime,
  markets: ReadMarkets,
): ServiceHistory | undefined {
  if (settings === undefined) return undefined;
  const grpc = sources.filter((source) => source.kind === 'grpc');
  const setup = { ...settings, nodes, grpc, programId, program, dataDir: folder.path };
  const history = new History({ setup, ...runtime });
  return startedBy(history, markets, runtime.timers);
}

type ReaderConfig = Pick<EdgeConfig, 'programId' | 'database'>;

/**
 * Returns the history of an edge, which reads the records of its core; undefined without a
 * database.
 */
export function readHistoryOf(
  { programId, database }: ReaderConfig,
  runtime: Runtime,
  markets: ReadMarkets,
): ServiceHistory | undefined {
  if (database === undefined) return undefined;
  const unused = { backfillHours: 0, backfillTransactionsMax: 0, requestsPerSecond: 1 };
  const setup = { ...unused, retain: RETAIN_DEFAULTS, candleRetentionDays: 0, dataDir: '' };
  const history = new History({ setup: { ...setup, nodes: [], programId, database }, ...runtime });
  return startedBy(history, markets, runtime.timers);
}

function startedBy(history: History, markets: ReadMarkets, timers: Timers): ServiceHistory {
  let chain: () => string | null = () => null;
  const shareBook = bookSharing(history, markets);
  const shareMarkets = (): void => shareBook(chain());
  let watch: Timer | undefined;
  const watchMarkets = (): void => {
    shareMarkets();
    watch = timers.after(MARKETS_WATCH_MS, watchMarkets);
  };
  return {
    history,
    start: (bookChain) => {
      chain = bookChain;
      history.start();
      watchMarkets();
    },
    shareMarkets,
    stop: async () => {
      watch?.cancel();
      await history.stop();
    },
  };
}

function bookSharing(history: History, markets: ReadMarkets): (chain: string | null) => void {
  let lastText = '';
  return (genesisHash) => {
    const now = { markets: markets().map(historyMarket), genesisHash };
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
