import { CodedError } from '../../contract/coded-error.js';

/** Errors of the journal; codes are never renamed. */
export type JournalErrorCode =
  /** Another process has locked the folder. */
  | 'JOURNAL_LOCKED'
  /** The folder cannot be created, read or locked. */
  | 'JOURNAL_FOLDER_FAILED'
  /** The disk rejected a write, or the file is gone. */
  | 'JOURNAL_WRITE_FAILED'
  /** The queue of the disk, or of the journal's thread, exceeded its limit. */
  | 'JOURNAL_QUEUE_EXCEEDED'
  /** The data cannot be encoded, or the thread ended. */
  | 'JOURNAL_FAILED'
  /** NATS rejects user and password. */
  | 'LOG_REFUSED'
  /** NATS, or its JetStream, is unreachable, or does not accept a message now. */
  | 'LOG_UNREACHABLE'
  /** The log differs from the written one, or is gone: another one replaces it. */
  | 'LOG_LOST'
  /** Another core writes the log. */
  | 'LOG_FENCED'
  /** The log belongs to another chain or program. */
  | 'LOG_MISMATCH';

/** The one error class of this room. */
export class JournalError extends CodedError<JournalErrorCode> {
  override readonly name = 'JournalError';
}

/** A thread without an uncaught error has ended. */
export function threadEnded(code: number): JournalError {
  return new JournalError('JOURNAL_FAILED', `it ended with code ${code}`);
}

/** The code of the system's refusal, such as `EACCES`; null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  return 'code' in error ? String(error.code) : 'EIO';
}

/** The text of a thrown value. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
