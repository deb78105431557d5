import type { Writable } from 'node:stream';
import type { RowOutput } from './whole-file.js';

/** Writes to a pipe, whose reading program may end early. Never closes the pipe. */
export class PipeOutput implements RowOutput {
  isClosed = false;
  readonly #pipe: Pick<Writable, 'write'>;

  constructor(pipe: Pick<Writable, 'write'>) {
    this.#pipe = pipe;
  }

  /** Waits until the reading program accepts more bytes. Rejects with the system's error. */
  async write(bytes: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#pipe.write(bytes, (error) => {
        this.isClosed = (error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE';
        if (error && !this.isClosed) reject(error);
        else resolve();
      });
    });
  }

  finish(): void {}

  close(): void {}
}
