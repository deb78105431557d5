import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import type { Timers } from '../../contract/timers.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import type { Log } from '../../rpc/log.js';
import type { JournalError } from './error.js';
import type { TakenLog } from './log-place.js';
import type { JournalEvent } from './messages.js';

/** The listeners and the timers of a sink. */
export interface PieceSinkParts {
  readonly timers: Timers;
  readonly log: Log;
  /** Called when the sink accepts pieces again, or has lost some: a new segment must start. */
  readonly onHealed: () => void;
  /** Called when a log has stored a message. */
  readonly onStored: () => void;
  /** Called when the state or the stored range has changed. */
  readonly onChanged: () => void;
  /** Called when the sink has ended for good, and the service must not continue without it. */
  readonly onRefused: (error: JournalError) => void;
}

/** The destination of finished pieces: files of a folder, or a log on NATS. */
export interface PieceSink {
  /**
   * Whether each turn must be stored as soon as possible, and tails must be readable without their
   * checkpoints.
   */
  readonly isLog: boolean;
  readonly state: JournalState;
  /** The reason why no piece is accepted; null while pieces are accepted. */
  readonly reason: string | null;
  /** The newest stored moment; null before the first. */
  readonly newest: JournalMoment | null;
  /** Stored bytes, as far as known. */
  readonly bytes: number;
  /** Bytes that wait for NATS; absent for files, which stop on a failure. */
  readonly waitingBytes?: number;
  readonly counts: Readonly<Record<JournalEvent, number>>;
  listing(): JournalListing;
  /**
   * Opens the sink. Throws, or rejects with, a JournalError when it is unusable; temporary failures
   * are retried.
   */
  open(): void | Promise<void>;
  /** Adds a piece; the pieces of a segment come in order. */
  pushPiece(piece: JournalPiece): void;
  /** Reports that the encoder is alive although there is no piece; only a log uses this. */
  noteAlive?(): void;
  takeOver?(taken: TakenLog): void;
  /** Resolves when every piece so far is stored or dropped. */
  settle(): Promise<void>;
  /** Ends the sink for good, with a reason; null when the service stops. */
  end(reason: string | null): Promise<void>;
}
