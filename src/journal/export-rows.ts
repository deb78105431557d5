/** A market's book as rows, from its journal. */
import type { RowBlock } from '../contract/row-block.js';
import type { Engine } from '../engine/engine.js';
import type { EngineError } from '../engine/errors.js';
import { JournalRows } from '../engine/journal-rows.js';
import { EXPORT_LEVELS } from './model/limits.js';
import { holeOf, isUnreadable, type ReplayHole } from './replay-hole.js';
import { findLostEnd } from './store/lost-end.js';
import { continues, type SegmentInfo } from './store/segment-info.js';
import { SegmentPlayer } from './store/segment-player.js';

/** What is exported: segments in their order, and a part of their time. */
export interface ExportedBook {
  readonly folder: string;
  readonly segments: readonly SegmentInfo[];
  /** A name in any case. */
  readonly market: string;
  /** Levels by price, or single orders. */
  readonly channel: 'book' | 'orders';
  /** The first and the last moment, unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** A file is damaged, and the rows go on with the book of the next one. */
  readonly onHole: (hole: ReplayHole) => void;
}

/**
 * The rows of the whole book first, then of what each turn changed, as {@link JournalRows} has them. In the next run, and after a gap
 * or a damaged file, rows make the new book of the one before: applied in their order they are the book of each moment. Returns whether
 * there was the market. Throws an EngineError where the last file is damaged, or the book is not the one that was written. Null is a
 * pause, after each file.
 */
export function* readBookRows(book: ExportedBook): Generator<RowBlock | null, boolean> {
  const levels = { levels: EXPORT_LEVELS };
  const rows = new JournalRows({
    market: book.market,
    rows: book.channel === 'orders' ? 'orders' : levels,
  });
  let engine: Engine | undefined;
  for (const [index, segment] of book.segments.entries()) {
    if (segment.first.ts > book.toMs) {
      // A run whose clock was set back may come.
      engine = undefined;
      continue;
    }
    const after = book.segments[index + 1];
    const next = after !== undefined && continues(segment, after) ? after : undefined;
    const player = new SegmentPlayer({ folder: book.folder, segment, engine });
    if (engine === undefined) rows.beginBook();
    try {
      const damage = yield* readSegmentRows(player, { book, rows, next });
      if (damage !== null) {
        if (after === undefined) throw damage;
        const fromSlot = player.reader.position().slot;
        book.onHole(holeOf(damage, { number: segment.number, next: after, fromSlot }));
      }
      engine = damage === null && next !== undefined ? player.engine : undefined;
      yield null;
    } finally {
      player.close();
    }
  }
  yield rows.take();
  return rows.hasMarket;
}

/** What is read of a segment, and the one that goes on with it. */
interface SegmentRows {
  readonly book: ExportedBook;
  readonly rows: JournalRows;
  readonly next: SegmentInfo | undefined;
}

/**
 * The blocks that are full; what is left waits for the next segment. Returns why the file could not be read to where the next one
 * begins; null when it was, or to the last moment.
 */
function* readSegmentRows(
  player: SegmentPlayer,
  { book, rows, next }: SegmentRows,
): Generator<RowBlock, EngineError | null> {
  try {
    while (player.step({ tsMsMax: book.fromMs - 1 }).kind === 'checkpoint');
    player.reader.noteRows(rows);
    for (;;) {
      const { kind } = player.step({ tsMsMax: book.toMs });
      if (kind === 'reached') return null;
      if (kind === 'moreBytes') return findLostEnd(player, next);
      const block = kind === 'full' ? rows.take() : null;
      if (block !== null) yield block;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return error;
  }
}
