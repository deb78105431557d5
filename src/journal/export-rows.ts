/** A market's book as rows, from its journal. */
import type { RowBlock } from '../contract/row-block.js';
import type { Engine } from '../engine/engine.js';
import type { EngineError } from '../engine/errors.js';
import { JournalRows, type JournalRowsOf } from '../engine/journal-rows.js';
import { EXPORT_LEVELS } from './model/limits.js';
import { holeOf, isUnreadable, type ReplayHole } from './replay-hole.js';
import { findLostEnd } from './store/lost-end.js';
import type { SegmentInfo } from './store/segment-info.js';
import { SegmentPlayer } from './store/segment-player.js';

/** What is exported: segments of which each goes on with the one before, and a part of their time. */
export interface ExportedRun {
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
 * The rows of the whole book first, then of what each turn changed, as {@link JournalRows} has them. Behind a damaged file the whole
 * book comes again, as the next file begins. Throws an EngineError where the last file is damaged, or the book is not the one that was
 * written. Null is a pause, after each file.
 */
export function* readRunRows(run: ExportedRun): Generator<RowBlock | null> {
  let book: ExportedBook | null = null;
  for (const [index, segment] of run.segments.entries()) {
    if (segment.first.ts > run.toMs) break;
    book ??= { rows: new JournalRows(rowsOf(run)), engine: undefined };
    const player = new SegmentPlayer({ folder: run.folder, segment, engine: book.engine });
    book.engine = player.engine;
    try {
      const next = run.segments[index + 1];
      const damage = yield* readSegmentRows(player, { run, rows: book.rows, next });
      const fromSlot = player.reader.position().slot;
      if (damage !== null && next !== undefined) {
        run.onHole(holeOf(damage, { number: segment.number, next, fromSlot }));
        yield book.rows.take();
        book = null;
      }
      yield null;
    } finally {
      player.close();
    }
  }
  yield book?.rows.take() ?? null;
}

/** The book of some files without a hole, and its rows. */
interface ExportedBook {
  readonly rows: JournalRows;
  engine: Engine | undefined;
}

function rowsOf({ market, channel }: ExportedRun): JournalRowsOf {
  return { market, rows: channel === 'orders' ? 'orders' : { levels: EXPORT_LEVELS } };
}

/** What is read of a segment, and the one that goes on with it. */
interface SegmentRows {
  readonly run: ExportedRun;
  readonly rows: JournalRows;
  readonly next: SegmentInfo | undefined;
}

/**
 * The blocks that are full; what is left waits for the next segment. Returns why the file could not be read to where the next one
 * begins; null when it was, or to the last moment.
 */
function* readSegmentRows(
  player: SegmentPlayer,
  { run, rows, next }: SegmentRows,
): Generator<RowBlock, EngineError | null> {
  try {
    while (player.step({ tsMsMax: run.fromMs - 1 }).kind === 'checkpoint');
    player.reader.noteRows(rows);
    for (;;) {
      const { kind } = player.step({ tsMsMax: run.toMs });
      if (kind === 'reached') return null;
      if (kind === 'moreBytes') return findLostEnd(player, next);
      const block = kind === 'full' ? rows.take() : null;
      if (block !== null) yield block;
    }
  } catch (error) {
    if (next === undefined || !isUnreadable(error)) throw error;
    return error;
  }
}
