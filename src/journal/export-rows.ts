/** Exports the book of a market from its journal as rows. */
import type { RowBlock } from '../contract/row-block.js';
import type { EngineError } from '../engine/errors.js';
import { JournalRows } from '../engine/journal-rows.js';
import { EXPORT_LEVELS } from './model/limits.js';
import { holeOf, isUnreadable, type ReplayHole } from './replay-hole.js';
import { JournalPlayer } from './store/journal-player.js';
import { continues, type SegmentInfo } from './store/segment-info.js';

/** The segments to export, in order, and the time range. */
export interface ExportedBook {
  readonly folder: string;
  readonly segments: readonly SegmentInfo[];
  /** A name in any case. */
  readonly market: string;
  /** Levels by price, or single orders. */
  readonly channel: 'book' | 'orders';
  /** The first moment of the range, unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Called for a damaged file; the rows continue with the book of the next file. */
  readonly onHole: (hole: ReplayHole) => void;
}

/**
 * Yields the rows of the whole book, then the changes of each turn, in the format of {@link
 * JournalRows}. At the start of an epoch, and after a gap or a damaged file, the rows convert the
 * previous book to the new one, so that rows applied in order give the book of each moment. Returns
 * whether the market existed. Throws an EngineError when the last file is damaged, or the book
 * differs from the written one. Yields null after each file, for a pause.
 */
export function* readBookRows(book: ExportedBook): Generator<RowBlock | null, boolean> {
  const levels = { levels: EXPORT_LEVELS };
  const rows = new JournalRows({
    market: book.market,
    rows: book.channel === 'orders' ? 'orders' : levels,
  });
  let player: JournalPlayer | undefined;
  /** Whether the player's book continues in the next segment. */
  let isContinued = false;
  try {
    for (const [index, segment] of book.segments.entries()) {
      if (segment.first.ts > book.toMs) {
        // A later epoch may begin earlier, when the clock was set back.
        isContinued = false;
        continue;
      }
      const after = book.segments[index + 1];
      const next = after !== undefined && continues(segment, after) ? after : undefined;
      if (player === undefined) player = new JournalPlayer({ folder: book.folder, segment });
      else if (isContinued) player.continueWith(segment);
      else player.goTo(segment);
      if (!isContinued) rows.beginBook();
      const damage = yield* readSegmentRows(player, { book, rows, next });
      if (damage !== null) {
        if (after === undefined) throw damage;
        const fromSlot = player.reader.position().slot;
        book.onHole(holeOf(damage, { number: segment.number, next: after, fromSlot }));
      }
      isContinued = damage === null && next !== undefined;
      yield null;
    }
  } finally {
    player?.close();
  }
  yield rows.take();
  return rows.hasMarket;
}

/** A segment's reader, and the next segment. */
interface SegmentRows {
  readonly book: ExportedBook;
  readonly rows: JournalRows;
  readonly next: SegmentInfo | undefined;
}

/**
 * Yields the full blocks; remaining rows wait for the next segment. Returns the reason when the
 * file could not be read up to the start of the next file; null when it was, or when the last
 * moment was reached.
 */
function* readSegmentRows(
  player: JournalPlayer,
  { book, rows, next }: SegmentRows,
): Generator<RowBlock, EngineError | null> {
  try {
    player.at({ tsMsMax: book.fromMs - 1 });
    player.reader.noteRows(rows);
    for (;;) {
      const played = player.at({ tsMsMax: book.toMs });
      if (played === 'reached') return null;
      if (played === 'end') return player.findLostEnd(next);
      const block = rows.take();
      if (block !== null) yield block;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return error;
  }
}
