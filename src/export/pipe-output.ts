import type { Writable } from 'node:stream';
import type { RowOutput } from './whole-file.js';

/** A pipe to another program, which may end before all is written. It stays open. */
export class PipeOutput implements RowOutput {
  isClosed = false;
  readonly #pipe: Pick<Writable, 'write'>;

  constructor(pipe: Pick<Writable, 'write'>) {
    this.#pipe = pipe;
  }

  /** Waits until the other program has room. Rejects with what the system says. */
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
