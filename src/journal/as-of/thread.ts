/**
 * The composition root of a thread that makes books of past moments. What it is started with is an `AsOfSetup`; it
 * gets one `MomentJob` after the other and says what came of each.
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

// An error here is a bug: it ends the thread, and the main thread says why.
port.on('message', (job: MomentJob) => {
  const isCancelled = (): boolean => Atomics.load(unwanted, 0) === job.id;
  const reply = reader.readMoment(job, isCancelled) ?? null;
  const result: MomentResult = { id: job.id, reply, books: reader.takeBookCounts() };
  // The bytes change hands.
  port.postMessage(result, reply?.kind === 'body' ? [reply.body.buffer as ArrayBuffer] : []);
});
