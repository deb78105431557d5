import { CodedError } from '../../contract/coded-error.js';

/** What can go wrong in the journal; codes are never renamed. */
export type JournalErrorCode =
  /** Another process has the folder. */
  | 'JOURNAL_LOCKED'
  /** The folder cannot be made, read or locked. */
  | 'JOURNAL_FOLDER_FAILED'
  /** The disk refused a write, or the file is gone. */
  | 'JOURNAL_WRITE_FAILED'
  /** More waited for the disk, or for the thread of the journal, than may. */
  | 'JOURNAL_QUEUE_EXCEEDED'
  /** What was to be written cannot be encoded, or the thread ended. */
  | 'JOURNAL_FAILED'
  /** NATS does not accept the user and password. */
  | 'LOG_REFUSED'
  /** NATS, or its JetStream, cannot be reached, or does not take a message now. */
  | 'LOG_UNREACHABLE'
  /** The log is not the one that was written, or is gone: another one begins in its place. */
  | 'LOG_LOST'
  /** Another core writes the log. */
  | 'LOG_FENCED'
  /** The log is of another chain or program. */
  | 'LOG_MISMATCH';

/** The one error class of this room. */
export class JournalError extends CodedError<JournalErrorCode> {
  override readonly name = 'JournalError';
}

/** A thread has ended that caught all errors. */
export function threadEnded(code: number): JournalError {
  return new JournalError('JOURNAL_FAILED', `it ended with code ${code}`);
}

/** What was thrown, in words. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
