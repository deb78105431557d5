/** What the main thread and the thread of the journal say to each other. */
import type { AsOfReply, AsOfRequest } from '../../contract/as-of-source.js';
import type { JournalListing, JournalMoment, JournalState } from '../../contract/journal-source.js';
import type { ReplayCommand, ReplayEvent, ReplayRequest } from '../../contract/replay-source.js';
import type { JournalErrorCode } from './error.js';
import type { TakenLog } from './log-place.js';

/** With what the thread is started. */
export interface JournalSetup {
  /** The folder of its files. */
  readonly folder: string;
  readonly programId: string;
  /** Older files are deleted; 0 for never. */
  readonly days: number;
  /** Of all files together; 0 for no limit. */
  readonly bytesMax: number;
}

/** To the thread. */
export type ToJournal =
  /** Whole turns, as the core gives them; the bytes change hands. */
  | { readonly kind: 'turns'; readonly log: Uint8Array }
  /** Nothing comes after what came: the core has lost some. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The event loop of the main thread turns. */
  | { readonly kind: 'alive' }
  /** The log is ours: what comes follows its last message. */
  | { readonly kind: 'takeOver'; readonly taken: TakenLog }
  /** All that came before is to be in the file. */
  | { readonly kind: 'flush'; readonly id: number }
  | { readonly kind: 'stop' };

/** The figures of the thread. */
export interface WorkerStats {
  readonly state: JournalState;
  readonly reason: string | null;
  /** The newest moment in a file; null before the first. */
  readonly newest: JournalMoment | null;
  /** Bytes of the file that is being written, and of all before it. */
  readonly bytes: number;
  /** Bytes that wait for NATS; 0 for files. */
  readonly waitingBytes: number;
  readonly events: Readonly<Record<JournalEvent, number>>;
}

/** What the thread counts. */
export type JournalEvent =
  | 'segmentsBegun'
  | 'segmentsDeleted'
  /** Times that the disk, or the folder, refused. */
  | 'failures'
  /** Bytes that were written. */
  | 'bytesWritten';

/** From the thread. */
export type FromJournal =
  /** The folder is its own now, or cannot be; it is tried again unless another process has it, or has taken a log over. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly code: JournalErrorCode; readonly message: string }
  /** So many bytes of turns were taken. */
  | { readonly kind: 'taken'; readonly bytes: number }
  /** The core is to write a checkpoint, with which a new segment begins. */
  | { readonly kind: 'checkpointDue' }
  /** Whether the newest file has all turns that came before the flush: not when the journal has stopped. */
  | { readonly kind: 'flushed'; readonly id: number; readonly isWhole: boolean }
  | { readonly kind: 'state'; readonly stats: WorkerStats; readonly listing: JournalListing }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    };

/** With what a thread is started that makes books of past moments. */
export interface AsOfSetup {
  readonly folder: string;
  readonly programId: string;
  /** One number: the job that is no longer wanted. */
  readonly unwanted: SharedArrayBuffer;
}

/** One request, as such a thread gets it. */
export interface MomentJob extends AsOfRequest {
  readonly id: number;
  /** Up to when the newest file has all turns, unix milliseconds; 0 when only what it holds tells. */
  readonly flushedMs: number;
  /** The time of the last turn that a file is known to have, unix milliseconds; 0 before the first. */
  readonly newestMs: number;
}

/** What comes of it; null when it was given up. */
export interface MomentResult {
  readonly id: number;
  readonly reply: AsOfReply | null;
  readonly books: BookCounts;
}

/** Books that were made for a request: restored from a checkpoint, or left there by an earlier request. */
export interface BookCounts {
  readonly restores: number;
  readonly warmHits: number;
}

/** With what the thread is started that plays topics of the past. */
export interface ReplaySetup {
  readonly folder: string;
  readonly programId: string;
}

/** What is in the files: all that has happened (`whole`), not all of it yet (`behind`), or all that ever comes (`over`). */
export type WrittenJournal = 'whole' | 'behind' | 'over';

/** To that thread, about one replay. */
export type ToReplays = { readonly id: number } /** `flushedMs` as in {@link MomentJob}. */ & (
  | { readonly kind: 'open'; readonly request: ReplayRequest; readonly flushedMs: number }
  | { readonly kind: 'command'; readonly command: ReplayCommand; readonly flushedMs: number }
  /** The answer to the `atEnd` of this number. */
  | { readonly kind: 'finish'; readonly end: number; readonly written: WrittenJournal }
  /** The reader has taken so many bytes. */
  | { readonly kind: 'taken'; readonly bytes: number }
  | { readonly kind: 'close' }
);

/** What a replay has made: frames, one behind the other in `bytes`, and then an event. */
export interface ReplayItems {
  readonly bytes: Uint8Array;
  /** Where each frame ends. */
  readonly ends: readonly number[];
  readonly event: ReplayEvent | null;
}

/** From that thread, about one replay. */
export type FromReplays = { readonly id: number } & (
  | { readonly kind: 'items'; readonly items: ReplayItems }
  /** It has come to the end of the files, and waits for `finish`. */
  | { readonly kind: 'atEnd'; readonly end: number }
  /** Nothing is left of it, and nothing that was sent about it waits. */
  | { readonly kind: 'closed' }
);
