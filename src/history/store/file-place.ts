import { statSync } from 'node:fs';

/**
 * Detects that an open file is no longer the file at its path. Writing to a deleted or replaced
 * file still succeeds, but the data is lost.
 */
export class FilePlace {
  readonly #file: string;
  readonly #opened: string | null;
  /** The identity of the write-ahead log, once it exists. */
  #log: string | null;

  constructor(file: string) {
    this.#file = file;
    this.#opened = identityOf(file);
    this.#log = identityOf(`${file}-wal`);
  }

  /** Identifies the file on this machine. */
  get identity(): string | null {
    return this.#opened;
  }

  /** Returns whether the file and its log are still in place; true when the disk cannot tell. */
  isKept(): boolean {
    try {
      const log = identityOf(`${this.#file}-wal`);
      this.#log ??= log;
      return identityOf(this.#file) === this.#opened && log === this.#log;
    } catch {
      return true;
    }
  }
}

/** Null where there is no such file. */
function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
