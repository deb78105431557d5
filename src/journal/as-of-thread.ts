import { Worker } from 'node:worker_threads';
import { threadEnded } from './model/error.js';
import type { AsOfSetup, MomentJob, MomentResult } from './model/messages.js';
import { workerFile } from './worker-file.js';

/** The files that a thread reads. */
export type AsOfFiles = Omit<AsOfSetup, 'unwanted'>;

/** Receives the events of a thread. */
export interface AsOfListener {
  /** The job has ended. */
  onResult(result: MomentResult): void;
  onEnd(cause: Error): void;
}

/** A thread that restores past books, one job at a time. */
export class AsOfThread {
  readonly #worker: Worker;
  readonly #unwanted = new Int32Array(new SharedArrayBuffer(4));

  constructor(files: AsOfFiles, listener: AsOfListener) {
    const setup: AsOfSetup = { ...files, unwanted: this.#unwanted.buffer };
    this.#worker = new Worker(workerFile('as-of/thread.js'), { workerData: setup, execArgv: [] });
    let cause: Error | null = null;
    this.#worker.on('message', (result: MomentResult) => listener.onResult(result));
    this.#worker.on('error', (error) => {
      cause ??= error;
    });
    this.#worker.on('exit', (code) => listener.onEnd(cause ?? threadEnded(code)));
  }

  startJob(job: MomentJob): void {
    this.#worker.postMessage(job);
  }

  /** Cancels the job, whose result is no longer needed. */
  giveUpJob(id: number): void {
    Atomics.store(this.#unwanted, 0, id);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
