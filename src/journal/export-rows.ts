/** A market's book as rows, from its journal. */
import type { RowBlock } from '../contract/row-block.js';
import type { Engine } from '../engine/engine.js';
import { JournalRows, type JournalRowsOf } from '../engine/journal-rows.js';
import { EXPORT_LEVELS } from './model/limits.js';
import { SegmentPlayer } from './segment-player.js';
import type { SegmentInfo } from './store/segment-info.js';

/** What is exported: a run of segments without a hole, and a part of its time. */
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
}

/**
 * The rows of the whole book first, then of what each turn changed, as {@link JournalRows} has them. Throws an EngineError where a
 * file is damaged. Null is a pause, after each file.
 */
export function* readRunRows(run: ExportedRun): Generator<RowBlock | null> {
  const rows = new JournalRows(rowsOf(run));
  let engine: Engine | undefined;
  for (const segment of run.segments) {
    const player = new SegmentPlayer({ folder: run.folder, segment, engine });
    engine = player.engine;
    try {
      while (player.step({ tsMsMax: run.fromMs - 1 }).kind === 'checkpoint');
      player.reader.noteRows(rows);
      yield* readSegmentRows(player, rows, run.toMs);
      yield null;
    } finally {
      player.close();
    }
  }
  const last = rows.take();
  if (last !== null) yield last;
}

function rowsOf({ market, channel }: ExportedRun): JournalRowsOf {
  return { market, rows: channel === 'orders' ? 'orders' : { levels: EXPORT_LEVELS } };
}

/** The blocks that are full; what is left waits for the next segment. */
function* readSegmentRows(
  player: SegmentPlayer,
  rows: JournalRows,
  tsMsMax: number,
): Generator<RowBlock> {
  for (;;) {
    const { kind } = player.step({ tsMsMax });
    if (kind === 'moreBytes' || kind === 'reached') return;
    const block = kind === 'full' ? rows.take() : null;
    if (block !== null) yield block;
  }
}
