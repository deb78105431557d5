import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** The destination of encoded rows. */
export interface RowOutput {
  readonly isClosed: boolean;
  write(bytes: Uint8Array): void | Promise<void>;
  /** Call this after the last write. */
  finish(): void;
  /** Ends the output, complete or not. */
  close(): void;
}

/** Writes a file that gets its final name when it is complete. Throws the file system's errors. */
export class WholeFile implements RowOutput {
  readonly isClosed = false;
  readonly #name: string;
  readonly #file: number;

  constructor(name: string) {
    this.#name = name;
    this.#file = openSync(`${name}.part`, 'w');
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  finish(): void {
    renameSync(`${this.#name}.part`, this.#name);
  }

  /** Removes an incomplete file. */
  close(): void {
    closeSync(this.#file);
    rmSync(`${this.#name}.part`, { force: true });
  }
}
