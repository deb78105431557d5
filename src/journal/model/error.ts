import { CodedError } from '../../contract/coded-error.js';

/** Errors of the journal; a code is never renamed. */
export type JournalErrorCode =
  /** Another process has locked the folder. */
  | 'JOURNAL_LOCKED'
  /** The folder cannot be created, read or locked. */
  | 'JOURNAL_FOLDER_FAILED'
  /** The disk rejected a write, or the file is gone. */
  | 'JOURNAL_WRITE_FAILED'
  /** The queue of the disk or of the journal's thread has exceeded its limit. */
  | 'JOURNAL_QUEUE_EXCEEDED'
  /** The data cannot be encoded, or the thread has ended. */
  | 'JOURNAL_FAILED'
  /** NATS rejects user and password. */
  | 'LOG_REFUSED'
  /** NATS or its JetStream is unreachable, or does not accept messages at present. */
  | 'LOG_UNREACHABLE'
  /** The log is gone, or differs from what was written: another log replaces it. */
  | 'LOG_LOST'
  /** Another core writes the log. */
  | 'LOG_FENCED'
  /** The log, or the folder of the journal, belongs to another chain or program. */
  | 'LOG_MISMATCH';

/** The one error class of this room. */
export class JournalError extends CodedError<JournalErrorCode> {
  override readonly name = 'JournalError';
}

/** Returns the error of a thread that cannot start, or that ended without an uncaught error. */
export function threadFailed(reason: string): JournalError {
  return new JournalError('JOURNAL_FAILED', reason);
}

/** The code of the system's error, such as `EACCES`; null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  return 'code' in error ? String(error.code) : 'EIO';
}

/** The text of a thrown value. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
