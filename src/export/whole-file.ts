import {
  closeSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** The destination of encoded rows. */
export interface RowOutput {
  readonly isClosed: boolean;
  write(bytes: Uint8Array): void | Promise<void>;
  /** Call this after the last write. */
  finish(): void;
  /** Ends the output, complete or not. */
  close(): void;
}

/**
 * Writes a file that gets its final name when it is complete; a link keeps its place, and a pipe or
 * a device is written as it is. Throws the file system's errors.
 */
export class WholeFile implements RowOutput {
  readonly isClosed = false;
  readonly #name: string;
  readonly #part: string;
  readonly #file: number;

  constructor(name: string) {
    const existing = statSync(name, { throwIfNoEntry: false });
    this.#name = existing?.isFile() === true ? realpathSync(name) : name;
    this.#part = existing?.isFile() === false ? name : `${this.#name}.part`;
    this.#file = openSync(this.#part, 'w');
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  finish(): void {
    renameSync(this.#part, this.#name);
  }

  /** Removes an incomplete file. */
  close(): void {
    closeSync(this.#file);
    if (this.#part !== this.#name) rmSync(this.#part, { force: true });
  }
}
