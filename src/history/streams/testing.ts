/** Streams over an in-memory history, with a manual clock. */
import { ManualTimers } from '../../../test/support/manual-timers.js';
import type { MarketFrame } from '../../contract/history-source.js';
import { RESOLUTION_MINUTES, RESOLUTIONS } from '../../contract/resolutions.js';
import { readLogged } from '../../engine/events.js';
import { MemoryRows, SOL_PERP, tradeRow } from '../bodies/testing.js';
import { bucketStart } from '../candles/resolution.js';
import { candlePointOf } from '../candles/rules.js';
import { MemoryBuckets } from '../candles/testing.js';
import type { RecordRow } from '../model/records.js';
import type { CandleChange, CandlePoint } from '../store/types.js';
import { Streams } from './streams.js';

/** The start of a minute, an hour and a day: 2025-06-15 00:00 UTC. */
export const MIDNIGHT = 1_749_945_600;

/** A trade of a test: at a price in whole quote. */
export interface ToldTrade {
  readonly id: number;
  readonly ts: number;
  readonly price: number;
  readonly explanation?: 'transferPerpPosition';
}

/** Streams over a store in memory. */
export class StreamScene {
  readonly timers = new ManualTimers();
  readonly frames: MarketFrame[] = [];
  readonly faults: string[] = [];
  reads = 0;
  /** The error that reads throw; undefined while they work. */
  broken: Error | undefined;
  hasMarkets = true;
  market = SOL_PERP;
  readonly streams: Streams;
  #rows = new MemoryRows();
  #buckets = new MemoryBuckets();

  /** Time begins a second before midnight. */
  constructor() {
    this.streams = new Streams({
      reader: {
        readRecords: (query) => this.#read(() => this.#rows.readRecords(query)),
        buckets: (series, range) => this.#read(() => this.#buckets.buckets(series, range)),
        lastBucketBefore: (series, ts) =>
          this.#read(() => this.#buckets.lastBucketBefore(series, ts)),
      },
      marketOf: (key) => (key === this.market.key && this.hasMarkets ? this.market : undefined),
      timers: this.timers,
      chainSeconds: () => MIDNIGHT - 1 + Math.floor(this.timers.nowMs() / 1_000),
      post: (frames) => void this.frames.push(...frames),
      onFault: (error, market) => void this.faults.push(`${market}: ${(error as Error).message}`),
    });
  }

  /** Advances time; the chain's time is read each second. */
  advance(byMs: number): void {
    const endMs = this.timers.nowMs() + byMs;
    while (this.timers.nowMs() < endMs) {
      const nowMs = this.timers.nowMs();
      const secondMs = 1_000 - (nowMs % 1_000);
      this.timers.advance(Math.min(endMs - nowMs, secondMs));
      if (this.timers.nowMs() % 1_000 === 0) this.streams.publishTime();
    }
    this.timers.advance(0);
  }

  /** Stores trades in one commit. */
  trade(...told: ToldTrade[]): void {
    this.store(...told.map(rowOf));
  }

  /** Stores trades of SOL-PERP in one commit. */
  store(...rows: RecordRow[]): void {
    for (const row of rows) {
      this.#rows.tradeRows.push(row);
      const counted = pointOf(row);
      if (counted !== null) this.#buckets.add('perp_0', `${row.txSig} ${row.index}`, counted);
    }
    this.#tell(rows, 0);
  }

  /** Reverts trades in one commit. */
  takeBack(...told: ToldTrade[]): void {
    const rows = told.map(rowOf);
    for (const gone of rows) {
      const at = this.#rows.tradeRows.findIndex((row) => row.txSig === gone.txSig);
      this.#rows.tradeRows.splice(at, 1);
      this.#buckets.remove('perp_0', `${gone.txSig} ${gone.index}`);
    }
    this.#tell([], rows.length, rows);
  }

  anotherChain(): void {
    this.#rows = new MemoryRows();
    this.#buckets = new MemoryBuckets();
  }

  /** The frames posted since the last call. */
  taken(): MarketFrame[] {
    return this.frames.splice(0);
  }

  /** The same as JSON, without the topics. */
  told(): Message[] {
    return this.taken().map((frame) => JSON.parse(textOf(frame)) as Message);
  }

  #read<Value>(read: () => Value): Value {
    this.reads += 1;
    if (this.broken !== undefined) throw this.broken;
    return read();
  }

  #tell(trades: readonly RecordRow[], removed: number, touched = trades): void {
    const candles = touched.flatMap(({ ts }) =>
      RESOLUTIONS.map((resolution): CandleChange => {
        const series = { market: 'perp_0', resolution } as const;
        const minutes = RESOLUTION_MINUTES[resolution];
        const start = bucketStart(resolution, ts);
        const [bucket] = this.#buckets.buckets(series, { from: start, to: start });
        const candle = bucket === undefined ? null : { market: series.market, minutes, ...bucket };
        return { market: series.market, minutes, start, candle };
      }),
    );
    this.streams.publishChange({ records: trades, removed, candles, markets: new Set(['perp_0']) });
  }
}

/** The JSON text of a frame that is not a rejection. */
export function textOf(frame: MarketFrame): string {
  if (frame.kind === 'refused' || typeof frame.message !== 'string') {
    throw new Error(`Invariant: ${frame.topic} has a text`);
  }
  return frame.message;
}

/** The members of messages that tests examine. */
export interface Message {
  readonly type: string;
  readonly channelType?: string;
  readonly candle?: { readonly ts: number; readonly fillOpen: number; readonly fillClose: number };
  readonly trades?: readonly { readonly fillRecordId: string }[];
  readonly tradesLeftOut?: number;
}

function pointOf({ kind, program, bytes }: RecordRow): CandlePoint | null {
  const fill = kind === 'trade' ? (readLogged(program, [bytes])[0]?.fill ?? null) : null;
  return fill === null ? null : candlePointOf(fill, 9);
}

function rowOf({ id, ts, price, explanation }: ToldTrade): RecordRow {
  return tradeRow({
    fillRecordId: BigInt(id),
    txSig: `sig${id}`,
    slot: id,
    ts,
    baseAssetAmountFilled: 1_000_000_000n,
    quoteAssetAmountFilled: BigInt(price * 1_000_000),
    ...(explanation === undefined ? {} : { actionExplanation: explanation }),
  });
}
