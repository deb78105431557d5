/** The log of a service: lines of JSON on standard error, in which every secret of the settings is masked. */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { BookConfig } from '../config/config.js';
import { type Secrets, secrets } from '../config/secrets.js';

/** Characters of a text in a line: a server that sends a page for an error fills no disk with it. */
const LOG_TEXT_CHARS_MAX = 4_000;
/** A text of JSON: of pino's lines no value but a text holds anything that others have written. */
const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const STANDARD_ERROR = 2;

/** Writes the bytes behind `from`, or the first of them; returns how many. */
type WriteBytes = (bytes: Uint8Array, from: number) => number;

/**
 * Lines that are written one after the other, and never end what writes them: one that cannot be written now, as on a
 * full disk or to a pipe that is closed or full, is lost and counted.
 */
export class LogLines {
  readonly #writeBytes: WriteBytes;
  readonly #secrets: Secrets;
  #lost = 0;
  /** What is missing of a line that was written in part. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(writeBytes: WriteBytes, hidden: Secrets = secrets) {
    this.#writeBytes = writeBytes;
    this.#secrets = hidden;
  }

  /** Lines that were lost. */
  get lost(): number {
    return this.#lost;
  }

  /** Writes a line of JSON with its end. */
  write(line: string): void {
    this.#rest = this.#tryToWrite(this.#rest);
    const bytes = Buffer.from(this.#maskLine(line));
    const missing = this.#rest.length > 0 ? bytes : this.#tryToWrite(bytes);
    if (missing.length === bytes.length) this.#lost += 1;
    else this.#rest = missing;
  }

  /** Returns what could not be written. */
  #tryToWrite(bytes: Uint8Array): Uint8Array {
    let at = 0;
    try {
      for (let count = 1; at < bytes.length && count > 0; at += count) {
        count = this.#writeBytes(bytes, at);
      }
    } catch {
      // There is no other place for what is lost.
    }
    return bytes.subarray(at);
  }

  #maskLine(line: string): string {
    return line.replace(JSON_TEXT, (quoted) => {
      const text = JSON.parse(quoted) as string;
      const shown = this.#secrets.mask(text).slice(0, LOG_TEXT_CHARS_MAX);
      return shown === text ? quoted : JSON.stringify(shown);
    });
  }
}

/** Standard error, so that standard output carries only what a caller waits for. */
export const standardError = new LogLines((bytes, from) => writeSync(STANDARD_ERROR, bytes, from));

/** A log with the level of the settings. */
export function createLog(
  { logLevel }: Pick<BookConfig, 'logLevel'>,
  lines: LogLines = standardError,
): Logger {
  return pino({ level: logLevel, base: null }, lines);
}
