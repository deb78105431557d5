/** The messages between the main thread and the journal's thread. */
import type { AsOfReply, AsOfRequest } from '../../contract/as-of-source.js';
import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import type { ProgramName } from '../../contract/program.js';
import type { ReplayCommand, ReplayEvent, ReplayRequest } from '../../contract/replay-source.js';
import type { TurnDigest } from '../../engine/journal-writer.js';
import type { JournalErrorCode } from './error.js';
import type { LogSetup, TakenLog } from './log-place.js';

/** The files of a journal. */
export interface JournalFiles {
  readonly folder: string;
  readonly programId: string;
  /** The program whose rules its accounts have; by default those of the address. */
  readonly program?: ProgramName | undefined;
}

/** With what the thread is started. */
export interface JournalSetup extends JournalFiles {
  /** Older files are deleted; 0 for never. */
  readonly days: number;
  /** Maximum total size of the files, bytes; 0 for no limit. */
  readonly bytesMax: number;
  /** Whether digests of the records are computed, for the leaves of a signed log. */
  readonly keepsDigests?: boolean;
}

/** To the thread. */
export type ToJournal =
  /** Whole turns from the core; their buffer is transferred. */
  | { readonly kind: 'turns'; readonly log: Uint8Array }
  /** The core has lost turns, so no more turns follow. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** A sign of life of the main thread's event loop. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'takeOver'; readonly taken: TakenLog }
  /** Requests that everything sent before is written to the file. */
  | { readonly kind: 'flush'; readonly id: number }
  | { readonly kind: 'stop' };

/** The statistics of the thread. */
export interface WorkerStats {
  readonly state: JournalState;
  readonly reason: string | null;
  /** The newest moment in a file; null before the first. */
  readonly newest: JournalMoment | null;
  /** Total bytes of the current file and all earlier files. */
  readonly bytes: number;
  /** Bytes queued for NATS; 0 for files. */
  readonly waitingBytes: number;
  readonly events: Readonly<Record<JournalEvent, number>>;
}

/** The counts of a writer's events, of which none has been. */
export const newJournalCounts = () => ({
  segmentsBegun: 0,
  segmentsDeleted: 0,
  /** Failures of the disk or the folder. */
  failures: 0,
  bytesWritten: 0,
  /** Number of messages of a log that were skipped because no core wrote them. */
  foreignMessages: 0,
});

/** Counted events of the thread. */
export type JournalEvent = keyof ReturnType<typeof newJournalCounts>;

/** From the thread. */
export type FromJournal =
  /**
   * Reports that the folder could be opened. After a refusal it is retried, unless another process
   * has the folder or has taken over the log.
   */
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly code: JournalErrorCode; readonly message: string }
  /** `digests`: of taken turns with a hash, in order; those of a log once they are stored. */
  | { readonly kind: 'taken'; readonly bytes: number; readonly digests: readonly TurnDigest[] }
  /** Requests a checkpoint of the core, which starts a new segment. */
  | { readonly kind: 'checkpointDue' }
  /**
   * `isWhole`: whether the newest file has all turns from before the flush; false when the journal
   * has stopped.
   */
  | { readonly kind: 'flushed'; readonly id: number; readonly isWhole: boolean }
  | { readonly kind: 'state'; readonly stats: WorkerStats; readonly listing: JournalListing }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    };

/** The setup of a thread that reads past books. */
export interface PastSetup extends JournalFiles {
  /** Shared memory with one number: the request that is no longer wanted. */
  readonly unwanted: SharedArrayBuffer;
}

/** One request to such a thread. */
export interface MomentJob extends AsOfRequest {
  readonly id: number;
  /** The newest file has all turns up to this time, unix milliseconds; 0 when unknown. */
  readonly flushedMs: number;
  /** The time of the last turn known to be in a file, unix milliseconds; 0 before the first. */
  readonly newestMs: number;
}

/** The result of a job; null when it was cancelled. */
export interface MomentResult {
  readonly id: number;
  readonly reply: AsOfReply | null;
  readonly books: BookCounts;
}

/**
 * Counts of books for requests: restored from a checkpoint, or continued from an earlier request.
 */
export interface BookCounts {
  readonly restores: number;
  readonly warmHits: number;
}

/**
 * The state of the files: all turns so far (`whole`), not all turns yet (`behind`), or all turns of
 * an epoch that has ended (`over`).
 */
export type WrittenJournal = 'whole' | 'behind' | 'over';

/** To that thread, about one replay. */
export type ToReplays = { readonly id: number } /** `flushedMs` as in {@link MomentJob}. */ & (
  | { readonly kind: 'open'; readonly request: ReplayRequest; readonly flushedMs: number }
  | { readonly kind: 'command'; readonly command: ReplayCommand; readonly flushedMs: number }
  /** The reply to the `atEnd` event with this number. */
  | { readonly kind: 'finish'; readonly end: number; readonly written: WrittenJournal }
  | { readonly kind: 'taken'; readonly bytes: number }
  | { readonly kind: 'close' }
);

/** Output of a replay: concatenated frames in `bytes`, followed by an event. */
export interface ReplayItems {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  readonly event: ReplayEvent | null;
}

/** From that thread, about one replay. */
export type FromReplays = { readonly id: number } & (
  | { readonly kind: 'items'; readonly items: ReplayItems }
  /** The replay has reached the end of the files, and waits for `finish`. */
  | { readonly kind: 'atEnd'; readonly end: number }
  | { readonly kind: 'closed' }
);

/** To a thread that reads the past. */
export type ToPast = (MomentJob & { readonly kind: 'moment' }) | ToReplays;
/** From such a thread. */
export type FromPast = (MomentResult & { readonly kind: 'moment' }) | FromReplays;

/**
 * The threads of a journal by the folders of their code, with their start parameters and messages.
 */
export interface ThreadKind {
  readonly worker: {
    readonly setup: JournalSetup | LogSetup;
    readonly to: ToJournal;
    readonly from: FromJournal;
  };
  readonly replays: { readonly setup: PastSetup; readonly to: ToPast; readonly from: FromPast };
}
