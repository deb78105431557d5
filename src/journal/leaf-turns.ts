import { JournalPlayer } from './store/journal-player.js';
import { splitRuns } from './store/listing.js';
import { readSegments } from './store/segment-index.js';

/** A turn with a hash, of which the service made a leaf. */
export interface LeafTurn {
  readonly epoch: string;
  /** Unix milliseconds. */
  readonly tsMs: number;
  /** The entries of the markets that changed since the turn before, as the core returns them. */
  readonly entries: Uint8Array;
  /** The digest of the records since then; null where the file does not have all of them. */
  readonly inputs: Uint8Array | null;
}

/**
 * Plays a journal, and yields its turns with a hash but the first of each range, which depends on
 * turns that are not kept. Throws an EngineError for a damaged file, and errors of the file system.
 */
export function* readLeafTurns(folder: string): Generator<LeafTurn> {
  for (const [first, ...others] of splitRuns(readSegments(folder, null).segments)) {
    if (first === undefined) continue;
    const player = new JournalPlayer({ folder, segment: first });
    try {
      const turns = readTurns(player);
      turns.next();
      yield* turns;
      for (const segment of others) {
        player.continueWith(segment);
        yield* readTurns(player);
      }
    } finally {
      player.release();
    }
  }
}

/** The turns of the file of a player; the first digest of a file lacks records of the file before. */
function* readTurns(player: JournalPlayer): Generator<LeafTurn> {
  player.reader.keepDigest();
  let isWhole = false;
  for (let step = player.next(); step.kind !== 'moreBytes'; step = player.next()) {
    const digest = step.kind === 'turn' ? player.reader.digest() : null;
    if (digest === null) continue;
    const { engine, moment } = player;
    const { entries } = engine.turnLog.takeLeaf();
    yield { epoch: engine.epoch, tsMs: moment.ts, entries, inputs: isWhole ? digest : null };
    isWhole = true;
  }
}
