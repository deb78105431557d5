import type { Writable } from 'node:stream';
import type { RowOutput } from './whole-file.js';

/** A pipe to another program, which may end early. It stays open. */
export class PipeOutput implements RowOutput {
  isClosed = false;
  readonly #pipe: Pick<Writable, 'write'>;

  constructor(pipe: Pick<Writable, 'write'>) {
    this.#pipe = pipe;
  }

  /** Waits until the other program accepts more. Rejects with the system's error. */
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
