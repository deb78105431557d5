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

/** Bytes of the slot before the entries. */
const SLOT_BYTES = 8;

/**
 * Plays a journal, and yields its turns with a hash but the first of each range, which depends on
 * turns that are not kept. Throws an EngineError for a damaged file, and errors of the file system.
 */
export function* readLeafTurns(folder: string): Generator<LeafTurn> {
  for (const run of splitRuns(readSegments(folder, null).segments)) {
    const [first, ...others] = run;
    if (first === undefined) continue;
    const player = new JournalPlayer({ folder, segment: first });
    let isFirst = true;
    try {
      for (const segment of [first, ...others]) {
        if (segment !== first) player.continueWith(segment);
        player.reader.keepDigest();
        let isDigestWhole = false;
        for (let step = player.next(); step.kind !== 'moreBytes'; step = player.next()) {
          const inputs = step.kind === 'turn' ? player.reader.digest() : null;
          if (inputs === null) continue;
          const { engine, moment } = player;
          const entries = engine.turnLog.takeLeaf().subarray(SLOT_BYTES);
          const digest = isDigestWhole ? inputs : null;
          if (!isFirst) yield { epoch: engine.epoch, tsMs: moment.ts, entries, inputs: digest };
          isFirst = false;
          isDigestWhole = true;
        }
      }
    } finally {
      player.release();
    }
  }
}
