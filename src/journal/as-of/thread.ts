/**
 * The composition root of a thread that restores past books. Its input is an `AsOfSetup` and then
 * one `MomentJob` after the other; it replies with their results.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { JournalError } from '../model/error.js';
import type { AsOfSetup, MomentJob, MomentResult } from '../model/messages.js';
import { MomentReader } from './moment-reader.js';

const port = parentPort;
if (port === null) throw new JournalError('JOURNAL_FAILED', 'the worker was started as a program');

const setup = workerData as AsOfSetup;
const reader = new MomentReader(setup);
const unwanted = new Int32Array(setup.unwanted);

// An error here is a bug: it ends the thread, and the main thread reports it.
port.on('message', (job: MomentJob) => {
  const isCancelled = (): boolean => Atomics.load(unwanted, 0) === job.id;
  const reply = reader.readMoment(job, isCancelled) ?? null;
  const result: MomentResult = { id: job.id, reply, books: reader.takeBookCounts() };
  // The bytes are transferred.
  port.postMessage(result, reply?.kind === 'body' ? [reply.body.buffer as ArrayBuffer] : []);
});
