import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Where the bytes of rows go. */
export interface RowOutput {
  /** Whether nobody reads what would be written. */
  readonly isClosed: boolean;
  write(bytes: Uint8Array): void | Promise<void>;
  /** All was written. */
  finish(): void;
  /** Nothing more is written, whether all was or not. */
  close(): void;
}

/** A file that gets its name when it is whole. Throws what the file system says. */
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

  /** Removes what is not whole. */
  close(): void {
    closeSync(this.#file);
    rmSync(`${this.#name}.part`, { force: true });
  }
}
