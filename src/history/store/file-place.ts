import { statSync } from 'node:fs';

/**
 * Whether an open file is still the one at its path. A file that was deleted or replaced is written on
 * all the same by who has it open, and nobody finds what goes there.
 */
export class FilePlace {
  readonly #file: string;
  readonly #opened: string | null;
  /** That of the log, once there is one. */
  #log: string | null;

  constructor(file: string) {
    this.#file = file;
    this.#opened = identityOf(file);
    this.#log = identityOf(`${file}-wal`);
  }

  /** Names the file among all others of the machine. */
  get identity(): string | null {
    return this.#opened;
  }

  /** Whether the file and its log are where they were; a disk that does not say is no reason to doubt it. */
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
