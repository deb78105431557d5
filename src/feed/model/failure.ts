import { FAILURE_CHARS_MAX } from './limits.js';

/**
 * A failure in one line, for whoever asks why the book is not live: its code and message. The rooms
 * hide the keys in texts of their own; an error without a code is not theirs and is only named.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown failure';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const text = code === null ? error.name : `${code}: ${error.message}`;
  return text.replace(/\s+/g, ' ').slice(0, FAILURE_CHARS_MAX);
}
