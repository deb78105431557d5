import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import type { Timers } from '../../contract/timers.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import type { Log } from '../../rpc/log.js';
import type { JournalError } from './error.js';
import type { TakenLog } from './log-place.js';
import type { JournalEvent } from './messages.js';

/** Whom a sink tells, and by what it keeps time. */
export interface PieceSinkParts {
  readonly timers: Timers;
  readonly log: Log;
  /** The sink takes pieces again, or has lost some: a new segment is to begin. */
  readonly onHealed: () => void;
  /** The state or what is kept is another. */
  readonly onChanged: () => void;
  /** Nothing is taken any more, ever, and the service must not go on as if it were. */
  readonly onRefused: (error: JournalError) => void;
}

/** Where finished pieces go: files of a folder, or a log on NATS. */
export interface PieceSink {
  /** Whether each turn is to be there as soon as it can be, and tails are read without their checkpoints. */
  readonly isLog: boolean;
  readonly state: JournalState;
  /** Why nothing is taken; null while all is well. */
  readonly reason: string | null;
  /** The newest moment that is kept; null before the first. */
  readonly newest: JournalMoment | null;
  /** Bytes that are kept, as far as it is known here. */
  readonly bytes: number;
  /** Bytes that wait for NATS; left out of files, which stop when they fail. */
  readonly waitingBytes?: number;
  readonly counts: Readonly<Record<JournalEvent, number>>;
  listing(): JournalListing;
  /** Opens it. Throws, or rejects with, a JournalError where it is not to be used at all; what may pass is tried again. */
  open(): void | Promise<void>;
  /** Takes a piece; the pieces of a segment come in their order. */
  pushPiece(piece: JournalPiece): void;
  /** Tells the sink that the encoder is alive though it has no piece; a log needs to know, files do not. */
  noteAlive?(): void;
  /** Goes on with the log of another core, which was waited for until now. */
  takeOver?(taken: TakenLog): void;
  /** Resolves when all that was pushed is kept, or dropped. */
  settle(): Promise<void>;
  /** Takes no more, for a reason that does not go away; null when the service stops. */
  end(reason: string | null): Promise<void>;
}
