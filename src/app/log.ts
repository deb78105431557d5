/**
 * The log of a service on standard error, with all secrets of the settings masked: JSON lines, or
 * words for people.
 */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import type { BookConfig } from '../config/config.js';
import { type Secrets, secrets } from '../config/secrets.js';

/** Maximum characters of a text in a log line: a server may send a whole page as its error. */
const LOG_TEXT_CHARS_MAX = 4_000;
/** Matches a JSON string: in pino's lines, only strings can contain foreign text. */
const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const STANDARD_ERROR = 2;
/** The level from which lines name their level. */
const WARN = 40;

/** Writes bytes from `from` on; returns how many were written, at least 1. */
type WriteBytes = (bytes: Uint8Array, from: number) => number;

/**
 * Writes lines in order and never throws: a line that cannot be written, for example to a full disk
 * or a closed pipe, is lost and counted.
 */
export class LogLines {
  readonly #writeBytes: WriteBytes;
  readonly #secrets: Secrets;
  #lost = 0;
  /** The rest of a partly written line. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(writeBytes: WriteBytes, hidden: Secrets = secrets) {
    this.#writeBytes = writeBytes;
    this.#secrets = hidden;
  }

  get lost(): number {
    return this.#lost;
  }

  /** Writes a JSON line with its line break, in the form that `formOf` gives it. */
  write(line: string, formOf: (line: string) => string = (json) => json): void {
    this.#rest = this.#tryToWrite(this.#rest);
    const bytes = Buffer.from(formOf(this.#maskLine(line)));
    const missing = this.#rest.length > 0 ? bytes : this.#tryToWrite(bytes);
    if (missing.length === bytes.length) this.#lost += 1;
    else this.#rest = missing;
  }

  /** Returns the unwritten rest. */
  #tryToWrite(bytes: Uint8Array): Uint8Array {
    let at = 0;
    try {
      for (let count = 1; at < bytes.length && count > 0; at += count) {
        count = this.#writeBytes(bytes, at);
      }
    } catch {
      // A failure of this output can be reported nowhere else.
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

/** The log goes to standard error, so that standard output contains only results. */
export const standardError = new LogLines((bytes, from) => writeSync(STANDARD_ERROR, bytes, from));

/**
 * Returns the words of a JSON line, for people: time (UTC), level, message, and the other members as
 * `name=value`; an error's stack follows on lines of its own.
 */
export function wordsOf(line: string): string {
  const { level, time, msg, err, ...others } = JSON.parse(line) as LogLine;
  const clock = new Date(time).toISOString().slice(11, 19);
  const name = level < WARN ? '' : ` ${pino.levels.labels[level]}:`;
  const members = Object.entries(others).map(([key, value]) => ` ${key}=${wordOf(value)}`);
  const failure = err === undefined ? '' : `\n${err.stack ?? err.message}`;
  return `${clock}${name} ${msg ?? ''}${members.join('')}${failure}\n`;
}

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' && !/[\s="]/.test(value) ? value : JSON.stringify(value);
}

/** Returns a log with the log level and the format of the settings. */
export function createLog(
  {
    logLevel,
    logFormat = 'auto',
  }: Pick<BookConfig, 'logLevel'> & Partial<Pick<BookConfig, 'logFormat'>>,
  lines: LogLines = standardError,
): Logger {
  const isWords = logFormat === 'auto' ? isatty(STANDARD_ERROR) : logFormat === 'words';
  const output = isWords ? { write: (line: string) => lines.write(line, wordsOf) } : lines;
  return pino({ level: logLevel, base: null }, output);
}
