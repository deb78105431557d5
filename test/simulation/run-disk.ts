/** The disk of a run: a folder in memory where there is one. A killed process leaves a copy of its files. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Files in memory, where the system has such a folder. */
const MEMORY_FOLDER = '/dev/shm';

/** The folder of the history, and what becomes of it when its process dies. */
export class RunDisk {
  readonly #root = mkdtempSync(
    path.join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'slotbook-simulation-'),
  );
  #generation = 0;

  /** Where the present process has its files. */
  get folder(): string {
    return path.join(this.#root, `files-${this.#generation}`);
  }

  /** The process was killed: the next one finds what this one had written, and none of its locks. */
  moveOn(): void {
    const before = this.folder;
    this.#generation += 1;
    if (existsSync(before)) cpSync(before, this.folder, { recursive: true });
    rmSync(before, { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
