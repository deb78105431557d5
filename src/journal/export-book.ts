/** The levels of a market's book as rows, from its journal. */
import type { MarketInfo } from '../contract/markets.js';
import type { Engine } from '../engine/engine.js';
import { SegmentPlayer } from './segment-player.js';
import type { SegmentInfo } from './store/segment-info.js';

/** One level as it is from a moment on. Prices and amounts are decimals as texts; an amount of 0 takes the level away. */
export interface LevelRow {
  /** Unix milliseconds. */
  readonly ts: number;
  readonly slot: number;
  readonly seq: number;
  readonly isSnapshot: boolean;
  readonly side: 'bid' | 'ask';
  readonly price: string;
  readonly amount: string;
}

/** What is exported: a run of segments without a hole, and a part of its time. */
export interface ExportedBook {
  readonly folder: string;
  readonly segments: readonly SegmentInfo[];
  /** A name in any case. */
  readonly market: string;
  /** The first and the last moment, unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Levels a side: as many as a body has at most. */
const EXPORT_LEVELS = 1_000;
const PRICE_DECIMALS = 6;

type Levels = readonly (readonly [string, string])[];

/** The members of a frame of the channel `book` that are read. */
interface BookFrame {
  readonly ts: number;
  readonly slot: number;
  readonly seq: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

/**
 * The rows of each frame: those of the whole book first, with `isSnapshot`, then what each turn changed. Throws an EngineError
 * where a file is damaged, after the rows of all that came before it.
 */
export function* readLevelRows(book: ExportedBook): Generator<readonly LevelRow[]> {
  const topic = new BookTopic(book.market);
  let engine: Engine | undefined;
  for (const segment of book.segments) {
    const player = new SegmentPlayer({ folder: book.folder, segment, engine });
    engine = player.engine;
    try {
      while (player.step({ tsMsMax: book.fromMs - 1 }).kind === 'checkpoint');
      for (;;) {
        const rows = topic.readRows(engine);
        if (rows.length > 0) yield rows;
        if ((player.reader.nextMoment()?.tsMs ?? 0) > book.toMs) return;
        const { kind } = player.step();
        if (kind === 'moreBytes') break;
        if (player.reader.position().tsMs > book.toMs) return;
      }
    } finally {
      player.close();
    }
  }
}

/** The topic of one market on the engine that goes through a run. */
class BookTopic {
  readonly #name: string;
  #market: MarketInfo | undefined;
  #handle = -1;

  constructor(name: string) {
    this.#name = name;
  }

  /** What has changed since the last call; the whole book at the first one that knows the market. */
  readRows(engine: Engine): readonly LevelRow[] {
    if (this.#market === undefined) {
      this.#market = engine.findMarket(this.#name);
      if (this.#market === undefined) return [];
      const { id } = this.#market;
      this.#handle = engine.openTopic({ channel: 'book', market: id, depth: EXPORT_LEVELS });
      const frame = engine.topicSnapshot(this.#handle, { id: '', reset: false });
      return rowsOf(frame, this.#market, true);
    }
    const delta = engine.topicDelta(this.#handle);
    return delta === null ? [] : rowsOf(delta.frame, this.#market, false);
  }
}

function rowsOf(
  bytes: Uint8Array,
  { decimals }: MarketInfo,
  isSnapshot: boolean,
): readonly LevelRow[] {
  const frame = JSON.parse(Buffer.from(bytes).toString()) as BookFrame;
  const { ts, slot, seq } = frame;
  return (['bid', 'ask'] as const).flatMap((side) =>
    frame[`${side}s`].map(([price, size]) => ({
      ...{ ts, slot, seq, isSnapshot, side },
      price: decimalText(price, PRICE_DECIMALS),
      amount: decimalText(size, decimals),
    })),
  );
}

/** A whole number of the smallest unit as a decimal without trailing zeros. */
function decimalText(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
